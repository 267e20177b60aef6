import { sql } from 'kysely';
import type { Migration } from './step.ts';

/** Statements, their terms and types, and the log of their changes. */
export const knowledge: Migration = {
  number: 5,
  name: 'knowledge',
  async up({ schema }, { text, integer, clustered, numbered }) {
    await schema
      .createTable('knowledge_space')
      .addColumn('id', numbered)
      .addColumn('agent', text, (column) => column.notNull())
      .addColumn('tenant', text, (column) => column.notNull())
      .addColumn('last_seq', integer, (column) => column.notNull())
      .addColumn('first_seq', integer, (column) => column.notNull())
      .addColumn('next_term', integer, (column) => column.notNull())
      .addColumn('statements', integer, (column) => column.notNull())
      .addUniqueConstraint('knowledge_space_key', ['agent', 'tenant'])
      .execute();

    await schema
      .createTable('knowledge_term')
      .addColumn('space', integer, (column) => column.notNull())
      .addColumn('id', integer, (column) => column.notNull())
      .addColumn('key', text, (column) => column.notNull())
      .addColumn('datatype', text, (column) => column.notNull())
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

    await schema
      .createTable('knowledge_statement')
      .addColumn('space', integer, (column) => column.notNull())
      .addColumn('s', integer, (column) => column.notNull())
      .addColumn('p', integer, (column) => column.notNull())
      .addColumn('o', integer, (column) => column.notNull())
      .addColumn('g', integer, (column) => column.notNull())
      .addColumn('subject_type', integer)
      .addColumn('object_type', integer)
      .addColumn('given', text)
      .addColumn('certainty', sql`double precision`)
      .addColumn('provenance', text)
      .addColumn('at', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('knowledge_statement_key', ['space', 's', 'p', 'o', 'g'])
      .modifyEnd(clustered)
      .execute();
    // Every combination of known columns is a prefix of one of the indexes, in whose order it is read.
    const orders = { pos: ['p', 'o', 's', 'g'], osp: ['o', 's', 'p', 'g'] } as const;
    for (const [name, columns] of Object.entries(orders)) {
      await schema
        .createIndex(`knowledge_statement_${name}`)
        .unique()
        .on('knowledge_statement')
        .columns(['space', ...columns])
        .execute();
    }
    // Partial indexes: statements of the default graph do not pay for them.
    const named = { gspo: ['g', 's', 'p', 'o'], gpos: ['g', 'p', 'o', 's'], gosp: ['g', 'o', 's', 'p'] } as const;
    for (const [name, columns] of Object.entries(named)) {
      await schema
        .createIndex(`knowledge_statement_${name}`)
        .unique()
        .on('knowledge_statement')
        .columns(['space', ...columns])
        .where(sql.ref('g'), '>', sql.lit(0))
        .execute();
    }

    await schema
      .createTable('knowledge_type')
      .addColumn('space', integer, (column) => column.notNull())
      .addColumn('type', integer, (column) => column.notNull())
      .addColumn('entity', integer, (column) => column.notNull())
      .addColumn('uses', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('knowledge_type_key', ['space', 'type', 'entity'])
      .modifyEnd(clustered)
      .execute();
    await schema
      .createIndex('knowledge_type_entity')
      .unique()
      .on('knowledge_type')
      .columns(['space', 'entity', 'type'])
      .execute();

    await schema
      .createTable('knowledge_change')
      .addColumn('space', integer, (column) => column.notNull())
      .addColumn('seq', integer, (column) => column.notNull())
      .addColumn('change_id', text, (column) => column.notNull())
      .addColumn('at', integer, (column) => column.notNull())
      .addColumn('op', text, (column) => column.notNull())
      .addColumn('body', text, (column) => column.notNull())
      .addColumn('meta', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('knowledge_change_key', ['space', 'seq'])
      .modifyEnd(clustered)
      .execute();
  },
};
