/** Number of chunks that are joined at a time: a chunk object takes a hundred times the memory of a one-byte chunk. */
const groupSize = 128;

/** Joins chunks. */
export type Concat<Bytes extends Uint8Array> = (chunks: readonly Bytes[]) => Bytes;

/** Collects the chunks of a body, or of one message in it, until it is complete. */
export class InboundBuffer<Bytes extends Uint8Array> {
  readonly #concat: Concat<Bytes>;
  #chunks: Bytes[] = [];
  #size = 0;
  /** Number of chunks at the end that have not been joined. */
  #unjoined = 0;

  /** @param concat joins chunks of this type: `Buffer.concat` in Node, `concatBytes` in browsers */
  constructor(concat: Concat<Bytes>) {
    this.#concat = concat;
  }

  get size(): number {
    return this.#size;
  }

  push(chunk: Bytes): void {
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    this.#unjoined += 1;
    if (this.#unjoined < groupSize) return;
    this.#chunks.push(this.#concat(this.#chunks.splice(-groupSize)));
    this.#unjoined = 0;
  }

  /** Returns all bytes that have arrived, as one chunk. */
  join(): Bytes {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Bytes) : this.#concat(this.#chunks);
  }
}

/** Joins chunks in environments without `Buffer`. */
export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(chunks.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}
