import { A2AError } from '../../core/model/errors.ts';
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
} from '../../core/model/knowledge.ts';
import type { ReadBudget } from '../../core/model/memory.ts';
import type { ApplyOptions, KnowledgeStore } from '../../core/ports/knowledge-store.ts';
import type { SharedClock } from '../cluster/clock.ts';
import type { Database } from '../database.ts';
import type { PageTokens } from '../page-token.ts';
import { ChangeLog } from './change-log.ts';
import { EntityReader } from './read/entities.ts';
import { StatementReader } from './read/reader.ts';
import { TermLookup } from './read/term-dictionary.ts';
import { Spaces } from './spaces.ts';
import { Statistics } from './statistics.ts';
import { Watchers } from './watchers.ts';
import { applyUpdates, Update } from './write/apply.ts';
import { UpdateQueue } from './write/queue.ts';
import { writingStatements } from './write/statements.ts';

export interface SqlKnowledgeDeps {
  readonly database: Database;
  readonly clock: SharedClock;
  readonly tokens: PageTokens;
  /** Turns what a database throws into what the store rejects with. */
  readonly failure: (error: unknown) => A2AError;
}

/** What agents know, in the tables of one open database. */
export class SqlKnowledge implements KnowledgeStore {
  readonly #failure: (error: unknown) => A2AError;
  readonly #clock: SharedClock;
  readonly #statements: StatementReader;
  readonly #entities: EntityReader;
  readonly #log: ChangeLog;
  readonly #watchers: Watchers;
  readonly #updates: UpdateQueue;
  readonly #statistics: Statistics;
  #closed = false;

  constructor({ database, clock, tokens, failure }: SqlKnowledgeDeps) {
    this.#failure = failure;
    this.#clock = clock;
    const spaces = new Spaces(database);
    const names = new TermLookup(database);
    this.#statements = new StatementReader(database, spaces, names, tokens);
    this.#entities = new EntityReader(database, spaces, names, tokens);
    this.#log = new ChangeLog(database, spaces);
    this.#watchers = new Watchers({
      every: 500,
      keyOf: ({ agent, tenant }) => `${agent}\n${tenant}`,
      lasts: (watched) => this.#log.lasts(watched),
    });
    this.#statistics = new Statistics(database);
    const writing = writingStatements(database);
    this.#updates = new UpdateQueue(
      async (space, updates) => {
        const applied = await database.transact(() => applyUpdates(writing, space, updates, clock.now()));
        this.#statistics.grown(applied.statements);
        return applied;
      },
      (error) => database.isUnavailable(error),
    );
  }

  find(
    space: KnowledgeSpace,
    pattern: StatementPattern,
    page: StatementPageRequest,
    room?: ReadBudget,
  ): Promise<Page<StoredStatement>> {
    return this.#with(() => this.#statements.find(space, pattern, page, room));
  }

  findEach(
    space: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    first: number,
    room?: ReadBudget,
  ): Promise<readonly Page<StoredStatement>[]> {
    return this.#with(() => this.#statements.findEach(space, patterns, first, room));
  }

  now(): number {
    return this.#clock.now();
  }

  count(space: KnowledgeSpace, pattern: StatementPattern, atMost: number): Promise<BoundedCount> {
    return this.#with(() => this.#statements.count(space, pattern, atMost));
  }

  countEach(
    space: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    atMost: number,
  ): Promise<readonly BoundedCount[]> {
    return this.#with(() => this.#statements.countEach(space, patterns, atMost));
  }

  entities(space: KnowledgeSpace, filter: EntityFilter, page: StatementPageRequest): Promise<Page<string>> {
    return this.#with(() => this.#entities.entities(space, filter, page));
  }

  countEntities(space: KnowledgeSpace, filter: EntityFilter, atMost: number): Promise<BoundedCount> {
    return this.#with(() => this.#entities.countEntities(space, filter, atMost));
  }

  typesOf(
    space: KnowledgeSpace,
    ids: readonly string[],
    view?: KnowledgeView,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#with(() => this.#entities.typesOf(space, ids, view));
  }

  changes(space: KnowledgeSpace, after: number, limit: number): Promise<readonly KnowledgeChange[]> {
    return this.#with(() => this.#log.changes(space, after, limit));
  }

  extent(space: KnowledgeSpace): Promise<LogExtent> {
    return this.#with(() => this.#log.extent(space));
  }

  watch(space: KnowledgeSpace, listener: () => void): () => void {
    return this.#watchers.watch(space, listener);
  }

  apply(space: KnowledgeSpace, patches: readonly KnowledgePatch[], meta: ChangeMeta): Promise<AppliedUpdate>;
  apply(
    space: KnowledgeSpace,
    patches: readonly KnowledgePatch[],
    meta: ChangeMeta,
    options: ApplyOptions,
  ): Promise<AppliedUpdate | undefined>;
  apply(
    space: KnowledgeSpace,
    patches: readonly KnowledgePatch[],
    meta: ChangeMeta,
    { expected }: ApplyOptions = {},
  ): Promise<AppliedUpdate | undefined> {
    return this.#with(async () => {
      const applied = await this.#updates.push(space, new Update(patches, meta, expected));
      if (applied) this.#watchers.changed(space, applied.position);
      return applied;
    });
  }

  expireChanges(before: number, limit: number): Promise<number> {
    return this.#with(() => this.#log.expire(before, limit));
  }

  /** Finishes what is pending, and takes nothing more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#watchers.close();
    await this.#updates.idle();
    await this.#statistics.idle();
  }

  async #with<T>(use: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new A2AError('unavailable', 'The store is not open.');
    try {
      return await use();
    } catch (error) {
      throw this.#failure(error);
    }
  }
}
