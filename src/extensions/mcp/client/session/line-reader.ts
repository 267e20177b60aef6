/** Bytes that are retained of each end of a line over the limit. */
const retained = 512;

/** The id at the head or tail of a JSON-RPC answer whose middle was dropped. */
const idPatterns = {
  head: /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,/,
  tail: /,\s*"id"\s*:\s*(\d+)\s*\}\s*$/,
} as const;

function idIn(pattern: RegExp, bytes: Buffer | undefined): number | undefined {
  const id = pattern.exec(bytes?.toString('latin1') ?? '')?.[1];
  return id === undefined || id.length > 15 ? undefined : Number(id);
}

/** Splits bytes into lines. A line over the limit is dropped, and reported with the JSON-RPC id at its head or tail. */
export class LineReader {
  /** Called when a line exceeds the limit, and again at its end if its id was not at the head. */
  onOverflow: ((id: number | undefined, ended: boolean) => void) | undefined;
  readonly #limit: number;
  readonly #onLine: (line: string) => void;
  #parts: Buffer[] = [];
  #size = 0;
  /** Whether the id of the current line was reported. */
  #idReported = false;

  /** @param limit bytes of one line */
  constructor(limit: number, onLine: (line: string) => void) {
    this.#limit = limit;
    this.#onLine = onLine;
  }

  /** Bytes of the current line. */
  get size(): number {
    return this.#size;
  }

  take(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#add(chunk.subarray(from, end));
      this.#flush();
      from = end + 1;
    }
    if (from < chunk.byteLength) this.#add(chunk.subarray(from));
  }

  #add(piece: Buffer): void {
    const before = this.#size;
    this.#size += piece.byteLength;
    if (this.#size <= this.#limit) {
      this.#parts.push(piece);
      return;
    }
    const [first = piece, ...rest] = this.#parts;
    const last = Buffer.concat([...rest.slice(-1), piece]).subarray(-retained);
    // Copies, so that the original chunks can be freed.
    const head = Buffer.from(first.subarray(0, retained));
    this.#parts = [head, Buffer.from(last)];
    if (before > this.#limit) return;
    const id = idIn(idPatterns.head, head);
    this.#idReported = id !== undefined;
    this.onOverflow?.(id, false);
  }

  #flush(): void {
    const parts = this.#parts;
    const tooLong = this.#size > this.#limit;
    this.#parts = [];
    this.#size = 0;
    if (!tooLong) this.#onLine(Buffer.concat(parts).toString('utf8'));
    else if (!this.#idReported) this.onOverflow?.(idIn(idPatterns.tail, parts[1]), true);
    this.#idReported = false;
  }
}
