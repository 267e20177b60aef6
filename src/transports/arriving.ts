import { A2AError } from '../core/errors.ts';

/** Bytes of a body that nobody counts: with less than that everybody is served, whatever others send. */
const free = 65_536;
/** Pieces that are put together to one, since a piece of one byte costs a hundred times that. */
const loose = 128;

/** Bytes of bodies that are on their way and not whole, all connections together. */
export class ArrivingBytes {
  readonly #max: number;
  held = 0;

  /** @param max bytes; the beginning of each body is not counted */
  constructor(max: number = Number.POSITIVE_INFINITY) {
    this.#max = max;
  }

  /** Counts bytes more; false, and nothing counted, when that is too much. */
  take(bytes: number): boolean {
    if (this.held + bytes > this.#max) return false;
    this.held += bytes;
    return true;
  }
}

/** What is told to whom there is no room for. */
export const crowded = (): A2AError =>
  new A2AError('unavailable', 'Too many large requests are on their way', { retryAfter: 1 });

/** The pieces of a body, or of one message in it, as they come. */
export class Pieces {
  readonly #arriving: ArrivingBytes;
  #pieces: Buffer[] = [];
  #size = 0;
  /** Pieces at the end that were not put together yet. */
  #loose = 0;
  #counted = 0;

  constructor(arriving: ArrivingBytes) {
    this.#arriving = arriving;
  }

  /** Bytes that are there. */
  get size(): number {
    return this.#size;
  }

  /** Adds a piece; false when there is no room for it. */
  push(piece: Buffer): boolean {
    const size = this.#size + piece.length;
    if (size > free) {
      const more = size - free - this.#counted;
      if (!this.#arriving.take(more)) return false;
      this.#counted += more;
    }
    this.#size = size;
    this.#pieces.push(piece);
    this.#loose += 1;
    if (this.#loose === loose) {
      this.#pieces.push(Buffer.concat(this.#pieces.splice(-loose)));
      this.#loose = 0;
    }
    return true;
  }

  /** The number that four bytes at `offset` are, which may lie in several pieces. They must be there. */
  uint32(offset: number): number {
    const [first] = this.#pieces;
    if (first && first.length >= offset + 4) return first.readUInt32BE(offset);
    return Buffer.concat(this.#pieces, offset + 4).readUInt32BE(offset);
  }

  /** All that came, in one. Nothing is left. */
  join(): Buffer {
    const whole = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces, this.#size);
    this.clear();
    return whole;
  }

  clear(): void {
    this.#arriving.held -= this.#counted;
    this.#counted = 0;
    this.#pieces = [];
    this.#size = 0;
    this.#loose = 0;
  }
}
