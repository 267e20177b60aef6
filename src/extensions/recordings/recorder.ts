import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { AnswerSink, Call, CallContext, Invoke, Reply, RequestHead } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { AdmittedExchange, AdmittedRpc, ExchangeObserver } from '../../core/ports/exchange-observer.ts';
import { askedTask } from '../../core/telemetry/call-fields.ts';
import type { Meters } from '../../core/telemetry/meters.ts';
import { CallRecord, type RecordHome, type Recording, type RecordingPlan } from './call-record.ts';
import { tapGrpc, tapHttp } from './record-frames.ts';

/** Most recordings in memory, including those that are over. */
const maxRecordings = 8;
/** Milliseconds for which a recording stays in memory after its end. */
const keptFor = 3_600_000;
/** Most bytes of all records. */
const maxBytes = 16 << 20;

export interface CallRecorderDeps {
  /** Called when the first recording begins, and when the last one ends. */
  readonly onActive: (isActive: boolean) => void;
  readonly meters: Pick<Meters, 'onRefused'>;
  /** Whether no texts of messages and agents may be recorded. Called for every call. */
  readonly hidesWords: () => boolean;
  /** Returns the names of headers with credentials, in lower case, besides the usual ones. Called for every frame. */
  readonly credentialHeaders: () => readonly string[];
  /** Whether a dialect belongs to a service of the gateway itself. */
  readonly isOfGateway: (dialect: string) => boolean;
}

