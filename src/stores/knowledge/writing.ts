import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Database, Traits } from '../database.ts';

/** Makes one statement of a text that never changes, so that the database plans it once. */
export type Statement = (...parameters: readonly (string | number | null)[]) => CompiledQuery;

const mark = '';
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
const rowColumns = sql.raw(Object.keys(row).join(', '));

/** A statement's columns, as they are read. */
export const statementColumns = (alias: string): RawBuilder<unknown> =>
  sql.raw(
    Object.keys(row)
      .map((name) => `${alias}.${name}`)
      .join(', '),
  );

/** Terms that nothing uses any more, among some. */
const unused = (records: Traits['records']): RawBuilder<unknown> => sql`
  delete from knowledge_term where space = ${mark} and id in (select id from ${records('x', { id: 'bigint' })})
    and not exists (select 1 from knowledge_statement where space = knowledge_term.space and s = knowledge_term.id)
    and not exists (select 1 from knowledge_statement where space = knowledge_term.space and o = knowledge_term.id)
    and not exists (select 1 from knowledge_statement where space = knowledge_term.space and p = knowledge_term.id)
    and not exists (
      select 1 from knowledge_statement where space = knowledge_term.space and g = knowledge_term.id and g > 0)
    and not exists (select 1 from knowledge_type where space = knowledge_term.space and type = knowledge_term.id)`;

/** Everything that an update writes with. Parameters in the order in which their marks stand. */
export function writingStatements({ sql: db, traits }: Pick<Database, 'sql' | 'traits'>) {
  const { records, rowLocks } = traits;
  const fixed = (text: RawBuilder<unknown>): Statement => {
    const compiled = text.compile(db);
    return (...parameters) => ({ ...compiled, parameters });
  };
  return {
    /** agent, tenant. Until the transaction ends, nobody else writes to the space. */
    lockSpace: fixed(sql`
      select id, last_seq, next_term, statements from knowledge_space where agent = ${mark} and tenant = ${mark}
      ${rowLocks ? sql`for update` : sql``}`),
    /** agent, tenant */
    makeSpace: fixed(sql`
      insert into knowledge_space (agent, tenant, last_seq, first_seq, next_term, statements)
      values (${mark}, ${mark}, 0, 1, 1, 0) on conflict do nothing`),
    /** the last position, the next term, the number of statements, the space */
    moveSpace: fixed(sql`
      update knowledge_space set last_seq = ${mark}, next_term = ${mark}, statements = ${mark} where id = ${mark}`),
    /** keys and datatypes, space */
    termsOf: fixed(sql`
      select t.id, t.key, t.datatype, t.body from ${records('x', { key: 'text', datatype: 'text' })}
      cross join knowledge_term t where t.space = ${mark} and t.key = x.key and t.datatype = x.datatype`),
    /** ids, space */
    termsWith: fixed(sql`
      select t.id, t.key, t.datatype, t.body from ${records('x', { id: 'bigint' })}
      cross join knowledge_term t where t.space = ${mark} and t.id = x.id`),
    /** space, terms */
    makeTerms: fixed(sql`
      insert into knowledge_term (space, id, key, datatype, body)
      select cast(${mark} as bigint), x.id, x.key, x.datatype, x.body
      from ${records('x', { id: 'bigint', key: 'text', datatype: 'text', body: 'text' })}`),
    /** quads, space */
    statementsOf: fixed(sql`
      select ${statementColumns('st')} from ${records('x', quad)} cross join knowledge_statement st
      where st.space = ${mark} and st.s = x.s and st.p = x.p and st.o = x.o and st.g = x.g`),
    /** subjects, predicates and graphs, space */
    statementsBeside: fixed(sql`
      select ${statementColumns('st')} from ${records('x', { s: 'bigint', p: 'bigint', g: 'bigint' })}
      cross join knowledge_statement st where st.space = ${mark} and st.s = x.s and st.p = x.p and st.g = x.g`),
    /** space, rows */
    putStatements: fixed(sql`
      insert into knowledge_statement (space, ${rowColumns})
      select cast(${mark} as bigint), ${statementColumns('x')} from ${records('x', row)} where true
      on conflict (space, s, p, o, g) do update set subject_type = excluded.subject_type,
        object_type = excluded.object_type, given = excluded.given, certainty = excluded.certainty,
        provenance = excluded.provenance, at = excluded.at`),
    /** space, quads */
    deleteStatements: fixed(sql`
      delete from knowledge_statement where space = ${mark}
        and (s, p, o, g) in (select s, p, o, g from ${records('x', quad)})`),
    /** space, types with the number of uses that come or go */
    countTypes: fixed(sql`
      insert into knowledge_type (space, type, entity, uses)
      select cast(${mark} as bigint), x.type, x.entity, x.uses
      from ${records('x', { type: 'bigint', entity: 'bigint', uses: 'bigint' })} where true
      on conflict (space, type, entity) do update set uses = knowledge_type.uses + excluded.uses`),
    /** space, types */
    dropTypes: fixed(sql`
      delete from knowledge_type where space = ${mark} and uses <= 0
        and (type, entity) in (select type, entity from ${records('x', { type: 'bigint', entity: 'bigint' })})`),
    /** space, changes */
    log: fixed(sql`
      insert into knowledge_change (space, seq, change_id, at, op, body, meta)
      select cast(${mark} as bigint), x.seq, x.change_id, x.at, x.op, x.body, x.meta from ${records('x', {
        seq: 'bigint',
        change_id: 'text',
        at: 'bigint',
        op: 'text',
        body: 'text',
        meta: 'text',
      })}`),
    /** space, ids */
    dropTerms: fixed(unused(records)),
  };
}

export type WritingStatements = ReturnType<typeof writingStatements>;
