import { type RawBuilder, sql } from 'kysely';

/**
 * Reads within byte limits. A row comes with the size of its JSON, and with the JSON itself where it is small. Larger
 * ones are read one by one, once it is known how many fit. Neither database reads a text to get its size.
 */

/** JSON up to this size comes with its row: for a single row, and for one of many. */
export const inline = { one: 65_536, many: 16_384 } as const;

/** Default bytes of a page. */
export const pageBytes = 8 * 1_048_576;

export const sizeOf = <Size = number>(text: RawBuilder<unknown>): RawBuilder<Size> => sql`octet_length(${text})`;

/** The text if it has at most that many bytes, else null. */
export const smallText = (text: RawBuilder<unknown>, bytes: number): RawBuilder<string | null> =>
  sql<string | null>`case when octet_length(${text}) <= ${sql.lit(bytes)} then ${text} end`;

/** The first rows that have at most that many bytes together, but at least one. */
export function withinBytes<Row>(rows: readonly Row[], bytes: number, sizeOfRow: (row: Row) => number): readonly Row[] {
  let total = 0;
  for (const [i, row] of rows.entries()) {
    total += sizeOfRow(row);
    if (total > bytes && i > 0) return rows.slice(0, i);
  }
  return rows;
}

/** Bytes of all rows together. */
export const bytesOf = <Row>(rows: readonly Row[], sizeOfRow: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + sizeOfRow(row), 0);
