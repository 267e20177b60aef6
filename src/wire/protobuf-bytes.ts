import type { Tracker } from './protobuf-tracker.ts';

// Reads and writes the protobuf wire format byte by byte. Also runs in browsers, which lack `Buffer`.

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strictDecoder = new TextDecoder('utf-8', { fatal: true });

const isNode = globalThis.Buffer !== undefined;

/** Wire types of protobuf. */
export const wireType = { varint: 0, bits64: 1, delimited: 2, startGroup: 3, endGroup: 4, bits32: 5 } as const;

/**
 * Maximum characters of a text that is encoded in JavaScript, which is faster than calling Node's functions. In UTF-8
 * it takes fewer than 128 bytes, so its length fits one byte.
 */
const shortText = 40;

/** Maximum bytes of a text that is decoded in JavaScript. */
const shortKey = 6;

/** Scratch buffer for numbers of 4 and 8 bytes. */
export const bits = new DataView(new ArrayBuffer(8));
const bitBytes = new Uint8Array(bits.buffer);

const varintSize = (value: number): number =>
  value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;

/** Returns the bytes as a Buffer in Node, whose methods are faster. */
const fast = (bytes: Uint8Array): Uint8Array =>
  isNode && !Buffer.isBuffer(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes;

const allocate = (size: number): Uint8Array<ArrayBuffer> => (isNode ? Buffer.allocUnsafe(size) : new Uint8Array(size));

const writeUtf8: (text: string, to: Uint8Array, at: number) => number = isNode
  ? (text, to, at) => (to as Buffer).write(text, at)
  : (text, to, at) => encoder.encodeInto(text, to.subarray(at)).written;

const writeBase64: (text: string, to: Uint8Array, at: number) => number = isNode
  ? (text, to, at) => (to as Buffer).write(text, at, 'base64')
  : (text, to, at) => {
      const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
      to.set(bytes, at);
      return bytes.length;
    };

const readUtf8: (from: Uint8Array, start: number, end: number) => string = isNode
  ? (from, start, end) => (from as Buffer).toString('utf8', start, end)
  : (from, start, end) => decoder.decode(from.subarray(start, end));

const readBase64: (from: Uint8Array, start: number, end: number) => string = isNode
  ? (from, start, end) => (from as Buffer).toString('base64', start, end)
  : (from, start, end) => btoa(Array.from(from.subarray(start, end), (byte) => String.fromCharCode(byte)).join(''));

/** Writes messages, one after another, to a buffer that grows. */
export class Writer {
  #bytes: Uint8Array;
  #at = 0;

  constructor(size: number) {
    this.#bytes = allocate(size);
  }

  /** Size of the buffer in bytes. */
  get size(): number {
    return this.#bytes.length;
  }

  /** Returns a copy of the written bytes and begins the next message. */
  finish(): Uint8Array<ArrayBuffer> {
    const result = allocate(this.#at);
    result.set(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    return result;
  }

  /** Makes room for `size` bytes. */
  #reserve(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const larger = allocate(Math.max(this.#at + size, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }

  /** Writes an unsigned 32-bit integer, such as a tag. */
  uint32(value: number): void {
    if (value < 0x80 && this.#at < this.#bytes.length) {
      this.#bytes[this.#at++] = value;
      return;
    }
    this.#reserve(5);
    this.#varint(value);
  }

  #varint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#at++] = rest;
  }

  /** Writes a 64-bit integer, given as its low and high 32 bits. */
  varint64(low: number, high: number): void {
    this.#reserve(10);
    let [lo, hi] = [low >>> 0, high >>> 0];
    while (hi !== 0) {
      this.#bytes[this.#at++] = (lo & 0x7f) | 0x80;
      lo = ((lo >>> 7) | (hi << 25)) >>> 0;
      hi >>>= 7;
    }
    this.#varint(lo);
  }

  /** Writes the first `size` bytes of `bits`. */
  bits(size: 4 | 8): void {
    this.#reserve(size);
    for (let i = 0; i < size; i++) this.#bytes[this.#at++] = bitBytes[i] as number;
  }

  double(value: number): void {
    bits.setFloat64(0, value, true);
    this.bits(8);
  }

  text(text: string): void {
    const { length } = text;
    this.#reserve(3 * length + 5);
    if (length <= shortText) {
      const start = this.#at + 1;
      let i = 0;
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code > 0x7f) break;
        this.#bytes[start + i] = code;
      }
      if (i === length) {
        this.#bytes[start - 1] = length;
        this.#at = start + length;
        return;
      }
    }
    this.#counted(varintSize(length), (start) => writeUtf8(text, this.#bytes, start));
  }

  bytes(value: string | Uint8Array): void {
    const size = typeof value === 'string' ? Math.floor((value.length * 3) / 4) : value.length;
    this.#reserve(size + 8);
    this.#counted(varintSize(size), (start) => {
      if (typeof value === 'string') return writeBase64(value, this.#bytes, start);
      this.#bytes.set(value, start);
      return size;
    });
  }

  /**
   * Writes a length followed by bytes, in reserved space.
   *
   * @param prefix expected size of the length in bytes
   * @param write writes the bytes from `start`, and returns their number
   */
  #counted(prefix: number, write: (start: number) => number): void {
    const start = this.#at + prefix;
    const size = write(start);
    const needed = varintSize(size);
    if (needed !== prefix) this.#bytes.copyWithin(this.#at + needed, start, start + size);
    this.#varint(size);
    this.#at += size;
  }

  /** Begins a length-delimited part. Returns the argument for `close`. */
  open(): number {
    if (this.#at === this.#bytes.length) this.#reserve(1);
    return ++this.#at;
  }

  close(start: number): void {
    const size = this.#at - start;
    if (size < 0x80) {
      this.#bytes[start - 1] = size;
      return;
    }
    const more = varintSize(size) - 1;
    this.#reserve(more);
    this.#bytes.copyWithin(start + more, start, this.#at);
    this.#at = start - 1;
    this.#varint(size);
    this.#at += size;
  }
}

