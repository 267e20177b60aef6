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

/** Facts that a handler adds to the line of the audit log. A `subject` takes the place of the one that the request names. */
export type AuditedFacts = { -readonly [N in 'agent' | 'owner' | 'reason' | 'subject']?: SecurityEvent[N] & string };

export type AdminHandlers<K extends OperationName = OperationName> = { readonly [N in K]: AdminHandler<N> };

/** Operations of the admin service that a module carries out. */
export interface AddedHandlers {
  readonly handlers: Partial<AdminHandlers>;
  /** Answers to what other replicas ask about this one, by the name of an operation. */
  readonly answers?: ReplicaAnswersByName;
  /** Operations that show what callers and agents said, or how the gateway is configured: each call is in the audit log. */
  readonly confidential?: readonly OperationName[];
  /**
   * The confidential ones that views ask again and again: an answer that the caller has read within an hour is in the audit log once.
   */
  readonly polled?: readonly OperationName[];
  /** Operations that change something and are called all the time: they are not in the audit log. */
  readonly routine?: readonly OperationName[];
  /** Called when the service is closed. */
  close?(): void;
}

export type ReplicaAnswersByName = Readonly<Record<string, (request: never) => unknown>>;

/** Facts about an agent that a module shows operators. */
export type AgentFacts = Partial<AgentStatus>;

/** Activity in some time, by agents or by callers, at all replicas, also at those that have ended. */
export interface KeptActivity {
  /** By names of agents, or ids of callers. */
  readonly byName: ReadonlyMap<string, AgentActivity>;
  /** Beginning of the time, or since when activity is kept, if that is later. Milliseconds since the epoch. */
  readonly since: number;
  /** Nothing since then is missing but what the missing replicas have. */
  readonly completeSince: number;
  /** Ids of replicas. */
  readonly missing: readonly string[];
}

/** A fact by which activity is added up. */
export type ActivitySubject = 'agent' | 'principal';

/** Facts about a task that a module shows operators. */
export type TaskFacts = Partial<TaskSummary>;

/** Facts about this replica that a module shows operators: their change is a change of the replica's state. */
export type ReplicaFacts = Partial<GatewayStatus>;
