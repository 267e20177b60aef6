import type {
  ChangeMeta,
  Hidden,
  KGStatement,
  KnowledgePatch,
  KnowledgeSpace,
  StatementPattern,
} from '../../core/model/knowledge.ts';
import type { Principal } from '../../core/model/principal.ts';

/** What a pattern may ask a graph for that is not stored yet. */
export type OutcomePattern = Pick<
  StatementPattern,
  'subject' | 'predicate' | 'object' | 'value' | 'datatype' | 'graph'
>;

/** The knowledge of a space as it would be after an update. */
export interface Outcome {
  /**
   * Statements that fit. Rejects with TooMuchToJudge where these, and all that was asked for before, are more than an
   * update may make one look at.
   */
  find(pattern: OutcomePattern): Promise<readonly KGStatement[]>;
  /** The same for many patterns, in their order, with one look at the store. */
  findEach(patterns: readonly OutcomePattern[]): Promise<readonly (readonly KGStatement[])[]>;
  /** What entities are instances of, by their ids, whoever says so. */
  typesOf(ids: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
}

/** An update before it is applied: what is asked for, by whom, and what it would leave. */
export interface ProposedUpdate {
  readonly space: KnowledgeSpace;
  /** As they were asked for. */
  readonly patches: readonly KnowledgePatch[];
  readonly principal: Principal;
  /** What the principal may not see, and is not to be told of. */
  readonly hidden?: Hidden;
  /** Source agent, justification, task and session, and what else is to be told with the change. */
  readonly meta: ChangeMeta;
  /** What the caller gave along for whoever judges: tokens, context. Never kept. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** All knowledge as the update would leave it, also what its caller may not see. */
  readonly outcome: Outcome;
  /** Aborts when nobody waits for the verdict any more. */
  readonly signal: AbortSignal;
}

/**
 * What a rule says of an update. `pending`: it is taken in, and marked as to be reviewed. `rejected`: it does not fit
 * what the agent knows. `forbidden`: whoever asks may not do this.
 */
export interface Verdict {
  readonly status: 'verified' | 'pending' | 'rejected' | 'forbidden';
  /** For people: why. */
  readonly details?: string;
}

/** One of the things that an update has to keep to. */
export interface AlignmentRule {
  /** Stands before the details that callers are told. */
  readonly name: string;
  /** It looks at the outcome, so its verdict holds only as long as nobody else writes. Default true. */
  readonly readsOutcome?: boolean;
  /**
   * Judges an update; what is undefined is verified. An A2AError that is thrown is told to the caller; anything else that
   * is thrown fails the update as an internal error. It may be asked again for the same update when another came first.
   */
  verify(update: ProposedUpdate): Promise<Verdict | undefined> | Verdict | undefined;
}

/** An update cannot be judged since too many statements hang on it. */
export class TooMuchToJudge extends Error {
  override readonly name = 'TooMuchToJudge';
}
