import type { Migration } from './step.ts';

/** The key of the task that a tree began with; null for this task, and where a version before opened a task. */
export const roots: Migration = {
  number: 23,
  name: 'roots of tasks',
  async up({ schema }, { text }) {
    await schema.alterTable('task').addColumn('root', text).execute();
  },
};
