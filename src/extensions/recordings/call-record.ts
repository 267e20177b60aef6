import {
  type AttemptObserver,
  type AttemptTarget,
  type Call,
  type CallContext,
  type CallObserver,
  type Invoke,
  isStream,
  type Reply,
  type ReplyNotes,
} from '../../core/model/call.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import type { FrameTap } from '../../core/model/frames.ts';
import { tapReply } from '../../core/model/streams.ts';
import { traceIdOf } from '../../core/telemetry/trace-context.ts';
import { secretsIn, secretsInQuery } from '../../net/secret.ts';
import { Frame, type FrameKeeper } from './record-frames.ts';

/** Filters of the calls to record. '' selects all. */
export interface RecordingPlan {
  readonly id: string;
  readonly agent: string;
  readonly principal: string;
  /** Key of the task, and the id by which its owner knows it. */
  readonly taskKey: string;
  readonly taskId: string;
  readonly calls: number;
  /** Time by the clock of the replica that was asked: milliseconds since the epoch. */
  readonly started: number;
  /** Most milliseconds that the recording lasts. It is no time of an end, since the clocks of replicas may differ. */
  readonly lasts: number;
  readonly startedBy: string;
}

/** Recording at this replica. */
export interface Recording {
  readonly plan: RecordingPlan;
  /** End of the recording, by the clock of this replica: milliseconds since the epoch. */
  until: number;
  isOver: boolean;
  recorded: number;
  dropped: number;
}

/** Attempts of a record, requests of an attempt, and events of a stream in the form of A2A 1.0. */
const maxAttempts = 20;
const maxExchanges = 4;
const maxEvents = 50;

/** Parts of the recorder that a record needs. */
export interface RecordHome {
  /** Returns the names of headers with credentials, in lower case, besides the usual ones. */
  credentialHeaders(): readonly string[];
  /** Called when a record grows, with the number of additional bytes. */
  grow(record: CallRecord, bytes: number): void;
}

/** Limits of the size of a record, and its purpose. */
export interface RecordBounds {
  /** Most bytes of the record, and of one body, request or answer in it. */
  readonly maxRecord: number;
  readonly maxBody: number;
  /** Whether the record is kept as a failed call, and not for a recording. */
  readonly isLastFailed: boolean;
}

const ofRecordings: RecordBounds = { maxRecord: 2 << 20, maxBody: 256 * 1024, isLastFailed: false };

/** Request with its answer. */
export interface RecordedExchange {
  readonly request: Frame;
  readonly answer: Frame;
}

interface Outcome {
  /** Duration in milliseconds. Undefined: the exchange is not over. */
  ms?: number;
  error?: ErrorKind;
  reason?: string;
}

/** Record of one call, from the time at which its caller is known until its recordings are over. */
export class CallRecord implements CallObserver, FrameKeeper, Outcome {
  readonly seq: number;
  readonly at: number;
  readonly #began = performance.now();
  readonly #home: RecordHome;
  readonly bounds: RecordBounds;
  /** Recordings that the record belongs to. Empty until the call is known. */
  recordings: readonly Recording[] = [];
  /** Facts from the call, or from the request if that was refused. */
  facts: Partial<Pick<CallContext, 'agent' | 'requestId' | 'dialect' | 'binding' | 'traceparent'>> & {
    readonly principal?: string | undefined;
    readonly operation?: string | undefined;
    readonly address?: string | undefined;
    readonly taskId?: string | undefined;
  };
  readonly client: RecordedExchange = { request: new Frame(this), answer: new Frame(this) };
  /** Request as JSON of A2A 1.0. */
  request = '';
  reply = '';
  readonly events: string[] = [];
  eventCount = 0;
  /** Losses of the request come before losses of the answer. */
  notes: ReplyNotes | undefined;
  requestLosses: readonly string[] = [];
  readonly attempts: AttemptRecord[] = [];
  moreAttempts = 0;
  ms?: number;
  error?: ErrorKind;
  reason?: string;
  readonly secrets = new Set<string>();
  /** Bytes of the record. */
  bytes = 0;
  /** Whether the record takes nothing more. */
  isClosed = false;

  constructor(
    home: RecordHome,
    seq: number,
    facts: CallRecord['facts'],
    { bounds = ofRecordings, at = Date.now() }: { readonly bounds?: RecordBounds; readonly at?: number } = {},
  ) {
    this.#home = home;
    this.bounds = bounds;
    this.at = at;
    this.seq = seq;
    this.facts = facts;
  }

  get isLive(): boolean {
    return !this.isClosed && (this.bounds.isLastFailed || this.recordings.some(({ isOver }) => !isOver));
  }

  get maxBody(): number {
    return this.bounds.maxBody;
  }

  isCredential(name: string): boolean {
    return this.#home.credentialHeaders().includes(name);
  }

