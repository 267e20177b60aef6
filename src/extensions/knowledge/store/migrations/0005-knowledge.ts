import { sql } from 'kysely';
import { type Migration, required } from '../../../../stores/migrations/step.ts';

type Up = Parameters<Migration['up']>;

/** Creates the tables of statements, their terms and types, and the change log. */
export const knowledge: Migration = {
  number: 5,
  name: 'knowledge',
  async up(db, types) {
    await createSpaces(db, types);
    await createTerms(db, types);
    await createStatements(db, types);
    await createTypes(db, types);
    await createChanges(db, types);
  },
};

/** Spaces, one for each agent and tenant. */
async function createSpaces({ schema }: Up[0], { text, integer, numbered }: Up[1]): Promise<void> {
  await schema
    .createTable('knowledge_space')
    .addColumn('id', numbered)
    .$call(required(text, 'agent', 'tenant'))
    .$call(required(integer, 'last_seq', 'first_seq', 'next_term', 'statements'))
    .addUniqueConstraint('knowledge_space_key', ['agent', 'tenant'])
    .execute();
}

/**
 * Resources and literals. `key` is the text, or a digest of a long text, which is then in `body`. `datatype` is '' for
 * a resource.
 */
async function createTerms({ schema }: Up[0], { text, integer, clustered }: Up[1]): Promise<void> {
  await schema
    .createTable('knowledge_term')
    .$call(required(integer, 'space', 'id'))
    .$call(required(text, 'key', 'datatype'))
    .addColumn('body', text)
    .addPrimaryKeyConstraint('knowledge_term_id', ['space', 'id'])
    .modifyEnd(clustered)
    .execute();
  await schema
    .createIndex('knowledge_term_key')
    .unique()
    .on('knowledge_term')
    .columns(['space', 'key', 'datatype'])
    .execute();
}

/** Statements, with an index for each order of their columns. */
async function createStatements({ schema }: Up[0], { text, integer, clustered }: Up[1]): Promise<void> {
  await schema
    .createTable('knowledge_statement')
    .$call(required(integer, 'space', 's', 'p', 'o', 'g'))
    .addColumn('subject_type', integer)
    .addColumn('object_type', integer)
    .addColumn('given', text)
    .addColumn('certainty', sql`double precision`)
    .addColumn('provenance', text)
    .$call(required(integer, 'at'))
    .addPrimaryKeyConstraint('knowledge_statement_key', ['space', 's', 'p', 'o', 'g'])
    .modifyEnd(clustered)
    .execute();
  // Every combination of known columns is a prefix of an index, in whose order the statements are read. The indexes
  // that begin with the graph are partial, so that statements of the default graph do not pay for them.
  for (const order of ['pos', 'osp', 'gspo', 'gpos', 'gosp']) {
    const named = order.startsWith('g');
    const index = schema
      .createIndex(`knowledge_statement_${order}`)
      .unique()
      .on('knowledge_statement')
      .columns(['space', ...order, ...(named ? [] : ['g'])]);
    await (named ? index.where(sql.ref('g'), '>', sql.lit(0)) : index).execute();
  }
}

/** Types of entities, with the number of statements that state them. */
async function createTypes({ schema }: Up[0], { integer, clustered }: Up[1]): Promise<void> {
  await schema
    .createTable('knowledge_type')
    .$call(required(integer, 'space', 'type', 'entity', 'uses'))
    .addPrimaryKeyConstraint('knowledge_type_key', ['space', 'type', 'entity'])
    .modifyEnd(clustered)
    .execute();
  await schema
    .createIndex('knowledge_type_entity')
    .unique()
    .on('knowledge_type')
    .columns(['space', 'entity', 'type'])
    .execute();
}

/** The change log. */
async function createChanges({ schema }: Up[0], { text, integer, clustered }: Up[1]): Promise<void> {
  await schema
    .createTable('knowledge_change')
    .$call(required(integer, 'space', 'seq'))
    .$call(required(text, 'change_id'))
    .$call(required(integer, 'at'))
    .$call(required(text, 'op', 'body', 'meta'))
    .addPrimaryKeyConstraint('knowledge_change_key', ['space', 'seq'])
    .modifyEnd(clustered)
    .execute();
}
