import type { KnowledgeChangeStream } from '../core/model/agent-knowledge.ts';
import type {
  AppliedUpdate,
  ChangeMeta,
  Hidden,
  JsonObject,
  KGStatement,
  KnowledgePatch,
  KnowledgeSpace,
} from '../core/model/knowledge.ts';
import type { ReadBudget } from '../core/model/memory.ts';
import type { Principal } from '../core/model/principal.ts';
import type { KnowledgeLog, KnowledgeReader, KnowledgeStore } from '../core/ports/knowledge-store.ts';
import type {
  KnowledgeQueryParams,
  KnowledgeQueryResponseResult,
  KnowledgeSubscribeParams,
} from '../gen/knowledge-v1/types.ts';

export type {
  AgentKnowledge as Knowledge,
  KnowledgeCallContext as KnowledgeContext,
  KnowledgeChangeEvent as ChangeEvent,
  KnowledgeChangeStream as ChangeStream,
  KnowledgeSubscribeContext as SubscribeContext,
} from '../core/model/agent-knowledge.ts';

/** What the service of knowledge is put together from. Each of these has one implementation or more beside this file. */

/** Whom a query or a subscription is put to, and on whose behalf. */
export interface QueryContext {
  readonly space: KnowledgeSpace;
  readonly reader: KnowledgeReader;
  /** Absent: what changes cannot be told, and nobody can subscribe. */
  readonly log?: KnowledgeLog;
  /** What the caller may not see. Absent: nothing. */
  readonly hidden?: Hidden;
  /** Id of the caller: of whoever else changed something, callers are told what these say of themselves. */
  readonly principal?: string;
  /** Room in memory for what is read. Absent: any number of bytes. */
  readonly room?: ReadBudget;
  /** Ends it: what it aborts with is thrown, as an A2AError. */
  readonly signal: AbortSignal;
}

/** One query language. */
export interface QueryEngine {
  /** Rejects with `knowledgeQuery` for what is wrong with the query, its places in the detail `QueryErrors`. */
  query(asking: QueryContext, request: KnowledgeQueryParams): Promise<KnowledgeQueryResponseResult>;
  /**
   * Changes that fit, without those that are hidden. Resolves when it is established: a change that is made from then on
   * is told, and those after position `after` where there is one. Rejects with `knowledgeSubscription`. Absent where the
   * language has no subscriptions.
   */
  subscribe?(asking: QueryContext, request: KnowledgeSubscribeParams, after?: number): Promise<KnowledgeChangeStream>;
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
  /**
   * What shapes say against some of the statements that a space has; undefined where they say nothing. Rejects with
   * TooMuchToJudge. Absent where there are no shapes.
   */
  faultsOf?(
    store: KnowledgeReader,
    space: KnowledgeSpace,
    statements: readonly KGStatement[],
  ): Promise<string | undefined>;
}
