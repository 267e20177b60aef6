import { isObject } from '../../../core/model/json.ts';
import { UnreadableRow } from '../../../core/model/stored-form.ts';
import type { KGStatement, LiteralValue, PatchOp } from './knowledge.ts';

export interface StoredStatement extends KGStatement {
  /** Milliseconds: when it was last added. */
  readonly at: number;
}

/** Author and reason of a change. Returned with every change; the principal to itself only. */
export interface ChangeMeta {
  readonly taskId?: string;
  readonly sessionId?: string;
  readonly sourceAgentId?: string;
  readonly justification?: string;
  /** Id of the calling principal. */
  readonly principal?: string;
  /** Further fields of the request. */
  readonly [more: string]: unknown;
}

/** One entry of the change log: an effective patch. */
export interface KnowledgeChange {
  /** In the space's log: 1, 2, 3 … without gaps, in the order that readers see. */
  readonly position: number;
  /** A UUID. */
  readonly changeId: string;
  /** Milliseconds: when it was committed. */
  readonly at: number;
  readonly op: PatchOp;
  /** As requested; of a removal, as it was stored. */
  readonly statement: KGStatement;
  /** The statements that a `replace` removed or an `add` overwrote. Absent: none. */
  readonly replaced?: readonly KGStatement[];
  readonly meta: ChangeMeta;
  /** Whether it cannot be read: it says nothing, and stands for its position alone. */
  readonly isUnread?: true;
}

/** A placeholder for a change that cannot be read. */
export const unreadChange = (position: number, at: number): KnowledgeChange => ({
  position,
  changeId: '',
  at,
  op: 'add',
  statement: { subject: { id: '' }, predicate: { id: '' }, object: { id: '' } },
  meta: {},
  isUnread: true,
});

/** Throws for what is no change. */
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

/** The result of an update. Ineffective patches are not counted and not logged. */
export interface AppliedUpdate {
  /** New statements. */
  readonly added: number;
  /** Removed statements, including those that a `replace` removed. */
  readonly removed: number;
  /** Existing statements with a new certainty, provenance or types. */
  readonly renewed: number;
  /** Subjects of the added, removed and renewed statements, in the order of the patches. */
  readonly affectedIds: readonly string[];
  /** The log's last position after the update. */
  readonly position: number;
}

/**
 * Statements that are hidden from some readers. Each name is an id, or a prefix of ids when it ends with `*`. The
 * default graph's name is ''.
 */
export interface Hidden {
  readonly graphs?: readonly string[];
  readonly predicates?: readonly string[];
}

/** The visible statements. */
export interface KnowledgeView {
  /** Statements with a smaller certainty are left out; those without one are not. */
  readonly minCertainty?: number;
  /** Milliseconds: statements that were last added before are left out. */
  readonly since?: number;
  readonly hidden?: Hidden;
}

/** A filter of statements: all given fields must match. */
export interface StatementPattern extends KnowledgeView {
  readonly subject?: string;
  readonly predicate?: string;
  /** Id of a resource. */
  readonly object?: string;
  /** Text of a literal: of `datatype`, or of any datatype. */
  readonly value?: LiteralValue;
  readonly datatype?: string;
  /** The subject's class, by the visible statements. */
  readonly subjectType?: string;
  /** A named graph; '' is the default graph; absent: any. */
  readonly graph?: string;
}

/** The identity of a pattern's list for page tokens; without the view, which moves with the clock. */
export const listOf = (
  space: number | string,
  { subject, predicate, object, value, datatype, subjectType, graph }: StatementPattern,
): unknown[] => ['statements', space, subject, predicate, object, value, datatype, subjectType, graph];

/** A page of a list, after a cursor of an earlier page. */
export interface StatementPageRequest {
  /** At most so many items. */
  readonly first: number;
  readonly after?: string;
}

/** A page of a list, in an order that stays stable under concurrent writes. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Of the last item; '' on an empty page. */
  readonly endCursor: string;
  readonly hasMore: boolean;
}

export const emptyPage: Page<never> = { items: [], endCursor: '', hasMore: false };

/** A count up to a requested bound. */
export interface BoundedCount {
  readonly count: number;
  /** False: there are more than `count`. */
  readonly exact: boolean;
}

/** A count up to a bound, of something that was counted at least one further. */
export const bounded = (count: number, atMost: number): BoundedCount => ({
  count: Math.min(count, atMost),
  exact: count <= atMost,
});

/** The part of the change log that is retained. */
export interface LogExtent {
  /** Position of the oldest retained change; `last` + 1 when there is none. */
  readonly first: number;
  /** Position of the newest change; 0 when there was none. */
  readonly last: number;
}

/** A filter of entities, and the statements that are visible. */
export interface EntityFilter extends KnowledgeView {
  /** The entities' class. */
  readonly type?: string;
}
