import { A2AError } from '../../core/model/errors.ts';

/** The framing of Connect's streams and of gRPC-Web in browsers: messages with a prefix of five bytes (flags, length). */

/** Bits of an envelope's first byte. */
export const flags = { compressed: 0x01, connectEnd: 0x02, webTrailers: 0x80 } as const;

export interface Envelope {
  readonly flags: number;
  readonly data: Uint8Array;
}

const prefixLength = 5;

/** A message with its prefix. */
export function envelope(data: Uint8Array, flag = 0): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(prefixLength + data.length);
  out[0] = flag;
  new DataView(out.buffer).setUint32(1, data.length);
  out.set(data, prefixLength);
  return out;
}

/** Splits a body into envelopes, at any chunk boundaries. */
export class EnvelopeReader {
  readonly #limit: number;
  /** What has arrived of an envelope that is not complete. */
  #chunks: Uint8Array[] = [];
  #size = 0;
  /** Bytes that are needed to go on: a prefix, or a whole envelope. */
  #needed = prefixLength;

  /** @param limit bytes of one message */
  constructor(limit = 64 << 20) {
    this.#limit = limit;
  }

  /**
   * The envelopes that this chunk completes.
   *
   * @throws A2AError `invalidAgentResponse` for a message that is too large
   */
  read(chunk: Uint8Array): Envelope[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return [];
    const bytes = joined(this.#chunks, this.#size);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const found: Envelope[] = [];
    let at = 0;
    this.#needed = prefixLength;
    while (bytes.length - at >= prefixLength) {
      const size = view.getUint32(at + 1);
      if (size > this.#limit) {
        throw new A2AError('invalidAgentResponse', `A message of the stream is larger than ${this.#limit} bytes`);
      }
      const end = at + prefixLength + size;
      if (end > bytes.length) {
        this.#needed = prefixLength + size;
        break;
      }
      found.push({ flags: view.getUint8(at), data: bytes.subarray(at + prefixLength, end) });
      at = end;
    }
    const rest = bytes.subarray(at);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
    return found;
  }

  /** Whether the bytes so far end within an envelope. */
  get unfinished(): boolean {
    return this.#size > 0;
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks;
  if (only && chunks.length === 1) return only;
  const out = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}
