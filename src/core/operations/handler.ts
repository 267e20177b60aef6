import type { MemoryBudget } from '../limits/memory-budget.ts';
import type { StreamLimit } from '../limits/stream-limit.ts';
import type { OperationName, RequestOf, ResponseOf } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import type { CallContext, StreamReply, UnaryReply } from '../model/call.ts';
import type { TaskOwner } from '../model/ids.ts';
import type { AgentDirectory } from '../ports/agent-directory.ts';
import type { Logger } from '../ports/logger.ts';
import type { WebhookBounds } from '../ports/push-store.ts';
import type { SharedTaskStore } from '../ports/task-store.ts';
import type { LiveTasks } from '../tasks/live-tasks.ts';
import type { TaskTraces } from '../telemetry/task-traces.ts';
import type { LastDialects } from './last-dialects.ts';
import type { JudgeWebhook } from './rules.ts';

export interface ServiceDeps {
  readonly store: SharedTaskStore;
  readonly agents: AgentDirectory;
  readonly logger: Logger;
  readonly limits: {
    /** Milliseconds that one answer may take; never bounds a task. */
    readonly answer: number;
    /** Bytes of JSON after which a page of a list ends. */
    readonly page: number;
    /** How many webhooks there may be. Default: any number. */
    readonly webhooks?: WebhookBounds;
  };
  /** Counts the tasks in memory. */
  readonly budget?: Pick<MemoryBudget, 'countTasks'>;
  /** Absent: any number of streams. */
  readonly streams?: StreamLimit | undefined;
  /** Records which trace each turn belongs to. */
  readonly traces?: TaskTraces;
  /** Checks the URL of a webhook. Absent: any may be registered. */
  readonly judgeWebhook?: JudgeWebhook;
  /** The extended card with the interfaces that the gateway adds. Rejects when the agent has none. */
  readonly extendedCard: (agent: string, context: CallContext) => ResponseOf<'GetExtendedAgentCard'>;
}

/** What every handler gets. */
export interface HandlerInput<K extends OperationName = OperationName> {
  readonly operation: K;
  readonly request: RequestOf<K>;
  readonly context: CallContext;
  readonly agent: Agent;
  readonly owner: TaskOwner;
  readonly deps: ServiceDeps;
  readonly tasks: LiveTasks;
  readonly dialects: LastDialects;
  /** Whether another replica forwarded the call. This replica does not forward it again. */
  readonly isForwarded: boolean;
  /** Takes over the tasks of dead replicas. */
  readonly takeOver: () => Promise<unknown>;
}

export type SendOperation = 'SendMessage' | 'SendStreamingMessage';

export type Handler<K extends OperationName> = (input: HandlerInput<K>) => Promise<ReplyOf<K>>;

type ReplyOf<K extends OperationName> = K extends 'SendStreamingMessage' | 'SubscribeToTask'
  ? StreamReply
  : UnaryReply<K>;

/** One handler per operation: a new rpc of the proto fails to compile here, and only here. */
export type Handlers = { readonly [K in OperationName]: Handler<K> };
