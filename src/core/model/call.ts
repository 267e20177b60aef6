import type { OperationName, RequestOf, ResponseOf } from '../../gen/services.ts';
import type { StreamResponse, Struct, Task } from './a2a.ts';
import type { Ask } from './ask.ts';
import type { CallDecisions } from './call-decisions.ts';
import type { A2AError } from './errors.ts';
import type { FrameTap, LatestExchange } from './frames.ts';
import type { CallKey, TaskOwner } from './ids.ts';
import { type Principal, type ShownCredentials, tenantOf } from './principal.ts';

/** Start of a subscription: after an event, at the latest turn, or with the Task alone. Ended tasks have subscriptions, too. */
export type Replay = { readonly after: number } | 'latest-turn' | 'snapshot';

/** Differences of an older dialect's method from the v1 method that its request alone does not express. */
export interface CallSemantics {
  readonly replay?: Replay;
  /** The dialect's events can only be encoded with the task in its earlier state: the reply includes that task. */
  readonly needsBefore?: true;
  /** The push configuration is optional: an agent without push notifications ignores it, and that is a loss. */
  readonly pushIfAble?: true;
  /** The answer is a task: a direct Message becomes a completed task. The decoder generated the message ids. */
  readonly tasksOnly?: true;
  /**
   * The answer is the task's id alone. It waits a moment for the agent's first event, since no later answer carries the
   * agent's error.
   */
  readonly answersWithId?: true;
  /**
   * The caller chooses the task's id: if the caller has no such task, the message creates it, and the answer is that
   * task as with `tasksOnly`. An existing task keeps its context, and the message's context is ignored.
   */
  readonly namesTask?: true;
  /** Metadata of the message for its task, merged into the task's own. */
  readonly taskMetadata?: Struct;
  /** A list of push configurations without a task id lists those of all the caller's tasks. */
  readonly everyTask?: true;
  /** The method's list has no pages: the answer is the whole list, as far as memory limits allow. */
  readonly wholeList?: true;
  /** If no push configuration has the requested id, any of the task's is returned. */
  readonly anyConfig?: true;
  /** Deleting a push configuration that does not exist is an error. */
  readonly mustExist?: true;
  /** A subscription to an ended task returns the task and ends. */
  readonly endedToo?: true;
  /** A task has one push configuration in the dialect: a new one without an id replaces it. */
  readonly oneWebhook?: true;
  /** A task that waits for people looks like a working task to the caller: the stream of its message stays open meanwhile. */
  readonly heldAsWorking?: true;
  /** Only authenticated callers may use the method. */
  readonly authenticated?: true;
}

/** Semantics of most methods. */
export const defaultSemantics: CallSemantics = {};

/**
 * Binding by which a call arrived, under its name for operators: `jsonrpc`, `rest`, `grpc`, `connect`, `grpc-web`, or a module's
 * own name; `local`: from within this process.
 */
export type BindingKind = string;

/**
 * Facts that one call collects on its way, in addition to the reply: each entry has one kind of writer and one kind of reader.
 */
export interface ReplyNotes {
  /** Extensions that the core and agents activated; bindings send them back as `A2A-Extensions`. */
  readonly extensions: Set<string>;
  /** Schema paths that conversions dropped; bindings send them back as `A2A-Gateway-Loss`. */
  readonly losses: Set<string>;
  /** The losses among them that come from the dialect of an agent and not from the caller's, each with that dialect. */
  agentLosses?: Map<string, string>;
  /** The caller's software, if the dialect distinguishes between implementations. */
  readonly peerSoftware?: PeerSoftware;
  /** Position before the turn that the message started: written by the send operations, read by forwarding. */
  turnAfter?: number;
  /**
   * Headers of the answer or error, or trailing metadata over gRPC. Handlers and steps of the pipeline add them: names in lower
   * case, each followed by a value.
   */
  headers?: readonly string[];
  trailers?: readonly string[];
  /** Key of the task that the call's message opened or continued: written by the send operations. */
  taskKey?: string;
  /** Name of the policy that decided about the call. */
  policy?: string;
  /** Decisions of rules about the call, without those that only let it pass. Set by the steps and hooks that decide. */
  decisions?: CallDecisions;
  /**
   * Kind and name of the rule that refused the call. Another credential would not change its decision. Set by the step that
   * refuses.
   */
  refusedBy?: string;
  /**
   * Id of the skill for which the call was authorized: written by the authorization, read by an agent that chooses
   * among skills.
   */
  skill?: string;
  /** Events that were written to the caller, counted by the bindings. */
  events?: number;
  /** HTTP status of a successful answer, if it is not 200. */
  status?: number;
  /** The request and answer of a call to an agent. Set by the client of the agent's binding. */
  exchange?: LatestExchange;
  /** Called if the stream of a call to an agent fails. Set by metrics. Must not throw. */
  onStreamFailed?: (error: A2AError) => void;
  /** Whether the caller gets another answer than the one that the call returns: the binding then does not call `onAnswered`. */
  readonly isInner?: true;
  /** Set by metrics. Called once when a successful answer has been encoded or its stream is over, or has failed. Must not throw. */
  onAnswered?: (failure?: A2AError) => void;
}

