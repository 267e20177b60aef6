import type { AgentCard, SendMessageRequest, StreamResponse, Task, TaskStatus } from './a2a.ts';
import type { AgentKnowledge } from './agent-knowledge.ts';
import type { Principal, ShownCredentials } from './principal.ts';

/** What an agent is told about the call that it serves. */
export interface AgentContext {
  /**
   * The task's id; also set before a task exists, in case the agent makes one. Some callers choose their ids
   * themselves: then it is unique together with the tenant and the principal only.
   */
  readonly taskId: string;
  readonly contextId: string;
  /** Whether the gateway has made the context's id for this message: nothing can be known of it yet. */
  readonly newContext?: boolean;
  /** Whether its caller hears nothing of a new task before it rests: what it has come to by then may be told as one. */
  readonly awaited?: boolean;
  /** What an agent remembers the task by: unique in the gateway's store, and the same after a restart. */
  readonly key: string;
  /** The task as it stood when this message arrived; absent for a new task. */
  readonly task?: Task;
  readonly principal: Principal;
  readonly tenant: string;
  readonly requestId: string;
  /** Extension URIs that the caller declared. */
  readonly extensions: readonly string[];
  /** Tells the caller that an extension was activated. Only effective before the first event. */
  activate(extension: string): void;
  /** Tells the caller that something of its request was dropped: a schema path. Only effective before the first event. */
  drop(path: string): void;
  /**
   * Tells what the task is called at another agent, which works on it. It is durable before whatever is told of the task
   * from then on.
   */
  bind(there: UpstreamTask): void;
  /**
   * Tells that the message provably never reached whoever was to work on it, before the task rests again because of that:
   * the message may be sent once more under its idempotency key. Never rejects.
   */
  unheard(): Promise<void>;
  /**
   * Aborts when the task is canceled, has ended otherwise, is gone on with by another gateway, or the gateway stops. Not
   * when the caller goes away.
   */
  readonly signal: AbortSignal;
  /** Where the run is in a trace, for what it calls in turn (W3C Trace Context). */
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly hops: number;
  /** What the caller showed of who it is, where the caller is there. A function, so that it is not printed. */
  readonly credentials?: () => ShownCredentials;
}

/** What an agent's card says, before the gateway adds where it serves the agent. */
export type AgentDescription = Omit<AgentCard, 'supportedInterfaces'>;

/**
 * One agent behind the gateway. Its events are those of a v1 stream (A2A 1.0.1 section 3.1.2): either one `message`
 * and nothing else, or status and artifact updates (a leading `task` is optional: the core makes one when it is left
 * out, and fills in `taskId` and `contextId`). An iterable that ends while the task is still under way completes it;
 * one that throws fails it.
 */
export interface Agent {
  /** Read at every request for the card, so that it may change. */
  readonly card: AgentDescription;
  /** Skills and descriptions for authenticated callers. Absent: not configured. */
  readonly extendedCard?: AgentDescription | undefined;
  /**
   * What the agent knows, where it is asked itself. Read at every request, so that it may come and go. Absent: what the
   * gateway's configuration says that it knows, if anything.
   */
  readonly knowledge?: AgentKnowledge | undefined;
  /** Whether it shows others what its callers show. No other gateway can carry out such a call. Default false. */
  readonly forwards?: boolean;
  execute(request: SendMessageRequest, context: AgentContext): AsyncIterable<StreamResponse>;
  /**
   * Asked before a task is canceled. Throw an A2AError of kind `taskNotCancelable` to refuse. May resolve with the status
   * of the canceled task in the agent's own words. Absent: the run's signal is aborted and the task becomes canceled.
   */
  cancel?(task: Task, context: AgentContext): Promise<TaskStatus | undefined> | Promise<void>;
  /**
   * Takes up a task that a dead process left behind. Absent: as `restart` says; failing that, such a task fails, with a
   * message that says why.
   */
  resume?(task: Task, context: AgentContext): AsyncIterable<StreamResponse>;
  /**
   * Whether a message that a dead process was working on may be given to the agent once more, with the task as it stood
   * when the message arrived. What was said of it stays. Default false.
   */
  readonly restart?: boolean;
  /** Called when the gateway starts, before anything else. Must not wait for anybody. */
  open?(): void;
  /** Called when the gateway stops, when no task is worked on any more. */
  close?(): Promise<void>;
  /** How the agent is, for those who look after the gateway. Absent: well. Never holds a secret. */
  health?(): AgentHealth;
}

/** What `/readyz` tells of an agent, which never makes the gateway unready. */
export interface AgentHealth {
  readonly state: 'ok' | 'connecting' | 'unreachable';
  readonly [fact: string]: string;
}

/** What a task is called at its upstream agent. */
export interface UpstreamTask {
  readonly id: string;
  /** '' where the agent knows no contexts. */
  readonly contextId: string;
}
