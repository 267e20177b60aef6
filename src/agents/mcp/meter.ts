/** Counts what another side sends. Returns whether it is within bounds. */
export type Meter = (chunk: Uint8Array) => boolean;

/** Of a body as a whole. */
export function totalMeter(limit: number): Meter {
  let size = 0;
  return (chunk) => {
    size += chunk.byteLength;
    return size <= limit;
  };
}

/** Ends of an event in a stream of server-sent events: an empty line, with any kind of line end. */
const ends = ['\n\n', '\r\n\r\n', '\r\r'];

/** Of each event of a stream of server-sent events, which as a whole may go on for ever. */
export function eventMeter(limit: number): Meter {
  let size = 0;
  /** What an end of an event may have begun with. */
  let tail: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const seen = Buffer.concat([tail, chunk]);
    const end = Math.max(
      ...ends.map((mark) => (seen.lastIndexOf(mark) < 0 ? -1 : seen.lastIndexOf(mark) + mark.length)),
    );
    size = end < 0 ? size + chunk.byteLength : seen.byteLength - end;
    tail = seen.subarray(-3);
    return size <= limit;
  };
}
