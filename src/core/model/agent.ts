import type {
  AgentCard,
  Message,
  Part,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskState,
  TaskStatus,
} from './a2a.ts';
import type { CallContext, CallObserver, Invoke } from './call.ts';
import type { RemoteAgent } from './remote-agent.ts';

/** Context of the call that an agent serves. */
export interface AgentContext
  extends Pick<CallContext, 'principal' | 'tenant' | 'requestId' | 'extensions' | 'hops'>,
    Pick<CallContext, 'traceparent' | 'tracestate' | 'credentials'> {
  /** Also set before the agent creates a task. An id that the caller chose is unique within its owner only. */
  readonly taskId: string;
  readonly contextId: string;
  /** Whether the gateway created the context's id for this message, so that the agent cannot know it yet. */
  readonly newContext?: boolean;
  /**
   * Whether the caller waits until a new task rests. If so, the agent may report all progress until then in one event.
   */
  readonly awaited?: boolean;
  /** The task's key: unique in the gateway's store, and unchanged after a restart. */
  readonly key: string;
  /** The task as it stood when this message arrived; absent for a new task. */
  readonly task?: Task;
  /**
   * Id of the skill for which a policy or the program's own authorization has permitted the call. An agent that has
   * `skillOf` carries out no other skill. Absent: no check has asked for the skill.
   */
  readonly skill?: string;
  /** Position of the turn's message in the task's log, unchanged after a takeover. Absent: a cancellation. */
  readonly turn?: number;
  /** Reports to the caller that an extension was activated. Only effective before the first event. */
  activate(extension: string): void;
  /**
   * Reports that a part of the request, a schema path, was dropped. Only effective before the first event.
   *
   * @param dialect of the upstream agent, if that dialect cannot express the part
   */
  drop(path: string, dialect?: string): void;
  /** Stores the ids of the upstream task: durable before the events that the agent yields afterwards. */
  bind(upstream: UpstreamTask): void;
  /**
   * Messages that the caller sends while the agent works, in their order. A message that is taken belongs to this turn; others are
   * given to `execute`, one after the other, when this turn is over. Ends when the run is over: wait for it beside other work.
   */
  readonly messages: AsyncIterable<Message>;
  /**
   * Reports, before the task rests, that the upstream agent never received the message, so that its idempotency key may
   * be used again.
   */
  undelivered(): Promise<void>;
  /**
   * Returns the latest messages of the conversation, oldest first, without the one to be answered: messages of the
   * caller's tasks in this context. A direct message has no task and is not stored.
   *
   * @param limit number of messages, at most 1,000. Default 50
   */
  history(limit?: number): Promise<Message[]>;
  /**
   * Sends an HTTP request, as the global `fetch` does, with the gateway's protections. URLs that lead into private
   * networks are refused unless `outbound.allow` lists them, also as the target of a redirect. The response must begin
   * within `timeout`, and the signal of the run also ends the request. GET, HEAD, OPTIONS, PUT and DELETE are tried up
   * to three times if the network fails and after 429, 502, 503 and 504. The request belongs to the trace of the call.
   */
  readonly fetch: AgentFetch;
  /**
   * Another agent of this gateway, called as the delegate of the run's caller: with the caller's identity, tenant, rights and
   * limits, in the same trace. An agent that the caller may not call refuses.
   *
   * ```ts
   * import { defineAgent } from 'a2a-gateway';
   *
   * export default defineAgent({ name: 'Planner', description: 'Plans trips' }, async (context) => {
   *   const { text } = await context.agent('weather').send(context.text);
   *   return `Take with you what fits: ${text}`;
   * });
   * ```
   *
   * @param name as in the configuration. Calls of an unknown one reject with `agentNotFound`
   */
  agent(name: string): CalledAgent;
  /** State that the agent stores for this task and for this conversation, in the gateway's store. */
  readonly state: AgentState;
  /** Writes to the gateway's log, with the task, the request and the trace in each line. */
  readonly log: AgentLog;
  /** Aborts when the task is over, another replica takes it over, or the gateway stops; not when the caller leaves. */
  readonly signal: AbortSignal;
}

