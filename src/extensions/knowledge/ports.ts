import type { Requester } from '../../core/model/call.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { ProposedUpdate } from './alignment/rule.ts';
import type { AppliedUpdate, Hidden } from './model/graph.ts';
import type { KGStatement, KnowledgePatch, KnowledgeSpace } from './model/knowledge.ts';
import type { KnowledgeLog, KnowledgeReader, KnowledgeStore } from './store/port.ts';

/** The graph and the caller of a query or subscription. */
export interface QueryContext {
  readonly space: KnowledgeSpace;
  readonly store: KnowledgeReader & KnowledgeLog;
  /** Statements that are hidden from the caller. Absent if there are none. */
  readonly hidden?: Hidden;
  /** Id of the caller. Only the author of a change sees its `principal`. */
  readonly principal?: string;
  /** The call in whose memory budget the result is counted. Absent: it is not counted. */
  readonly requester?: Requester;
  /** Aborts the query. Its reason is thrown as an A2AError. */
  readonly signal: AbortSignal;
}

/** An update to be judged. */
export interface Proposal
  extends Pick<ProposedUpdate, 'space' | 'patches' | 'meta' | 'principal' | 'signal'>,
    Partial<Pick<ProposedUpdate, 'metadata'>> {
  readonly store: KnowledgeStore;
  /** The patches to be written, with the recorded fields of the request added. */
  readonly recorded: readonly KnowledgePatch[];
}

/** The result of a proposal. */
export interface Judgement {
  /** `rejected`: nothing was written. `pending`: the update was written and marked for review. */
  readonly status: 'verified' | 'pending' | 'rejected';
  readonly verificationStatus: string;
  /** The deciding rule and its reason. */
  readonly verificationDetails: string;
  /** Absent if the update was rejected. */
  readonly applied?: AppliedUpdate;
}

/** The rules of an agent's knowledge. */
export interface Alignment {
  hiddenFrom(principal: Principal): Hidden | undefined;
  /**
   * Verifies a proposal and applies it unless it is rejected.
   *
   * @throws A2AError `alignmentViolation` for a forbidden update; `knowledgeUpdate` if concurrent updates conflict
   * again and again
   */
  apply(proposal: Proposal): Promise<Judgement>;
  /**
   * Returns the violations of existing statements; undefined if there are none. Absent without shapes.
   *
   * @throws TooMuchToJudge
   */
  faultsOf?(
    store: KnowledgeReader,
    space: KnowledgeSpace,
    statements: readonly KGStatement[],
  ): Promise<string | undefined>;
  /** Releases the resources of rules once running proposals have finished. */
  close?(): void;
}
