import { sql } from 'kysely';
import { A2AError } from '../../core/model/errors.ts';
import type { KnowledgeStore } from '../../core/ports/knowledge-store.ts';
import type { SharedClock } from '../cluster/clock.ts';
import type { Database } from '../database.ts';
import type { PageTokens } from '../page-token.ts';
import { ChangeLog } from './change-log.ts';
import { EntityReader } from './read/entities.ts';
import { StatementReader } from './read/reader.ts';
import { TermLookup } from './read/term-dictionary.ts';
import { Spaces } from './spaces.ts';
import { Watchers } from './watchers.ts';
import { applyUpdates, Update } from './write/apply.ts';
import { UpdateQueue } from './write/queue.ts';
import { writingStatements } from './write/statements.ts';

export interface SqlKnowledgeDeps {
  readonly database: Database;
  readonly clock: SharedClock;
  readonly tokens: PageTokens;
  /** The error that the store rejects with for an error of the database. */
  readonly failure: (error: unknown) => A2AError;
}

interface Parts {
  readonly statements: StatementReader;
  readonly entities: EntityReader;
  readonly log: ChangeLog;
}

/** The knowledge of agents, in the tables of an open database. */
export class SqlKnowledge implements KnowledgeStore {
  readonly #failure: (error: unknown) => A2AError;
  readonly #clock: SharedClock;
  readonly #parts: Parts;
  readonly #watchers: Watchers;
  readonly #updates: UpdateQueue;
  readonly #statistics: Statistics;
  #closed = false;

  readonly find = this.#partMethod('statements', 'find');
  readonly findEach = this.#partMethod('statements', 'findEach');
  readonly count = this.#partMethod('statements', 'count');
  readonly countEach = this.#partMethod('statements', 'countEach');
  readonly entities = this.#partMethod('entities', 'entities');
  readonly countEntities = this.#partMethod('entities', 'countEntities');
  readonly typesOf = this.#partMethod('entities', 'typesOf');
  readonly changes = this.#partMethod('log', 'changes');
  readonly extent = this.#partMethod('log', 'extent');
  readonly expireChanges = this.#partMethod('log', 'expire');

  constructor({ database, clock, tokens, failure }: SqlKnowledgeDeps) {
    this.#failure = failure;
    this.#clock = clock;
    const spaces = new Spaces(database);
    const terms = new TermLookup(database);
    const log = new ChangeLog(database, spaces);
    this.#parts = {
      statements: new StatementReader(database, spaces, terms, tokens),
      entities: new EntityReader(database, spaces, terms, tokens),
      log,
    };
    this.#watchers = new Watchers({
      every: 500,
      keyOf: ({ agent, tenant }) => `${agent}\n${tenant}`,
      lasts: (watched) => log.lasts(watched),
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

  now(): number {
    return this.#clock.now();
  }

  watch: KnowledgeStore['watch'] = (space, listener) => this.#watchers.watch(space, listener);

  readonly apply = ((space, patches, meta, options) =>
    this.#guarded(async () => {
      const applied = await this.#updates.push(space, new Update(patches, meta, options?.expected));
      if (applied) this.#watchers.changed(space, applied.position);
      return applied;
    })) as KnowledgeStore['apply'];

  /** Finishes pending updates and refuses new calls. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#watchers.close();
    await this.#updates.idle();
    await this.#statistics.idle();
  }

  /** A method of the store that one of its parts implements. */
  #partMethod<P extends keyof Parts, M extends keyof Parts[P]>(name: P, method: M): Parts[P][M] {
    const call = (...parameters: unknown[]): Promise<unknown> =>
      this.#guarded(() => {
        const part = this.#parts[name] as Record<M, (...parameters: unknown[]) => Promise<unknown>>;
        return part[method](...parameters);
      });
    return call as Parts[P][M];
  }

  async #guarded<T>(use: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new A2AError('unavailable', 'The store is not open.');
    try {
      return await use();
    } catch (error) {
      throw this.#failure(error);
    }
  }
}

/** Statements below which any query plan will do. */
const fewStatements = 1_000;

/** Tables whose indexes the planner chooses by its statistics of their columns. */
const analyzed = ['knowledge_statement', 'knowledge_term', 'knowledge_type'] as const;

/**
 * Runs ANALYZE when a space has doubled, where the database plans by statistics: autovacuum comes a minute late, and
 * until then the planner takes one index for as good as any other.
 */
class Statistics {
  readonly #database: Database;
  #statements = fewStatements / 2;
  #running: Promise<unknown> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @param statements how many a space has now */
  grown(statements: number): void {
    if (!this.#database.traits.plansByStatistics || this.#running || statements < 2 * this.#statements) return;
    this.#statements = statements;
    this.#running = this.#analyze()
      // Autovacuum does it later.
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined;
      });
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async #analyze(): Promise<void> {
    for (const table of analyzed) await sql`analyze ${sql.table(table)}`.execute(this.#database.sql);
  }
}
