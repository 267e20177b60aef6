import { type RawBuilder, sql } from 'kysely';
import type { ColumnType, Database, Statement } from '../../../stores/database.ts';
import { escapeText } from '../../../stores/text.ts';

/** Rows of one statement. */
const atOnce = 200;

export type Row = Readonly<Record<string, unknown>>;

/** Text as it is stored. PostgreSQL's JSON has no half of a character. */
export const stored = (text: string): string => escapeText(text.toWellFormed());

/** A number that the database computed: PostgreSQL's driver has some as text. */
export const numberOf = (value: unknown): number => Number(value ?? 0) || 0;

/** Parts of a list that one statement takes each. */
export function slices<T>(all: readonly T[]): T[][] {
  const found: T[][] = [];
  for (let at = 0; at < all.length; at += atOnce) found.push(all.slice(at, at + atOnce));
  return found;
}

/** The statement that inserts rows, or changes those with the same keys. */
export function upsert(
  { traits }: Database,
  table: string,
  columns: Readonly<Record<string, ColumnType>>,
  records: readonly object[],
  conflict: RawBuilder<unknown>,
): Statement {
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
  const source = traits.records('r', columns, sql`${JSON.stringify(records)}`);
  return sql`insert into ${sql.table(table)} (${names}) select ${names} from ${source} where 1 = 1 on conflict ${conflict}`;
}
