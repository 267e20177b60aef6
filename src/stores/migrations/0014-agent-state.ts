import { type Migration, required } from './step.ts';

/** `id`: a task's key, or the id of a context. `size`: bytes of the names and values in the space. */
export const agentState: Migration = {
  number: 14,
  name: 'state of agents',
  async up({ schema }, { text, integer, clustered, numbered }) {
    await schema
      .createTable('agent_space')
      .addColumn('space', numbered)
      .$call(required(text, 'kind', 'id', 'agent', 'tenant', 'principal'))
      .$call(required(integer, 'size', 'written_at'))
      .addUniqueConstraint('agent_space_key', ['id', 'kind', 'agent', 'tenant', 'principal'])
      .execute();
    await schema.createIndex('agent_space_age').on('agent_space').column('written_at').execute();

    await schema
      .createTable('agent_value')
      .$call(required(integer, 'space'))
      .$call(required(text, 'name'))
      .$call(required(integer, 'size'))
      .$call(required(text, 'body'))
      .addPrimaryKeyConstraint('agent_value_key', ['space', 'name'])
      .modifyEnd(clustered)
      .execute();
  },
};
