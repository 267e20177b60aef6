import { A2AError } from '../core/model/errors.ts';
import type { Database } from './database.ts';

/** A row that the database does not take, and its error. */
export interface RefusedRow<Row> {
  readonly row: Row;
  readonly reason: unknown;
}

/** Whether the database refuses a statement for what is in it, so that it would refuse it again. */
const isRefusal = (database: Database, error: unknown): boolean =>
  !(error instanceof A2AError) && !database.isUnavailable(error) && !database.isContended(error);

/**
 * Writes rows, and where the database refuses them, each half of them, until those that it refuses are alone: one of them never
 * stops the others. Rejects with the database's error where that is not about a row; some of them may be written then.
 *
 * @param write writes some rows in one transaction; without rows, whatever it writes besides them
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
      // A transaction that is refused without a row is not refused for a row.
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