/**
 * Notes a schema path that was dropped. @param dialect of the agent that cannot express it; absent: the caller's
 * dialect
 */
export function noteLoss(notes: ReplyNotes, path: string, dialect: string | undefined): void {
  notes.losses.add(path);
  if (dialect === undefined) return;
  notes.agentLosses ??= new Map();
  notes.agentLosses.set(path, dialect);
}

/** Dialect of calls that are not made by a client or that name no dialect: the version of A2A 1.x that every gateway serves. */
export const ownDialect = 'a2a-1.0';

/** Everything about a call except its request. */
export interface CallContext {
  readonly requestId: string;
  /** Configured name of the called agent. */
  readonly agent: string;
  /** Tenant that the caller named; '' if it named none. */
  readonly tenant: string;
  readonly principal: Principal;
  /** Name of the dialect that the caller speaks. */
  readonly dialect: string;
  /** Binding of the call. Absent: `local`. */
  readonly binding?: BindingKind;
  readonly semantics: CallSemantics;
  /** Extension URIs that the caller declared with `A2A-Extensions`. */
  readonly extensions: readonly string[];
  /** Aborts when the caller goes away or its deadline passes. Never aborts the task. */
  readonly signal: AbortSignal;
  /**
   * Time when the whole call must be over, a stream included: milliseconds since the epoch. Set by the caller (gRPC).
   */
  readonly deadline?: number;
  /**
   * Time when the answer, or the beginning of a stream, must have arrived: milliseconds since the epoch. Set for calls
   * of agents.
   */
  readonly answerBy?: number;
  readonly idempotencyKey?: string;
  /**
   * For a call that another replica forwarded: the key, with the digest of the request as the client sent it. For a
   * call by an agent: the key of the run's step.
   */
  readonly forwardedKey?: CallKey;
  /** Start of the subscription, from the method's semantics or from `Last-Event-ID`. */
  readonly replay?: Replay;
  /** Valid W3C trace context for everything that the call causes; with tracing on, the context of the gateway's own span. */
  readonly traceparent?: string;
  /** The trace's vendor data; never present without `traceparent`. */
  readonly tracestate?: string;
  /** Number of gateways, and of agents that call agents, that this call has passed (`A2A-Hops`). */
  readonly hops: number;
  /** Value of `A2A-Gateway-Path`. On an external call it is not verified yet; on an agent's call it is to be sent. */
  readonly path?: string;
  /** The caller's credentials, for agents that pass them on. A function, so that logs do not print them. */
  readonly credentials?: () => ShownCredentials;
  readonly notes: ReplyNotes;
  /** Memory for the answer in `limits.buffered`, to be reserved before the answer is read. Absent: local calls. */
  readonly reservation?: MemoryReservation | undefined;
  /**
   * People who must agree before the agent gets the message. Set by steps of the pipeline. Absent: the call does not wait for
   * people.
   */
  asks?: readonly Ask[];
  /** Observes the attempts to call agents that the call leads to. Set by a step of the pipeline. Absent: no observer. */
  observer?: CallObserver;
  /**
   * Observes the requests of the attempt to which this call of an agent belongs. Present if the incoming call has an observer.
   */
  readonly attempt?: AttemptObserver;
}

/** Agent and address of one attempt to call an agent. */
export interface AttemptTarget {
  /** Name of the agent. */
  readonly agent: string;
  /** Dialect and URL; '' while they are not known. */
  readonly dialect: string;
  readonly binding: string;
  readonly url: URL;
}

/** Wraps attempts to call one agent. `to` is absent if the agent is not called over A2A. */
export type ObserveAttempt = (next: Invoke, to?: AttemptTarget) => Invoke;

