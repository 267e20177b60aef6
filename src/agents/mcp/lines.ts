/** Bytes that are kept of either end of a line that is too long. */
const kept = 512;

/** Where an answer of JSON-RPC has its id, when the rest of it is gone: before everything else, or after it. */
const places = [
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/,
  /,\s*"id"\s*:\s*(\d{1,15})\s*\}\s*$/,
];

/** Makes lines of bytes. A line that is too long is not held: what is said of it is the id at one of its ends. */
export class LineReader {
  /** Told of a line that was too long, with the request that it answers, if that can be seen. */
  onOverflow: ((id: number | undefined) => void) | undefined;
  readonly #limit: number;
  readonly #onLine: (line: string) => void;
  #parts: Buffer[] = [];
  #size = 0;

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
    this.#size += piece.byteLength;
    if (this.#size <= this.#limit) {
      this.#parts.push(piece);
      return;
    }
    const [first = piece, ...rest] = this.#parts;
    const last = Buffer.concat([...rest.slice(-1), piece]).subarray(-kept);
    // Copies, so that the chunks that they are cut from can go.
    this.#parts = [Buffer.from(first.subarray(0, kept)), Buffer.from(last)];
  }

  #flush(): void {
    const parts = this.#parts;
    const tooLong = this.#size > this.#limit;
    this.#parts = [];
    this.#size = 0;
    if (!tooLong) {
      this.#onLine(Buffer.concat(parts).toString('utf8'));
      return;
    }
    const [head = '', tail = ''] = parts.map((part) => part.toString('latin1'));
    const found = places[0]?.exec(head) ?? places[1]?.exec(tail);
    this.onOverflow?.(found ? Number(found[1]) : undefined);
  }
}
