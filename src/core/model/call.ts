import type { OperationName, RequestOf, ResponseOf } from '../../gen/services.ts';
import type { StreamResponse, Struct, Task } from './a2a.ts';
import type { CallKey, TaskOwner } from './ids.ts';
import type { MemoryReservation } from './memory.ts';
import type { Principal, ShownCredentials } from './principal.ts';

/**
 * Where a subscription begins instead of with the current Task: after an event, or at the latest turn. `snapshot` is the
 * current Task and nothing after it. All three work on a task that has ended, too.
 */
export type Replay = { readonly after: number } | 'latest-turn' | 'snapshot';

/** What a dialect's method means besides its request. */
export interface CallSemantics {
  readonly replay?: Replay;
  /** Events can only be told by one who knows the task as it was before them: the reply says so. */
  readonly needsBefore?: true;
  /** A push configuration is a wish: an agent without push notifications goes on without it, and that is a loss. */
  readonly pushIfAble?: true;
  /** The answer can only be a task: a direct Message becomes a completed one. Message ids were made up on reading. */
  readonly tasksOnly?: true;
  /**
   * The message's task id is the caller's own choice: where the caller has no such task, one is made under it, and the
   * answer is that task as with `tasksOnly`. The context of a task that is there stands, whatever the message says.
   */
  readonly namesTask?: true;
  /** Metadata that the message brings for its task, merged into the task's own. */
  readonly taskMetadata?: Struct;
  /** Push configurations of all tasks of the caller are asked for, where the request names none. */
  readonly everyTask?: true;
  /** The method's list has no pages: all of it is answered at once, as far as there is room in memory. */
  readonly wholeList?: true;
  /** Where no push configuration has the id that is asked for, any of the task's is meant. */
  readonly anyConfig?: true;
  /** What is to be deleted must be there. */
  readonly mustExist?: true;
  /** A subscription to a task that is over gets the task, and ends. */
  readonly endedToo?: true;
  /** Only for callers who have shown who they are. */
  readonly authenticated?: true;
}

/** What most methods imply. */
export const defaultSemantics: CallSemantics = {};

/** The ways in which a call can come. */
export const bindingKinds = ['jsonrpc', 'rest', 'grpc', 'connect', 'grpc-web', 'mcp', 'local'] as const;

/** The way in which a call came; `local`: from within this process. */
export type BindingKind = (typeof bindingKinds)[number];

/** What one call learns on its way, beside the reply itself: each entry has one kind of writer and one of readers. */
export interface ReplyNotes {
  /** Extensions that the core and agents activated; bindings send them back as `A2A-Extensions`. */
  readonly extensions: Set<string>;
  /** Schema paths that conversions dropped; bindings send them back as `A2A-Gateway-Loss`. */
  readonly losses: Set<string>;
  /** The caller's software, where the dialect makes a difference between one and another. */
  readonly peerSoftware?: PeerSoftware;
  /** Position before the turn that the message started: written by the send operations, read by forwarding. */
  turnAfter?: number;
  /**
   * Set by metrics, called once by the binding of a call that was answered: when its value has been encoded, or its stream
   * is over. By then all losses are known. Not of calls that failed. Must not throw.
   */
  onAnswered?: () => void;
}

/** The dialect whose form the gateway keeps everything in: its callers say what they speak with every call. */
export const canonicalDialect = 'a2a-1.0';

