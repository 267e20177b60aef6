import { type CompiledQuery, sql } from 'kysely';
import type { Database, Traits } from '../../../../stores/database.ts';
import { hasNone, isAmong, lookUp, type Sql, statementTable, termTable, typeTable } from '../joins.ts';
import { compileTemplate, slot, type Values } from '../templates.ts';

/** An SQL statement whose text never changes, so that the database plans it once. */
export type WriteStatement = (values: Values) => CompiledQuery;

const space = slot('space');
const quad = { s: 'bigint', p: 'bigint', o: 'bigint', g: 'bigint' } as const;
const row = {
  ...quad,
  subject_type: 'bigint',
  object_type: 'bigint',
  given: 'text',
  certainty: 'double precision',
  provenance: 'text',
  at: 'bigint',
} as const;
const change = { seq: 'bigint', change_id: 'text', at: 'bigint', op: 'text', body: 'text', meta: 'text' } as const;
export const columnsOfStatement: readonly string[] = Object.keys(row);

export const statementColumns = (alias: string): Sql =>
  sql.raw(columnsOfStatement.map((name) => `${alias}.${name}`).join(', '));

const isSameGroup = sql`st.space = ${space} and st.s = x.s and st.p = x.p and st.g = x.g`;
const isSameQuad = sql`st.space = ${space} and st.s = x.s and st.p = x.p and st.o = x.o and st.g = x.g`;
const isSameId = sql`t.space = ${space} and t.id = x.id`;
const isSameKey = sql`t.space = ${space} and t.key = x.key and t.datatype = x.datatype`;
const isSameType = sql`t.space = ${space} and t.type = x.type and t.entity = x.entity`;

/** The SQL statements of updates. `rows` is JSON text, read as a table `x`. */
export function writingStatements({ sql: db, traits }: Pick<Database, 'sql' | 'traits'>) {
  const fixed = (text: Sql): WriteStatement => {
    const { compiled, slots } = compileTemplate(text, db);
    return (values) => ({ ...compiled, parameters: slots.map((name) => values[name] ?? null) });
  };
  return {
    ...writingSpaces(traits, fixed),
    ...writingTerms(traits, fixed),
    ...writingQuads(traits, fixed),
    ...writingTypes(traits, fixed),
    /** space; rows: changes */
    log: fixed(sql`
      insert into knowledge_change (space, seq, change_id, at, op, body, meta)
      select cast(${space} as bigint), x.seq, x.change_id, x.at, x.op, x.body, x.meta from ${records(traits, change)}`),
  };
}

export type WritingStatements = ReturnType<typeof writingStatements>;

/** Compiles a statement. */
type Fix = (text: Sql) => WriteStatement;

/** The table `x` from the slot `rows`. */
const records = (traits: Traits, columns: Parameters<Traits['records']>[1]): Sql =>
  traits.records('x', columns, slot('rows'));

const writingSpaces = (traits: Traits, fixed: Fix) => ({
  /** agent, tenant. Locks the space until the transaction ends. */
  lockSpace: fixed(sql`
      select id, last_seq, next_term, statements from knowledge_space where agent = ${slot('agent')} and tenant = ${slot('tenant')}
      ${traits.rowLocks ? sql`for update` : sql``}`),
  /** agent, tenant */
  makeSpace: fixed(sql`
      insert into knowledge_space (agent, tenant, last_seq, first_seq, next_term, statements)
      values (${slot('agent')}, ${slot('tenant')}, 0, 1, 1, 0) on conflict do nothing`),
  /** space, last, next, statements */
  moveSpace: fixed(sql`
      update knowledge_space set last_seq = ${slot('last')}, next_term = ${slot('next')}, statements = ${slot('statements')}
      where id = ${space}`),
});

