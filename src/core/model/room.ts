/** Room in memory for what is read. */
export interface Room {
  /**
   * Called with the bytes of JSON before they are read; nothing is read when it rejects. Undefined where it takes no
   * time.
   */
  reserve(bytes: number): Promise<void> | undefined;
}