/** Everything about a call that is not its request. */
export interface CallContext {
  readonly requestId: string;
  /** Name of the agent that is called, as configured. */
  readonly agent: string;
  /** '' when the caller named none. */
  readonly tenant: string;
  readonly principal: Principal;
  /** Name of the dialect that the caller speaks. */
  readonly dialect: string;
  /** Absent: `local`. */
  readonly binding?: BindingKind;
  /** What the method that was called means besides the request. */
  readonly semantics: CallSemantics;
  /** Extension URIs that the caller declared with `A2A-Extensions`. */
  readonly extensions: readonly string[];
  /** Aborts when the caller goes away or its deadline passes. Never aborts the task. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch, when the caller set one (gRPC). */
  readonly deadline?: number;
  readonly idempotencyKey?: string;
  /** The same with the digest of the request as its caller sent it, of a call that another gateway forwarded. */
  readonly forwardedKey?: CallKey;
  /** As the method implies, or as `Last-Event-ID` says. */
  readonly replay?: Replay;
  /** W3C trace context, valid, passed on to whatever the call leads to. While the gateway traces: of its own span. */
  readonly traceparent?: string;
  /** Of the same trace; never without `traceparent`. */
  readonly tracestate?: string;
  /** How many gateways this call has passed (`A2A-Hops`). */
  readonly hops: number;
  /** What the caller showed, for agents that pass it on. A function, so that nothing that prints a context prints it. */
  readonly credentials?: () => ShownCredentials;
  readonly notes: ReplyNotes;
  /** Room for the answer in `limits.buffered`, to be reserved before it is read. Absent: calls from within the process. */
  readonly reservation?: MemoryReservation;
}

/** One call of one operation of any service, in ProtoJSON. */
export interface Call<K extends OperationName = OperationName> {
  readonly operation: K;
  readonly request: RequestOf<K>;
  readonly context: CallContext;
}

/**
 * One event of a task's log, or the one Message of a direct answer; or one of another log, such as that of an agent's
 * knowledge. `json` is the event, stringified once.
 */
export interface LoggedEvent<E = StreamResponse> {
  /** Position in the task's log, from 1. A leading Task snapshot carries the position that it was folded up to. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: E;
  readonly json: string;
}

/** Facts about a task that v1's Task has no field for and some dialects must answer with. Milliseconds. */
export interface TaskFacts {
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One value. */
export interface UnaryReply<K extends OperationName = OperationName> {
  readonly value: ResponseOf<K>;
  /** The value as v1 JSON text, where there is one already; whoever sends v1 JSON sends it as it is. */
  readonly json?: string;
  /** Present when the value is, or holds, a Task. */
  readonly facts?: TaskFacts;
}

/** A stream. Ending the iteration early releases everything that it held. */
export interface StreamReply<E = StreamResponse> {
  readonly events: AsyncIterable<LoggedEvent<E>>;
  readonly facts?: TaskFacts;
  /** Position after which a replay begins. */
  readonly after?: number;
  /** The task as it was at this position, where the method needs it and there was one. The reader's own. */
  readonly priorTask?: Task;
}

/** The events of a stream are what the operation that was called answers with. */
export type Reply = UnaryReply | StreamReply;

/**
 * The one shape of a call. The core service is one, a client of an upstream is one, and middleware is a function from
 * one to another. Rejects with an A2AError.
 */
export type Invoke = (call: Call) => Promise<Reply>;

/** Whether a reply is a stream. */
export const isStream = (reply: Reply): reply is StreamReply => 'events' in reply;

/** Whose tasks a call is about. The tenant is that of the path or, failing that, of the request. */
export const ownerOf = ({ request, context }: Call): TaskOwner => ({
  agent: context.agent,
  tenant: context.tenant || (request.tenant ?? ''),
  principal: context.principal.id,
});

/** How many gateways a call may pass, as `A2A-Hops` counts them: more is a circle. */
export const maxHops = 8;

/** The key of MCP's `_meta` that says the same where there are no headers. */
export const hopsMeta = 'a2a-gateway/hops';

/** What the software on the other side of a conversation does otherwise than its dialect has it. Absent: not known. */
export interface Quirks {
  /** The bytes of files are base64 text, which is then encoded like any other bytes. */
  base64Bytes?: boolean | undefined;
  /** It reads fields that came after the published schema of its dialect. */
  laterFields?: boolean | undefined;
}

/** The other side of one call, as far as it is known. */
export interface PeerSoftware {
  /** What it calls itself. */
  readonly userAgent?: string | undefined;
  /** Messages are binary, so that fields that are not known are passed over. */
  readonly binary?: true;
  /** What is known, or has been seen, of it. Filled in by codecs that ask. */
  quirks?: Quirks;
}
