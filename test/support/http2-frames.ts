import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Changes } from './until.ts';

/** HTTP/2 frame by frame (RFC 9113), for clients that no library would be rude enough for. */

export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flag = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

export const setting = { headerTableSize: 1, enablePush: 2, maxStreams: 3, windowSize: 4, frameSize: 5 } as const;

export const preface: Buffer = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** One frame; `length` may lie. */
export function frame(
  type: number,
  flags = 0,
  stream = 0,
  payload: Uint8Array = new Uint8Array(),
  length = payload.length,
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A number as frames carry it. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function settings(...entries: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(entries.length * 6);
  entries.forEach(([id, value], index) => {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  });
  return frame(frameType.settings, 0, 0, payload);
}

/** HPACK (RFC 7541): an integer with a prefix of `bits`. */
function integer(value: number, bits: number, first = 0): Buffer {
  const max = 2 ** bits - 1;
  if (value < max) return Buffer.of(first | value);
  const bytes = [first | max];
  let left = value - max;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return Buffer.from([...bytes, left]);
}

const literal = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([integer(bytes.length, 7), bytes]);
};

/** Fields as literals without indexing and without Huffman coding. */
export const hpack = (fields: readonly (readonly [string, string])[]): Buffer =>
  Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), literal(name), literal(value)]));

/** A field that goes into the dynamic table as its first entry, and afterwards stands for itself in one byte. */
export const remembered = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.of(0x40), literal(name), literal(value)]);
export const again: Buffer = Buffer.of(0x80 | 62);

/** The head of a gRPC call. */
export const callHead = (path: string, more: readonly (readonly [string, string])[] = []): Buffer =>
  hpack([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'localhost'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
    ...more,
  ]);

/** A frame that came. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** A connection with prior knowledge. It sends and acknowledges only what its methods are called for. */
export class RawHttp2 {
  readonly socket: Socket;
  readonly frames: Frame[] = [];
  closed = false;
  #rest: Buffer = Buffer.alloc(0);
  #keep = true;
  readonly #changes = new Changes();

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed = true;
      this.#changes.happened();
    });
    socket.on('data', (chunk: Buffer) => {
      this.#read(chunk);
      this.#changes.happened();
    });
  }

  /** Connects and sends the preface and these settings. */
  static async open(port: number, first: Buffer = settings()): Promise<RawHttp2> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return RawHttp2.over(socket, first);
  }

  /** Sends the preface and these settings over a connection. */
  static over(socket: Socket, first: Buffer = settings()): RawHttp2 {
    const opened = new RawHttp2(socket);
    opened.send(preface, first);
    return opened;
  }

  #read(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 9) {
      const end = 9 + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < end) return;
      const [type, flags] = [this.#rest.readUInt8(3), this.#rest.readUInt8(4)];
      const stream = this.#rest.readUInt32BE(5) & 0x7fffffff;
      if (this.#keep) this.frames.push({ type, flags, stream, payload: this.#rest.subarray(9, end) });
      this.#rest = this.#rest.subarray(end);
    }
  }

  /** Sends bytes as they are. */
  send(...parts: readonly Uint8Array[]): boolean {
    return this.socket.write(Buffer.concat(parts));
  }

  /** Sends bytes, and waits while the other side takes none, but no longer than `timeoutMs` milliseconds. */
  async push(bytes: Uint8Array, timeoutMs = 1_000): Promise<void> {
    if (this.closed || this.send(bytes)) return;
    const enough = AbortSignal.timeout(timeoutMs);
    const ended = Promise.withResolvers<void>();
    const go = (): void => ended.resolve();
    this.socket.once('drain', go).once('close', go);
    enough.addEventListener('abort', go);
    await ended.promise;
    this.socket.off('drain', go).off('close', go);
  }

  /** Frames of a type, or all. */
  of(type: number): Frame[] {
    return this.frames.filter((found) => found.type === type);
  }

  /** Resolves once something holds of what has come. */
  async until(check: (raw: this) => boolean): Promise<void> {
    await this.#changes.until(() => check(this));
  }

  /** Error code of the GOAWAY that came. */
  get goaway(): number | undefined {
    return this.of(frameType.goaway)[0]?.payload.readUInt32BE(4);
  }

  close(): void {
    this.socket.destroy();
  }
}
