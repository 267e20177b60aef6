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
  /** Where tasks in memory are counted. Absent: nowhere. */
  readonly budget?: Pick<MemoryBudget, 'countTasks'>;
  /** Absent: any number of streams. */
  readonly streams?: StreamLimit | undefined;
  /** Told which trace each turn is in. Absent: nobody wants to know. */
  readonly traces?: TaskTraces;
  /** Says which webhooks may not be registered. Absent: all may. */
  readonly judgeWebhook?: JudgeWebhook;
  /** The extended card as it is served: with the interfaces that the gateway adds. Rejects when there is none. */
  readonly extendedCard: (agent: string, context: CallContext) => ResponseOf<'GetExtendedAgentCard'>;
}

/** What every handler is given. */
export interface HandlerInput<K extends OperationName = OperationName> {
  readonly operation: K;
  readonly request: RequestOf<K>;
  readonly context: CallContext;
  readonly agent: Agent;
  readonly owner: TaskOwner;
  readonly deps: ServiceDeps;
  readonly tasks: LiveTasks;
  readonly dialects: LastDialects;
  /** Whether another gateway asks for it: what this one cannot do itself, it says so. */
  readonly isForwarded: boolean;
  /** Takes up what dead gateways left behind. */
  readonly takeOver: () => Promise<unknown>;
}

export type Handler<K extends OperationName> = (handling: HandlerInput<K>) => Promise<ReplyOf<K>>;

type ReplyOf<K extends OperationName> = K extends 'SendStreamingMessage' | 'SubscribeToTask'
  ? StreamReply
  : UnaryReply<K>;

/** One row per operation: a new rpc in the proto fails to compile here, and nowhere else. */
export type Handlers = { readonly [K in OperationName]: Handler<K> };
