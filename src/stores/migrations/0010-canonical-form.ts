import { sql } from 'kysely';
import type { Migration } from './step.ts';

/**
 * The version of the canonical form in which the body of an event or a snapshot is written: 1 is A2A v1 ProtoJSON. The
 * default is what every earlier version writes.
 */
export const canonicalForm: Migration = {
  number: 10,
  name: 'canonical form',
  async up({ schema }) {
    for (const table of ['task_event', 'task_snapshot'] as const) {
      await schema
        .alterTable(table)
        .addColumn('form', sql`smallint`, (column) => column.notNull().defaultTo(1))
        .execute();
    }
  },
};
