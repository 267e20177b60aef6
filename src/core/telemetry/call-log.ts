import { randomBytes } from 'node:crypto';
import type { AnswerSink, BindingKind, Call } from '../model/call.ts';
import type { RuleDecision } from '../model/call-decisions.ts';
import { A2AError, type ErrorKind, type GrpcStatusName, grpcStatus, RefusedCallerError } from '../model/errors.ts';
import { shortened } from '../model/text.ts';
import { askedTask, shortenedId } from './call-fields.ts';
import type { RefusedRequest } from './meters.ts';
import { processDigest } from './process-digest.ts';
import { traceIdOf } from './trace-context.ts';

/**
 * A call that has ended, or a request that was refused before it became one. It contains no text of a message except
 * the error's.
 */
export interface CallRecord {
  /** Number of the record, counted by this replica from 1. */
  readonly seq: number;
  /** Time of arrival: whole milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds until the answer was ready, or the stream was over. */
  readonly ms?: number;
  /** Id of the caller; undefined if no credential was valid. */
  readonly principal: string | undefined;
  /** Network address of the caller. Undefined: a call within this process. */
  readonly address: string | undefined;
  readonly agent: string;
  readonly tenant: string;
  /** Name of the operation. Undefined: the request was refused before it was known. */
  readonly operation: string | undefined;
  readonly dialect: string | undefined;
  readonly binding: BindingKind | 'other';
  /** Status that the caller received: an HTTP status, or the name of a gRPC code. Undefined: nothing was sent, or not yet. */
  readonly status?: string | undefined;
  readonly error: ErrorKind | undefined;
  /** The error's message, shortened but not sanitised: readers make it safe to show. */
  readonly reason: string | undefined;
  /** Number of a stream's events; 0 for an answer of one value. */
  readonly events: number;
  /** Number of schema paths that conversions dropped, and the first of them. */
  readonly losses: number;
  readonly lossPaths: readonly string[];
  readonly taskId: string | undefined;
  readonly taskKey: string | undefined;
  readonly requestId: string | undefined;
  readonly traceId: string | undefined;
  /** Name of the policy that decided about the call. */
  readonly policy: string | undefined;
  /** Rule that refused the call: `policy NAME`, `guard NAME` or `stop`. Undefined: another cause. */
  readonly refusedBy?: string | undefined;
  /** Decisions of rules about the call. More may be added after its end. */
  readonly decisions?: readonly RuleDecision[] | undefined;
}

/** Largest number of records of each kind. */
const room = { answered: 2_000, failed: 1_000, refused: 1_000 } as const;
/** Largest number of characters of a reason, and of paths of losses, in one record. */
const maxReason = 300;
const maxPaths = 8;

/**
 * Largest number of forgotten callers that are remembered, so that their calls in progress are not noted. The oldest are dropped.
 */
const mostForgotten = 1_000;

/** Number of unread records at which the reader is called. */
const manyUnread = 1_000;

const none: readonly string[] = [];

/** The latest records, of which the oldest are overwritten. */
class Ring {
  readonly #size: number;
  items: CallRecord[] = [];
  #next = 0;
  /** Time since which no record has been dropped, by arrival of the calls: milliseconds since the epoch. */
  completeSince = 0;

  constructor(size: number) {
    this.#size = size;
  }

