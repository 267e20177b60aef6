import { sql } from 'kysely';
import { A2AError } from '../../core/model/errors.ts';
import type { KnowledgeStore } from '../../core/ports/knowledge-store.ts';
import type { SharedClock } from '../cluster/clock.ts';
import type { Database } from '../database.ts';
import { methodsOf } from '../methods-of.ts';
import type { PageTokens } from '../page-token.ts';
import { createChangeLog } from './change-log.ts';
import { EntityReader } from './read/entities.ts';
import { StatementReader } from './read/reader.ts';
import { TermLookup } from './read/term-dictionary.ts';
import { createSpaces, spaceKey } from './spaces.ts';
import { Watchers } from './watchers.ts';
import { applyUpdates, updateOf } from './write/apply.ts';
import { UpdateQueue } from './write/queue.ts';
import { writingStatements } from './write/statements.ts';

export interface SqlKnowledgeDeps {
  readonly database: Database;
  readonly clock: SharedClock;
  readonly tokens: PageTokens;
  /** The error that the store rejects with for an error of the database. */
  readonly failure: (error: unknown) => A2AError;
}

/** The knowledge of agents, in the tables of an open database. `close` finishes pending updates and refuses new calls. */
export function createSqlKnowledge({ database, clock, tokens, failure }: SqlKnowledgeDeps) {
  const spaces = createSpaces(database);
  const reading = { database, spaces, terms: new TermLookup(database), tokens };
  const log = createChangeLog(database, spaces);
  const watchers = new Watchers({ every: 500, keyOf: spaceKey, lasts: (watched) => log.lasts(watched) });
  const statistics = new Statistics(database);
  const writing = writingStatements(database);
  const updates = new UpdateQueue(
    async (space, batch) => {
      const applied = await database.transact(() => applyUpdates(writing, space, batch, clock.now()));
      statistics.grown(applied.statements);
      return applied;
    },
    (error) => database.isUnavailable(error),
  );
  let closed = false;
  const guarded = async <T>(use: () => Promise<T>): Promise<T> => {
    if (closed) throw new A2AError('unavailable', 'The store is not open.');
    try {
      return await use();
    } catch (error) {
      throw failure(error);
    }
  };
  const part =
    <Part>(subject: Part) =>
    (use: (part: Part) => Promise<unknown>) =>
      guarded(() => use(subject));

  return {
    ...methodsOf(part(new StatementReader(reading)), 'find', 'findEach', 'count', 'countEach'),
    ...methodsOf(part(new EntityReader(reading)), 'entities', 'countEntities', 'typesOf'),
    ...methodsOf(part(log), 'changes', 'extent', 'expireChanges'),
    now: () => clock.now(),
    watch: (space, listener) => watchers.watch(space, listener),
    apply: ((space, patches, meta, options) =>
      guarded(async () => {
        const applied = await updates.push(space, updateOf(patches, meta, options?.expected));
        if (applied) watchers.changed(space, applied.position);
        return applied;
      })) as KnowledgeStore['apply'],
    async close(): Promise<void> {
      closed = true;
      watchers.close();
      await updates.idle();
      await statistics.idle();
    },
  } satisfies KnowledgeStore & { close(): Promise<void> };
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
    const analyze = async (): Promise<void> => {
      for (const table of analyzed) await sql`analyze ${sql.table(table)}`.execute(this.#database.sql);
    };
    this.#running = analyze()
      // Autovacuum does it later.
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined;
      });
  }

  async idle(): Promise<void> {
    await this.#running;
  }
}
