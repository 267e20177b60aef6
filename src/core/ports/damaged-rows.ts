/** A row of the store that this gateway cannot read. It is left out of results, and stays in the store unchanged. */
export interface LeftOutRow {
  readonly table: string;
  /** Its primary key; the parts of one with several columns are separated by commas. */
  readonly key: string;
  readonly reason: string;
  /** Time when it was first noticed: milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The rows that were left out since the store was opened. One unreadable row must never prevent the start of a gateway,
 * or a call that needs other rows. All reads of rows that may be damaged go through `read`.
 */
export interface DamagedRows {
  /**
   * Returns the result of `read`. Undefined if it throws: the row is then noted, and logged the first time.
   *
   * @param read converts columns; must not query the database
   */
  read<T>(table: string, key: readonly unknown[], read: () => T): T | undefined;
  note(table: string, key: readonly unknown[], thrown: unknown): void;
  /** Returns the noted rows, the latest first: a bounded number. */
  list(): readonly LeftOutRow[];
  /** Number of rows that were noted. */
  readonly count: number;
}
