import { type RawBuilder, sql } from 'kysely';
import type { Traits } from '../database.ts';

/**
 * Rows of a table for each row of one that is given as a parameter. Left to themselves, both databases may well look
 * through all that the table has, since they do not know how little is given; so they are not left the choice.
 */
export interface LookUp {
  /** The table of the parameter. */
  readonly given: RawBuilder<unknown>;
  readonly table: string;
  readonly alias: string;
  /** The beginning of one of the table's indexes, by columns of what is given. */
  readonly where: RawBuilder<unknown>;
}

/** What follows `from`; ends with a condition, which may be gone on with by `and`. */
export function lookUp(
  { lateral }: Pick<Traits, 'lateral'>,
  { given, table, alias, where }: LookUp,
): RawBuilder<unknown> {
  const rows = sql`${sql.table(table)} as ${sql.ref(alias)}`;
  if (!lateral) return sql`${given} cross join ${rows} where ${where}`;
  // What has an offset is not merged with what is around it.
  return sql`${given} cross join lateral (select * from ${rows} where ${where} offset 0) as ${sql.ref(alias)} where true`;
}

/**
 * That a table has no row of a kind, looked up by an index for each row that is asked about. PostgreSQL would go through
 * the table: once for all rows, since it does not know that few are asked about, or in the belief that a value which
 * few others are beside must come soon, which one that is not there never does.
 *
 * @param where the beginning of one of the table's indexes
 * @param next the column that comes after it there
 */
export function hasNone(
  { lateral }: Pick<Traits, 'lateral'>,
  table: string,
  where: RawBuilder<unknown>,
  next: string,
): RawBuilder<unknown> {
  // What has an offset is not made a join; the first in an order is had from an index.
  const first = lateral ? sql`order by ${sql.ref(next)} limit 1 offset 0` : sql``;
  return sql`not exists (select 1 from ${sql.table(table)} where ${where} ${first})`;
}

/** That a row of the table, which is being deleted from, is one of these. @param key columns that both tables have */
export function isAmong(traits: Pick<Traits, 'lateral'>, look: LookUp, key: readonly string[]): RawBuilder<unknown> {
  const columns = sql.raw(key.join(', '));
  if (!traits.lateral) return sql`(${columns}) in (select ${columns} from ${look.given})`;
  const { given, table, alias, where } = look;
  return sql`ctid = any(array(
    select found.at from ${given} cross join lateral (
      select ctid as at from ${sql.table(table)} as ${sql.ref(alias)} where ${where} offset 0) as found))`;
}
