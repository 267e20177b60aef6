import { A2AError } from '../../core/model/errors.ts';

/** Bits of an envelope's first byte. */
export const flags = { compressed: 0x01, connectEnd: 0x02, webTrailers: 0x80 } as const;

/** One prefixed message. */
export interface Envelope {
  readonly flags: number;
  readonly data: Buffer;
}

/** A prefix of five bytes (flags, length) and the data. */
export function envelope(data: Uint8Array, flag = 0): Buffer {
  const out = Buffer.allocUnsafe(5 + data.length);
  out.writeUInt8(flag, 0);
  out.writeUInt32BE(data.length, 1);
  out.set(data, 5);
  return out;
}

/** Takes envelopes out of bytes as they come. */
export class EnvelopeReader {
  readonly #limit: number;
  #rest: Buffer = Buffer.alloc(0);
  /** Chunks of an envelope that is not whole yet, so that a large one is put together once. */
  #waiting: Buffer[] = [];
  #have = 0;
  #need = 5;

  /** @param limit bytes of one message */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws A2AError `payloadTooLarge` */
  *read(chunk: Uint8Array): Generator<Envelope> {
    this.#waiting.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    this.#have += chunk.length;
    if (this.#have < this.#need) return;
    this.#rest = this.#waiting.length === 1 ? (this.#waiting[0] as Buffer) : Buffer.concat(this.#waiting);
    this.#need = 5;
    while (this.#rest.length >= 5) {
      const length = this.#rest.readUInt32BE(1);
      if (length > this.#limit) {
        throw new A2AError('payloadTooLarge', `A message is larger than ${this.#limit} bytes`);
      }
      this.#need = 5 + length;
      if (this.#rest.length < this.#need) break;
      const found = { flags: this.#rest.readUInt8(0), data: this.#rest.subarray(5, this.#need) };
      this.#rest = this.#rest.subarray(this.#need);
      this.#need = 5;
      yield found;
    }
    this.#waiting = [this.#rest];
    this.#have = this.#rest.length;
  }

  /** Whether bytes of an unfinished envelope are left. */
  get unfinished(): boolean {
    return this.#have > 0;
  }
}
