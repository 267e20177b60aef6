import { type RawBuilder, sql } from 'kysely';
import type { KnowledgeView } from '../../core/knowledge.ts';
import { resource, type Term } from '../../core/knowledge-terms.ts';
import type { Traits } from '../database.ts';
import { type Column, columnList, type Known, openColumns, type Plan } from './plan.ts';
import type { StatementRow } from './rows.ts';
import { termFrom } from './terms.ts';
import { visible } from './view.ts';
import { statementColumns } from './writing.ts';

/** A statement and its terms, as one row. */
export type FoundRow = StatementRow & Readonly<Record<`${Named}_key` | `${Named}_datatype` | `${Named}_body`, string>>;

/** Terms that are read with a statement, and the column that each is named by. */
const named = { s: 's', p: 'p', o: 'o', g: 'g', st: 'subject_type', ot: 'object_type' } as const;
type Named = keyof typeof named;
const names = Object.keys(named) as Named[];
/** Those that every statement has. */
const always: ReadonlySet<string> = new Set(['s', 'p', 'o']);
/** Those that are resources, whatever the statement. */
const literals: ReadonlySet<string> = new Set(['o']);

/** The terms of a row by their numbers. */
export function termsIn(row: FoundRow): (id: number) => Term {
  return (id) => {
    for (const name of names) {
      if (row[named[name]] !== id) continue;
      const [key, body] = [row[`${name}_key`], row[`${name}_body`] as string | null];
      if (!literals.has(name)) return resource(termFrom({ key, body, datatype: '' }).text);
      return termFrom({ key, body, datatype: row[`${name}_datatype`] });
    }
    throw new TypeError(`no term ${id}`);
  };
}

/** Columns of the terms of statements, and the tables that they are in. */
function withTerms(space: number): { columns: RawBuilder<unknown>; joins: RawBuilder<unknown> } {
  const columns: string[] = [];
  const joins: RawBuilder<unknown>[] = [];
  for (const name of names) {
    const alias = `term_${name}`;
    columns.push(`${alias}.key as ${name}_key`, `${alias}.body as ${name}_body`);
    if (literals.has(name)) columns.push(`${alias}.datatype as ${name}_datatype`);
    const join = sql.raw(`${always.has(name) ? '' : 'left '}join knowledge_term as ${alias} on ${alias}.space = `);
    joins.push(sql`${join} ${space} ${sql.raw(`and ${alias}.id = st.${named[name]}`)}`);
  }
  return { columns: sql.raw(columns.join(', ')), joins: sql.join(joins, sql` `) };
}

/** Where the numbers come from that are known: parameters, or the columns of a table. */
type Source = (name: keyof Known) => RawBuilder<unknown>;

export interface Search {
  readonly traits: Traits;
  readonly space: number;
  readonly plan: Plan;
  readonly known: Known;
  readonly view: KnowledgeView;
}

/** The rows that fit, from which on the order of the plan goes. */
function matching({ traits, space, plan, known, view }: Search, source: Source): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [];
  for (const column of ['s', 'p', 'o', 'g'] as const) {
    if (known[column] !== undefined) conditions.push(sql`and st.${sql.raw(column)} = ${source(column)}`);
  }
  // The indexes of named graphs are used only where the condition says in so many words that the graph has a name.
  if (plan.named) conditions.push(sql`and st.g > 0`);
  conditions.push(visible(traits, 'st', space, view));
  const fitting = sql.join(conditions, sql` `);
  if (plan.fromType) {
    return sql`knowledge_type t cross join knowledge_statement st
      where t.space = ${space} and t.type = ${source('type')} and st.space = ${space} and st.s = t.entity ${fitting}`;
  }
  const typed = sql`and exists (
    select 1 from knowledge_type t where t.space = ${space} and t.type = ${source('type')} and t.entity = st.s)`;
  return sql`knowledge_statement st where st.space = ${space} ${fitting} ${known.type === undefined ? sql`` : typed}`;
}

/** Beyond a position, which has one number for each open column. */
function beyond({ plan }: Search, open: readonly Column[], after: readonly number[]): RawBuilder<unknown> {
  const [first] = after;
  const numbers = sql.join(after.map((number) => sql`${number}`));
  const row = sql`and (${columnList('st', open)}) > (${numbers})`;
  return plan.fromType ? sql`and t.entity >= ${first} ${row}` : row;
}

/** Statements in the order of the plan, `limit` at most, with their terms. */
export function findStatements(
  search: Search,
  after: readonly number[] | undefined,
  limit: number,
): RawBuilder<FoundRow> {
  const { known, plan, space } = search;
  const open = openColumns(plan, known);
  const order = orderBy(plan, open, 'st');
  const { columns, joins } = withTerms(space);
  const begin = after && open.length > 0 ? beyond(search, open, after) : sql``;
  return sql`select ${statementColumns('st')}, ${columns} from (
      select ${statementColumns('st')} from ${matching(search, (name) => sql`${known[name]}`)} ${begin}
      ${order} limit ${limit}) st ${joins} ${orderBy({ ...plan, fromType: false }, open, 'st')}`;
}

/** The same for each row of a table of what is known; `i` says which one. */
export function findForEach(
  search: Search,
  each: readonly Known[],
  limit: number,
): RawBuilder<FoundRow & { i: number }> {
  const { known, plan, space, traits } = search;
  const open = openColumns(plan, known);
  const { columns, joins } = withTerms(space);
  const rows = each.map((row, i) => ({ i, ...row }));
  const q = traits.records(
    'q',
    { i: 'bigint', s: 'bigint', p: 'bigint', o: 'bigint', g: 'bigint', type: 'bigint' },
    JSON.stringify(rows),
  );
  return sql`select q.i, ${statementColumns('st')}, ${columns} from ${q} cross join lateral (
      select ${statementColumns('st')} from ${matching(search, (name) => sql.ref(`q.${name}`))}
      ${orderBy(plan, open, 'st')} limit ${limit}) st ${joins}
    order by q.i${open.length > 0 ? sql`, ${columnList('st', open)}` : sql``}`;
}

function orderBy({ fromType }: Plan, open: readonly Column[], alias: string): RawBuilder<unknown> {
  if (open.length === 0) return sql``;
  if (!fromType) return sql`order by ${columnList(alias, open)}`;
  return sql`order by t.entity, ${columnList(alias, open.slice(1))}`;
}

/** How many fit, counted up to `atMost`. */
export const countStatements = (search: Search, atMost: number): RawBuilder<{ n: number }> =>
  sql`select count(*) as n from (
    select 1 from ${matching(search, (name) => sql`${search.known[name]}`)} limit ${atMost}) counted`;
