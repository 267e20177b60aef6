import { sql } from 'kysely';
import type { Migration } from './step.ts';

/** An index to find the tasks of a tree. */
export const rootIndex: Migration = {
  number: 24,
  name: 'index of roots',
  online: true,
  async up(db, { concurrently }) {
    await sql`drop index ${concurrently} if exists task_of_root`.execute(db);
    // Partial, as that of parents.
    await sql`create index ${concurrently} task_of_root on task (root) where root is not null`.execute(db);
  },
};
