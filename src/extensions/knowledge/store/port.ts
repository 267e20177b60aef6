import type { Requester } from '../../../core/model/call.ts';
import type {
  AppliedUpdate,
  BoundedCount,
  ChangeMeta,
  EntityFilter,
  KnowledgeChange,
  KnowledgeView,
  LogExtent,
  Page,
  StatementPageRequest,
  StatementPattern,
  StoredStatement,
} from '../model/graph.ts';
import type { KnowledgePatch, KnowledgeSpace } from '../model/knowledge.ts';

/**
 * Reads graphs. A space that was never written to is empty. Rejects with A2AError `unavailable` if the database is
 * unreachable.
 */
export interface KnowledgeReader {
  /** Current time in milliseconds since the epoch, by the clock that sets the times of statements. */
  now(): number;
  /**
   * Returns a page of matching statements, at a cost that grows with the page, not with the graph. Pages are also
   * bounded by bytes, but contain at least one statement.
   *
   * @throws A2AError `invalidParams` that names `after`, for a cursor of another list
   */
  find(
    space: KnowledgeSpace,
    pattern: StatementPattern,
    page: StatementPageRequest,
    requester?: Requester,
  ): Promise<Page<StoredStatement>>;
  /** Returns the first pages of many patterns, in their order, with one round trip. `find` accepts their cursors. */
  findEach(
    space: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    first: number,
    requester?: Requester,
  ): Promise<readonly Page<StoredStatement>[]>;
  /**
   * Returns the numbers of statements that match patterns, in their order, with one round trip. The count of a whole
   * space is read without a scan.
   */
  count(space: KnowledgeSpace, patterns: readonly StatementPattern[], atMost: number): Promise<readonly BoundedCount[]>;
  /** Returns the ids of resources that are the subject or object of a statement. */
  entities(space: KnowledgeSpace, filter: EntityFilter, page: StatementPageRequest): Promise<Page<string>>;
  countEntities(space: KnowledgeSpace, filter: EntityFilter, atMost: number): Promise<BoundedCount>;
  /**
   * Returns the types of entities: objects of `rdf:type`, and the types of subjects and objects. Unknown ids are
   * omitted.
   */
  typesOf(
    space: KnowledgeSpace,
    ids: readonly string[],
    view?: KnowledgeView,
  ): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** The change log of a space. */
export interface KnowledgeLog {
  /** Returns at most `limit` changes after a position, in order, beginning with the oldest retained change. */
  changes(space: KnowledgeSpace, after: number, limit: number): Promise<readonly KnowledgeChange[]>;
  extent(space: KnowledgeSpace): Promise<LogExtent>;
  /** Calls `listener` soon after changes by any replica are durable. Returns a function that ends the watch. */
  watch(space: KnowledgeSpace, listener: () => void): () => void;
}

/** Conditions of an update. */
export interface ApplyOptions {
  /** Position of the log when the update was validated. The update is applied only if nothing has changed since. */
  readonly expected?: number;
}

/** The storage of agents' knowledge. */
export interface KnowledgeStore extends KnowledgeReader, KnowledgeLog {
  /**
   * Applies patches in order, all or none. Durable once the promise resolves. Undefined if the log is not at
   * `expected`.
   */
  apply(space: KnowledgeSpace, patches: readonly KnowledgePatch[], meta: ChangeMeta): Promise<AppliedUpdate>;
  apply(
    space: KnowledgeSpace,
    patches: readonly KnowledgePatch[],
    meta: ChangeMeta,
    options: ApplyOptions,
  ): Promise<AppliedUpdate | undefined>;
  /**
   * Deletes about `limit` changes at most that are older than `before` (milliseconds since the epoch). Resolves with
   * their number.
   */
  expireChanges(before: number, limit: number): Promise<number>;
}
