import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { AttemptTarget, Call, ReplyNotes } from '../../core/model/call.ts';
import type { A2AError } from '../../core/model/errors.ts';
import type { FrameTap, LatestExchange } from '../../core/model/frames.ts';
import { steadyNow } from '../../core/model/timing.ts';
import { askedTask } from '../../core/telemetry/call-fields.ts';
import { AttemptRecord, CallRecord, type RecordBounds, type RecordHome } from './call-record.ts';
import { takeHead, tapAnswer, tapRpcAnswer } from './record-frames.ts';
import { type ClientSide, clientSideOf } from './recorder.ts';

const bounds: RecordBounds = { maxRecord: 256 * 1024, maxBody: 64 * 1024, isLastFailed: true };
/** Most bytes of the records of all agents. */
const maxBytes = 8 << 20;
/** Calls of one agent with failed attempts that have not failed themselves, or not yet; and attempts of one call. */
const maxOpen = 4;
const maxAttempts = 4;
/**
 * Most failures that are kept in one second, since a record costs more than a count. Besides them, one failure of each kind of
 * each agent is kept.
 */
const perSecond = 100;

export interface LastFailuresDeps {
  readonly isAgent: (name: string) => boolean;
  /** Whether no texts of messages and agents may be recorded. */
  readonly hidesWords: () => boolean;
  /** Whether answers of agents are shown nowhere until they are judged, so that they are not recorded. */
  readonly withholdsAnswers: () => boolean;
  readonly credentialHeaders: () => readonly string[];
  /** Returns the time by the clock that all replicas share: milliseconds since the epoch. */
  readonly now: () => number;
}

/** Side that caused the error of a call. */
type Side = 'agent' | 'caller';

/** The failures of one agent. */
interface AgentFailures {
  /** Last call with an error that the agent caused, and last call with another error. */
  readonly calls: Record<Side, CallRecord | undefined>;
  /** Times at which a failure of each kind was last kept, by `steadyNow`. */
  readonly keptAt: Record<Side | 'attempt', number>;
  /** Calls with failed attempts to reach the agent, by their request ids. */
  readonly open: Map<string, CallRecord>;
}

/**
 * Last failed calls of each agent at this replica, in memory. A record has the parts of the call that the gateway still has when
 * it fails; a call that succeeds leaves no record.
 */
export class LastFailures implements RecordHome {
  /** Time since which failures are kept: milliseconds since the epoch. */
  readonly since: number;
  readonly #instance = randomBytes(4).toString('hex');
  readonly #deps: LastFailuresDeps;
  readonly #agents = new Map<string, AgentFailures>();
  /** Records in the order of the failures. */
  readonly #records = new Set<CallRecord>();
  #bytes = 0;
  #latest = 0;
  /** Number of failures that may still be kept, and the time at which it was counted, by `steadyNow`. */
  #room = { left: perSecond, at: 0 };

  constructor(deps: LastFailuresDeps) {
    this.#deps = deps;
    this.since = deps.now();
  }

  credentialHeaders(): readonly string[] {
    return this.#deps.credentialHeaders();
  }

  /** Returns the id of a record, which is unique in the gateway. */
  idOf({ seq }: CallRecord): string {
    return `${this.#instance}-${seq}`;
  }

