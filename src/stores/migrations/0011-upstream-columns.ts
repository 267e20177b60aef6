import type { Migration } from './step.ts';

/**
 * A task's ids at its upstream agent, in the row that is written anyway. Earlier versions keep them in `upstream_task`
 * and `upstream_context`, whose rows stay until retention deletes them. `schema`: the newest step that a gateway knows;
 * earlier versions leave it 0.
 */
export const upstreamColumns: Migration = {
  number: 11,
  name: 'upstream ids of tasks',
  async up({ schema }, { text, integer }) {
    for (const name of ['upstream_id', 'upstream_context_id'] as const) {
      await schema.alterTable('task').addColumn(name, text).execute();
    }
    await schema
      .alterTable('gateway')
      .addColumn('schema', integer, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
