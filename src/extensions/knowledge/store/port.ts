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

/** Reads graphs. A space without writes is empty. Rejects with `unavailable` when the database is unreachable. */
export interface KnowledgeReader {
  /** Milliseconds since the epoch, by the clock of the statements' times. */
  now(): number;
  /**
   * Matching statements, at a cost that grows with the page, not with the graph. Pages are bounded by bytes too, and
   * have at least one statement. Rejects with `invalidParams`, naming `after`, for a cursor of another list.
   */
  find(
    space: KnowledgeSpace,
    pattern: StatementPattern,
    page: StatementPageRequest,
    requester?: Requester,
  ): Promise<Page<StoredStatement>>;
  /** The first pages of many patterns, in their order, in one round trip. `find` takes their cursors. */
  findEach(
    space: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    first: number,
    requester?: Requester,
  ): Promise<readonly Page<StoredStatement>[]>;
  /**
   * The numbers of statements that match patterns, in their order, in one round trip. The count of a whole space is read
   * without a scan.
   */
  count(space: KnowledgeSpace, patterns: readonly StatementPattern[], atMost: number): Promise<readonly BoundedCount[]>;
  /** Ids of resources that are the subject or the object of a statement. */
  entities(space: KnowledgeSpace, filter: EntityFilter, page: StatementPageRequest): Promise<Page<string>>;
  countEntities(space: KnowledgeSpace, filter: EntityFilter, atMost: number): Promise<BoundedCount>;
  /** Types of entities: objects of rdf:type, and the types of subjects and objects. Unknown ids are left out. */
  typesOf(
    space: KnowledgeSpace,
    ids: readonly string[],
    view?: KnowledgeView,
  ): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** The change log of a space. */
export interface KnowledgeLog {
  /** At most `limit` changes after a position, in order; starts with the oldest retained change. */
  changes(space: KnowledgeSpace, after: number, limit: number): Promise<readonly KnowledgeChange[]>;
  extent(space: KnowledgeSpace): Promise<LogExtent>;
  /** Calls `listener` soon after changes of any replica became durable. Returns a function that ends the watch. */
  watch(space: KnowledgeSpace, listener: () => void): () => void;
}

/** Conditions of an update. */
export interface ApplyOptions {
  /** The log's last position when the update was validated: it is applied only if nothing changed since. */
  readonly expected?: number;
}

/** The agents' knowledge in the gateway's database. */
export interface KnowledgeStore extends KnowledgeReader, KnowledgeLog {
  /** Applies the patches in order, all or none; durable when it resolves. Undefined: the log is not at `expected`. */
  apply(space: KnowledgeSpace, patches: readonly KnowledgePatch[], meta: ChangeMeta): Promise<AppliedUpdate>;
  apply(
    space: KnowledgeSpace,
    patches: readonly KnowledgePatch[],
    meta: ChangeMeta,
    options: ApplyOptions,
  ): Promise<AppliedUpdate | undefined>;
  /** Deletes at most about `limit` changes from before `before` (milliseconds); resolves with how many. */
  expireChanges(before: number, limit: number): Promise<number>;
}