  /** Yields the last failed calls, and each agent's last failed attempt after them. */
  *records(): Generator<CallRecord> {
    if (this.#deps.hidesWords()) this.clear();
    for (const { calls, open } of this.#agents.values()) {
      if (calls.agent) yield calls.agent;
      if (calls.caller) yield calls.caller;
      const last = [...open.values()].at(-1);
      if (last && last.at > (calls.agent?.at ?? 0)) yield last;
    }
  }

  /** Records a failed call and its answer, which has not been sent yet. */
  readonly noteCall = (call: Call, error: A2AError, seconds: number): void => {
    const { context, operation, request } = call;
    const { agent, requestId, dialect, binding = 'local', principal, notes, traceparent } = context;
    if (error.kind === 'canceled' || !this.#mayKeep(agent)) return;
    const of = this.#of(agent);
    const attempted = of.open.get(requestId);
    const side = error.row.http >= 500 || attempted ? 'agent' : 'caller';
    if (!this.#takeRoom(of, side) && !attempted) return;
    const client = clientSideOf(context);
    const record = attempted ?? this.#add({ agent }, seconds);
    of.open.delete(requestId);
    const before = of.calls[side];
    if (before) this.#drop(before);
    of.calls[side] = record;
    const task = askedTask(request)?.slice(0, 128);
    const known = { agent, requestId, dialect, binding, operation, principal: principal.id, taskId: task };
    record.facts = { ...known, address: client?.address, ...(traceparent !== undefined && { traceparent }) };
    record.notes = bare(notes);
    record.requestLosses = [...notes.losses];
    record.ms = seconds * 1_000;
    record.fail(record, error);
    // To write a large request as JSON takes time.
    if (!client?.isLarge) record.request = record.text(JSON.stringify(request));
    if (client) tapClient(client, record);
  };

  /** Records a failed attempt to call an agent. */
  readonly noteAttempt = (call: Call, to: AttemptTarget, error: A2AError, seconds: number): void => {
    const { context } = call;
    const { requestId, notes } = context;
    if (error.kind === 'canceled' || !this.#mayKeep(to.agent)) return;
    const of = this.#of(to.agent);
    const known = of.open.get(requestId);
    if (!known && !this.#takeRoom(of, 'attempt')) return;
    const record = known ?? this.#open(of.open, call, to.agent, seconds);
    if (record.attempts.length === maxAttempts) {
      record.moreAttempts += 1;
      return;
    }
    const at = this.#deps.now() - seconds * 1_000;
    const attempt = new AttemptRecord(record, { ...call, context: { ...context, notes: bare(notes) } }, to, at);
    record.attempts.push(attempt);
    attempt.ms = seconds * 1_000;
    attempt.error = error.kind;
    record.error = error.kind;
    const isHidden = this.#deps.withholdsAnswers();
    if (!isHidden) record.fail(attempt, error);
    if (!isHidden && record.reason === undefined) record.fail(record, error);
    const { exchange } = notes;
    if (!exchange) return;
    attempt.hide(exchange.credentials);
    take(exchange, attempt.frames(), to, isHidden);
  };

  /** Called when a record grows. The oldest other records are dropped; an agent's only record is dropped last. */
  grow(record: CallRecord, bytes: number): void {
    if (this.#records.has(record)) this.#bytes += bytes;
    if (this.#bytes <= maxBytes) return;
    for (const spares of [true, false]) {
      for (const oldest of this.#records) {
        if (this.#bytes <= maxBytes) return;
        if (oldest !== record && !(spares && this.#isOnly(oldest))) this.#remove(oldest);
      }
    }
  }

  /**
   * Drops the records of a caller. Attempts name no caller, and are dropped for every caller. Returns the number of the caller's
   * calls.
   */
  forget(principal: string): number {
    let count = 0;
    for (const record of this.#records) {
      const { principal: of } = record.facts;
      if (of === principal) count += 1;
      if (of === principal || of === undefined) this.#remove(record);
    }
    return count;
  }

  clear(): void {
    for (const record of this.#records) this.#drop(record);
    this.#agents.clear();
  }

  #mayKeep(agent: string): boolean {
    const { hidesWords, isAgent } = this.#deps;
    if (hidesWords()) {
      this.clear();
      return false;
    }
    return isAgent(agent);
  }

  /** Takes room for a failure. Every second, each agent has room for one of each kind, whatever fails besides it. */
  #takeRoom({ keptAt }: AgentFailures, kind: keyof AgentFailures['keptAt']): boolean {
    const now = steadyNow();
    const left = Math.min(perSecond, this.#room.left + ((now - this.#room.at) / 1_000) * perSecond);
    const hasRoom = left >= 1 || now - keptAt[kind] >= 1_000;
    this.#room = { left: hasRoom ? Math.max(0, left - 1) : left, at: now };
    if (hasRoom) keptAt[kind] = now;
    return hasRoom;
  }

  #of(agent: string): AgentFailures {
    const known = this.#agents.get(agent);
    if (known) return known;
    const never = Number.NEGATIVE_INFINITY;
    const none: AgentFailures = {
      calls: { agent: undefined, caller: undefined },
      keptAt: { agent: never, caller: never, attempt: never },
      open: new Map(),
    };
    this.#agents.set(agent, none);
    return none;
  }

  #open(open: AgentFailures['open'], { operation, context }: Call, agent: string, seconds: number): CallRecord {
    for (const [requestId, oldest] of open) {
      if (open.size < maxOpen) break;
      open.delete(requestId);
      this.#drop(oldest);
    }
    const record = this.#add({ agent, operation, requestId: context.requestId }, seconds);
    open.set(context.requestId, record);
    return record;
  }

  /** @param seconds duration of the call or of the attempt */
  #add(facts: CallRecord['facts'], seconds: number): CallRecord {
    this.#latest += 1;
    const record = new CallRecord(this, this.#latest, facts, { bounds, at: this.#deps.now() - seconds * 1_000 });
    this.#records.add(record);
    return record;
  }

  #drop(record: CallRecord): void {
    if (!this.#records.delete(record)) return;
    record.isClosed = true;
    this.#bytes -= record.bytes;
  }

  /** Whether an agent has no other record. */
  #isOnly({ facts: { agent = '' } }: CallRecord): boolean {
    const { calls, open } = this.#agents.get(agent) ?? {};
    return [calls?.agent, calls?.caller, ...(open?.values() ?? [])].filter(Boolean).length === 1;
  }

  /** Drops a record. */
  #remove(record: CallRecord): void {
    this.#drop(record);
    const of = this.#agents.get(record.facts.agent ?? '');
    if (!of) return;
    if (of.calls.agent === record) of.calls.agent = undefined;
    if (of.calls.caller === record) of.calls.caller = undefined;
    for (const [requestId, one] of of.open) if (one === record) of.open.delete(requestId);
  }
}

/** The notes that a record shows: all of them refer to the call and to its request. */
const bare = ({ losses, taskKey }: ReplyNotes): ReplyNotes => ({
  losses: new Set(losses),
  extensions: new Set(),
  ...(taskKey !== undefined && { taskKey }),
});

/** The parts of a target that are there over HTTP, and over gRPC. */
type Target = Partial<Pick<ServerResponse, 'writeHead'>> & { readonly req?: IncomingMessage } & Partial<
    Pick<ServerHttp2Stream, 'respond'>
  >;

/** Records the request of a client, and its answer as it is sent. */
function tapClient({ target, sent, head }: ClientSide, { client }: CallRecord): void {
  if (!target) return;
  const { req, writeHead, respond } = target as Target;
  if (req && writeHead) {
    takeHead(req, client.request);
    if (sent) client.request.push(sent);
    tapAnswer(req, target as unknown as ServerResponse, client.answer);
  } else if (head && respond) {
    const headers = Object.fromEntries(head.headerNames().map((name) => [name, head.header(name)]));
    client.request.begin(`POST ${head.path} HTTP/2`, headers);
    if (sent) client.request.pushMessage(sent);
    tapRpcAnswer(target as unknown as ServerHttp2Stream, client.answer);
  }
}

/** Records the latest request of an attempt, and its answer. @param isHidden whether the body of the answer is left out */
function take({ request, answer }: LatestExchange, tap: FrameTap, { binding, url }: AttemptTarget, isHidden: boolean) {
  const version = binding === 'grpc' ? '2' : '1.1';
  const {
    method,
    url: { pathname, search },
  } = request;
  tap.sent(`${method} ${pathname}${search} HTTP/${version}`, { host: url.host, ...request.headers }, request.body);
  if (!answer) return;
  const { status, headers, received, trailers } = answer;
  tap.received(`HTTP/${version} ${status}`, headers);
  if (received && !isHidden) tap.data(received);
  if (trailers && !isHidden) tap.trailers?.(trailers);
}
