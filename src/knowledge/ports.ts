import type { CallContext, LoggedEvent, Principal } from '../core/call.ts';
import type {
  AppliedUpdate,
  ChangeMeta,
  Hidden,
  JsonObject,
  KnowledgePatch,
  KnowledgeSpace,
  KnowledgeStore,
} from '../core/knowledge.ts';
import type {
  KnowledgeGraphChangeEvent,
  KnowledgeQueryParams,
  KnowledgeQueryResponseResult,
  KnowledgeSubscribeParams,
  KnowledgeUpdateParams,
  KnowledgeUpdateResponseResult,
} from '../gen/knowledge-v1/types.ts';
import type { Asking } from './asking.ts';

/** What the service of knowledge is put together from. Each of these has one implementation or more beside this file. */

/** Everything about a call for an agent's knowledge that is not its request. */
export interface KnowledgeContext {
  readonly space: KnowledgeSpace;
  readonly call: CallContext;
  /** Aborts when the caller goes away, or the answer would come too late; of a subscription, when it is over. */
  readonly signal: AbortSignal;
}

/** Whatever wishes to be told of changes, from when on. */
export interface SubscribeContext extends KnowledgeContext {
  /** Position after which changes are wanted. Absent: from now on. */
  readonly after?: number;
}

/** The change of knowledge that a subscription tells of; `seq` is its position. */
export type ChangeEvent = LoggedEvent<KnowledgeGraphChangeEvent>;

/** What one agent knows, and may be asked. Requests have been validated. Everything rejects with an A2AError. */
export interface Knowledge {
  /** Query languages that callers are told of, such as `graphql`. */
  readonly languages: readonly string[];
  query(request: KnowledgeQueryParams, context: KnowledgeContext): Promise<KnowledgeQueryResponseResult>;
  update(request: KnowledgeUpdateParams, context: KnowledgeContext): Promise<KnowledgeUpdateResponseResult>;
  /**
   * Resolves when the subscription is established: every change that is made from then on is told. The iterable ends, or
   * its `next` rejects, when the signal aborts; nobody else ends it.
   */
  subscribe(request: KnowledgeSubscribeParams, context: SubscribeContext): Promise<AsyncIterable<ChangeEvent>>;
  close?(): Promise<void>;
}

/** One query language. */
export interface QueryEngine {
  /** Rejects with `knowledgeQuery` for what is wrong with the query, its places in the detail `QueryErrors`. */
  query(asking: Asking, request: KnowledgeQueryParams): Promise<KnowledgeQueryResponseResult>;
  /**
   * Changes that fit, without those that are hidden. Resolves when it is established: a change that is made from then on
   * is told, and those after position `after` where there is one. Rejects with `knowledgeSubscription`. Absent where the
   * language has no subscriptions.
   */
  subscribe?(asking: Asking, request: KnowledgeSubscribeParams, after?: number): Promise<AsyncIterable<ChangeEvent>>;
}

/** Changes that are proposed. */
export interface Proposal {
  readonly store: KnowledgeStore;
  readonly space: KnowledgeSpace;
  /** As the caller asked for them; these are judged. */
  readonly patches: readonly KnowledgePatch[];
  /** The same as they are to be written, with what is recorded of the update. */
  readonly recorded: readonly KnowledgePatch[];
  readonly meta: ChangeMeta;
  /** What the caller gave along for those who verify; never kept. */
  readonly metadata?: JsonObject;
  readonly principal: Principal;
  readonly signal: AbortSignal;
}

/** What became of a proposal. */
export interface Judgement {
  /** Rejected: nothing was written. Pending: it was, provisionally. */
  readonly status: 'verified' | 'pending' | 'rejected';
  readonly verificationStatus: string;
  /** Which rule decided, and why. */
  readonly verificationDetails: string;
  /** Absent when rejected. */
  readonly applied?: AppliedUpdate;
}

/** The rules that an agent's knowledge is aligned with. */
export interface Alignment {
  /** What a principal may not see. */
  hiddenFrom(principal: Principal): Hidden | undefined;
  /**
   * Verifies a proposal, and applies it when it may be. Rejects with `alignmentViolation` for what is forbidden outright,
   * with `knowledgeUpdate` when others wrote in between again and again.
   */
  apply(proposal: Proposal): Promise<Judgement>;
}
