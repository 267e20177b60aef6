/** Bytes that are retained of each end of a line over the limit. */
const retained = 512;

/** The id at the head or tail of a JSON-RPC answer whose middle was dropped. */
const idPatterns = {
  head: /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/,
  tail: /,\s*"id"\s*:\s*(\d{1,15})\s*\}\s*$/,
} as const;

function idIn(pattern: RegExp, bytes: Buffer): number | undefined {
  const id = pattern.exec(bytes.toString('latin1'))?.[1];
  return id === undefined ? undefined : Number(id);
}

export interface LineLimits {
  /** Bytes of a line that is passed on. */
  readonly limit: number;
  /** Bytes of a line after which reading fails. Default: none. */
  readonly endless?: number;
  /**
   * Called when a line exceeds the limit, with the JSON-RPC id at its head, and again at its end, with the id at its tail,
   * if there was none at the head.
   */
  readonly onOversize?: (id: number | undefined, ended: boolean) => void;
}

/** Splits bytes into lines, each with its line end. Lines over the limit are dropped without buffering them. */
export async function* boundedLines(
  source: AsyncIterable<Buffer>,
  { limit, endless = Number.POSITIVE_INFINITY, onOversize }: LineLimits,
): AsyncGenerator<Buffer, void> {
  let parts: Buffer[] = [];
  let size = 0;
  let headId: number | undefined;
  for await (const chunk of source) {
    for (let from = 0; from < chunk.byteLength; ) {
      const newline = chunk.indexOf(10, from) + 1;
      const piece = chunk.subarray(from, newline || undefined);
      const was = size;
      from += piece.byteLength;
      size += piece.byteLength;
      parts.push(piece);
      if (size > limit) {
        const [first, tail] = [parts[0] as Buffer, Buffer.concat(parts.slice(-2)).subarray(-retained)];
        // Copies, so that the chunks can be freed.
        parts = [Buffer.from(first.subarray(0, retained)), Buffer.from(tail)];
        if (was <= limit) {
          headId = idIn(idPatterns.head, first);
          onOversize?.(headId, false);
        }
        if (size > endless) throw new RangeError(`a line is longer than ${endless} bytes`);
      }
      if (newline === 0) continue;
      if (size <= limit) yield Buffer.concat(parts);
      else if (headId === undefined) onOversize?.(idIn(idPatterns.tail, parts[1] as Buffer), true);
      parts = [];
      size = 0;
    }
  }
}
