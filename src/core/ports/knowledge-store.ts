import type {
  AppliedUpdate,
  BoundedCount,
  ChangeMeta,
  EntityFilter,
  KnowledgeChange,
  KnowledgePatch,
  KnowledgeSpace,
  KnowledgeView,
  LogExtent,
  Page,
  StatementPageRequest,
  StatementPattern,
  StoredStatement,
} from '../model/knowledge.ts';
import type { ReadBudget } from '../model/memory.ts';

/** Reads graphs. A space that nobody wrote to is empty. Rejects with `unavailable` when the database is. */
export interface KnowledgeReader {
  /** Milliseconds since the epoch, by the clock that statements are stamped by. */
  now(): number;
  /**
   * Statements that fit. Cost grows with the page, not with the graph, for any choice of subject, predicate, object,
   * value and graph. A page ends by bytes, too, and has one statement at least. Rejects with `invalidParams`, naming
   * `after`, for a cursor of another list.
   */
  find(
    space: KnowledgeSpace,
    pattern: StatementPattern,
    page: StatementPageRequest,
    room?: ReadBudget,
  ): Promise<Page<StoredStatement>>;
  /**
   * The first page of many patterns, in their order: one round trip for a level of a traversal. Go on with `find`,
   * which takes their cursors.
   */
  findEach(
    space: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    first: number,
    room?: ReadBudget,
  ): Promise<readonly Page<StoredStatement>[]>;
  /** How many statements fit. The whole space is counted without looking at it. */
  count(space: KnowledgeSpace, pattern: StatementPattern, atMost: number): Promise<BoundedCount>;
  /** The same for many patterns, in their order: one round trip for a level of a traversal. */
  countEach(
    space: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    atMost: number,
  ): Promise<readonly BoundedCount[]>;
  /** Ids of resources that are the subject or the object of a statement. */
  entities(space: KnowledgeSpace, filter: EntityFilter, page: StatementPageRequest): Promise<Page<string>>;
  countEntities(space: KnowledgeSpace, filter: EntityFilter, atMost: number): Promise<BoundedCount>;
  /**
   * Types of entities: what statements with the predicate rdf:type say, and the types that hang on subjects and
   * objects. What is subject and object of no statement is left out.
   */
  typesOf(
    space: KnowledgeSpace,
    ids: readonly string[],
    view?: KnowledgeView,
  ): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** The change log of a space. */
export interface KnowledgeLog {
  /** At most `limit` changes after a position, in order; begins with the oldest that is kept. */
  changes(space: KnowledgeSpace, after: number, limit: number): Promise<readonly KnowledgeChange[]>;
  extent(space: KnowledgeSpace): Promise<LogExtent>;
  /**
   * Calls `listener` when there may be changes that it has not seen: at once after they became durable when this
   * process made them, a moment later when another did. Returns what ends it.
   */
  watch(space: KnowledgeSpace, listener: () => void): () => void;
}

/** How an update is applied. */
export interface ApplyOptions {
  /** The log's last position when the update was judged: it is applied only if nothing changed since. */
  readonly expected?: number;
}

/** What an agent knows, kept in this gateway's database. */
export interface KnowledgeStore extends KnowledgeReader, KnowledgeLog {
  /**
   * Applies the patches one after the other, all or none; durable when it resolves. Undefined, and nothing done, when
   * the space is not where it was `expected` to be: judge again.
   */
  apply(space: KnowledgeSpace, patches: readonly KnowledgePatch[], meta: ChangeMeta): Promise<AppliedUpdate>;
  apply(
    space: KnowledgeSpace,
    patches: readonly KnowledgePatch[],
    meta: ChangeMeta,
    options: ApplyOptions,
  ): Promise<AppliedUpdate | undefined>;
  /** Forgets changes of before `before` (milliseconds), at most about `limit`; resolves with how many. */
  expireChanges(before: number, limit: number): Promise<number>;
}
