import { type RawBuilder, sql } from 'kysely';
import type { Requester } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';

/**
 * Reads within byte limits. A query returns the size of each row's JSON, and the JSON itself if it is small. Larger rows are read
 * one by one, once it is known how many fit. Neither database reads a text to get its size.
 */

/** Largest size of JSON that is returned with its row: for a single row, and for one of many. */
export const inline = { one: 65_536, many: 16_384 } as const;

/** Default for the bytes of a page. */
export const pageBytes = 8 * 1_048_576;

export const sizeOf = <Size = number>(text: RawBuilder<unknown>): RawBuilder<Size> => sql`octet_length(${text})`;

/** The text if it has at most this number of bytes, else null. */
export const smallText = (text: RawBuilder<unknown>, bytes: number): RawBuilder<string | null> =>
  sql<string | null>`case when octet_length(${text}) <= ${sql.lit(bytes)} then ${text} end`;

/** The first rows that have at most this number of bytes together, but at least one. */
export function withinBytes<Row>(rows: readonly Row[], bytes: number, sizeOfRow: (row: Row) => number): readonly Row[] {
  let total = 0;
  for (const [i, row] of rows.entries()) {
    total += sizeOfRow(row);
    if (total > bytes && i > 0) return rows.slice(0, i);
  }
  return rows;
}

/** Counts bytes for a call before they are read. Undefined if they may be read at once. */
export const countFor = (requester: Requester | undefined, bytes: number): Promise<void> | undefined =>
  requester?.reservation?.reserve(bytes);

/** The first rows that have at most this number of bytes together, but at least one, once the call has memory for them. */
export async function rowsFor<Row>(
  requester: Requester | undefined,
  rows: readonly Row[],
  bytes: number,
  sizeOfRow: (row: Row) => number,
): Promise<readonly Row[]> {
  const page = withinBytes(rows, bytes, sizeOfRow);
  await countFor(
    requester,
    page.reduce((sum, row) => sum + sizeOfRow(row), 0),
  );
  return page;
}

/** Largest number of bytes for which a call can ever have memory. */
export const largestFor = (requester: Requester | undefined): number =>
  requester?.reservation?.largest ?? Number.POSITIVE_INFINITY;

/** Throws `canceled` if the caller has gone away. */
export function requireCaller(requester: Requester | undefined): void {
  if (requester?.reservation?.isClosed) throw new A2AError('canceled');
}
