import type { Migration } from './step.ts';

const owner = ['agent', 'tenant', 'principal'] as const;

/** Ids of tasks and contexts at upstream agents. */
export const upstreamIds: Migration = {
  number: 3,
  name: 'upstream ids',
  async up({ schema }, { text, integer }) {
    await schema
      .createTable('upstream_task')
      .addColumn('key', text, (column) => column.primaryKey().notNull())
      .addColumn('agent', text, (column) => column.notNull())
      .addColumn('tenant', text, (column) => column.notNull())
      .addColumn('principal', text, (column) => column.notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('task_id', text, (column) => column.notNull())
      .addColumn('context_id', text, (column) => column.notNull())
      .execute();
    // Messages of agents refer to tasks by the agent's own ids.
    await schema
      .createIndex('upstream_task_named')
      .on('upstream_task')
      .columns(['task_id', ...owner])
      .execute();

    await schema
      .createTable('upstream_context')
      .addColumn('agent', text, (column) => column.notNull())
      .addColumn('tenant', text, (column) => column.notNull())
      .addColumn('principal', text, (column) => column.notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('context_id', text, (column) => column.notNull())
      .addColumn('used_at', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('upstream_context_key', [...owner, 'id'])
      .execute();
    await schema.createIndex('upstream_context_age').on('upstream_context').column('used_at').execute();
  },
};
