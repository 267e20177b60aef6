import { A2AError } from '../../core/model/errors.ts';
import { InboundBuffer } from '../http/body.ts';

/** The framing of gRPC, gRPC-Web and Connect's streams: messages with a prefix of five bytes (flags, length). */

/** Bits of an envelope's first byte. */
export const flags = { compressed: 0x01, connectEnd: 0x02, webTrailers: 0x80 } as const;

/** One prefixed message. */
export interface Envelope {
  readonly flags: number;
  readonly data: Buffer;
}

const prefixLength = 5;

/** A message with its prefix. */
export function envelope(data: Uint8Array, flag = 0): Buffer {
  const { length } = data;
  const out = Buffer.allocUnsafe(prefixLength + length);
  out[0] = flag;
  out.writeUInt32BE(length, 1);
  out.set(data, prefixLength);
  return out;
}

/** Splits a body into envelopes, at any chunk boundaries. */
export class EnvelopeReader {
  readonly #limit: number;
  readonly #admit: ((size: number) => void) | undefined;
  /** The start of an envelope whose end has not arrived. Most arrive in one chunk. */
  #partial: InboundBuffer | undefined;
  /** Bytes needed to continue: a prefix, or the whole envelope once its size has been admitted. */
  #needed = prefixLength;

  /**
   * @param limit bytes of one message
   * @param admit called with a message's size before the message is buffered; throws to refuse it
   */
  constructor(limit: number, admit?: (size: number) => void) {
    this.#limit = limit;
    this.#admit = admit;
  }

  /** The envelopes that this chunk completes. Throws A2AError `payloadTooLarge`, and what `admit` throws. */
  read(chunk: Buffer): Envelope[] {
    let bytes = chunk;
    if (this.#partial) {
      this.#partial.push(chunk);
      if (this.#partial.size < this.#needed) return [];
      bytes = this.#partial.join();
      this.#partial = undefined;
    }
    const found: Envelope[] = [];
    let at = 0;
    while (bytes.length - at >= prefixLength) {
      const size = bytes.readUInt32BE(at + 1);
      if (size > this.#limit) {
        throw new A2AError('payloadTooLarge', `The message is larger than ${this.#limit} bytes`);
      }
      if (this.#needed === prefixLength) this.#admit?.(size);
      this.#needed = prefixLength + size;
      const end = at + this.#needed;
      if (end > bytes.length) break;
      found.push({ flags: bytes.readUInt8(at), data: bytes.subarray(at + prefixLength, end) });
      at = end;
      this.#needed = prefixLength;
    }
    if (at < bytes.length) {
      this.#partial = new InboundBuffer();
      this.#partial.push(at === 0 ? bytes : bytes.subarray(at));
    }
    return found;
  }

  /** Whether the bytes so far end within an envelope. */
  get unfinished(): boolean {
    return this.#partial !== undefined;
  }
}
