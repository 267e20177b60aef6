import { type Kysely, sql } from 'kysely';
import type { Traits } from '../database.ts';
import type { Tables } from '../schema.ts';
import { type Migration, required } from './step.ts';

/** Tasks, their logs and snapshots, push configurations, idempotency keys, gateways. */
export const tasks: Migration = {
  number: 1,
  name: 'tasks',
  async up(db, traits) {
    await createTasks(db, traits);
    await createLog(db, traits);
    const { schema } = db;
    const { text, integer } = traits;
    await schema
      .createTable('push_config')
      .$call(required(text, 'key', 'id', 'dialect', 'body'))
      .addPrimaryKeyConstraint('push_config_key', ['key', 'id'])
      .execute();

    await schema
      .createTable('idempotency')
      .$call(required(text, 'agent', 'tenant', 'principal', 'key', 'digest', 'owner'))
      .$call(required(integer, 'created_at'))
      .addColumn('task_key', text)
      .addColumn('task_seq', integer)
      .addColumn('answer', text)
      .addPrimaryKeyConstraint('idempotency_key', ['agent', 'tenant', 'principal', 'key'])
      .execute();
    await schema.createIndex('idempotency_age').on('idempotency').column('created_at').execute();

    await schema
      .createTable('gateway')
      .addColumn('instance', text, (column) => column.primaryKey().notNull())
      .$call(required(text, 'host'))
      .$call(required(integer, 'pid', 'started_at', 'heartbeat'))
      .execute();

    await schema
      .createTable('meta')
      .addColumn('name', text, (column) => column.primaryKey().notNull())
      .$call(required(text, 'value'))
      .execute();
  },
};

async function createTasks({ schema }: Kysely<Tables>, { text, integer }: Traits): Promise<void> {
  await schema
    .createTable('task')
    .addColumn('key', text, (column) => column.primaryKey().notNull())
    .$call(required(text, 'id', 'agent', 'tenant', 'principal', 'context_id', 'state'))
    .$call(required(integer, 'status_at', 'created_at', 'updated_at', 'seq', 'turn_seq'))
    .$call(required(text, 'dialect'))
    .addColumn('owner', text)
    .execute();
  // Lists and their totals need this index alone; the state is in it for filters.
  await schema
    .createIndex('task_listed')
    .on('task')
    .columns(['agent', 'tenant', 'principal', 'status_at', 'key', 'state'])
    .execute();
  // Without times: contexts are small enough to sort, and this index is written once per task.
  await schema
    .createIndex('task_in_context')
    .on('task')
    .columns(['context_id', 'agent', 'tenant', 'principal'])
    .execute();
  // Tasks under way, to find orphans; tasks at rest, to expire them. Kysely's `where` knows only the columns of the
  // index, hence the reference.
  const owner = sql.ref('owner');
  await schema.createIndex('task_under_way').on('task').column('owner').where(owner, 'is not', null).execute();
  await schema.createIndex('task_at_rest').on('task').column('updated_at').where(owner, 'is', null).execute();
}

/** Events and snapshots. */
async function createLog({ schema }: Kysely<Tables>, { text, integer, clustered }: Traits): Promise<void> {
  await schema
    .createTable('task_event')
    .$call(required(text, 'key'))
    .$call(required(integer, 'seq', 'at'))
    .$call(required(text, 'body'))
    .addPrimaryKeyConstraint('task_event_key', ['key', 'seq'])
    .modifyEnd(clustered)
    .execute();

  // Not in the task's row, which every append writes: a long task's snapshot would be written with it.
  await schema
    .createTable('task_snapshot')
    .addColumn('key', text, (column) => column.primaryKey().notNull())
    .$call(required(integer, 'seq'))
    .$call(required(text, 'body'))
    .execute();
}
