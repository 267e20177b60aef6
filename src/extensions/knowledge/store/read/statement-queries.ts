import { type RawBuilder, sql } from 'kysely';
import type { Traits } from '../../../../stores/database.ts';
import type { KnowledgeView } from '../../model/graph.ts';
import type { Term } from '../../model/terms.ts';
import type { Sql } from '../joins.ts';
import type { StatementRow } from '../rows.ts';
import { limit, slot } from '../templates.ts';
import { isLong, termFrom } from '../terms.ts';
import { columnsOfStatement, statementColumns } from '../write/statements.ts';
import { isStatedType } from './entities.ts';
import type { KnownTerms } from './term-dictionary.ts';
import { viewShape, visible } from './view.ts';

/** The columns that identify a statement. */
export const columnNames = ['s', 'p', 'o', 'g'] as const;

type Column = (typeof columnNames)[number];

/** The plan of a search for statements. */
interface Plan {
  /** Order of the results: the order of an index that begins with the known columns. */
  readonly order: readonly Column[];
  /** Whether the search starts from the instances of a type. */
  readonly fromType: boolean;
  /** Whether only named graphs are searched, whose indexes are smaller. */
  readonly named: boolean;
}

const indexes = { all: ['spog', 'posg', 'ospg'], named: ['gspo', 'gpos', 'gosp'] } as const;

/** Chooses the index with the longest prefix of known columns. */
export function planFor(known: KnownTerms): Plan {
  const named = known.g !== undefined && known.g > 0;
  const fromType = known.type !== undefined && known.s === undefined && known.o === undefined && !named;
  let order: Column[] = [];
  let longest = -1;
  for (const index of indexes[named ? 'named' : 'all']) {
    const columns = [...index] as Column[];
    const unknown = columns.findIndex((column) => known[column] === undefined);
    const reach = unknown < 0 ? columns.length : unknown;
    if (reach > longest) [order, longest] = [columns, reach];
    if (fromType) break;
  }
  return { order, fromType, named };
}

/** Returns the unknown columns, which make up a position in the results. */
export const openColumns = ({ plan, known }: { readonly plan: Plan; readonly known: KnownTerms }): Column[] =>
  plan.order.filter((column) => known[column] === undefined);

const columnList = (columns: readonly Column[]): Sql => sql.raw(columns.map((column) => `st.${column}`).join(', '));

/** A statement and its terms, as one row. */
export type FoundRow = StatementRow & Readonly<Record<`${Named}_key` | `${Named}_body` | 'o_datatype', string>>;

/** A row that contains only its small texts. */
export interface SizedRow extends FoundRow {
  /** Total bytes of its long texts. */
  readonly size: number;
  readonly provenance_size: number | null;
}

/** Maximum bytes of a text that is read together with its row. */
const small = 1_024;

/** Bytes of the texts of a row. */
export const sizeOfRow = ({ size }: SizedRow): number => size;

/** The terms of a statement, and the columns that refer to them. */
const named = { s: 's', p: 'p', o: 'o', g: 'g', st: 'subject_type', ot: 'object_type' } as const;
type Named = keyof typeof named;
const names = Object.keys(named) as Named[];

/** Returns a function that returns the terms of a row by number. */
export function termsIn(row: FoundRow): (id: number) => Term {
  return (id) => {
    for (const name of names) {
      if (row[named[name]] !== id) continue;
      // Only objects can be literals.
      const datatype = name === 'o' ? row.o_datatype : '';
      return termFrom({ key: row[`${name}_key`], body: row[`${name}_body`] as string | null, datatype });
    }
    throw new TypeError(`no term ${id}`);
  };
}

const smallOf = (column: string): string => `case when octet_length(${column}) <= ${small} then ${column} end`;

/** Returns the texts that are missing in a row because they are large. */
export function missingIn(row: SizedRow): { readonly terms: Map<Named, number>; readonly provenance: boolean } {
  const lacks = (name: Named): boolean => {
    const key = row[`${name}_key`] as string | null;
    return key !== null && isLong(key) && (row[`${name}_body`] as string | null) === null;
  };
  const terms = new Map(names.filter(lacks).map((name) => [name, row[named[name]] as number]));
  return { terms, provenance: row.provenance === null && row.provenance_size !== null };
}

/** The columns of the statements `st` and their terms. */
const columns = sql.raw(
  [
    ...names.flatMap((name) => [`term_${name}.key as ${name}_key`, `${smallOf(`term_${name}.body`)} as ${name}_body`]),
    'term_o.datatype as o_datatype',
    ...columnsOfStatement.filter((name) => name !== 'provenance').map((name) => `st.${name}`),
    `${smallOf('st.provenance')} as provenance`,
    'octet_length(st.provenance) as provenance_size',
    `${['st.provenance', ...names.map((name) => `term_${name}.body`)].map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')} as size`,
  ].join(', '),
);

