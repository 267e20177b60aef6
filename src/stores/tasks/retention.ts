import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';
import { deleteTaskStates } from './agent-state.ts';
import { keepContexts } from './upstream-ids.ts';

/** Events deleted in one transaction; a task with more is deleted in a transaction of its own. */
const batchEvents = 2_500;
/** Tasks deleted in one transaction. */
const batchTasks = 100;

/**
 * Deletes tasks that came to rest long ago, with everything that refers to them. Resolves with the number of deleted
 * tasks, at most `limit`; fewer when no more are left.
 */
export async function expireTasks(database: Database, before: number, limit: number): Promise<number> {
  let deleted = 0;
  while (deleted < limit) {
    const keys = await oldest(database, before, Math.min(limit - deleted, batchTasks));
    if (keys.length === 0) break;
    deleted += await deleteTasks(database, keys, before);
    // Let other calls use the database first.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return deleted;
}

async function oldest({ sql: db }: Database, before: number, limit: number): Promise<string[]> {
  const { rows } = await sql<{ key: string; seq: number }>`
    select key, seq from task where owner is null and updated_at < ${before}
    order by updated_at limit ${limit}`.execute(db);
  return inOneTransaction(rows).map(({ key }) => key);
}

/** The first tasks, with at most as many events as one transaction deletes, but at least one task. */
export function inOneTransaction<T extends { readonly seq: number }>(tasks: readonly T[]): readonly T[] {
  let events = 0;
  const end = tasks.findIndex(({ seq }, at) => {
    events += Number(seq);
    return at > 0 && events > batchEvents;
  });
  return end < 0 ? tasks : tasks.slice(0, end);
}

/** Deletes tasks, except those that were continued meanwhile. */
async function deleteTasks(database: Database, keys: readonly string[], before: number): Promise<number> {
  const [, deleted = 0] = await database.transaction(taskDeletion(keys, sql`updated_at < ${before}`));
  return deleted;
}

/**
 * The statements of a transaction that deletes tasks which no replica works on, with everything that refers to them. The second
 * one deletes the rows of the tasks.
 *
 * @param keys keys of the tasks, escaped
 * @param condition that the tasks must still meet
 */
export function taskDeletion(keys: readonly string[], condition: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const list = sql.join(keys);
  const isOver = sql`key in (${list}) and owner is null and ${condition}`;
  const tables = ['task_event', 'task_snapshot', 'push_config', 'push_dead', 'upstream_task'];
  return [
    keepContexts(isOver, list),
    sql`delete from task where ${isOver}`,
    ...tables.map(
      (table) => sql`
        delete from ${sql.table(table)}
        where key in (${list}) and key not in (select task.key from task where task.key in (${list}))`,
    ),
    ...deleteTaskStates(list),
  ];
}