/** Members that the context of a run's calls to upstream agents has in addition to the run's own. */
export interface Outgoing {
  /** Observes the attempts to call agents. Present if the call that began the run has an observer. */
  readonly observer?: CallObserver;
  /** The value of `A2A-Gateway-Path` for a call of another gateway; undefined: none. */
  readonly path?: () => Promise<string | undefined>;
}

/** Handling of messages that arrive while the agent works on their task. */
export type WhileRunning = 'queue' | 'forward' | 'refuse';

/** The context of a run as the gateway's own kinds of agents get it. */
export interface RunContext extends AgentContext {
  readonly outgoing?: Outgoing;
  /** Reports that the agent has refused the message of this call, while it goes on working on the task. */
  readonly refused?: () => void;
}

/**
 * Another agent, as a run calls it. The run's signal ends each call. If the run's task is canceled, the tasks whose
 * answers it waits for are canceled too. All errors are A2AErrors.
 */
export interface CalledAgent {
  /**
   * Sends a message and waits until the agent has answered, asked a question, or failed. A message of one turn is sent
   * once, even if the run is restarted: it then returns the first answer.
   */
  send(content: CalledContent, options?: CalledOptions): Promise<CalledAnswer>;
  /**
   * Sends a message and yields the events until the task rests; otherwise like `send`. Leaving the loop cancels
   * nothing.
   */
  stream(content: CalledContent, options?: CalledOptions): AsyncIterable<StreamResponse>;
  get(taskId: string): Promise<Task>;
  cancel(taskId: string): Promise<Task>;
}

/** A text, parts, or a message without ids. The task that receives it assigns the ids. */
export type CalledContent =
  | string
  | Part
  | readonly (string | Part)[]
  | Pick<Message, 'parts' | 'metadata' | 'extensions'>;

export interface CalledOptions {
  /** The task that the message continues. Default: a new one. */
  readonly taskId?: string;
  /** Id of the conversation. Default: the task's, or a new one. */
  readonly contextId?: string;
  /**
   * Key of this step of the turn: a second `send` with an equal key gets the answer of the first one, whatever its
   * content. Default: the content, and the number of times it was sent before.
   */
  readonly key?: string;
  /** Milliseconds to wait until the agent's task rests. The task goes on after that. Default 600,000. */
  readonly timeout?: number;
  /** Ends the call. The other agent's task goes on. */
  readonly signal?: AbortSignal;
  /** URIs of the extensions to activate. */
  readonly extensions?: readonly string[];
}

/** Outcome of a sent message. */
export interface Answered {
  /** The task in its current state; absent after a direct message. */
  readonly task?: Task;
  readonly message?: Message;
  readonly state?: TaskState;
  /** The text of the direct message, or of the artifacts, or else of the status. */
  readonly text: string;
}

/** Answer of another agent. */
export interface CalledAnswer extends Answered {
  /** Name of the agent. */
  readonly agent: string;
}

/** The standard `fetch`, with a timeout. */
export type AgentFetch = (input: string | URL | Request, init?: AgentFetchInit) => Promise<Response>;

/** Options of `context.fetch`: the standard ones. */
export interface AgentFetchInit extends RequestInit {
  /**
   * Milliseconds until the response begins, all attempts and redirects included, and the longest time without a byte of
   * its body. Default 30,000.
   */
  readonly timeout?: number;
}

/**
 * State that an agent stores: one space for the task, which is deleted with the task, and one for the context, which
 * outlives the task and also serves direct messages. Both belong to the caller: tasks and conversations of other
 * callers never see them. The state survives restarts, and every replica sees the same.
 */
export interface AgentState {
  readonly task: StateSpace;
  readonly context: StateSpace;
}

/**
 * Values by keys of 1 to 128 characters. All keys and values of a space have `limits.state` bytes of JSON together at most
 * (default 1 MiB). A run whose signal has aborted can read, but not write.
 */
