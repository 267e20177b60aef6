import type { Requester } from '../../core/model/call.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { ProposedUpdate } from './alignment/rule.ts';
import type { AppliedUpdate, Hidden } from './model/graph.ts';
import type { KGStatement, KnowledgePatch, KnowledgeSpace } from './model/knowledge.ts';
import type { KnowledgeLog, KnowledgeReader, KnowledgeStore } from './store/port.ts';

/** The graph and the caller of a query or a subscription. */
export interface QueryContext {
  readonly space: KnowledgeSpace;
  readonly store: KnowledgeReader & KnowledgeLog;
  /** Statements that are hidden from the caller. Absent: none. */
  readonly hidden?: Hidden;
  /** Id of the caller, who alone sees the author of its own changes. */
  readonly principal?: string;
  /** The call in whose memory the result is counted. Absent: it is not counted. */
  readonly requester?: Requester;
  /** Aborts the query; its reason is thrown as an A2AError. */
  readonly signal: AbortSignal;
}

/** An update to be judged. */
export interface Proposal
  extends Pick<ProposedUpdate, 'space' | 'patches' | 'meta' | 'principal' | 'signal'>,
    Partial<Pick<ProposedUpdate, 'metadata'>> {
  readonly store: KnowledgeStore;
  /** The patches as they are to be written, with the recorded fields of the update. */
  readonly recorded: readonly KnowledgePatch[];
}

/** The result of a proposal. */
export interface Judgement {
  /** Rejected: nothing was written. Pending: it was written, and marked for review. */
  readonly status: 'verified' | 'pending' | 'rejected';
  readonly verificationStatus: string;
  /** The rule that decided, and its reason. */
  readonly verificationDetails: string;
  /** Absent when rejected. */
  readonly applied?: AppliedUpdate;
}

/** The rules of an agent's knowledge. */
export interface Alignment {
  hiddenFrom(principal: Principal): Hidden | undefined;
  /**
   * Verifies a proposal, and applies it unless it is rejected. Rejects with `alignmentViolation` for a forbidden one,
   * with `knowledgeUpdate` if concurrent updates conflict again and again.
   */
  apply(proposal: Proposal): Promise<Judgement>;
  /**
   * The violations of some statements of a space; undefined if there are none. Rejects with TooMuchToJudge. Absent
   * without shapes.
   */
  faultsOf?(
    store: KnowledgeReader,
    space: KnowledgeSpace,
    statements: readonly KGStatement[],
  ): Promise<string | undefined>;
  /** Releases what rules hold, after proposals that are under way. */
  close?(): void;
}