  keep(bytes: number): number {
    if (this.isClosed) return 0;
    const kept = Math.min(bytes, this.bounds.maxRecord - this.bytes);
    this.bytes += kept;
    this.#home.grow(this, kept);
    return kept;
  }

  text(value: string): string {
    return value.slice(0, this.keep(Math.min(value.length, this.maxBody)));
  }

  async invoke(call: Call, next: Invoke): Promise<Reply> {
    const { context } = call;
    const { notes } = context;
    this.request = this.text(JSON.stringify(call.request));
    this.requestLosses = [...notes.losses];
    this.notes = notes;
    context.observer = this;
    try {
      const reply = await next(call);
      if (!isStream(reply)) {
        this.reply = this.text(reply.json ?? JSON.stringify(reply.value));
        this.settle(this);
        return reply;
      }
      return tapReply(reply, {
        onEvent: (event) => this.#event(event),
        onEnd: (thrown) => this.settle(this, thrown),
      });
    } catch (thrown) {
      this.settle(this, thrown);
      throw thrown;
    }
  }

  #event(event: object): void {
    this.eventCount += 1;
    if (this.events.length < maxEvents && this.isLive) this.events.push(this.text(JSON.stringify(event)));
  }

  /** Notes the outcome of the call or of an attempt. */
  settle(outcome: Outcome, thrown?: unknown, began: number = this.#began): void {
    outcome.ms = performance.now() - began;
    if (thrown !== undefined) this.fail(outcome, A2AError.from(thrown));
  }

  fail(outcome: Outcome, { kind, message }: A2AError): void {
    outcome.error = kind;
    outcome.reason = this.text(message);
  }

  notCalled(call: Call, to: AttemptTarget, thrown: unknown): void {
    const { notes } = call.context;
    if (!this.isLive || this.attempts.length === maxAttempts || this.attempts.some((one) => one.notes === notes))
      return;
    const attempt = new AttemptRecord(this, call, to);
    this.attempts.push(attempt);
    this.fail(attempt, A2AError.from(thrown));
  }

  async attempt(call: Call, to: AttemptTarget, invoke: Invoke): Promise<Reply> {
    if (!this.isLive) return invoke(call);
    if (this.attempts.length === maxAttempts) {
      this.moreAttempts += 1;
      return invoke(call);
    }
    const attempt = new AttemptRecord(this, call, to);
    this.attempts.push(attempt);
    const began = performance.now();
    try {
      const reply = await invoke({ ...call, context: { ...call.context, attempt } } as Call);
      if (isStream(reply)) return tapReply(reply, { onEnd: (thrown) => this.settle(attempt, thrown, began) });
      this.settle(attempt, undefined, began);
      return reply;
    } catch (thrown) {
      this.settle(attempt, thrown, began);
      throw thrown;
    }
  }
}

/** One attempt to call an agent. */
export class AttemptRecord implements AttemptObserver, FrameKeeper, Outcome {
  readonly at: number;
  readonly operation: string;
  readonly to: AttemptTarget;
  readonly notes: ReplyNotes;
  readonly exchanges: RecordedExchange[] = [];
  ms?: number;
  error?: ErrorKind;
  reason?: string;
  readonly #record: CallRecord;
  /** Names of headers with credentials. */
  readonly #hidden = new Set<string>();

  constructor(record: CallRecord, { operation, context }: Call, to: AttemptTarget, at: number = Date.now()) {
    this.#record = record;
    this.at = at;
    this.operation = operation;
    this.to = to;
    this.notes = context.notes;
    for (const secret of secretsInQuery(to.url)) record.secrets.add(secret);
  }

  get maxBody(): number {
    return this.#record.maxBody;
  }

  get secrets(): Set<string> {
    return this.#record.secrets;
  }

  isCredential(name: string): boolean {
    return this.#hidden.has(name);
  }

  keep(bytes: number): number {
    return this.#record.isLive ? this.#record.keep(bytes) : 0;
  }

  hide(credentials: Readonly<Record<string, string>>): void {
    for (const secret of secretsIn(credentials)) this.secrets.add(secret);
    for (const name of Object.keys(credentials)) this.#hidden.add(name.toLowerCase());
  }

  frames(): FrameTap {
    const request = new Frame(this);
    const answer = new Frame(this);
    if (this.exchanges.length < maxExchanges) this.exchanges.push({ request, answer });
    const push = (frame: Frame, bytes: Uint8Array | string): void => {
      if (this.to.binding === 'grpc') frame.pushMessage(bytes as Uint8Array);
      else frame.push(bytes);
    };
    return {
      sent(first, headers, body) {
        request.begin(first, headers);
        if (body !== undefined) push(request, body);
      },
      received: (first, headers) => answer.begin(first, headers),
      data: (chunk) => push(answer, chunk),
      trailers: (trailers) => answer.end(trailers),
      end: () => {},
    };
  }
}

export const traceOfRecord = ({ facts: { traceparent } }: CallRecord): string | undefined =>
  traceparent && traceIdOf(traceparent);
