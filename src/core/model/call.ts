import type { OperationName, RequestOf, ResponseOf } from '../../gen/services.ts';
import type { StreamResponse, Struct, Task } from './a2a.ts';
import { A2AError } from './errors.ts';
import type { FrameTap } from './frames.ts';
import type { CallKey, TaskOwner } from './ids.ts';
import { isObject } from './json.ts';
import { type Principal, type ShownCredentials, tenantOf } from './principal.ts';

/** Where a subscription starts, also on an ended task: after an event, at the latest turn, or with the Task alone. */
export type Replay = { readonly after: number } | 'latest-turn' | 'snapshot';

/** What a dialect's method means besides its request; older dialects differ from v1 here. */
export interface CallSemantics {
  readonly replay?: Replay;
  /** The dialect's events can only be encoded with the task as it was before them: the reply includes that task. */
  readonly needsBefore?: true;
  /** The push configuration is optional: an agent without push notifications ignores it, and that is a loss. */
  readonly pushIfAble?: true;
  /** The answer is a task: a direct Message becomes a completed task. The decoder generated the message ids. */
  readonly tasksOnly?: true;
  /** The answer is the id of the task alone. It waits a moment for the agent's first event, since no later answer has its error. */
  readonly answersWithId?: true;
  /**
   * The caller chooses the task's id: where the caller has no such task, the message creates it, and the answer is that
   * task as with `tasksOnly`. An existing task keeps its context, and the message's context is ignored.
   */
  readonly namesTask?: true;
  /** Metadata of the message for its task, merged into the task's own. */
  readonly taskMetadata?: Struct;
  /** A list of push configurations without a task id means those of all tasks of the caller. */
  readonly everyTask?: true;
  /** The method's list has no pages: the answer is the whole list, as far as memory limits allow. */
  readonly wholeList?: true;
  /** Where no push configuration has the requested id, any of the task's is returned. */
  readonly anyConfig?: true;
  /** Deleting a missing configuration is an error. */
  readonly mustExist?: true;
  /** A subscription to an ended task returns the task and ends. */
  readonly endedToo?: true;
  /** A task has one push configuration in the dialect: another one without an id replaces it. */
  readonly oneWebhook?: true;
  /** Only for authenticated callers. */
  readonly authenticated?: true;
}

/** Of most methods. */
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
  /** Those of them that the dialect of an agent cannot express, not the caller's, with that dialect. */
  agentLosses?: Map<string, string>;
  /** The caller's software, where the dialect makes a difference between one and another. */
  readonly peerSoftware?: PeerSoftware;
  /** Position before the turn that the message started: written by the send operations, read by forwarding. */
  turnAfter?: number;
  /** Metadata that the handler gives its answer, before and after the messages: names in lower case, each with a value behind it. */
  headers?: readonly string[];
  trailers?: readonly string[];
  /** Key of the task that the call's message opened or continued: written by the send operations. */
  taskKey?: string;
  /** Name of the policy that has decided about the call. */
  policy?: string;
  /** Id of the skill by which the call was judged: written where it is judged, read by the agent that chooses among skills. */
  skill?: string;
  /** Events that were written to the caller, counted by the bindings. */
  events?: number;
  /** HTTP status of a successful answer, where it is not 200. */
  status?: number;
  /** Set by metrics. Called once when a successful answer has been encoded or its stream is over, or has failed. Must not throw. */
  onAnswered?: (failure?: A2AError) => void;
}

/** Notes a schema path that was dropped. @param dialect of the agent that cannot express it; absent: it is the caller's */
export function noteLoss(notes: ReplyNotes, path: string, dialect: string | undefined): void {
  notes.losses.add(path);
  if (dialect === undefined) return;
  notes.agentLosses ??= new Map();
  notes.agentLosses.set(path, dialect);
}

/** The dialect of calls that no client makes, and of what has none: the version of A2A 1.x that every gateway serves. */
export const ownDialect = 'a2a-1.0';

