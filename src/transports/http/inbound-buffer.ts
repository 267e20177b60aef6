/** Chunks are joined in groups of this size: a chunk object takes a hundred times the memory of a one-byte chunk. */
const groupSize = 128;

/** Collects the chunks of a body, or of one message in it, until it is complete. */
export class InboundBuffer {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Chunks at the end that have not been joined. */
  #unjoined = 0;

  get size(): number {
    return this.#size;
  }

  push(chunk: Buffer): void {
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    this.#unjoined += 1;
    if (this.#unjoined < groupSize) return;
    this.#chunks.push(Buffer.concat(this.#chunks.splice(-groupSize)));
    this.#unjoined = 0;
  }

  /** All bytes that have arrived, as one buffer. */
  join(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#size);
  }
}
