import type { JsonObject } from './json.ts';

/** The models of the Knowledge Graph extension of A2A, section 2, and of the store of statements. */

/** The value of a literal. */
export type LiteralValue = string | number | boolean;

/** A resource (`id`) or a literal (`value`), never both. */
export interface KGObject {
  readonly id?: string;
  readonly value?: LiteralValue;
  /** The resource's class, or the literal's datatype. */
  readonly type?: string;
}

/**
 * A statement. Its identity is its subject, predicate, object and graph; a literal's is its text and its datatype, so
 * that `42`, and `"42"` of the type `xsd:integer`, are one. Types of subject and object, certainty and provenance are
 * attributes.
 */
export interface KGStatement {
  /** `type` is the subject's class. */
  readonly subject: { readonly id: string; readonly type?: string };
  readonly predicate: { readonly id: string };
  readonly object: KGObject;
  /** Absent: the default graph. */
  readonly graph?: string;
  /** From 0 to 1. Absent counts as certain. */
  readonly certainty?: number;
  readonly provenance?: JsonObject;
}

/** A statement in the store. */
export interface StoredStatement extends KGStatement {
  /** Milliseconds: when it was last added. */
  readonly at: number;
}

export type PatchOp = 'add' | 'remove' | 'replace';

/**
 * One requested change. `add`: an existing statement gets the certainty, provenance, types and time of this one.
 * `remove`: the statement with this identity. `replace`: all statements with the same subject, predicate and graph are
 * removed, and this one is added.
 */
export interface KnowledgePatch {
  readonly op: PatchOp;
  readonly statement: KGStatement;
}

/** The graph of one agent and one tenant. Principals share it. */
export interface KnowledgeSpace {
  readonly agent: string;
  /** '' without tenants. */
  readonly tenant: string;
}

/** Who made a change, and why. Returned with every change; the principal to itself only. */
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

/** A count up to a requested bound. */
export interface BoundedCount {
  readonly count: number;
  /** False: there are more than `count`. */
  readonly exact: boolean;
}

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

/**
 * The extension in v1 cards of agents with a knowledge graph; older cards have `capabilities.knowledgeGraph` and
 * `knowledgeGraphQueryLanguages`. Its params are `KnowledgeExtensionParams`. It needs no activation.
 */
export const knowledgeExtension = 'urn:a2a-gateway-extension:knowledge-graph';

/** The params of the extension. */
export interface KnowledgeExtensionParams {
  /** Names of query languages, such as `graphql`. */
  readonly queryLanguages: readonly string[];
}

/** The query languages in a card's extensions; undefined for a card without a knowledge graph. */
export function queryLanguagesOf(
  extensions: readonly { readonly uri?: string; readonly params?: Readonly<Record<string, unknown>> }[] = [],
): readonly string[] | undefined {
  const found = extensions.find(({ uri }) => uri === knowledgeExtension);
  if (!found) return undefined;
  const languages = found.params?.queryLanguages;
  return Array.isArray(languages) ? languages.filter((name) => typeof name === 'string') : [];
}
