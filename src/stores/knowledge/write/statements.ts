import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database.ts';
import { hasNone, isAmong, lookUp } from '../joins.ts';
import { compileTemplate, slot, type Values } from '../templates.ts';

/** A statement whose text never changes, so that the database plans it once. */
export type WriteStatement = (values: Values) => CompiledQuery;

const space = slot('space');
/** The table that is passed as a parameter. */
const rows = slot('rows');
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
/** The columns of a statement without its space. */
export const columnsOfStatement: readonly string[] = Object.keys(row);
const rowColumns = sql.raw(columnsOfStatement.join(', '));

/** The columns of a statement in a `select`. */
export const statementColumns = (alias: string): RawBuilder<unknown> =>
  sql.raw(columnsOfStatement.map((name) => `${alias}.${name}`).join(', '));

/** The SQL statements of updates. `rows` is JSON text. */
export function writingStatements({ sql: db, traits }: Pick<Database, 'sql' | 'traits'>) {
  const { rowLocks } = traits;
  const records = (columns: Parameters<typeof traits.records>[1]) => traits.records('x', columns, rows);
  const ids = records({ id: 'bigint' });
  const types = records({ type: 'bigint', entity: 'bigint' });
  const terms = { given: ids, table: 'knowledge_term', alias: 't' };
  const all = { table: 'knowledge_statement', alias: 'st' };
  const fixed = (text: RawBuilder<unknown>): WriteStatement => {
    const { compiled, slots } = compileTemplate(text, db);
    return (values) => ({ ...compiled, parameters: slots.map((name) => values[name] ?? null) });
  };
  return {
    /** agent, tenant. Locks the space until the transaction ends. */
    lockSpace: fixed(sql`
      select id, last_seq, next_term, statements from knowledge_space where agent = ${slot('agent')} and tenant = ${slot('tenant')}
      ${rowLocks ? sql`for update` : sql``}`),
    /** agent, tenant */
    makeSpace: fixed(sql`
      insert into knowledge_space (agent, tenant, last_seq, first_seq, next_term, statements)
      values (${slot('agent')}, ${slot('tenant')}, 0, 1, 1, 0) on conflict do nothing`),
    /** space, last, next, statements */
    moveSpace: fixed(sql`
      update knowledge_space set last_seq = ${slot('last')}, next_term = ${slot('next')}, statements = ${slot('statements')}
      where id = ${space}`),
    /** space; rows: keys and datatypes */
    termsOf: fixed(
      sql`select t.id, t.key, t.datatype, t.body from ${lookUp(traits, {
        ...terms,
        given: records({ key: 'text', datatype: 'text' }),
        where: sql`t.space = ${space} and t.key = x.key and t.datatype = x.datatype`,
      })}`,
    ),
    /** space; rows: ids */
    termsWith: fixed(
      sql`select t.id, t.key, t.datatype, t.body from ${lookUp(traits, {
        ...terms,
        where: sql`t.space = ${space} and t.id = x.id`,
      })}`,
    ),
    /** space; rows: terms */
    makeTerms: fixed(sql`
      insert into knowledge_term (space, id, key, datatype, body)
      select cast(${space} as bigint), x.id, x.key, x.datatype, x.body
      from ${records({ id: 'bigint', key: 'text', datatype: 'text', body: 'text' })}`),
    /** space; rows: quads */
    statementsOf: fixed(
      sql`select ${statementColumns('st')} from ${lookUp(traits, {
        ...all,
        given: records(quad),
        where: sql`st.space = ${space} and st.s = x.s and st.p = x.p and st.o = x.o and st.g = x.g`,
      })}`,
    ),
    /** space; rows: subjects, predicates and graphs */
    statementsBeside: fixed(
      sql`select ${statementColumns('st')} from ${lookUp(traits, {
        ...all,
        given: records({ s: 'bigint', p: 'bigint', g: 'bigint' }),
        where: sql`st.space = ${space} and st.s = x.s and st.p = x.p and st.g = x.g`,
      })}`,
    ),
    /** space; rows: statements */
    putStatements: fixed(sql`
      insert into knowledge_statement (space, ${rowColumns})
      select cast(${space} as bigint), ${statementColumns('x')} from ${records(row)} where true
      on conflict (space, s, p, o, g) do update set subject_type = excluded.subject_type,
        object_type = excluded.object_type, given = excluded.given, certainty = excluded.certainty,
        provenance = excluded.provenance, at = excluded.at`),
    /** space; rows: quads */
    deleteStatements: fixed(
      sql`delete from knowledge_statement where space = ${space} and ${isAmong(
        traits,
        {
          ...all,
          given: records(quad),
          where: sql`st.space = ${space} and st.s = x.s and st.p = x.p and st.o = x.o and st.g = x.g`,
        },
        ['s', 'p', 'o', 'g'],
      )}`,
    ),
    /** space; rows: types with the change of their uses */
    countTypes: fixed(sql`
      insert into knowledge_type (space, type, entity, uses)
      select cast(${space} as bigint), x.type, x.entity, x.uses
      from ${records({ type: 'bigint', entity: 'bigint', uses: 'bigint' })} where true
      on conflict (space, type, entity) do update set uses = knowledge_type.uses + excluded.uses`),
    /** space; rows: types */
    dropTypes: fixed(
      sql`delete from knowledge_type where space = ${space} and uses <= 0 and ${isAmong(
        traits,
        {
          ...{ given: types, table: 'knowledge_type', alias: 't' },
          where: sql`t.space = ${space} and t.type = x.type and t.entity = x.entity`,
        },
        ['type', 'entity'],
      )}`,
    ),
    /** space; rows: changes */
    log: fixed(sql`
      insert into knowledge_change (space, seq, change_id, at, op, body, meta)
      select cast(${space} as bigint), x.seq, x.change_id, x.at, x.op, x.body, x.meta from ${records({
        seq: 'bigint',
        change_id: 'text',
        at: 'bigint',
        op: 'text',
        body: 'text',
        meta: 'text',
      })}`),
    /** space; rows: ids. Deletes only terms that are not used any more. */
    dropTerms: fixed(sql`
      delete from knowledge_term where space = ${space}
        and ${isAmong(traits, { ...terms, where: sql`t.space = ${space} and t.id = x.id` }, ['id'])}
        and ${usedNowhere(traits)}`),
  };
}

/** A condition that no row uses a term of `knowledge_term`. */
function usedNowhere(traits: Database['traits']): RawBuilder<unknown> {
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

export type WritingStatements = ReturnType<typeof writingStatements>;
