import { sql } from 'kysely';
import { A2AError } from '../../../core/model/errors.ts';
import { isUnreadable } from '../../../core/model/stored-form.ts';
import type { Database } from '../../../stores/database.ts';
import type { StoreHost } from '../../../stores/extensions.ts';
import { guardWith, methodsOf } from '../../../stores/part-methods.ts';
import { ChangeLog } from './change-log.ts';
import { knowledge } from './migrations/0005-knowledge.ts';
import type { KnowledgeStore } from './port.ts';
import { EntityReader } from './read/entities.ts';
import { StatementReader } from './read/reader.ts';
import { createTermLookup } from './read/term-dictionary.ts';
import { createSpaces, spaceKey } from './spaces.ts';
import { Watchers } from './watchers.ts';
import { applyUpdates, createUpdateQueue, updateOf } from './write/apply.ts';
import { writingStatements } from './write/statements.ts';

/**
 * Opens the knowledge of all agents in the gateway's store, for `Store.extend`. The first use of a store creates its
 * tables. `close` finishes pending updates and refuses new calls.
 */
export async function openSqlKnowledge({ database, damaged, clock, tokens, failure, migrate }: StoreHost) {
  await migrate('knowledge', [knowledge]);
  const findSpace = createSpaces(database);
  const reading = { database, damaged, findSpace, terms: createTermLookup(database), tokens };
  const log = new ChangeLog(database, findSpace, damaged);
  const watchers = new Watchers({ every: 500, keyOf: spaceKey, lasts: (watched) => log.lasts(watched) });
  const statistics = createStatistics(database);
  const writing = writingStatements(database);
  const updates = createUpdateQueue(
    async (space, batch) => {
      const applied = await database.transact(() => applyUpdates(writing, space, batch, clock.now()));
      statistics.grown(applied.statements);
      return applied;
    },
    (error) => database.isUnavailable(error),
  );
  const parts = { statements: new StatementReader(reading), entities: new EntityReader(reading), log, failure };
  const withFailure = guardWith(failure);
  let closed = false;
  const open = () => {
    if (closed) throw new A2AError('unavailable', 'The store is not open.');
    return parts;
  };

  return {
    ...methodsOf(open, 'statements', 'find', 'findEach', 'count'),
    ...methodsOf(open, 'entities', 'entities', 'countEntities', 'typesOf'),
    ...methodsOf(open, 'log', 'changes', 'extent', 'expireChanges'),
    now: () => clock.now(),
    watch: (space, listener) => watchers.watch(space, listener),
    apply: ((space, patches, meta, options) =>
      withFailure(async () => {
        open();
        const applied = await updates
          .push(space, updateOf(patches, meta, options?.expected))
          .catch((thrown: unknown) => {
            if (isUnreadable(thrown)) damaged.note('knowledge_space', [space.agent, space.tenant], thrown);
            throw thrown;
          });
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

/** Number of statements below which every query plan is fast enough. */
const fewStatements = 1_000;

/** Tables whose indexes the planner chooses by column statistics. */
const analyzed = ['knowledge_statement', 'knowledge_term', 'knowledge_type'] as const;

/**
 * Runs ANALYZE when a space has doubled in size, if the database plans by statistics. Autovacuum runs about a minute
 * later, and until then the planner cannot tell good indexes from bad ones.
 */
function createStatistics({ sql: db, traits }: Database) {
  let analyzedAt = fewStatements / 2;
  let running: Promise<unknown> | undefined;

  const analyze = async (): Promise<void> => {
    for (const table of analyzed) await sql`analyze ${sql.table(table)}`.execute(db);
  };

  return {
    /** @param statements current number of statements of a space */
    grown(statements: number): void {
      if (!traits.plansByStatistics || running || statements < 2 * analyzedAt) return;
      analyzedAt = statements;
      running = analyze()
        // Autovacuum will do it later.
        .catch(() => undefined)
        .finally(() => {
          running = undefined;
        });
    },

    idle: () => running,
  };
}