/** Recordings of this replica and their records, in memory. */
export class CallRecorder implements ExchangeObserver, RecordHome {
  readonly #deps: CallRecorderDeps;
  readonly #recordings = new Map<string, Recording>();
  /** Records in the order in which the calls arrived. */
  readonly #records = new Set<CallRecord>();
  /** Requests that may become recorded calls, by the targets of their answers. */
  readonly #drafts = new WeakMap<object, CallRecord>();
  /** Random id of this run of the process, which makes the ids of its records unique. */
  readonly instance = randomBytes(4).toString('hex');
  #bytes = 0;
  #latest = 0;
  #isActive = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: CallRecorderDeps) {
    this.#deps = deps;
  }

  credentialHeaders(): readonly string[] {
    return this.#deps.credentialHeaders();
  }

  get recordings(): Iterable<Recording> {
    return this.#recordings.values();
  }

  /** Yields the recorded calls. The earliest comes first. */
  *records(): Generator<CallRecord> {
    for (const record of this.#records) if (record.recordings.length > 0) yield record;
  }

  /** Begins a recording. Throws A2AError `tooManyRequests` if too many recordings are under way. */
  begin(plan: RecordingPlan): Recording {
    const all = [...this.#recordings.values()];
    const oldest = all.find(({ isOver }) => isOver);
    if (all.length >= maxRecordings) {
      if (!oldest) throw tooMany();
      this.#forget(oldest);
    }
    const recording = { plan, until: Date.now() + plan.lasts, isOver: false, recorded: 0, dropped: 0 };
    this.#recordings.set(plan.id, recording);
    this.#update();
    return recording;
  }

  /** Ends a recording. Undefined: there is none with this id. */
  stop(id: string): Recording | undefined {
    const recording = this.#recordings.get(id);
    if (recording) this.#end(recording);
    this.#update();
    return recording;
  }

  /** Ends the recordings that are about a single caller, and drops all records of the caller. Returns their number. */
  forget(principal: string): number {
    for (const recording of this.#recordings.values()) {
      if (recording.plan.principal !== principal) continue;
      this.#end(recording);
      this.#recordings.delete(recording.plan.id);
    }
    const records = [...this.#records].filter(({ facts }) => facts.principal === principal);
    const count = records.filter(({ recordings }) => recordings.length > 0).length;
    for (const record of records) this.#drop(record);
    this.#update();
    return count;
  }

  /** Ends all recordings and drops their records. */
  close(): void {
    for (const recording of this.#recordings.values()) {
      recording.isOver = true;
      this.#forget(recording);
    }
    this.#update();
  }

  http({ req, res, facts, principal, requestId }: AdmittedExchange): void {
    if (this.#open(principal.id, facts.agent).length === 0) return;
    const { agent } = facts;
    const draft = this.#draft(res, { principal: principal.id, requestId, ...(agent !== undefined && { agent }) });
    tapHttp(req as IncomingMessage, res as unknown as ServerResponse, draft.client.request, draft.client.answer);
  }

  grpc({ stream, principal, requestId, path, headers }: AdmittedRpc): void {
    if (this.#open(principal.id, undefined).length === 0) return;
    const draft = this.#draft(stream, { principal: principal.id, requestId });
    const head = { path, headers: headers() };
    tapGrpc(stream as unknown as ServerHttp2Stream, head, draft.client.request, draft.client.answer);
  }

  invoke(call: Call, next: Invoke): Promise<Reply> {
    const { context, operation, request } = call;
    const { principal, agent, requestId, dialect, binding = 'local', traceparent, reservation } = context;
    const target = reservation?.target;
    const found = target && this.#drafts.get(target);
    if (target) this.#drafts.delete(target);
    // One that had to make room is over.
    const draft = found?.isClosed ? undefined : found;
    const task = askedTask(request);
    // An agent is named by every call that is not about the gateway itself.
    const recordings =
      agent === ''
        ? []
        : this.#open(principal.id, agent).filter(
            ({ plan }) => plan.taskKey === '' || task === plan.taskId || task === plan.taskKey,
          );
    if (recordings.length === 0) {
      if (draft) this.#drop(draft);
      return next(call);
    }
    const facts = { agent, requestId, dialect, binding, ...(traceparent !== undefined && { traceparent }) };
    const known = { operation, principal: principal.id, taskId: task?.slice(0, 128), address: reservation?.address };
    const record = draft ?? this.#add({});
    record.facts = { ...facts, ...known };
    this.#adopt(record, recordings);
    return record.invoke(call, next);
  }

  /** Called when a record grows. The oldest other records are dropped. */
  grow(record: CallRecord, bytes: number): void {
    if (this.#deps.hidesWords()) this.close();
    if (this.#records.has(record)) this.#bytes += bytes;
    for (const oldest of this.#records) {
      if (this.#bytes <= maxBytes) return;
      if (oldest !== record) this.#drop(oldest);
    }
  }

  #draft(target: AnswerSink, facts: CallRecord['facts']): CallRecord {
    const draft = this.#add(facts);
    this.#drafts.set(target, draft);
    target.once('close', () => {
      if (draft.recordings.length === 0) this.#drop(draft);
    });
    return draft;
  }

  #add(facts: CallRecord['facts']): CallRecord {
    this.#latest += 1;
    const record = new CallRecord(this, this.#latest, facts);
    this.#records.add(record);
    return record;
  }

  #adopt(record: CallRecord, recordings: readonly Recording[]): void {
    record.recordings = recordings;
    for (const recording of recordings) recording.recorded += 1;
  }

  #drop(record: CallRecord): void {
    if (!this.#records.delete(record)) return;
    record.isClosed = true;
    this.#bytes -= record.bytes;
    for (const recording of record.recordings) recording.dropped += 1;
  }

  /** Returns the recordings under way that are about a caller and, if it is known, about an agent. */
  #open(principal: string, agent: string | undefined): Recording[] {
    if (this.#deps.hidesWords()) this.close();
    const open: Recording[] = [];
    for (const recording of this.#recordings.values()) {
      const { plan, isOver, recorded } = recording;
      if (!isOver && recorded < plan.calls && isOf(plan, principal, agent)) open.push(recording);
    }
    return open;
  }

  #refused: Meters['onRefused'][number] = (binding, failure, { res, agent, operation, dialect }) => {
    const draft = res && this.#drafts.get(res);
    if (!draft || draft.isClosed || (dialect !== undefined && this.#deps.isOfGateway(dialect))) return;
    this.#drafts.delete(res);
    const { principal = '', agent: known = agent } = draft.facts;
    // The malformed part of the request may be the very one that names the task.
    const recordings = this.#open(principal, known).filter(
      ({ plan }) => (plan.agent === '' || known !== undefined) && plan.taskKey === '',
    );
    if (recordings.length === 0) return;
    draft.facts = { ...draft.facts, ...(known && { agent: known }), operation, ...(dialect && { dialect }) };
    if (binding !== 'other') draft.facts = { ...draft.facts, binding };
    draft.fail(draft, typeof failure === 'string' ? new A2AError(failure) : failure);
    this.#adopt(draft, recordings);
  };

  #end(recording: Recording): void {
    if (recording.isOver) return;
    recording.isOver = true;
    recording.until = Math.min(recording.until, Date.now());
  }

  #forget(recording: Recording): void {
    this.#recordings.delete(recording.plan.id);
    for (const record of this.#records) {
      if (record.recordings.length > 0 && record.recordings.every(({ plan }) => !this.#recordings.has(plan.id))) {
        this.#drop(record);
      }
    }
  }

  /**
   * Ends recordings whose time is over, and sets the timer for the next one. Calls pass the recorder only while there is a
   * recording.
   */
  readonly #update = (): void => {
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    for (const recording of this.#recordings.values()) {
      if (recording.until <= now) this.#end(recording);
      const due = recording.isOver ? recording.until + keptFor : recording.until;
      if (due <= now) this.#forget(recording);
      else next = Math.min(next, due);
    }
    clearTimeout(this.#timer);
    if (next < Number.POSITIVE_INFINITY) this.#timer = setTimeout(this.#update, Math.max(1, next - now)).unref();
    const isActive = [...this.#recordings.values()].some(({ isOver }) => !isOver);
    const { onActive, meters } = this.#deps;
    if (isActive === this.#isActive) return;
    this.#isActive = isActive;
    if (isActive) meters.onRefused.push(this.#refused);
    else meters.onRefused.splice(meters.onRefused.indexOf(this.#refused), 1);
    onActive(isActive);
  };
}

/** Client's side of a call from outside. */
export interface ClientSide {
  readonly address: string | undefined;
  readonly target: AnswerSink | undefined;
  readonly sent: Uint8Array | undefined;
  readonly head: RequestHead | undefined;
  /** Whether the request is so large that its memory is counted. */
  readonly isLarge: boolean;
}

/** Returns the client's side of a call. Undefined: the call came from within the process. */
export const clientSideOf = ({ reservation }: CallContext): ClientSide | undefined =>
  reservation && {
    address: reservation.address,
    target: reservation.target,
    sent: reservation.sent,
    head: reservation.head,
    isLarge: reservation.bytes > 0,
  };

const isOf = ({ agent, principal }: RecordingPlan, caller: string, called: string | undefined): boolean =>
  (principal === '' || principal === caller) && (agent === '' || called === undefined || agent === called);

const tooMany = (): A2AError =>
  new A2AError('tooManyRequests', `${maxRecordings} recordings are in progress: stop one of them, or wait for its end`);
