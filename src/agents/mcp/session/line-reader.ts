/** Bytes that are kept of either end of a line that is too long. */
const kept = 512;

/** Where an answer of JSON-RPC has its id, when the rest of it is gone: before everything else, or after it. */
const places = {
  head: /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,/,
  tail: /,\s*"id"\s*:\s*(\d+)\s*\}\s*$/,
} as const;

function idIn(place: RegExp, bytes: Buffer | undefined): number | undefined {
  const id = place.exec(bytes?.toString('latin1') ?? '')?.[1];
  return id === undefined || id.length > 15 ? undefined : Number(id);
}

/** Makes lines of bytes. A line that is too long is not held: what is said of it is the id at one of its ends. */
export class LineReader {
  /**
   * Told of a line that is too long, as soon as it is, and once more when it has ended where the request that it answers
   * could not be seen before.
   */
  onOverflow: ((id: number | undefined, ended: boolean) => void) | undefined;
  readonly #limit: number;
  readonly #onLine: (line: string) => void;
  #parts: Buffer[] = [];
  #size = 0;
  /** It was said of the line that has begun what it answers. */
  #told = false;

  /** @param limit bytes of one line */
  constructor(limit: number, onLine: (line: string) => void) {
    this.#limit = limit;
    this.#onLine = onLine;
  }

  /** Bytes of the line that has begun. */
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
    const last = Buffer.concat([...rest.slice(-1), piece]).subarray(-kept);
    // Copies, so that the chunks that they are cut from can go.
    const head = Buffer.from(first.subarray(0, kept));
    this.#parts = [head, Buffer.from(last)];
    if (before > this.#limit) return;
    const id = idIn(places.head, head);
    this.#told = id !== undefined;
    this.onOverflow?.(id, false);
  }

  #flush(): void {
    const parts = this.#parts;
    const tooLong = this.#size > this.#limit;
    this.#parts = [];
    this.#size = 0;
    if (!tooLong) this.#onLine(Buffer.concat(parts).toString('utf8'));
    else if (!this.#told) this.onOverflow?.(idIn(places.tail, parts[1]), true);
    this.#told = false;
  }
}