/** Observes the attempts to call agents that one call leads to. */
export interface CallObserver {
  /** Carries out one attempt to call an agent, with `attempt` in its context. */
  attempt(call: Call, to: AttemptTarget, invoke: Invoke): Promise<Reply>;
  /** Notes why an agent was not called, unless the same call had an attempt. */
  notCalled(call: Call, to: AttemptTarget, thrown: unknown): void;
}

/** Observes the requests of one attempt to call an agent. */
export interface AttemptObserver {
  /** Receives the headers with credentials before they are sent, so that no record shows them. */
  hide(credentials: Readonly<Record<string, string>>): void;
  /** Returns the tap for the frames of the next request. */
  frames(): FrameTap;
}

/** One call of one operation of any service, in ProtoJSON. */
export interface Call<K extends OperationName = OperationName> {
  readonly operation: K;
  readonly request: RequestOf<K>;
  /**
   * The further messages of a client that streams, for one reader: the client waits until each has been read. Rejects
   * if the call ends early. Present only for operations with `clientStreaming`; `request` is the first message.
   */
  readonly requests?: AsyncIterable<RequestOf<K>>;
  readonly context: CallContext;
}

/** An event of a task's log, a direct Message, or an entry of another log. `json` is the event, stringified once. */
export interface LoggedEvent<E = StreamResponse> {
  /** Position in the task's log, from 1. A leading Task snapshot has the position of the last event folded into it. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The task's generation after this event, see `TaskFacts`. 0: the gateway does not store the task. */
  readonly generation: number;
  readonly event: E;
  readonly json: string;
  /** Whether its row cannot be read. Such an event only holds a position in the log. */
  readonly isUnread?: true;
  /** Bytes that the event takes in memory, if that is much more than its text. */
  readonly weight?: number;
}

/** Facts about a task that v1's Task lacks, for the dialects that have them. Times are in milliseconds. */
export interface TaskFacts {
  readonly createdAt: number;
  readonly updatedAt: number;
  /**
   * Number of events in the task's log without its client's messages: each event that a stream can deliver counts once,
   * so that no two have the same generation (A2A 1.1 section 3.2.7). 0: the gateway does not store the task.
   */
  readonly generation: number;
}

/** Reply with one value. */
export interface UnaryReply<K extends OperationName = OperationName> {
  readonly value: ResponseOf<K>;
  /** The value as v1 JSON text, if it exists already: bindings of v1 send it unchanged. */
  readonly json?: string | undefined;
  /** Facts of the task; present if the value is, or contains, a Task. */
  readonly facts?: TaskFacts;
  /** Facts of each task, in the order of the value's `tasks`, for a list of tasks that the gateway stores. */
  readonly taskFacts?: readonly TaskFacts[];
  /** Whether the agent answered in the form of another dialect with the same method. Parts of such an answer may be misread. */
  readonly ofOtherDialect?: true;
}

/** Events of a stream that can be ended from outside. */
export interface EndableEvents extends AsyncIterable<LoggedEvent> {
  /** Ends the stream at once, with an error for its reader: buffered events are not delivered either. */
  end(error: A2AError): void;
  /** Called when the reader has received the last event, or has left. One listener. */
  onOver: (() => void) | undefined;
}

/** Whether a stream is one that can be ended directly, without a wrapper. */
export const isEndable = (events: AsyncIterable<LoggedEvent>): events is EndableEvents => 'onOver' in events;

/** A stream. Ending the iteration early releases all its resources. */
export interface StreamReply<E = StreamResponse> {
  readonly events: AsyncIterable<LoggedEvent<E>>;
  readonly facts?: TaskFacts;
  /** Position after which the replay starts. */
  readonly after?: number;
  /** The task at this position, if the method needs it and the task existed. The reader may change it. */
  readonly priorTask?: Task;
}

export type Reply = UnaryReply | StreamReply;

/** The one shape of a call: of the core service, upstream clients, and each middleware. Rejects with an A2AError. */
export type Invoke = (call: Call) => Promise<Reply>;

export const isStream = (reply: Reply): reply is StreamReply => 'events' in reply;

/**
 * Returns the owner of the tasks that a call is about. The tenant comes from the path, else the request, else the
 * caller.
 */
export const ownerOf = ({ request, context }: Call): TaskOwner => ({
  agent: context.agent,
  // A request of a later version may have no tenant.
  tenant: tenantOf(context.principal, context.tenant || ((request as { tenant?: string }).tenant ?? '')),
  principal: context.principal.id,
});

