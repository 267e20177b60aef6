/** Chunks that are joined to one, since a chunk of one byte costs a hundred times that. */
const loose = 128;

/** The chunks of a body, or of one message in it, until it is whole. */
export class InboundBuffer {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Chunks at the end that were not joined yet. */
  #loose = 0;

  /** Bytes that have arrived. */
  get size(): number {
    return this.#size;
  }

  push(chunk: Buffer): void {
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    this.#loose += 1;
    if (this.#loose < loose) return;
    this.#chunks.push(Buffer.concat(this.#chunks.splice(-loose)));
    this.#loose = 0;
  }

  /** The number that four bytes at `offset` are, which may lie in several chunks. They must have arrived. */
  uint32(offset: number): number {
    const [first] = this.#chunks;
    if (first && first.length >= offset + 4) return first.readUInt32BE(offset);
    return Buffer.concat(this.#chunks, offset + 4).readUInt32BE(offset);
  }

  /** All that arrived, in one. */
  join(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#size);
  }
}
