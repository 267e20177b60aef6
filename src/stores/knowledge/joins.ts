import { type RawBuilder, sql } from 'kysely';
import type { Traits } from '../database.ts';

/**
 * A join of a table that is passed as a parameter with a stored one. Left to themselves, both databases may scan the
 * stored table, since they do not know how few rows are passed; the form of the join prevents that.
 */
export interface LookUp {
  /** The passed table. */
  readonly given: RawBuilder<unknown>;
  readonly table: string;
  readonly alias: string;
  /** Equality of the first columns of an index with columns of the passed table. */
  readonly where: RawBuilder<unknown>;
}

/** The part after `from`. It ends with a condition, so that `and` may follow. */
export function lookUp(
  { lateral }: Pick<Traits, 'lateral'>,
  { given, table, alias, where }: LookUp,
): RawBuilder<unknown> {
  const rows = sql`${sql.table(table)} as ${sql.ref(alias)}`;
  if (!lateral) return sql`${given} cross join ${rows} where ${where}`;
  // `offset` keeps the planner from flattening the subquery.
  return sql`${given} cross join lateral (select * from ${rows} where ${where} offset 0) as ${sql.ref(alias)} where true`;
}

/**
 * A condition that a table has no such row, looked up by an index for each outer row. PostgreSQL would otherwise scan
 * the table: once for all rows, since it does not know how few are asked about, or in the expectation that a frequent
 * value turns up soon.
 *
 * @param where the first columns of one of the table's indexes
 * @param next the column that follows in the index
 */
export function hasNone(
  { lateral }: Pick<Traits, 'lateral'>,
  table: string,
  where: RawBuilder<unknown>,
  next: string,
): RawBuilder<unknown> {
  // `offset` prevents a join; `order by` chooses the index.
  const first = lateral ? sql`order by ${sql.ref(next)} limit 1 offset 0` : sql``;
  return sql`not exists (select 1 from ${sql.table(table)} where ${where} ${first})`;
}

/** A condition that the row to delete is one of these. @param key columns that both tables have */
export function isAmong(traits: Pick<Traits, 'lateral'>, look: LookUp, key: readonly string[]): RawBuilder<unknown> {
  const columns = sql.raw(key.join(', '));
  if (!traits.lateral) return sql`(${columns}) in (select ${columns} from ${look.given})`;
  const { given, table, alias, where } = look;
  return sql`ctid = any(array(
    select found.at from ${given} cross join lateral (
      select ctid as at from ${sql.table(table)} as ${sql.ref(alias)} where ${where} offset 0) as found))`;
}
