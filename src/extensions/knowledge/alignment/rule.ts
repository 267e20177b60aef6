import type { Principal } from '../../../core/model/principal.ts';
import type { ChangeMeta, Hidden, StatementPattern } from '../model/graph.ts';
import type { KGStatement, KnowledgePatch, KnowledgeSpace } from '../model/knowledge.ts';

/** A pattern for statements that need not be stored yet. */
export type OutcomePattern = Pick<
  StatementPattern,
  'subject' | 'predicate' | 'object' | 'value' | 'datatype' | 'graph'
>;

/** The knowledge of a space as it would be after an update. */
export interface Outcome {
  /** Matching statements. Rejects with TooMuchToJudge when more statements were read than one update may cause. */
  find(pattern: OutcomePattern): Promise<readonly KGStatement[]>;
  /** Matching statements of many patterns, in their order, with one query. */
  findEach(patterns: readonly OutcomePattern[]): Promise<readonly (readonly KGStatement[])[]>;
  /** Types of entities by their ids, from all statements. */
  typesOf(ids: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
}

/** An update before it is applied. */
export interface ProposedUpdate {
  readonly space: KnowledgeSpace;
  /** As the caller sent them. */
  readonly patches: readonly KnowledgePatch[];
  readonly principal: Principal;
  /** Statements that are hidden from the principal, also in details. */
  readonly hidden?: Hidden;
  /** Source agent, justification, task and session, and what else is published with the change. */
  readonly meta: ChangeMeta;
  /** The caller's metadata for rules, such as tokens. Never stored. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** All knowledge after the update, including what the caller may not see. */
  readonly outcome: Outcome;
  /** Aborts when the call ends. */
  readonly signal: AbortSignal;
}

/**
 * A rule's verdict. `pending`: the update is applied and marked for review. `rejected`: it conflicts with the agent's
 * knowledge. `forbidden`: the caller may not do this.
 */
export interface Verdict {
  readonly status: 'verified' | 'pending' | 'rejected' | 'forbidden';
  /** The reason, for people. */
  readonly details?: string;
}

/** A rule that updates must satisfy. */
export interface AlignmentRule {
  /** Precedes the details in messages to callers. */
  readonly name: string;
  /** Whether it reads the outcome, so that its verdict is void if the graph changes. Default true. */
  readonly readsOutcome?: boolean;
  /**
   * Judges an update; undefined means verified. A thrown A2AError is sent to the caller; any other error fails the
   * update as an internal error. It may be called again for the same update after a concurrent one.
   */
  verify(update: ProposedUpdate): Promise<Verdict | undefined> | Verdict | undefined;
}

/** An update cannot be judged because it depends on too many statements. */
export class TooMuchToJudge extends Error {
  override readonly name = 'TooMuchToJudge';
}
