/** Bounds the memory of one read. */
export interface ReadBudget {
  /** Called with the bytes of JSON before they are read, which a rejection prevents. Undefined: granted at once. */
  reserve(bytes: number): Promise<void> | undefined;
}

/** Room in `limits.buffered` for one call: for its answer, from before it is read until its connection has it. */
export interface MemoryReservation {
  /** Whether the budget is used up: data that can be read from the store again should not be retained. */
  readonly isFull: boolean;
  /** Whether the caller has gone away. */
  readonly isClosed: boolean;
  /** Counts bytes that are buffered for this reader besides what is reserved; negative: they have left the buffer. */
  count(bytes: number): void;
  /**
   * Reserves so many bytes in all; undefined: granted at once. Rejects with A2AError `unavailable` when there is no
   * room, or none in time; `canceled` when the client is gone.
   *
   * @param until milliseconds since the epoch: how long to wait for room. Absent: not at all
   */
  reserve(bytes: number, until?: number): Promise<void> | undefined;
  /** The answer has been read and encoded: others may start. */
  encoded(): void;
  /** Ends the reservation: the bytes are the connection's now, or not needed. Once for each part of a stream. */
  release(): void;
}
