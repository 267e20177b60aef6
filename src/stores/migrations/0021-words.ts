import type { Migration } from './step.ts';

/** What lists show of a task: what was asked, why it ended or waits, and the binding of the call that opened it. */
export const words: Migration = {
  number: 21,
  name: 'words of tasks',
  async up({ schema }, { text }) {
    for (const name of ['binding', 'preview', 'reason'])
      await schema.alterTable('task').addColumn(name, text).execute();
  },
};
