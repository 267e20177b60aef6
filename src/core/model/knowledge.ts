/**
 * The port of knowledge: what is stated, patched, logged and read. The seed's models (Knowledge Graph extension of A2A,
 * section 2), and what a store of statements does with them.
 */

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A value that is no resource. */
export type LiteralValue = string | number | boolean;

export interface KGSubject {
  readonly id: string;
  /** What the subject is an instance of. */
  readonly type?: string;
}

export interface KGPredicate {
  readonly id: string;
}

/** A resource (`id`) or a literal (`value`): exactly one of both. */
export interface KGObject {
  readonly id?: string;
  readonly value?: LiteralValue;
  /** What the resource is an instance of, or the literal's datatype. */
  readonly type?: string;
}

/**
 * A statement. What it is, is its subject, predicate, object and graph; a literal is its text and its datatype, so that
 * `42`, and `"42"` of the type `xsd:integer`, are one. Types of subject and object, certainty and provenance hang on it.
 */
export interface KGStatement {
  readonly subject: KGSubject;
  readonly predicate: KGPredicate;
  readonly object: KGObject;
  /** Absent: the default graph. */
  readonly graph?: string;
  /** From 0 to 1. Absent: nobody said, which counts as certain. */
  readonly certainty?: number;
  readonly provenance?: JsonObject;
}

/** A statement as it is known. */
export interface StoredStatement extends KGStatement {
  /** Milliseconds: when it was last stated. */
  readonly at: number;
}

export type PatchOp = 'add' | 'remove' | 'replace';

/**
 * One change that is asked for. `add`: a statement that is there already gets the certainty, provenance, types and time
 * of this one. `remove`: the same statement, whatever its certainty and provenance. `replace`: all statements with the
 * same subject, predicate and graph go, and this one comes.
 */
export interface KnowledgePatch {
  readonly op: PatchOp;
  readonly statement: KGStatement;
}

/** A graph of its own: what one agent knows, for one tenant. Principals share it. */
export interface KnowledgeSpace {
  readonly agent: string;
  /** '' where there are none. */
  readonly tenant: string;
}

/** Who changed something, and why. Comes back with every change; the principal to itself only. */
export interface ChangeMeta {
  readonly taskId?: string;
  readonly sessionId?: string;
  readonly sourceAgentId?: string;
  readonly justification?: string;
  /** Id of the principal that called. */
  readonly principal?: string;
  /** Whatever else is to be told with the change. */
  readonly [more: string]: unknown;
}

/** One entry of the change log: a patch that changed something. */
export interface KnowledgeChange {
  /** In the space's log: 1, 2, 3 … without gaps, in the order in which readers see them. */
  readonly position: number;
  /** A UUID. */
  readonly changeId: string;
  /** Milliseconds: when it was confirmed. */
  readonly at: number;
  readonly op: PatchOp;
  /** As it was asked for; of a removal, as it was stored. */
  readonly statement: KGStatement;
  /** What a `replace` removed; what an `add` found and wrote over. Absent: nothing. */
  readonly replaced?: readonly KGStatement[];
  readonly meta: ChangeMeta;
}

/** What became of an update. What changed nothing is not counted, and not logged. */
export interface AppliedUpdate {
  /** Statements that were not there before the patch that added them. */
  readonly added: number;
  /** Statements that are gone, those that a `replace` removed included. */
  readonly removed: number;
  /** Statements that were there, and whose certainty, provenance or types are others now. */
  readonly renewed: number;
  /** Subjects of the statements that were added, removed or renewed, in the order of the patches. */
  readonly affectedIds: readonly string[];
  /** The log's last position after it. */
  readonly position: number;
}

/**
 * What is left out for some readers. Each name is an id, or the beginning of ids, when it ends with `*`. The default
 * graph's name is ''.
 */
export interface Hidden {
  readonly graphs?: readonly string[];
  readonly predicates?: readonly string[];
}

/** Which statements count at all. */
export interface KnowledgeView {
  /** Statements of a smaller certainty do not; those without one do. */
  readonly minCertainty?: number;
  /** Milliseconds: nor do those that were stated before. */
  readonly since?: number;
  readonly hidden?: Hidden;
}

/** Which statements are meant: all that is given must fit. */
export interface StatementPattern extends KnowledgeView {
  readonly subject?: string;
  readonly predicate?: string;
  /** Id of a resource. */
  readonly object?: string;
  /** Text of a literal: of `datatype`, or of any datatype. */
  readonly value?: LiteralValue;
  readonly datatype?: string;
  /** What the subject must be an instance of, as statements say that count. */
  readonly subjectType?: string;
  /** A named graph; '' is the default graph; absent: any. */
  readonly graph?: string;
}

/** A part of a list: after a cursor that the list was answered with before. */
export interface StatementPageRequest {
  /** At most so many. */
  readonly first: number;
  readonly after?: string;
}

/** A part of a list, in an order that stays the same while others write. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Of the last item; '' where there is none. */
  readonly endCursor: string;
  readonly hasMore: boolean;
}

/** How many there are, counted no further than was asked for. */
export interface BoundedCount {
  readonly count: number;
  /** False: there are more. */
  readonly exact: boolean;
}

/** The part of the change log that is still kept. */
export interface LogExtent {
  /** Position of the oldest change that is kept; `last` + 1 when there is none. */
  readonly first: number;
  /** Position of the newest change; 0 when there never was one. */
  readonly last: number;
}

/** Which entities are meant, and which statements count for them. */
export interface EntityFilter extends KnowledgeView {
  /** What they must be instances of. */
  readonly type?: string;
}

/**
 * The extension by which v1 cards say that an agent has a knowledge graph: `capabilities.knowledgeGraph` and
 * `knowledgeGraphQueryLanguages` of older cards. Its params are `KnowledgeExtensionParams`. Nothing needs to be activated.
 */
export const knowledgeExtension = 'urn:a2a-gateway-extension:knowledge-graph';

/** The params of the extension. */
export interface KnowledgeExtensionParams {
  /** Names of query languages, such as `graphql`. */
  readonly queryLanguages: readonly string[];
}

/** A card's extension, as far as it matters here. */
interface Declared {
  readonly uri?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The query languages that a card tells of; undefined where it tells of no knowledge graph. */
export function queryLanguagesOf(extensions: readonly Declared[] = []): readonly string[] | undefined {
  const found = extensions.find(({ uri }) => uri === knowledgeExtension);
  if (!found) return undefined;
  const languages = found.params?.queryLanguages;
  return Array.isArray(languages) ? languages.filter((name) => typeof name === 'string') : [];
}
