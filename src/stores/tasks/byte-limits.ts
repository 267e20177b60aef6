import { type RawBuilder, sql } from 'kysely';

/**
 * Reading within bounds of bytes. A row comes with its size, and with its JSON where that is small; larger ones are read
 * by themselves, when it is known how many of them there is room for. Neither database reads a text to tell its bytes.
 */

/** Bytes of JSON that come with their row: of one that is looked up, and of one of many. */
export const inline = { one: 65_536, many: 16_384 } as const;

/** Bytes of a page where nobody says. */
export const pageBytes = 8 * 1_048_576;

/** The bytes of a text. */
export const sizeOf = (text: RawBuilder<unknown>): RawBuilder<number> => sql<number>`octet_length(${text})`;

/** A text where it has no more than so many bytes; else null. */
export const smallText = (text: RawBuilder<unknown>, bytes: number): RawBuilder<string | null> =>
  sql<string | null>`case when octet_length(${text}) <= ${sql.lit(bytes)} then ${text} end`;

/** The first rows, as many as have no more than so many bytes together, but one where there is one. */
export function withinBytes<Row>(rows: readonly Row[], bytes: number, sizeOfRow: (row: Row) => number): readonly Row[] {
  let total = 0;
  for (const [i, row] of rows.entries()) {
    total += sizeOfRow(row);
    if (total > bytes && i > 0) return rows.slice(0, i);
  }
  return rows;
}

/** The bytes of some rows. */
export const bytesOf = <Row>(rows: readonly Row[], sizeOfRow: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + sizeOfRow(row), 0);