/** Number of gateways and agents that a call may pass, counted by `A2A-Hops`: more indicates a loop. */
export const maxHops = 8;

/** The header with the signed path between gateways, and the key of MCP's `_meta` for it. */
export const pathHeader = 'a2a-gateway-path';
export const pathMeta = 'a2a-gateway/path';

/** The key of MCP's `_meta` for the number of hops. */
export const hopsMeta = 'a2a-gateway/hops';

/** Deviations of the peer's software from its dialect. Absent: not known. */
export interface Quirks {
  /** The base64 text of a file's bytes is base64-encoded a second time. */
  base64Bytes?: boolean | undefined;
  /** The peer reads fields that are newer than the published schema of its dialect. */
  laterFields?: boolean | undefined;
}

/** The peer of one call, as far as it is known. */
export interface PeerSoftware {
  readonly userAgent?: string | undefined;
  /** Messages are binary, so unknown fields are ignored. */
  readonly binary?: true;
  /** Known or detected deviations. Filled in by codecs that need them. */
  quirks?: Quirks;
}

/** Bounds the memory of what one call reads. */
export interface ReadBudget {
  /**
   * Called with the number of bytes of JSON before they are read; a rejection prevents the reading. Waits for room `until`
   * (milliseconds since the epoch), or not at all. Undefined: granted at once.
   */
  reserve(bytes: number, until?: number): Promise<void> | undefined;
  /** Largest number of bytes that can ever be reserved. Absent: any number. */
  readonly largest?: number;
  /** Whether the caller has gone away. */
  readonly isClosed?: boolean;
}

/** The call for which rows are read. They are counted before they are read, unless it has no reservation. */
export interface Requester {
  readonly reservation?: ReadBudget | undefined;
}

/** A requester for several reads that stay in memory together: each read adds to the bytes of those before it. */
export function keepingAll({ reservation }: Requester): Requester {
  let total = 0;
  return {
    reservation: reservation && {
      reserve(bytes) {
        total += bytes;
        return reservation.reserve(total);
      },
    },
  };
}

/** Target of an answer: an HTTP response, or an HTTP/2 stream for gRPC, as Node provides them. */
export interface AnswerSink {
  readonly destroyed: boolean;
  readonly headersSent?: boolean;
  readonly statusCode?: number;
  readonly sentHeaders?: Readonly<Record<string, unknown>> | undefined;
  readonly sentTrailers?: Readonly<Record<string, unknown>> | undefined;
  readonly socket?: { readonly remoteAddress?: string | undefined } | null;
  once(event: 'close', listener: () => void): unknown;
}

/** Path and headers of a request over gRPC. */
export interface RequestHead {
  readonly path: string;
  headerNames(): readonly string[];
  header(name: string): string | undefined;
}

/**
 * Memory in `limits.buffered` for the answer of one call, from before it is read until its connection has accepted it.
 */
export interface MemoryReservation {
  /** Bytes reserved; 0 for a small call. */
  readonly bytes: number;
  /** Whether the budget is used up: data that can be read from the store again should not be retained. */
  readonly isFull: boolean;
  /** Whether the caller has gone away. */
  readonly isClosed: boolean;
  /** Target of the answer, with its network address. Absent: not known. */
  readonly target?: AnswerSink;
  readonly address?: string | undefined;
  /** The body of the request, until its answer is sent or its stream has begun. Operators see it for calls that fail. */
  sent?: Uint8Array | undefined;
  /** Path and headers of the request. Present if `target` does not have them. */
  head?: RequestHead | undefined;
  /**
   * Counts bytes that are buffered for this reader in addition to the reservation; negative: they have left the buffer.
   */
  count(bytes: number): void;
  /**
   * Grows the reservation to a total of `bytes`, waiting for room `until` (milliseconds since the epoch), or not at
   * all. Undefined: granted at once. Rejects with `unavailable` if there is no room, and with `canceled` if the client
   * is gone.
   */
  reserve(bytes: number, until?: number): Promise<void> | undefined;
  /** Reports that the answer has been read and encoded: the next answers may start. */
  encoded(): void;
  /** Reports that the client has read everything that was handed to the connection. */
  drained(): void;
  /**
   * Ends the reservation: the connection has taken the bytes, or they are not needed. To be called once for each part
   * of a stream.
   */
  release(): void;
}
