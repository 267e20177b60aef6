import type { ForwardInput } from '../cluster/forward.ts';
import type { AnswerReplica } from '../cluster/replica-requests.ts';
import type { TakeoverDeps } from '../cluster/takeover.ts';
import type { StreamLimit } from '../limits/stream-limit.ts';
import type { OperationName, OperationTypes, ResponseOf } from '../model/a2a.ts';
import type { Call, CallContext, Invoke, StreamReply, UnaryReply } from '../model/call.ts';
import type { FieldViolation } from '../model/errors.ts';
import type { TaskOwner } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { AdminStore } from '../ports/admin-store.ts';
import type { WebhookBounds } from '../ports/push-store.ts';
import type { LiveTasks } from '../tasks/live-tasks.ts';
import type { LastDialects } from './last-dialects.ts';

export interface ServiceDeps extends TakeoverDeps {
  readonly store: TakeoverDeps['store'] & Pick<AdminStore, 'searchTasks'>;
  /** Wraps the calls that other replicas forward. Absent, or without an active function: they are not wrapped. */
  readonly forwarded?: { readonly active: ((next: Invoke) => Invoke) | undefined };
  readonly limits: {
    /** Milliseconds that one answer may take; never bounds a task. */
    readonly answer: number;
    /** Bytes of JSON after which a page of a list ends. */
    readonly page: number;
    readonly state: number;
    /** Bytes of a request body, and of a task's events. Default: any number. */
    readonly body?: number;
    readonly task?: number;
    /** Limits of the number of webhooks. Default: any number. */
    readonly webhooks?: WebhookBounds;
  };
  /** Whether no text of messages and agents may be copied to a task's row. Called for each write. Default: texts are copied. */
  readonly hidesWords?: () => boolean;
  /** The limit of open streams. Absent: no limit. */
  readonly streams?: StreamLimit | undefined;
  /**
   * Returns the reason why a URL must not be registered as a webhook; undefined if it may. The address of its host is checked at
   * each call.
   */
  readonly judgeWebhook?: (url: string) => string | undefined;
  /** Checks the answer to a question that has a JSON Schema. Absent: only the agent checks the answer. */
  readonly checkAnswer?: CheckAnswer;
  /** Answers questions of other replicas about this one. Absent: it answers none. */
  readonly answerReplica?: AnswerReplica;
  /** The extended card with the interfaces that the gateway adds. Rejects when the agent has none. */
  readonly extendedCard: (agent: string, context: CallContext) => ResponseOf<'GetExtendedAgentCard'>;
}

/** Checks a value. A schema that cannot be used has no violations. */
export type CheckAnswer = (schema: JsonObject, value: unknown) => Promise<readonly FieldViolation[]>;

/** Input of every handler. */
export interface HandlerInput<K extends OperationName = OperationName> extends ForwardInput, Omit<Call<K>, 'context'> {
  readonly owner: TaskOwner;
  readonly deps: ServiceDeps;
  readonly tasks: LiveTasks;
  readonly dialects: LastDialects;
}

export type SendOperation = 'SendMessage' | 'SendStreamingMessage';

export type Handler<K extends OperationName> = (input: HandlerInput<K>) => Promise<ReplyOf<K>>;

type ReplyOf<K extends OperationName> = OperationTypes[K]['streaming'] extends true ? StreamReply : UnaryReply<K>;

/** One handler for each operation. A new rpc in the proto fails to compile here until it has a handler. */
export type Handlers = { readonly [K in OperationName]: Handler<K> };
