import type { Migration } from './step.ts';

/**
 * The key of the task that a tree began with, null for this task; and the trace of the call that opened the task, null without
 * one. Both are null where a version before opened it.
 */
export const roots: Migration = {
  number: 23,
  name: 'roots and traces of tasks',
  async up({ schema }, { text }) {
    for (const name of ['root', 'trace']) await schema.alterTable('task').addColumn(name, text).execute();
  },
};
