import { sql } from 'kysely';
import type { Migration } from './step.ts';

/**
 * The generation of its task after each event: how many events there are up to it that are not messages of the client.
 * Null in the rows of earlier versions, also of those that go on beside this one: readers count instead.
 */
export const generations: Migration = {
  number: 13,
  name: 'generations of events',
  async up({ schema }) {
    await schema.alterTable('task_event').addColumn('generation', sql`integer`).execute();
  },
};
