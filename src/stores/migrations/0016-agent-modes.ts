import { type Migration, required } from './step.ts';

/** Modes of agents that an operator has limited, now or once. `mode`: enabled, draining or disabled. */
export const agentModes: Migration = {
  number: 16,
  name: 'modes of agents',
  async up({ schema }, { text, integer, clustered }) {
    await schema
      .createTable('agent_mode')
      .addColumn('agent', text, (column) => column.primaryKey().notNull())
      .$call(required(text, 'mode', 'changed_by'))
      .$call(required(integer, 'changed_at'))
      .modifyEnd(clustered)
      .execute();
  },
};
