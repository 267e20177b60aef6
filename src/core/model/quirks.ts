/** What the software on the other side of a conversation does otherwise than its dialect has it. Absent: not known. */
export interface Quirks {
  /** The bytes of files are base64 text, which is then encoded like any other bytes. */
  base64Bytes?: boolean | undefined;
  /** It reads fields that came after the published schema of its dialect. */
  laterFields?: boolean | undefined;
}

/** The other side of one call, as far as it is known. */
export interface Counterpart {
  /** What it calls itself. */
  readonly userAgent?: string | undefined;
  /** Messages are binary, so that fields that are not known are passed over. */
  readonly binary?: true;
  /** What is known, or has been seen, of it. Filled in by codecs that ask. */
  quirks?: Quirks;
}