/** Everything about a call that is not its request. */
export interface CallContext {
  readonly requestId: string;
  /** Configured name of the called agent. */
  readonly agent: string;
  /** '' when the caller named none. */
  readonly tenant: string;
  readonly principal: Principal;
  /** Name of the dialect that the caller speaks. */
  readonly dialect: string;
  /** Absent: `local`. */
  readonly binding?: BindingKind;
  readonly semantics: CallSemantics;
  /** Extension URIs that the caller declared with `A2A-Extensions`. */
  readonly extensions: readonly string[];
  /** Aborts when the caller goes away or its deadline passes. Never aborts the task. */
  readonly signal: AbortSignal;
  /** When the whole call must be over, a stream included: milliseconds since the epoch, when the caller set one (gRPC). */
  readonly deadline?: number;
  /** When the answer, or the beginning of a stream, must have arrived: milliseconds since the epoch. Of calls of agents. */
  readonly answerBy?: number;
  readonly idempotencyKey?: string;
  /**
   * Of a call that another replica forwarded: the key, with the digest of the request as the client sent it. Of a call by an
   * agent: the key of the run's step.
   */
  readonly forwardedKey?: CallKey;
  /** From the method's semantics, or from `Last-Event-ID`. */
  readonly replay?: Replay;
  /** Valid W3C trace context for everything that the call leads to; with tracing on, of the gateway's own span. */
  readonly traceparent?: string;
  /** Never without `traceparent`. */
  readonly tracestate?: string;
  /** Number of gateways, and of agents that call agents, that this call has passed (`A2A-Hops`). */
  readonly hops: number;
  /** Value of `A2A-Gateway-Path`: of a call from outside, not verified; of a call of an agent, to be sent. */
  readonly path?: string;
  /** The caller's credentials, for agents that pass them on. A function, so that logs do not print them. */
  readonly credentials?: () => ShownCredentials;
  readonly notes: ReplyNotes;
  /** Room for the answer in `limits.buffered`, to be reserved before the answer is read. Absent: local calls. */
  readonly reservation?: MemoryReservation;
  /** Set while an operator records the call. */
  readonly recorded?: RecordedCall;
  /** The attempt that the call of an agent is, where the call that led to it is recorded. */
  readonly attempt?: RecordedAttempt;
}

/** Where an agent is called. */
export interface AttemptTarget {
  /** Name of the agent. */
  readonly agent: string;
  /** '' while they are not known. */
  readonly dialect: string;
  readonly binding: string;
  readonly url: URL;
}

/** A call that an operator records. */
export interface RecordedCall {
  /** Carries out one attempt to call an agent, with `attempt` in its context. */
  attempt(call: Call, to: AttemptTarget, invoke: Invoke): Promise<Reply>;
  /** Notes why an agent was not called: unless there was an attempt of the same call. */
  notCalled(call: Call, to: AttemptTarget, thrown: unknown): void;
}

export interface RecordedAttempt {
  /** Gets the headers with credentials before they are sent: they are not recorded. */
  hide(credentials: Readonly<Record<string, string>>): void;
  /** What gets the frames of the next request. */
  frames(): FrameTap;
}

/** One call of one operation of any service, in ProtoJSON. */
export interface Call<K extends OperationName = OperationName> {
  readonly operation: K;
  readonly request: RequestOf<K>;
  /**
   * The further messages of a client that streams, for one reader: the client waits until each has been read. Rejects when
   * the call ends early. Present for operations with `clientStreaming` alone; `request` is the first message.
   */
  readonly requests?: AsyncIterable<RequestOf<K>>;
  readonly context: CallContext;
}

/** An event of a task's log, a direct Message, or an entry of another log. `json` is the event, stringified once. */
export interface LoggedEvent<E = StreamResponse> {
  /** Position in the task's log, from 1. A leading Task snapshot has the position of its last folded event. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The task's generation after this event, see `TaskFacts`. 0: not an event of a task that the gateway keeps. */
  readonly generation: number;
  readonly event: E;
  readonly json: string;
  /** Whether its row cannot be read: it says nothing, and stands for its position alone. */
  readonly isUnread?: true;
  /** Bytes that the event takes in memory, where that is much more than its text. */
  readonly weight?: number;
}

/** Facts about a task that v1's Task lacks, for the dialects that have them. Times are milliseconds. */
export interface TaskFacts {
  readonly createdAt: number;
  readonly updatedAt: number;
  /**
   * Number of events in the task's log without its client's messages: each event that a stream can deliver counts
   * once, so that no two have the same generation (A2A 1.1 section 3.2.7). 0: the gateway does not keep the task.
   */
  readonly generation: number;
}

