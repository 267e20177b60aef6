import { A2AError } from '../core/model/errors.ts';
import type { InboundBuffer } from './inbound-buffer.ts';

/** The framing of gRPC, gRPC-Web and Connect's streams: messages with a prefix of five bytes (flags, length). */

/** Bits of an envelope's first byte. */
export const flags = { compressed: 0x01, connectEnd: 0x02, webTrailers: 0x80 } as const;

/** One prefixed message. */
export interface Envelope<Bytes extends Uint8Array = Uint8Array> {
  readonly flags: number;
  readonly data: Bytes;
}

export const prefixLength = 5;

/**
 * Writes a message with its prefix.
 *
 * @param out buffer with room for both
 */
export function writeEnvelope<Bytes extends Uint8Array>(out: Bytes, data: Uint8Array, flag = 0): Bytes {
  const { length } = data;
  out[0] = flag;
  out[1] = length >>> 24;
  out[2] = length >>> 16;
  out[3] = length >>> 8;
  out[4] = length;
  out.set(data, prefixLength);
  return out;
}

export interface EnvelopeLimits {
  /** Maximum size of one message in bytes. */
  readonly limit: number;
  /** Called with the size of a message before the message is buffered. Throws to refuse the message. */
  readonly admit?: ((size: number) => void) | undefined;
}

/** Splits a body into envelopes; a chunk may end anywhere. */
export class EnvelopeReader<Bytes extends Uint8Array> {
  readonly #createBuffer: () => InboundBuffer<Bytes>;
  readonly #limits: EnvelopeLimits;
  /** Start of an envelope that is still incomplete. Most envelopes arrive in one chunk. */
  #partial: InboundBuffer<Bytes> | undefined;
  /** Bytes needed to continue: the prefix, or the whole envelope once its size has been admitted. */
  #needed = prefixLength;

  constructor(createBuffer: () => InboundBuffer<Bytes>, limits: EnvelopeLimits) {
    this.#createBuffer = createBuffer;
    this.#limits = limits;
  }

  /**
   * Returns the envelopes that this chunk completes.
   *
   * @throws A2AError `payloadTooLarge`, and the errors of `admit`
   */
  read(chunk: Bytes): Envelope<Bytes>[] {
    let bytes = chunk;
    if (this.#partial) {
      this.#partial.push(chunk);
      if (this.#partial.size < this.#needed) return [];
      bytes = this.#partial.join();
      this.#partial = undefined;
    }
    const { limit, admit } = this.#limits;
    const found: Envelope<Bytes>[] = [];
    let at = 0;
    while (bytes.length - at >= prefixLength) {
      const size = sizeAt(bytes, at + 1);
      if (size > limit) throw new A2AError('payloadTooLarge', `The message is larger than ${limit} bytes`);
      if (this.#needed === prefixLength) admit?.(size);
      this.#needed = prefixLength + size;
      const end = at + this.#needed;
      if (end > bytes.length) break;
      found.push({ flags: bytes[at] as number, data: bytes.subarray(at + prefixLength, end) as Bytes });
      at = end;
      this.#needed = prefixLength;
    }
    if (at < bytes.length) {
      this.#partial = this.#createBuffer();
      this.#partial.push(at === 0 ? bytes : (bytes.subarray(at) as Bytes));
    }
    return found;
  }

  /** Whether the bytes read so far end within an envelope. */
  get unfinished(): boolean {
    return this.#partial !== undefined;
  }
}

/** Reads an unsigned 32-bit integer, big-endian. */
const sizeAt = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)) >>>
  0;
