import type { Migration } from './step.ts';

/** What the agent gets besides a task's latest message, until the log has an event after that message. Earlier versions leave it. */
export const turnRequests: Migration = {
  number: 18,
  name: 'requests of turns',
  async up({ schema }, { text }) {
    await schema.alterTable('task').addColumn('turn_request', text).execute();
  },
};