function writingTerms(traits: Traits, fixed: Fix) {
  const ids = records(traits, { id: 'bigint' });
  const keys = records(traits, { key: 'text', datatype: 'text' });
  const terms = records(traits, { id: 'bigint', key: 'text', datatype: 'text', body: 'text' });
  const termsFrom = (passed: Sql, where: Sql): Sql =>
    sql`select t.id, t.key, t.datatype, t.body from ${lookUp(traits, passed, termTable, where)}`;
  return {
    /** space; rows: keys and datatypes */
    termsOf: fixed(termsFrom(keys, isSameKey)),
    /** space; rows: ids */
    termsWith: fixed(termsFrom(ids, isSameId)),
    /** space; rows: terms */
    makeTerms: fixed(sql`
      insert into knowledge_term (space, id, key, datatype, body)
      select cast(${space} as bigint), x.id, x.key, x.datatype, x.body from ${terms}`),
    /** space; rows: ids. Deletes only terms that are no longer used. */
    dropTerms: fixed(sql`
      delete from knowledge_term
      where space = ${space} and ${isAmong(traits, 'id', ids, termTable, isSameId)} and ${usedNowhere(traits)}`),
  };
}

function writingQuads(traits: Traits, fixed: Fix) {
  const quads = records(traits, quad);
  const groups = records(traits, { s: 'bigint', p: 'bigint', g: 'bigint' });
  const statementsFrom = (passed: Sql, where: Sql): Sql =>
    sql`select ${statementColumns('st')} from ${lookUp(traits, passed, statementTable, where)}`;
  return {
    /** space; rows: quads */
    statementsOf: fixed(statementsFrom(quads, isSameQuad)),
    /** space; rows: subjects, predicates and graphs */
    statementsBeside: fixed(statementsFrom(groups, isSameGroup)),
    /** space; rows: statements */
    putStatements: fixed(sql`
      insert into knowledge_statement (space, ${sql.raw(columnsOfStatement.join(', '))})
      select cast(${space} as bigint), ${statementColumns('x')} from ${records(traits, row)} where true
      on conflict (space, s, p, o, g) do update set subject_type = excluded.subject_type,
        object_type = excluded.object_type, given = excluded.given, certainty = excluded.certainty,
        provenance = excluded.provenance, at = excluded.at`),
    /** space; rows: quads */
    deleteStatements: fixed(sql`
      delete from knowledge_statement
      where space = ${space} and ${isAmong(traits, 's, p, o, g', quads, statementTable, isSameQuad)}`),
  };
}

function writingTypes(traits: Traits, fixed: Fix) {
  const types = records(traits, { type: 'bigint', entity: 'bigint' });
  const uses = records(traits, { type: 'bigint', entity: 'bigint', uses: 'bigint' });
  return {
    /** space; rows: types with the change of their uses */
    countTypes: fixed(sql`
      insert into knowledge_type (space, type, entity, uses)
      select cast(${space} as bigint), x.type, x.entity, x.uses from ${uses} where true
      on conflict (space, type, entity) do update set uses = knowledge_type.uses + excluded.uses`),
    /** space; rows: types */
    dropTypes: fixed(sql`
      delete from knowledge_type
      where space = ${space} and uses <= 0 and ${isAmong(traits, 'type, entity', types, typeTable, isSameType)}`),
  };
}

/** Returns a condition that no row refers to a term of `knowledge_term`. */
function usedNowhere(traits: Traits): Sql {
  const uses = [
    ['knowledge_statement', 's = knowledge_term.id', 'p'],
    ['knowledge_statement', 'o = knowledge_term.id', 's'],
    ['knowledge_statement', 'p = knowledge_term.id', 'o'],
    ['knowledge_statement', 'g = knowledge_term.id and g > 0', 's'],
    ['knowledge_type', 'type = knowledge_term.id', 'entity'],
  ] as const;
  const none = uses.map(([table, use, next]) =>
    hasNone(traits, table, sql.raw(`space = knowledge_term.space and ${use}`), next),
  );
  return sql.join(none, sql` and `);
}