export interface StateSpace {
  /** Resolves with undefined if the key has no value. */
  get<T = unknown>(key: string): Promise<T | undefined>;
  /**
   * Stores a value; it is durable when the promise resolves. Rejects without changing anything: with RangeError if the
   * space would exceed its limit, with TypeError for a value that JSON cannot hold, `undefined` included. Properties
   * that are undefined are left out.
   */
  set(key: string, value: unknown): Promise<void>;
  /** Deletes a value; does nothing if the key has none. */
  delete(key: string): Promise<void>;
}

/** The gateway's log, for agents: a message, and fields that describe the occasion. An error goes into the field `err`. */
export interface AgentLog {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** An agent's card without the interfaces, which the gateway adds. */
export type AgentDescription = Omit<AgentCard, 'supportedInterfaces'>;

/**
 * One agent behind the gateway. Its events are those of a v1 stream (A2A 1.0.1 section 3.1.2): either one `message` and
 * nothing else, or status and artifact updates. A leading `task` is optional: the core creates it, and fills in
 * `taskId` and `contextId`. An iterable that ends while the task is working completes the task; one that throws fails
 * it. Extensions add members of their own.
 */
export interface Agent {
  /** Read at every request for the card, so that it may change. */
  readonly card: AgentDescription;
  /** Skills and descriptions for authenticated callers. Absent: not configured. */
  readonly extendedCard?: AgentDescription | undefined;
  /** The upstream agent's own card as it was last read. Absent: it was not read, or the agent has no upstream. */
  readonly upstreamCard?: UpstreamCard | undefined;
  /** The upstream agent, for operations that extensions add to those of A2A. Absent: there is none. */
  readonly remote?: RemoteAgent | undefined;
  /** Whether the agent passes its callers' credentials on. Such a call cannot be forwarded to another replica. Default false. */
  readonly forwards?: boolean;
  /** Whether a message must name the extensions that the card requires. Default true. */
  readonly enforcesExtensions?: boolean;
  /**
   * Handling of a message that arrives while the agent works on its task. `queue`: it waits until the turns before it are over,
   * unless the agent takes it from `context.messages`. `forward`: the agent gets it at once, by a further call of `execute` in
   * the same run, which is over when all of its calls are. `refuse`: its sender gets an error. Default `queue`.
   */
  readonly whileRunning?: WhileRunning | undefined;
  /** Whether a run holds the task in memory, with all that it has yielded, until it ends. Default false. */
  readonly holdsTask?: boolean;
  /**
   * Carries out every call except those for the extended card. If it is present, the agent stores its tasks itself, and the
   * gateway stores nothing of them.
   */
  readonly invoke?: Invoke | undefined;
  /**
   * Returns the id of the skill that carries out a message, for an agent that chooses the skill by the message. Permissions are
   * checked for this skill. Undefined: the message chooses none. Absent: the skill is the one named in metadata.
   */
  skillOf?(message: Message, context: CallContext): string | undefined | Promise<string | undefined>;
  /**
   * Called before each run, with the key of its task. The returned function is called once: when the run is over, or
   * its events are no longer read. Absent: nothing depends on whether runs are active.
   */
  beginRun?(key: string): () => void;
  execute(request: SendMessageRequest, context: AgentContext): AsyncIterable<StreamResponse>;
  /**
   * Called before a task is canceled. Throw an A2AError of kind `taskNotCancelable` to refuse. May resolve with the
   * final status of the canceled task. Absent: the run's signal is aborted and the task becomes canceled.
   */
  cancel?(task: Task, context: AgentContext): Promise<TaskStatus | undefined> | Promise<void>;
  /**
   * Resumes a task of a dead process. Absent: `restart` decides whether the task is begun again or fails.
   *
   * @param unanswered the client's last message, if the log has no event of the agent after it
   */
  resume?(task: Task, context: AgentContext, unanswered?: UnansweredMessage): AsyncIterable<StreamResponse>;
  /** Whether a dead process's message may be given to the agent again, with the task as it was then. Default false. */
  readonly restart?: boolean;
  /** Called when the gateway starts, before anything else. Must not block. */
  open?(): void;
  /** Called when the gateway stops, after the last run has ended. */
  close?(): Promise<void>;
  /** Returns the agent's health for operators. Absent: ok. Never contains a secret. */
  health?(): AgentHealth;
  /**
   * Returns functions that query the gateways that the agent calls and that follow its trees. Absent: it calls none.
   */
  gateways?(): readonly AskGateway[];
}

/**
 * Queries another gateway on one of its pages for gateways, with a signed text as the credential. Resolves with the
 * response's JSON, undefined if there is none. Rejects with an A2AError, `upstreamTimeout` after `timeout` milliseconds
 * (default 10,000).
 */
export type AskGateway = (page: string, signed: string, timeout?: number) => Promise<unknown>;

/** A message that an agent may or may not have received. */
export interface UnansweredMessage {
  /** The message, with everything else that the agent received with it. */
  readonly request: SendMessageRequest;
  /** Time when it was logged: milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds since then by the clock of all replicas, which may differ from this machine's clock. */
  readonly age: number;
  /** Number of messages right before it that the agent may not have received either. Default 0. */
  readonly earlier?: number;
}

/** A piece of an agent's card that is not used as written. */
export interface CardProblem {
  /** Path of the piece, such as `skills[0].tags`; '' for the whole card. */
  readonly path: string;
  /** Reason why it cannot be used, and the value that is used instead. */
  readonly reason: string;
}

export interface UpstreamCard {
  /** The card as received. Undefined: it was refused, or there is none. */
  readonly document: unknown;
  /** Milliseconds since the epoch. */
  readonly readAt: number;
  /** Whether its signature was verified with the keys of the configuration. */
  readonly verified: boolean;
  /** Whether the configuration replaces members of it. Default false. */
  readonly overridden?: boolean;
  readonly problems: readonly CardProblem[];
  /** Reason why its signatures were refused. */
  readonly refused?: string;
}

/** The agent's entry in `/readyz`, which never makes the gateway unready. */
export interface AgentHealth {
  readonly state: 'ok' | 'connecting' | 'unreachable';
  readonly url?: string;
  readonly reason?: string;
  readonly breaker?: string;
  readonly dialect?: string;
  readonly transport?: string;
  /** The health of each copy of an agent that runs in several places. Not shown in `/readyz`. */
  readonly parts?: readonly AgentHealth[];
  readonly [fact: string]: string | readonly AgentHealth[] | undefined;
}

/** The ids of a task at its upstream agent. */
export interface UpstreamTask {
  readonly id: string;
  /** Context id; '' if the agent knows no contexts. */
  readonly contextId: string;
}

/**
 * The extension in cards of agents that carry out a message once per `Idempotency-Key`, as this gateway does: a call
 * whose answer was lost may be repeated with its key for a day. It needs no activation.
 */
export const idempotencyExtension = 'urn:a2a-gateway-extension:idempotency-key';

/** Placeholder in cards for a required extension whose URI cannot be read: no caller can name it. */
export const unreadExtension = 'urn:a2a-gateway-extension:unread';

/** The extension in cards that describes the arguments of an agent's tools (ToolsParams). It needs no activation. */
export const toolsExtension = 'urn:a2a-gateway-extension:mcp-tools';

/** The tool behind a skill. Schemas that exceed the card's size limit are left out. */
export interface DescribedTool {
  /** The skill's id. */
  readonly skill: string;
  /** Names of the server and the tool in a message's data part. */
  readonly server: string;
  readonly name: string;
  /** JSON Schemas of the arguments and of the structured result. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** MCP's hints about the tool's behaviour, such as `readOnlyHint`. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** Whether it can only be called as an MCP task. */
  readonly taskOnly?: boolean;
  /** Number of gateways between this one and the tool, if its server reports it. */
  readonly gateways?: number;
}

export interface ToolsParams {
  readonly tools: readonly DescribedTool[];
}