  push(record: CallRecord): void {
    const dropped = this.items[this.#next];
    // Calls are noted when they end: the one that is dropped may have arrived after others that stay.
    if (dropped) this.completeSince = Math.max(this.completeSince, dropped.at + 1);
    this.items[this.#next] = record;
    this.#next = this.#next + 1 === this.#size ? 0 : this.#next + 1;
  }

  /** Removes records. Returns their number. */
  remove(isRemoved: (record: CallRecord) => boolean): number {
    const inOrder = [...this.items.slice(this.#next), ...this.items.slice(0, this.#next)];
    const former = this.items.length;
    this.items = inOrder.filter((record) => !isRemoved(record));
    this.#next = this.items.length % this.#size;
    return former - this.items.length;
  }
}

/**
 * The latest calls of this replica. Failed calls and refused requests have rings of their own, so that many of one kind
 * displace no other.
 */
export class CallLog {
  /** Start of the log: milliseconds since the epoch. */
  #since = Date.now();
  #now: () => number = Date.now;
  readonly #answered = new Ring(room.answered);
  readonly #failed = new Ring(room.failed);
  readonly #refused = new Ring(room.refused);
  /** Times at which callers were forgotten, by digests of their names: milliseconds since the epoch. */
  readonly #forgotten = new Map<string, number>();
  /** Random id that distinguishes the records of this run of the process from those of all others. */
  readonly instance = randomBytes(4).toString('hex');
  /** Number of the latest record. */
  latest = 0;
  /** Records that a reader has not taken yet. Their status may become known later. Undefined: there is no reader. */
  unread: CallRecord[] | undefined = undefined;
  /** Records with decisions of rules after the end of the call, for the same reader. */
  decidedLate: CallRecord[] = [];
  /** Called when many records wait for the reader. Must not throw. */
  onManyUnread: (() => void) | undefined = undefined;

  /** Dates calls by a clock that all replicas share, from the start of the log on. @param now milliseconds since the epoch */
  dateBy(now: () => number): void {
    this.#now = now;
    this.#since = now();
  }

  /** Notes a call that is over. @param ms milliseconds since it arrived */
  note({ operation, request, context }: Call, ms: number, failure: A2AError | undefined): void {
    const { agent, tenant, principal, dialect, binding = 'local', notes, reservation, requestId } = context;
    const { losses, taskKey, events = 0, policy, refusedBy, decisions } = notes;
    const at = Math.floor(this.#now() - ms);
    if (this.#forgotten.size > 0 && this.#isForgotten(principal.id, at)) return;
    this.latest += 1;
    const record: CallRecord = {
      seq: this.latest,
      at,
      ms,
      principal: principal.id,
      address: reservation?.address,
      agent,
      tenant,
      operation,
      dialect,
      binding,
      status: failure || !reservation ? undefined : binding === 'grpc' ? 'OK' : `${notes.status ?? 200}`,
      error: failure?.kind,
      reason: failure && reasonOf(failure),
      events,
      losses: losses.size,
      lossPaths: losses.size === 0 ? none : [...losses].slice(0, maxPaths),
      taskId: shortenedId(askedTask(request)) ?? (taskKey?.startsWith('[') ? undefined : taskKey),
      taskKey,
      requestId,
      traceId: context.traceparent && traceIdOf(context.traceparent),
      policy,
      refusedBy: failure && refusedBy,
      decisions: decisions?.list,
    };
    if (decisions) decisions.onAdded = () => this.#noteLate(record);
    if (failure) {
      this.#failed.push(record);
      if (reservation?.target) noteStatus(record, reservation.target);
    } else {
      this.#answered.push(record);
    }
    if (this.unread !== undefined && this.unread.push(record) >= manyUnread) this.onManyUnread?.();
  }

  /** Whether the caller was forgotten after it made a call at this time. */
  #isForgotten(principal: string, at: number): boolean {
    return at <= (this.#forgotten.get(processDigest(principal)) ?? 0);
  }

  #noteLate(record: CallRecord): void {
    if (this.unread === undefined || this.decidedLate.includes(record)) return;
    if (this.#isForgotten(record.principal ?? '', record.at)) return;
    if (this.decidedLate.push(record) >= manyUnread) this.onManyUnread?.();
  }

  /** Notes a request that was refused before it became a call. */
  readonly noteRefused = (
    binding: CallRecord['binding'],
    failure: A2AError | ErrorKind,
    { requestId, principal, agent = '', operation, dialect, address, res, status }: RefusedRequest,
  ): void => {
    const error = typeof failure === 'string' ? new A2AError(failure) : failure;
    this.latest += 1;
    const record: CallRecord = {
      seq: this.latest,
      at: Math.floor(this.#now()),
      principal: principal?.id ?? (error instanceof RefusedCallerError ? error.caller : undefined),
      address: address ?? res?.socket?.remoteAddress,
      agent: agent.slice(0, 128),
      tenant: '',
      operation,
      dialect,
      binding,
      status,
      requestId,
      error: error.kind,
      reason: reasonOf(error),
      events: 0,
      losses: 0,
      lossPaths: none,
      taskId: undefined,
      taskKey: undefined,
      traceId: undefined,
      policy: undefined,
    };
    this.#refused.push(record);
    if (res) noteStatus(record, res);
    if (this.unread !== undefined && this.unread.push(record) >= manyUnread) this.onManyUnread?.();
  };

  /** Forgets the calls of a caller, those in progress included. Returns the number of calls that had ended. */
  forget(principal: string): number {
    const digest = processDigest(principal);
    this.#forgotten.delete(digest);
    this.#forgotten.set(digest, Math.floor(this.#now()));
    const [first] = this.#forgotten.keys();
    if (this.#forgotten.size > mostForgotten && first !== undefined) this.#forgotten.delete(first);
    const isOf = (record: CallRecord): boolean => record.principal === principal;
    this.unread = this.unread?.filter((record) => !isOf(record));
    this.decidedLate = this.decidedLate.filter((record) => !isOf(record));
    return [this.#answered, this.#failed, this.#refused].reduce((count, ring) => count + ring.remove(isOf), 0);
  }

  /** Yields the records in no order. */
  *records(failedOnly: boolean): Generator<CallRecord> {
    if (!failedOnly) yield* this.#answered.items;
    yield* this.#failed.items;
    yield* this.#refused.items;
  }

  /** Returns the time since which no record has been dropped: milliseconds since the epoch. */
  since(failedOnly: boolean): number {
    const rings = failedOnly ? [this.#failed, this.#refused] : [this.#answered, this.#failed, this.#refused];
    return Math.max(this.#since, ...rings.map(({ completeSince }) => completeSince));
  }
}

/** Names of gRPC's codes. */
const grpcNames = Object.fromEntries(Object.entries(grpcStatus).map(([name, code]) => [code, name as GrpcStatusName]));

type UnfinishedRecord = { -readonly [K in 'status']?: CallRecord[K] };

/** Records of calls that share an answer which is not over, such as those of one MCP session. */
const unfinished = new WeakMap<AnswerSink, UnfinishedRecord[]>();

/** Completes a record with the status that was sent, as soon as it is known. Only gRPC's is not in the headers. */
function noteStatus(record: UnfinishedRecord, target: AnswerSink): void {
  if (target.destroyed || (target.headersSent && !isOfGrpc(target))) {
    complete(record, target);
    return;
  }
  const others = unfinished.get(target);
  if (others !== undefined) {
    others.push(record);
    return;
  }
  const records = [record];
  unfinished.set(target, records);
  target.once('close', () => {
    for (const each of records) complete(each, target);
  });
}

function complete(record: UnfinishedRecord, target: AnswerSink): void {
  record.status = statusOf(target) ?? record.status;
}

function isOfGrpc({ sentHeaders }: AnswerSink): boolean {
  return `${sentHeaders?.['content-type']}`.startsWith('application/grpc');
}

/** Status that an answer has sent. Undefined: none. */
function statusOf({ sentHeaders, sentTrailers, statusCode, headersSent }: AnswerSink): string | undefined {
  const code = (sentTrailers ?? sentHeaders)?.['grpc-status'] ?? sentHeaders?.['grpc-status'];
  if (code !== undefined) return grpcNames[Number(code)];
  if (headersSent && statusCode !== undefined) return `${statusCode}`;
  return sentHeaders?.[':status'] === undefined ? undefined : `${sentHeaders[':status']}`;
}

function reasonOf({ message, violations: [first] }: A2AError): string {
  const isNamed = first === undefined || message.includes(first.description);
  const text = isNamed ? message : `${message.slice(0, maxReason)}: ${first.field} ${first.description}`;
  return shortened(text, maxReason);
}
