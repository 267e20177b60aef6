import { sql } from 'kysely';
import type { Migration } from './step.ts';

/** Tasks, their logs and snapshots, push configurations, idempotency keys, gateways. */
export const tasks: Migration = {
  number: 1,
  name: 'tasks',
  async up({ schema }, { text, integer, clustered }) {
    await schema
      .createTable('task')
      .addColumn('key', text, (column) => column.primaryKey().notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('agent', text, (column) => column.notNull())
      .addColumn('tenant', text, (column) => column.notNull())
      .addColumn('principal', text, (column) => column.notNull())
      .addColumn('context_id', text, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('status_at', integer, (column) => column.notNull())
      .addColumn('created_at', integer, (column) => column.notNull())
      .addColumn('updated_at', integer, (column) => column.notNull())
      .addColumn('seq', integer, (column) => column.notNull())
      .addColumn('turn_seq', integer, (column) => column.notNull())
      .addColumn('dialect', text, (column) => column.notNull())
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

    await schema
      .createTable('task_event')
      .addColumn('key', text, (column) => column.notNull())
      .addColumn('seq', integer, (column) => column.notNull())
      .addColumn('at', integer, (column) => column.notNull())
      .addColumn('body', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('task_event_key', ['key', 'seq'])
      .modifyEnd(clustered)
      .execute();

    // Not in the task's row, which every append writes: a long task's snapshot would be written with it.
    await schema
      .createTable('task_snapshot')
      .addColumn('key', text, (column) => column.primaryKey().notNull())
      .addColumn('seq', integer, (column) => column.notNull())
      .addColumn('body', text, (column) => column.notNull())
      .execute();

    await schema
      .createTable('push_config')
      .addColumn('key', text, (column) => column.notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('dialect', text, (column) => column.notNull())
      .addColumn('body', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('push_config_key', ['key', 'id'])
      .execute();

    await schema
      .createTable('idempotency')
      .addColumn('agent', text, (column) => column.notNull())
      .addColumn('tenant', text, (column) => column.notNull())
      .addColumn('principal', text, (column) => column.notNull())
      .addColumn('key', text, (column) => column.notNull())
      .addColumn('digest', text, (column) => column.notNull())
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('created_at', integer, (column) => column.notNull())
      .addColumn('task_key', text)
      .addColumn('task_seq', integer)
      .addColumn('answer', text)
      .addPrimaryKeyConstraint('idempotency_key', ['agent', 'tenant', 'principal', 'key'])
      .execute();
    await schema.createIndex('idempotency_age').on('idempotency').column('created_at').execute();

    await schema
      .createTable('gateway')
      .addColumn('instance', text, (column) => column.primaryKey().notNull())
      .addColumn('host', text, (column) => column.notNull())
      .addColumn('pid', integer, (column) => column.notNull())
      .addColumn('started_at', integer, (column) => column.notNull())
      .addColumn('heartbeat', integer, (column) => column.notNull())
      .execute();

    await schema
      .createTable('meta')
      .addColumn('name', text, (column) => column.primaryKey().notNull())
      .addColumn('value', text, (column) => column.notNull())
      .execute();
  },
};