/** One value. */
export interface UnaryReply<K extends OperationName = OperationName> {
  readonly value: ResponseOf<K>;
  /** The value as v1 JSON text, where it exists already: bindings of v1 send it unchanged. */
  readonly json?: string | undefined;
  /** Present when the value is, or holds, a Task. */
  readonly facts?: TaskFacts;
  /** Of a list of tasks that the gateway keeps: those of each task, in the order of the value's `tasks`. */
  readonly taskFacts?: readonly TaskFacts[];
  /** An agent's answer in the form of another dialect that has the method, too: not all of it was read as it is meant. */
  readonly ofOtherDialect?: true;
}

/** Events of a stream that can be ended from outside. */
export interface EndableEvents extends AsyncIterable<LoggedEvent> {
  /** Ends the stream at once, with an error for its reader: also events that have been buffered are not delivered. */
  end(error: A2AError): void;
  /** Called when the reader has got the last event, or has left. One listener. */
  onOver: (() => void) | undefined;
}

/** Whether events can be ended without anything between them and their reader. */
export const isEndable = (events: AsyncIterable<LoggedEvent>): events is EndableEvents => 'onOver' in events;

/** A stream. Ending the iteration early releases all its resources. */
export interface StreamReply<E = StreamResponse> {
  readonly events: AsyncIterable<LoggedEvent<E>>;
  readonly facts?: TaskFacts;
  /** Position after which the replay starts. */
  readonly after?: number;
  /** The task at this position, where the method needs it and the task existed. The reader may change it. */
  readonly priorTask?: Task;
}

export type Reply = UnaryReply | StreamReply;

/** The one shape of a call: of the core service, upstream clients, and each middleware. Rejects with an A2AError. */
export type Invoke = (call: Call) => Promise<Reply>;

export const isStream = (reply: Reply): reply is StreamReply => 'events' in reply;

/** The owner of the tasks that a call is about. The tenant is that of the path, else of the request, else of the caller. */
export const ownerOf = ({ request, context }: Call): TaskOwner => ({
  agent: context.agent,
  // A request of a later version may have no tenant.
  tenant: tenantOf(context.principal, context.tenant || ((request as { tenant?: string }).tenant ?? '')),
  principal: context.principal.id,
});

/** The number of gateways and agents that a call may pass, counted by `A2A-Hops`: more means a loop. */
export const maxHops = 8;

/** Metadata of a task that an agent opened at another agent, for its own caller. Callers cannot set the gateway's own keys. */
export const parentKey = 'a2a-gateway/parent';

/** The task that led to a task. */
export interface ParentFacts {
  readonly agent: string;
  readonly task: string;
  /** The task's key in the store, where it is not its id. */
  readonly key?: string;
  /** `hops` of the call that opened the task: calls of agents are counted also after a restart. */
  readonly hops: number;
  /** Another gateway, at which the parent is. */
  readonly gateway?: string;
  /** Key of the task that the tree began with. Absent: written by a version that did not know it. */
  readonly root?: string;
  /** The tasks that led to the parent, the root first. Absent: the parent is the root. */
  readonly above?: readonly TreeStep[];
  /** Id of the budget of this part of the tree, where that is not the whole tree's. */
  readonly budget?: string;
}

/** A task on the way from the root of a tree to another task. */
export interface TreeStep {
  /** Another gateway, at which it is. */
  readonly gateway?: string;
  readonly agent: string;
  readonly task: string;
}

/** Who opened a task, by its metadata. Undefined: no agent did. */
export function parentOf(metadata: Struct | undefined): ParentFacts | undefined {
  const facts = metadata?.[parentKey];
  return isObject(facts) && typeof facts.task === 'string' ? (facts as unknown as ParentFacts) : undefined;
}

/** The tasks that led to a task, from the root to its parent. */
export const pathTo = (parent: ParentFacts | undefined): readonly TreeStep[] =>
  parent ? [...(parent.above ?? []), stepOf(parent)] : [];

const stepOf = ({ gateway, agent, task }: TreeStep): TreeStep => ({ ...(gateway && { gateway }), agent, task });

/**
 * Throws `invalidRequest` where an agent would be called on behalf of itself: a circle that would not end.
 *
 * @param path the tasks that led to the call
 * @param reentries how often it may be
 */