/** The joins that look up the terms. */
const joins = sql.join(
  names.map((name) => {
    const kind = ['s', 'p', 'o'].includes(name) ? 'join' : 'left join';
    const table = sql.raw(`${kind} knowledge_term as term_${name} on term_${name}.id = st.${named[name]}`);
    return sql`${table} and ${sql.raw(`term_${name}`)}.space = ${slot('space')}`;
  }),
  sql` `,
);

/** Returns the SQL for a known number: a slot of the query, or a column of a table. */
type Source = (name: keyof KnownTerms) => Sql;

export interface Search {
  readonly traits: Traits;
  readonly plan: Plan;
  readonly known: KnownTerms;
  readonly view: KnowledgeView;
}

/** Returns the properties of a search that determine its SQL text. */
export const searchShape = ({ plan, known, view }: Search): string =>
  `${Object.keys(known).toSorted().join('')}${plan.named ? '+' : ''},${viewShape(view)}`;

function matching({ traits, plan, known, view }: Search, source: Source): Sql {
  const conditions: Sql[] = [];
  for (const column of columnNames) {
    if (known[column] !== undefined) conditions.push(sql`and st.${sql.raw(column)} = ${source(column)}`);
  }
  // The partial indexes of named graphs require this condition verbatim.
  if (plan.named) conditions.push(sql`and st.g > 0`);
  conditions.push(visible(traits, view));
  const fitting = sql.join(conditions, sql` `);
  const space = slot('space');
  if (known.type === undefined) return sql`knowledge_statement st where st.space = ${space} ${fitting}`;
  const isStated = isStatedType({ traits, view }, source('type'));
  if (plan.fromType) {
    return sql`knowledge_type t cross join knowledge_statement st
      where t.space = ${space} and t.type = ${source('type')} and st.space = ${space} and st.s = t.entity
        ${isStated} ${fitting}`;
  }
  return sql`knowledge_statement st where st.space = ${space} ${fitting} and exists (
    select 1 from knowledge_type t
    where t.space = ${space} and t.type = ${source('type')} and t.entity = st.s ${isStated})`;
}

/** Returns a condition for rows after a position, whose columns are slots. */
function beyond({ plan }: Search, open: readonly Column[]): Sql {
  const row = sql`and (${columnList(open)}) > (${sql.join(open.map((column) => slot(`after_${column}`)))})`;
  return plan.fromType ? sql`and t.entity >= ${slot(`after_${open[0]}`)} ${row}` : row;
}

/**
 * Selects statements with their terms, in the order of the plan, at most `limit`; after a position if `after` is true.
 */
export function findStatements(search: Search, after: boolean): RawBuilder<SizedRow> {
  const open = openColumns(search);
  return sql`select ${columns} from (
      select ${statementColumns('st')} from ${matching(search, slot)} ${after ? beyond(search, open) : sql``}
      ${orderBy(search.plan, open)} limit ${limit}) st ${joins}
    ${open.length > 0 ? sql`order by ${columnList(open)}` : sql``}`;
}

/** Columns of the table `each` of known numbers. */
const numbers = { i: 'bigint', s: 'bigint', p: 'bigint', o: 'bigint', g: 'bigint', type: 'bigint' } as const;

/** Like `findStatements`, for each row of the table `each` of known numbers. `i` is the index of the row. */
export function findForEach(search: Search): RawBuilder<SizedRow & { i: number }> {
  const open = openColumns(search);
  return sql`select q.i, ${columns} from ${search.traits.records('q', numbers, slot('each'))}
    cross join lateral (
      select ${statementColumns('st')} from ${matching(search, (name) => sql.raw(`q.${name}`))}
      ${orderBy(search.plan, open)} limit ${limit}) st ${joins}
    order by q.i${open.length > 0 ? sql`, ${columnList(open)}` : sql``}`;
}

function orderBy({ fromType }: Plan, open: readonly Column[]): Sql {
  if (open.length === 0) return sql``;
  return fromType ? sql`order by t.entity, ${columnList(open.slice(1))}` : sql`order by ${columnList(open)}`;
}

/** Counts matching statements, up to `limit`. */
export const countStatements = (search: Search): RawBuilder<{ n: number }> =>
  sql`select count(*) as n from (select 1 from ${matching(search, slot)} limit ${limit}) counted`;

/** Like `countStatements`, for each row of the table `each` of known numbers. `i` is the index of the row. */
export const countForEach = (search: Search): RawBuilder<{ i: number; n: number }> =>
  sql`select q.i, counts.n from ${search.traits.records('q', numbers, slot('each'))} cross join lateral (
    select count(*) as n from (
      select 1 from ${matching(search, (name) => sql.raw(`q.${name}`))} limit ${limit}) counted) counts`;
