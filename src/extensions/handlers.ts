import type { CallContext, StreamReply, UnaryReply } from '../core/model/call.ts';
import type { SecurityEvent } from '../core/ports/audit.ts';
import type { OperationName, operations, RequestOf, ResponseOf } from '../gen/admin-v1/operations.ts';
import type { AgentActivity, AgentStatus, GatewayStatus, TaskSummary } from '../gen/admin-v1/types.ts';

type StreamingOperation = Extract<(typeof operations)[number], { streaming: true }>['name'];

type ReplyOf<K extends OperationName> = K extends StreamingOperation
  ? StreamReply<ResponseOf<K>>
  : Omit<UnaryReply, 'value'> & { readonly value: ResponseOf<K> };

/** Carries out one operation of the admin service. Rejects with an A2AError. */
export type AdminHandler<K extends OperationName> = (
  request: RequestOf<K>,
  context: CallContext,
  facts: AuditedFacts,
) => Promise<ReplyOf<K>>;

/** Facts that a handler adds to the line of the audit log. `subject` replaces the subject in the request. */
export type AuditedFacts = { -readonly [N in 'agent' | 'owner' | 'reason' | 'subject']?: SecurityEvent[N] & string };

export type AdminHandlers<K extends OperationName = OperationName> = { readonly [N in K]: AdminHandler<N> };

/** Operations of the admin service that a module carries out. */
export interface AddedHandlers {
  readonly handlers: Partial<AdminHandlers>;
  /** Answers to questions from other replicas about this one, by the names of operations. */
  readonly answers?: ReplicaAnswersByName;
  /** Operations that return texts of callers and agents, or the configuration. Each call is in the audit log. */
  readonly confidential?: readonly OperationName[];
  /**
   * Confidential operations that views call again and again. If the caller got the same answer within an hour, the call is not in
   * the audit log.
   */
  readonly polled?: readonly OperationName[];
  /** Operations with effects that are called all the time. Their calls are not in the audit log. */
  readonly routine?: readonly OperationName[];
  /** Called when the service is closed. */
  close?(): void;
}

export type ReplicaAnswersByName = Readonly<Record<string, (request: never) => unknown>>;

/** Facts about an agent that a module shows operators. */
export type AgentFacts = Partial<AgentStatus>;

/** Activity of agents or callers since a time, at all replicas, including those that have ended. */
export interface KeptActivity {
  /** Activity by names of agents, or by ids of callers. */
  readonly byName: ReadonlyMap<string, AgentActivity>;
  /**
   * Time from which on activity is counted: the wanted one, or a later one if the store keeps less. Milliseconds since the epoch.
   */
  readonly since: number;
  /** Time since which only the activity of missing replicas is left out. */
  readonly completeSince: number;
  /** Ids of the replicas that did not answer. */
  readonly missing: readonly string[];
}

/** Fact by which activity is grouped. */
export type ActivitySubject = 'agent' | 'principal';

/** Facts about a task that a module shows operators. */
export type TaskFacts = Partial<TaskSummary>;

/** Facts about this replica that a module shows operators. If one changes, the replica's status changes. */
export type ReplicaFacts = Partial<GatewayStatus>;