export function requireNoCircle(path: readonly TreeStep[], agent: string, reentries = 0): void {
  const isSame = (step: TreeStep): boolean => !step.gateway && step.agent === agent;
  if (path.filter(isSame).length <= reentries) return;
  const names = path
    .slice(path.findIndex(isSame))
    .map((step) => (step.gateway ? `${step.agent} at ${step.gateway}` : step.agent));
  const circle = [...names, agent].join(' -> ');
  const text = `The agent ${agent} would be called on behalf of itself: ${circle}. limits.root.reentries says how often it may be`;
  throw new A2AError('invalidRequest', text);
}

/** Key of the task that opened a task; `GATEWAY/ID` where it is at another gateway. */
export const openerOf = ({ gateway, key, task }: ParentFacts): string =>
  gateway ? `${gateway}/${task}` : (key ?? task);

/** Root of the tree that a task belongs to: the key of the task that it began with, its own where no agent opened it. */
export const rootOf = (parent: ParentFacts | undefined, key: string): string =>
  parent ? (parent.root ?? parent.key ?? parent.task) : key;

/** The header with the signed path between gateways, and the key of MCP's `_meta` for it. */
export const pathHeader = 'a2a-gateway-path';
export const pathMeta = 'a2a-gateway/path';
/** Where a gateway is asked for what is left of the part of a budget in such a path. */
export const leasePath = '/.well-known/a2a-gateway-lease';
/** Where it is asked for its tasks of a tree. */
export const treePath = '/.well-known/a2a-gateway-tree';

/** The key of MCP's `_meta` for the same count. */
export const hopsMeta = 'a2a-gateway/hops';

/** Deviations of the peer's software from its dialect. Absent: not known. */
export interface Quirks {
  /** Bytes of files are base64 text, which is encoded once more. */
  base64Bytes?: boolean | undefined;
  /** Reads fields that are newer than the published schema of its dialect. */
  laterFields?: boolean | undefined;
}

/** The other side of one call, as far as it is known. */
export interface PeerSoftware {
  readonly userAgent?: string | undefined;
  /** Messages are binary, so unknown fields are ignored. */
  readonly binary?: true;
  /** Known or detected deviations. Filled in by codecs that need them. */
  quirks?: Quirks;
}

/** Bounds the memory of one read. */
export interface ReadBudget {
  /** Called with the bytes of JSON before they are read, which a rejection prevents. Undefined: granted at once. */
  reserve(bytes: number): Promise<void> | undefined;
  /** Bytes for which there never is room above. Absent: any number. */
  readonly largest?: number;
  /** Whether the reader has gone away. */
  readonly isClosed?: boolean;
}

/** Where an answer goes: a response of HTTP, or a stream of HTTP/2 for gRPC, as Node has them. */
export interface AnswerSink {
  readonly destroyed: boolean;
  readonly headersSent?: boolean;
  readonly statusCode?: number;
  readonly sentHeaders?: Readonly<Record<string, unknown>> | undefined;
  readonly sentTrailers?: Readonly<Record<string, unknown>> | undefined;
  readonly socket?: { readonly remoteAddress?: string | undefined } | null;
  once(event: 'close', listener: () => void): unknown;
}

/** Room in `limits.buffered` for one call: for its answer, from before it is read until its connection has it. */
export interface MemoryReservation {
  /** Bytes that are reserved; 0 for a small call. */
  readonly bytes: number;
  /** Whether the budget is used up: data that can be read from the store again should not be retained. */
  readonly isFull: boolean;
  /** Whether the caller has gone away. */
  readonly isClosed: boolean;
  /** Where the answer goes, and the network address there. Absent: not known. */
  readonly target?: AnswerSink;
  readonly address?: string | undefined;
  /** Counts bytes that are buffered for this reader besides what is reserved; negative: they have left the buffer. */
  count(bytes: number): void;
  /**
   * Reserves so many bytes in all, waiting for room `until` (milliseconds since the epoch) or not at all. Undefined:
   * granted at once. Rejects with `unavailable` without room, and `canceled` when the client is gone.
   */
  reserve(bytes: number, until?: number): Promise<void> | undefined;
  /** The answer has been read and encoded: others may start. */
  encoded(): void;
  /** Ends the reservation: the bytes are the connection's now, or not needed. Once for each part of a stream. */
  release(): void;
}
