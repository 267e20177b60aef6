import type { Migration } from './step.ts';

/** The key of the task whose agent opened a task; null where a caller did. */
export const parents: Migration = {
  number: 19,
  name: 'parents of tasks',
  async up({ schema }, { text }) {
    await schema.alterTable('task').addColumn('parent', text).execute();
  },
};
