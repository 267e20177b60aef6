import type { Principal } from '../../../core/model/principal.ts';
import type { ChangeMeta, Hidden, StatementPattern } from '../model/graph.ts';
import type { KGStatement, KnowledgePatch, KnowledgeSpace } from '../model/knowledge.ts';

/** A pattern for statements that may not be stored yet. */
export type OutcomePattern = Pick<
  StatementPattern,
  'subject' | 'predicate' | 'object' | 'value' | 'datatype' | 'graph'
>;

/** The knowledge of a space as it would be after an update. */
export interface Outcome {
  /**
   * Returns matching statements.
   *
   * @throws TooMuchToJudge if more statements have been read than one update may require
   */
  find(pattern: OutcomePattern): Promise<readonly KGStatement[]>;
  /** Returns the statements that match each pattern, in the order of the patterns, with one query. */
  findEach(patterns: readonly OutcomePattern[]): Promise<readonly (readonly KGStatement[])[]>;
  /** Returns the types of entities by their ids, derived from all statements. */
  typesOf(ids: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
}

/** An update that has not been applied yet. */
export interface ProposedUpdate {
  readonly space: KnowledgeSpace;
  /** The patches as the caller sent them. */
  readonly patches: readonly KnowledgePatch[];
  readonly principal: Principal;
  /** Statements that are hidden from the principal. A rule's details must not reveal them. */
  readonly hidden?: Hidden;
  /** Source agent, justification, task, session and further fields that are published with the change. */
  readonly meta: ChangeMeta;
  /** Metadata from the caller for rules, such as tokens. Never stored. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** All knowledge after the update, including statements that the caller may not see. */
  readonly outcome: Outcome;
  /** Aborts when the call ends. */
  readonly signal: AbortSignal;
}

/**
 * A rule's verdict. `pending`: the update is applied and marked for review. `rejected`: it conflicts with the agent's
 * knowledge. `forbidden`: the caller is not allowed to make it.
 */
export interface Verdict {
  readonly status: 'verified' | 'pending' | 'rejected' | 'forbidden';
  /** The reason, readable by people. */
  readonly details?: string;
}

/** A rule that every update must satisfy. */
export interface AlignmentRule {
  /** Name, which precedes the details in messages to callers. */
  readonly name: string;
  /** Whether the rule reads the outcome, so that its verdict is discarded if the graph changes. Default true. */
  readonly readsOutcome?: boolean;
  /**
   * Judges an update; undefined means verified. A thrown A2AError is sent to the caller; any other error fails the
   * update as an internal error. May be called again for the same update if a concurrent update was applied first.
   */
  verify(update: ProposedUpdate): Promise<Verdict | undefined> | Verdict | undefined;
}

/** Error: an update depends on too many statements to be judged. */
export class TooMuchToJudge extends Error {
  override readonly name = 'TooMuchToJudge';
}
