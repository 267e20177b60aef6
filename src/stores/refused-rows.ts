import { A2AError } from '../core/model/errors.ts';
import type { Database } from './database.ts';

/** A row that the database refuses, and its error. */
export interface RefusedRow<Row> {
  readonly row: Row;
  readonly reason: unknown;
}

/** Whether the database refuses a statement because of its content, so that it would refuse it again. */
const isRefusal = (database: Database, error: unknown): boolean =>
  !(error instanceof A2AError) && !database.isUnavailable(error) && !database.isContended(error);

/**
 * Writes rows. If the database refuses them, writes each half of them separately, and so on, so that a refused row does not keep
 * the others from being written. Rejects with the database's error if it is not about a row; some rows may have been written by
 * then.
 *
 * @param write writes some rows in one transaction, together with everything else that the transaction contains
 * @returns the rows that are refused
 */
export async function writeRows<Row>(
  database: Database,
  rows: readonly Row[],
  write: (rows: readonly Row[]) => Promise<unknown>,
): Promise<RefusedRow<Row>[]> {
  let hasWrittenNone = false;
  const writePart = async (part: readonly Row[]): Promise<RefusedRow<Row>[]> => {
    try {
      await write(part);
      return [];
    } catch (reason) {
      if (part.length === 0 || !isRefusal(database, reason)) throw reason;
      // If the transaction is refused even without a row, the cause is not a row.
      if (!hasWrittenNone) await write([]);
      hasWrittenNone = true;
      if (part.length === 1) return [{ row: part[0] as Row, reason }];
    }
    const half = Math.ceil(part.length / 2);
    const first = await writePart(part.slice(0, half));
    return [...first, ...(await writePart(part.slice(half)))];
  };
  return writePart(rows);
}
