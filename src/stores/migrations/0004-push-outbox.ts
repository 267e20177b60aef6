import { type Kysely, sql } from 'kysely';
import type { Traits } from '../database.ts';
import type { Tables } from '../schema.ts';
import { type Migration, required } from './step.ts';

/**
 * Delivery positions of push configurations. The log of their tasks is the outbox: an event costs an extra write only
 * where a webhook waits for it.
 */
export const pushOutbox: Migration = {
  number: 4,
  name: 'push outbox',
  async up(db, traits) {
    const { schema } = db;
    const { text, integer } = traits;
    // In the row that every append writes anyway, so that a task without configurations costs nothing.
    await schema
      .alterTable('task')
      .addColumn('pushed', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    await addDeliveryColumns(db, traits);
    // Earlier events are not delivered.
    await db
      .updateTable('push_config')
      .set(({ selectFrom, fn }) => ({
        cursor: fn.coalesce(
          selectFrom('task').select('task.seq').whereRef('task.key', '=', 'push_config.key'),
          sql<number>`0`,
        ),
      }))
      .execute();
    await db
      .updateTable('task')
      .set({ pushed: 1 })
      .where('key', 'in', ({ selectFrom }) => selectFrom('push_config').select('push_config.key'))
      .execute();
    // Configurations that wait for their next attempt, and those that may have something to deliver.
    await schema
      .createIndex('push_config_due')
      .on('push_config')
      .column('due_at')
      .where(sql.ref('due_at'), 'is not', null)
      .execute();
    await schema
      .createIndex('push_config_active')
      .on('push_config')
      .column('active')
      .where(sql.ref('active'), '=', sql.lit(1))
      .execute();

    // Dead letters: events from `seq` to `last_seq` that were given up.
    await schema
      .createTable('push_dead')
      .$call(required(text, 'key', 'id'))
      .$call(required(integer, 'seq', 'last_seq'))
      .$call(required(text, 'receiver', 'reason'))
      .$call(required(integer, 'at'))
      .addPrimaryKeyConstraint('push_dead_key', ['key', 'id', 'seq'])
      .execute();
  },
};

async function addDeliveryColumns({ schema }: Kysely<Tables>, { text, integer }: Traits): Promise<void> {
  const counts = (['cursor', 'attempts', 'lease', 'since', 'hops'] as const).map((name) => [name, integer, 0] as const);
  for (const [name, type, value] of [...counts, ['active', integer, 1], ['receiver', text, '']] as const) {
    await schema
      .alterTable('push_config')
      .addColumn(name, type, (column) => column.notNull().defaultTo(value))
      .execute();
  }
  await schema.alterTable('push_config').addColumn('due_at', integer).execute();
  for (const name of ['owner', 'failure'] as const) {
    await schema.alterTable('push_config').addColumn(name, text).execute();
  }
}
