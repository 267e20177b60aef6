import { type RawBuilder, sql } from 'kysely';
import type { Traits } from '../../../stores/database.ts';

/** A part of an SQL query. */
export type Sql = RawBuilder<unknown>;

/** A stored table and its alias. */
export interface Aliased {
  readonly table: string;
  readonly alias: string;
}

export const statementTable: Aliased = { table: 'knowledge_statement', alias: 'st' };
export const termTable: Aliased = { table: 'knowledge_term', alias: 't' };
export const typeTable: Aliased = { table: 'knowledge_type', alias: 't' };

/**
 * Joins a table that is passed as a parameter with a stored table. Returns the SQL after `from`; conditions can be
 * appended with `and`. Databases do not know how few rows are passed and may scan the stored table; the form of this
 * join prevents it.
 *
 * @param where compares the first columns of an index with columns of the passed table
 */
export function lookUp({ lateral }: Traits, passed: Sql, { table, alias }: Aliased, where: Sql): Sql {
  const rows = sql`${sql.table(table)} as ${sql.ref(alias)}`;
  if (!lateral) return sql`${passed} cross join ${rows} where ${where}`;
  // `offset` keeps the planner from flattening the subquery.
  const found = sql`lateral (select * from ${rows} where ${where} offset 0) as ${sql.ref(alias)}`;
  return sql`${passed} cross join ${found} where true`;
}

/**
 * Returns a condition that a table contains no such row, looked up in an index for each outer row. PostgreSQL might
 * otherwise scan the table, because it does not know how few rows are needed, or expects to find a frequent value soon.
 *
 * @param where condition on the first columns of an index of the table
 * @param next the following column of the index
 */
export function hasNone({ lateral }: Traits, table: string, where: Sql, next: string): Sql {
  // `offset` prevents a join; `order by` chooses the index.
  const first = lateral ? sql`order by ${sql.ref(next)} limit 1 offset 0` : sql``;
  return sql`not exists (select 1 from ${sql.table(table)} where ${where} ${first})`;
}

/**
 * Returns a condition that the row to delete is found by `lookUp`.
 *
 * @param key columns that identify rows in both tables
 */
export function isAmong({ lateral }: Traits, key: string, passed: Sql, { table, alias }: Aliased, where: Sql): Sql {
  const columns = sql.raw(key);
  if (!lateral) return sql`(${columns}) in (select ${columns} from ${passed})`;
  const rows = sql`${sql.table(table)} as ${sql.ref(alias)}`;
  return sql`ctid = any(array(
    select found.at from ${passed} cross join lateral (
      select ctid as at from ${rows} where ${where} offset 0) as found))`;
}
