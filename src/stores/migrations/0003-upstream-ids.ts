import { type Migration, required } from './step.ts';

const owner = ['agent', 'tenant', 'principal'] as const;

/** `id`: of tasks and contexts in this store; `task_id` and `context_id`: at upstream agents, '' where unknown. */
export const upstreamIds: Migration = {
  number: 3,
  name: 'upstream ids',
  async up({ schema }, { text, integer }) {
    await schema
      .createTable('upstream_task')
      .addColumn('key', text, (column) => column.primaryKey().notNull())
      .$call(required(text, 'agent', 'tenant', 'principal', 'id', 'task_id', 'context_id'))
      .execute();
    // Messages of agents refer to tasks by the agent's own ids.
    await schema
      .createIndex('upstream_task_named')
      .on('upstream_task')
      .columns(['task_id', ...owner])
      .execute();

    await schema
      .createTable('upstream_context')
      .$call(required(text, 'agent', 'tenant', 'principal', 'id', 'context_id'))
      .$call(required(integer, 'used_at'))
      .addPrimaryKeyConstraint('upstream_context_key', [...owner, 'id'])
      .execute();
    await schema.createIndex('upstream_context_age').on('upstream_context').column('used_at').execute();
  },
};
