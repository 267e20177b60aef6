import { sql } from 'kysely';
import type { Migration } from './step.ts';

/** An index to find the tasks that the agent of a task opened at others. */
export const parentIndex: Migration = {
  number: 20,
  name: 'index of parents',
  online: true,
  async up(db, { concurrently }) {
    await sql`drop index ${concurrently} if exists task_of_parent`.execute(db);
    // Partial: tasks of callers pay nothing for it.
    await sql`create index ${concurrently} task_of_parent on task (parent) where parent is not null`.execute(db);
  },
};
