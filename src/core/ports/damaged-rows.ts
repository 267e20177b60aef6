/** A row of the store that this gateway cannot read. It is left out where it would be used, and stays in the store as it is. */
export interface LeftOutRow {
  readonly table: string;
  /** Its primary key; the parts of one with several columns are separated by commas. */
  readonly key: string;
  readonly reason: string;
  /** When it was first noticed: milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The rows that were left out since the store was opened. One row must never keep a gateway from starting, nor a call from
 * anything but that row. All reads of rows that may be damaged go through `read`.
 */
export interface DamagedRows {
  /**
   * What `read` makes of a row. Undefined where it throws: then the row is noted, and logged the first time.
   *
   * @param read makes something of columns; asks no database
   */
  read<T>(table: string, key: readonly unknown[], read: () => T): T | undefined;
  note(table: string, key: readonly unknown[], thrown: unknown): void;
  /** The latest first: a bounded number. */
  list(): readonly LeftOutRow[];
  /** Rows that were noted. */
  readonly count: number;
}
