/** Room in memory for what is read. */
export interface ReadBudget {
  /**
   * Called with the bytes of JSON before they are read; nothing is read when it rejects. Undefined where it takes no
   * time.
   */
  reserve(bytes: number): Promise<void> | undefined;
}

/** Room in `limits.buffered` for one call: for its answer, from before it is read until its connection has it. */
export interface MemoryReservation {
  /** Whether nothing more should be kept that can be read from the store again. */
  readonly isFull: boolean;
  /** Whether the caller has gone away. */
  readonly isClosed: boolean;
  /** Counts bytes that wait in memory for this reader besides what is reserved; negative: they wait no more. */
  count(bytes: number): void;
  /**
   * Reserves so many bytes in all; undefined where that takes no time. Rejects with A2AError `unavailable` when there
   * is no room, or none in time; `canceled` when the client is gone.
   *
   * @param until milliseconds since the epoch until which room is waited for. Absent: not at all
   */
  reserve(bytes: number, until?: number): Promise<void> | undefined;
  /** The answer has been read and encoded: others may begin. */
  encoded(): void;
  /**
   * What was reserved is about to be handed to its connection, which counts it from then on, or is not needed. To be
   * called for each part of a stream.
   */
  release(): void;
}
