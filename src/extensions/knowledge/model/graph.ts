import { isObject } from '../../../core/model/json.ts';
import { UnreadableRow } from '../../../core/model/stored-form.ts';
import type { KGStatement, LiteralValue, PatchOp } from './knowledge.ts';

export interface StoredStatement extends KGStatement {
  /** Time of the last `add`, in milliseconds since the epoch. */
  readonly at: number;
}

/** Author and reason of a change. Returned with every change; `principal` is returned only to that principal. */
export interface ChangeMeta {
  readonly taskId?: string;
  readonly sessionId?: string;
  readonly sourceAgentId?: string;
  readonly justification?: string;
  /** Id of the calling principal. */
  readonly principal?: string;
  /** Further fields of the update request. */
  readonly [more: string]: unknown;
}

/** An entry of the change log: a patch that had an effect. */
export interface KnowledgeChange {
  /** Position in the space's log: 1, 2, 3 … without gaps, in the order in which changes become visible. */
  readonly position: number;
  /** A UUID. */
  readonly changeId: string;
  /** Time of the commit, in milliseconds since the epoch. */
  readonly at: number;
  readonly op: PatchOp;
  /** The statement as requested; for a removal, as it was stored. */
  readonly statement: KGStatement;
  /** Statements that a `replace` removed or an `add` overwrote. Absent if there are none. */
  readonly replaced?: readonly KGStatement[];
  readonly meta: ChangeMeta;
  /** Set if the change cannot be read. It then serves only as a placeholder for its position. */
  readonly isUnread?: true;
}

/** Returns a placeholder for a change that cannot be read. */
export const unreadChange = (position: number, at: number): KnowledgeChange => ({
  position,
  changeId: '',
  at,
  op: 'add',
  statement: { subject: { id: '' }, predicate: { id: '' }, object: { id: '' } },
  meta: {},
  isUnread: true,
});

/** @throws UnreadableRow for a value that is not a change */
export function requireChange(change: KnowledgeChange): KnowledgeChange {
  const { position, at, changeId, statement, meta, replaced = [] } = change;
  const isStatement = (value: unknown): boolean =>
    isObject(value) && isObject(value.subject) && isObject(value.predicate) && isObject(value.object);
  const isWhole =
    Number.isSafeInteger(position) &&
    Number.isSafeInteger(at) &&
    typeof changeId === 'string' &&
    isStatement(statement) &&
    isObject(meta) &&
    Array.isArray(replaced) &&
    replaced.every(isStatement);
  if (isWhole) return change;
  throw new UnreadableRow('it is not a change of a knowledge graph');
}

/** The result of an update. Patches without an effect are neither counted nor logged. */
export interface AppliedUpdate {
  /** Number of new statements. */
  readonly added: number;
  /** Number of removed statements, including those that a `replace` removed. */
  readonly removed: number;
  /** Number of existing statements whose certainty, provenance or types were changed. */
  readonly renewed: number;
  /** Subjects of the added, removed and renewed statements, in the order of the patches. */
  readonly affectedIds: readonly string[];
  /** Last position of the log after the update. */
  readonly position: number;
}

/**
 * Statements that are hidden from a reader. Each name is an id, or a prefix of ids followed by `*`. '' is the default
 * graph.
 */
export interface Hidden {
  readonly graphs?: readonly string[];
  readonly predicates?: readonly string[];
}

/** Conditions for the statements that a reader sees. */
export interface KnowledgeView {
  /** Minimum certainty. Statements without a certainty are always included. */
  readonly minCertainty?: number;
  /** Excludes statements last added before this time, in milliseconds since the epoch. */
  readonly since?: number;
  readonly hidden?: Hidden;
}

/** A filter for statements. All given fields must match. */
export interface StatementPattern extends KnowledgeView {
  readonly subject?: string;
  readonly predicate?: string;
  /** Id of a resource. */
  readonly object?: string;
  /** Text of a literal with `datatype`, or with any datatype if that is absent. */
  readonly value?: LiteralValue;
  readonly datatype?: string;
  /** Class of the subject, according to the visible statements. */
  readonly subjectType?: string;
  /** A named graph; '' is the default graph. Absent: any graph. */
  readonly graph?: string;
}

/** Identifies a pattern's list in page tokens. Excludes the view, which changes with the clock. */
export const listOf = (
  space: number | string,
  { subject, predicate, object, value, datatype, subjectType, graph }: StatementPattern,
): unknown[] => ['statements', space, subject, predicate, object, value, datatype, subjectType, graph];

/** A request for a page of a list. */
export interface StatementPageRequest {
  /** Maximum number of items. */
  readonly first: number;
  readonly after?: string;
}

/** A page of a list. The list's order is stable under concurrent writes. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Cursor of the last item; '' on an empty page. */
  readonly endCursor: string;
  readonly hasMore: boolean;
}

export const emptyPage: Page<never> = { items: [], endCursor: '', hasMore: false };

/** A count up to a requested limit. */
export interface BoundedCount {
  readonly count: number;
  /** False if there are more than `count`. */
  readonly exact: boolean;
}

/** Limits a count. The given count must include at least one item beyond the limit, if there is one. */
export const bounded = (count: number, atMost: number): BoundedCount => ({
  count: Math.min(count, atMost),
  exact: count <= atMost,
});

/** The part of the change log that is retained. */
export interface LogExtent {
  /** Position of the oldest retained change; `last` + 1 if none is retained. */
  readonly first: number;
  /** Position of the newest change; 0 if there has been none. */
  readonly last: number;
}

/** A filter for entities, with the conditions for visible statements. */
export interface EntityFilter extends KnowledgeView {
  /** Class of the entities. */
  readonly type?: string;
}
