import { type SqlBool, sql } from 'kysely';
import type { Migration } from './step.ts';

/** Tasks that wait for their callers. The condition of an index, which queries repeat literally. */
export const waitingTasks = sql<SqlBool>`owner is null and state in ('INPUT_REQUIRED', 'AUTH_REQUIRED')`;

/** Indexes to find tasks of all owners: those that wait for their callers, and those with a chosen id. Dead letters by age. */
export const adminIndexes: Migration = {
  number: 15,
  name: 'indexes of the admin service',
  online: true,
  async up(db, { concurrently }) {
    // Partial: a task that never waits, and whose id was generated, pays for none of them.
    const indexes = {
      task_waiting: sql`task (updated_at) where ${waitingTasks}`,
      task_of_chosen_id: sql`task (id) where id <> key`,
      push_dead_age: sql`push_dead (at)`,
    };
    for (const [name, definition] of Object.entries(indexes)) {
      await sql`drop index ${concurrently} if exists ${sql.ref(name)}`.execute(db);
      await sql`create index ${concurrently} ${sql.ref(name)} on ${definition}`.execute(db);
    }
  },
};