/** Reads one message. */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  at = 0;
  /** Nesting depth of the message at the current position. */
  depth = 0;
  /** Low and high 32 bits of the last `varint64`. */
  low = 0;
  high = 0;
  /** Whether bytes stay bytes, and lists and maps are present even if empty. Otherwise bytes become base64. */
  readonly raw: boolean;
  /** Tracks the position and counts values. Absent for messages that cannot exceed a limit. */
  readonly tracker: Tracker | undefined;

  constructor(bytes: Uint8Array, raw: boolean, tracker?: Tracker) {
    this.#bytes = fast(bytes);
    this.#end = bytes.length;
    this.raw = raw;
    this.tracker = tracker;
  }

  get size(): number {
    return this.#end;
  }

  #byte(): number {
    if (this.at >= this.#end) throw new RangeError('premature end');
    return this.#bytes[this.at++] as number;
  }

  /** Reads the low 32 bits of an integer. */
  uint32(): number {
    const first = this.at < this.#end ? (this.#bytes[this.at] as number) : 0xff;
    if (first < 0x80) {
      this.at++;
      return first;
    }
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new RangeError('invalid varint');
  }

  /** Reads a tag or a length: at most five bytes and 32 bits. A longer one is refused, since it would be truncated. */
  prefix(): number {
    const first = this.at < this.#end ? (this.#bytes[this.at] as number) : 0xff;
    if (first < 0x80) {
      this.at++;
      return first;
    }
    let value = 0;
    for (let shift = 0; shift <= 28; shift += 7) {
      const byte = this.#byte();
      value |= (byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      if (shift === 28 && byte > 0x0f) break;
      return value >>> 0;
    }
    throw new RangeError('a tag or a length has more than 32 bits');
  }

  /** Reads a 64-bit integer into `low` and `high`. */
  varint64(): void {
    let [low, high] = [0, 0];
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      if (shift < 32) low |= (byte & 0x7f) << shift;
      if (shift === 28) high = (byte & 0x7f) >> 4;
      else if (shift > 28) high |= (byte & 0x7f) << (shift - 32);
      if (byte >= 0x80) continue;
      this.low = low;
      this.high = high;
      return;
    }
    throw new RangeError('invalid varint');
  }

  /** Reads `size` bytes into `bits`. */
  bits(size: 4 | 8): void {
    const start = this.#skip(size);
    for (let i = 0; i < size; i++) bitBytes[i] = this.#bytes[start + i] as number;
  }

  double(): number {
    this.bits(8);
    return bits.getFloat64(0, true);
  }

  bool(): boolean {
    this.varint64();
    return (this.low | this.high) !== 0;
  }

  /** Reads a length and returns the end of the part that follows. */
  endOfPart(): number {
    const end = this.prefix() + this.at;
    if (end > this.#end) throw new RangeError('premature end');
    return end;
  }

  /** Skips bytes and returns their start. */
  #skip(size: number): number {
    const start = this.at;
    this.at += size;
    if (this.at > this.#end) throw new RangeError('premature end');
    return start;
  }

  /** @throws RangeError for invalid UTF-8, as proto3 requires, unless the tracker mends it */
  text(): string {
    const end = this.endOfPart();
    const start = this.at;
    this.at = end;
    if (end - start <= shortKey) {
      let ascii = '';
      let at = start;
      for (; at < end && (this.#bytes[at] as number) < 0x80; at++) {
        ascii += String.fromCharCode(this.#bytes[at] as number);
      }
      if (at === end) return ascii;
    }
    const text = readUtf8(this.#bytes, start, end);
    // Invalid bytes become U+FFFD, which is otherwise rare.
    if (text.includes('\uFFFD') && !isUtf8(this.#bytes.subarray(start, end))) {
      if (!this.tracker?.mends) throw new RangeError('invalid UTF-8');
      this.tracker.note('has bytes that are not UTF-8');
    }
    return text;
  }

  /** Reads bytes as a copy, because the underlying buffer may be reused. */
  bytes(): string | Uint8Array {
    const end = this.endOfPart();
    const start = this.at;
    this.at = end;
    if (!this.raw) return readBase64(this.#bytes, start, end);
    const copy = new Uint8Array(this.#bytes.subarray(start, end));
    return fast(copy);
  }

  /** Skips an unknown field. */
  skipField(tag: number, depth = 100): void {
    if (tag < 8) throw new RangeError(`invalid tag ${tag}`);
    switch (tag & 7) {
      case wireType.varint:
        this.varint64();
        return;
      case wireType.bits64:
        this.#skip(8);
        return;
      case wireType.bits32:
        this.#skip(4);
        return;
      case wireType.delimited:
        this.at = this.endOfPart();
        return;
      case wireType.startGroup:
        this.#skipGroup(tag >>> 3, depth);
        return;
      default:
        throw new RangeError(`invalid tag ${tag}`);
    }
  }

  #skipGroup(number: number, depth: number): void {
    if (depth <= 0) throw new RangeError('groups are nested too deep');
    for (;;) {
      const tag = this.prefix();
      if ((tag & 7) === wireType.endGroup) {
        if (tag >>> 3 !== number) throw new RangeError('a group ends that did not begin');
        return;
      }
      this.skipField(tag, depth - 1);
    }
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    strictDecoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
