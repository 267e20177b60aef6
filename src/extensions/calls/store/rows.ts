import { type RawBuilder, sql } from 'kysely';
import type { ColumnType, Database, Statement } from '../../../stores/database.ts';
import { escapeText } from '../../../stores/text.ts';

/** Most rows in one statement. */
const atOnce = 200;

export type Row = Readonly<Record<string, unknown>>;

/** Returns text as the store has it. Lone surrogates are replaced, since PostgreSQL's JSON refuses them. */
export const stored = (text: string): string => escapeText(text.toWellFormed());

/** Returns a number that the database computed. PostgreSQL's driver returns some numbers as text. Returns 0 for anything else. */
export function numberOf(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
}

/** Divides a list into parts that one statement can take. */
export function slices<T>(all: readonly T[]): T[][] {
  const found: T[][] = [];
  for (let at = 0; at < all.length; at += atOnce) found.push(all.slice(at, at + atOnce));
  return found;
}

/** Returns the statement that inserts rows, or updates rows with equal keys. */
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
