import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { Reservation } from '../../core/limits/reservation.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Principal } from '../../core/model/principal.ts';
import { InboundBuffer } from '../http/inbound-buffer.ts';
import { countCall, type Http2Connection } from '../listener/http2-compat.ts';
import type { Linked } from '../listener/linked-list.ts';
import { readTimeoutFor, type SlowReader } from '../listener/slow-readers.ts';
import { decompress } from '../rpc/decompress.ts';
import { type StatusOfError, statusHeaders, statusOfError } from '../rpc/errors.ts';

const compressions = ['gzip', 'deflate'] as const;

const { NGHTTP2_NO_ERROR, NGHTTP2_ENHANCE_YOUR_CALM } = constants;
const ignore = (): void => {};
const tooSlow = 'The stream is read too slowly; subscribe again to go on';
/** Bytes of an answer that are worth watching at once; who does not take a smaller one is found in time. */
const large = 64 * 1024;
const units = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };
/** The longest that a timer can wait. */
const maxTimer = 2 ** 31 - 1;

/**
 * One call as gRPC frames it over HTTP/2 (PROTOCOL-HTTP2.md of gRPC): headers, messages with a prefix of five bytes each
 * way, trailers with the status. Subclasses say what the call means.
 *
 * Written on Node's HTTP/2 rather than on grpc-js: there a request is read and decoded before anybody can tell who sends
 * it, every streamed message waits for the one before it to be written, and a call costs half as much again.
 */
export abstract class GrpcStream implements Linked<GrpcStream>, SlowReader {
  previous: GrpcStream | undefined;
  next: GrpcStream | undefined;
  /** When it began: milliseconds since the epoch. */
  readonly began: number = Date.now();
  /** When the caller wants its answer: milliseconds since the epoch. */
  deadline: number | undefined;
  readonly connection: Http2Connection;
  /** Whom what waits is counted for, as soon as it is known. */
  caller: string | undefined;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #limit: number;
  #timer: NodeJS.Timeout | undefined;
  /** A status was sent, or the client is gone: nothing more can be said. */
  #over = false;
  #complete = false;
  /** A message that is not whole yet. Most come in one piece. */
  #buffer: InboundBuffer | undefined;
  /** Bytes of messages that were written. */
  #written = 0;
  /** Set while messages are being decompressed, so that those behind them wait. */
  #queue: Promise<void> | undefined;

  /** @param limit bytes of one message, uncompressed */
  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Http2Connection, limit: number) {
    this.#stream = stream;
    this.#headers = headers;
    this.#limit = limit;
    this.connection = connection;
    // An error has a 'close' after it, which tells all that there is to do.
    stream.on('error', ignore);
    countCall(stream, connection);
    stream.on('close', () => {
      clearTimeout(this.#timer);
      connection.slow.delete(this);
      this.left();
      if (!this.#over) this.#finish(new A2AError('canceled'));
    });
  }

  /** Called once, when the call is in the list of those under way. */
  abstract start(): void;
  /** A message of the client. */
  protected abstract received(message: Buffer): void;
  /** The client has sent all that it wants to send. */
  protected abstract halfClosed(): void;
  /** The call ends before its time: by the client, by its deadline, or by an error that it is told. */
  protected abstract aborted(reason: A2AError): void;
  /** The stream is closed, however the call ended. */
  protected abstract left(): void;
  /** What an answer that is an error has in its headers. */
  protected abstract errorHeaders(error: A2AError): OutgoingHttpHeaders;

  /** How the call's service tells errors. */
  protected get tellError(): StatusOfError {
    return statusOfError;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Whether it still waits for what every call of its kind begins with. */
  get arriving(): boolean {
    return !this.#complete;
  }

  get remoteAddress(): string {
    return this.connection.remoteAddress;
  }

  /** Bytes that the client has not made room for. */
  get pendingBytes(): number {
    return this.#stream.destroyed ? 0 : this.#stream.writableLength;
  }

  get progress(): number {
    // Whoever is told of the end has as long again to read it.
    return this.#written - this.#stream.writableLength + (this.#over ? 1 : 0);
  }

  /** Ends the call without waiting for what is still to be read; gRPC knows the code as RESOURCE_EXHAUSTED. */
  disconnect(): void {
    this.#finish(new A2AError('tooManyRequests', tooSlow));
    this.#stream.close(NGHTTP2_ENHANCE_YOUR_CALM);
  }

  get host(): string | undefined {
    return this.#headers[':authority'] ?? this.#headers.host;
  }

  /** HTTP/1.1 has no gRPC. */
  readonly httpVersion = '2.0';

  headerNames(): readonly string[] {
    return Object.keys(this.#headers);
  }

  header(name: string): string | undefined {
    if (name === 'host') return this.host;
    const value = this.#headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }

  /** Starts the clock of the call's deadline. Throws A2AError `invalidRequest` for a `grpc-timeout` that is none. */
  protected startDeadline(): void {
    const given = this.#headers['grpc-timeout'];
    if (given === undefined) return;
    const [, amount, unit] = /^(\d{1,8})([HMSmun])$/.exec(String(given)) ?? [];
    if (amount === undefined) throw new A2AError('invalidRequest', 'grpc-timeout is not a timeout');
    const left = Number(amount) * units[unit as keyof typeof units];
    this.deadline = this.began + left;
    this.#timer = setTimeout(() => this.fail(new A2AError('deadlineExceeded')), Math.min(left, maxTimer));
  }

  /** Called before a message of so many bytes is read. Throws A2AError `unavailable` when there is no room for it. */
  protected admit(_size: number): void {}

  /** Room for the call's request and its answer. */
  protected reservationFor(principal: Principal): Reservation {
    const reservation = new Reservation(this.connection.slow.budget, principal, this.#stream, this.connection);
    this.caller = reservation.caller;
    return reservation;
  }

  /** Starts to read; before, no more of the body comes than fits into a window of HTTP/2. */
  protected read(): void {
    this.#stream.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#stream.on('end', () => this.#ended());
  }

  /** Stops to read until `resume`. */
  protected pause(): void {
    this.#stream.pause();
  }

  protected resume(): void {
    if (!this.#over) this.#stream.resume();
  }

  #take(chunk: Buffer): void {
    if (this.#over) return;
    let bytes = chunk;
    const buffer = this.#buffer;
    if (buffer) {
      const isNew = buffer.size < 5;
      buffer.push(chunk);
      if (buffer.size < 5) return;
      const size = buffer.uint32(1);
      if (isNew && !this.#admits(size)) return;
      if (buffer.size < 5 + size) return;
      bytes = buffer.join();
      this.#buffer = undefined;
    }
    let at = 0;
    while (bytes.length - at >= 5) {
      const size = bytes.readUInt32BE(at + 1);
      if (!this.#admits(size)) return;
      const end = at + 5 + size;
      if (end > bytes.length) break;
      this.#deliver(bytes.readUInt8(at), bytes.subarray(at + 5, end));
      if (this.#over) return;
      at = end;
    }
    if (at === bytes.length) return;
    this.#buffer = new InboundBuffer();
    this.#buffer.push(at === 0 ? bytes : bytes.subarray(at));
  }

  /** Whether a message of so many bytes is read. Otherwise the call has failed. */
  #admits(size: number): boolean {
    try {
      if (size > this.#limit) {
        throw new A2AError('payloadTooLarge', `The message is larger than ${this.#limit} bytes`);
      }
      this.admit(size);
      return true;
    } catch (thrown) {
      this.fail(thrown);
      return false;
    }
  }

  #deliver(compressed: number, message: Buffer): void {
    if (compressed === 0 && !this.#queue) {
      this.received(message);
      return;
    }
    const before = this.#queue ?? Promise.resolve();
    this.#queue = before
      .then(() => (compressed === 0 ? message : this.#decompress(message)))
      .then(
        (plain) => {
          if (!this.#over && this.#admits(plain.length)) this.received(plain);
        },
        (thrown) => this.fail(thrown),
      );
  }

  #decompress(message: Buffer): Promise<Buffer> {
    return decompress(String(this.#headers['grpc-encoding'] ?? 'identity'), compressions, message, this.#limit);
  }

  #ended(): void {
    this.#complete = true;
    if (this.#over) return;
    if (this.#buffer) this.fail(new A2AError('invalidRequest', 'The body ends within a message'));
    else if (this.#queue) this.#queue.then(() => this.#over || this.halfClosed());
    else this.halfClosed();
  }

  /** The one message of a unary answer, and its end. */
  protected answer(message: Uint8Array, headers: OutgoingHttpHeaders, trailers?: OutgoingHttpHeaders): void {
    if (this.#over) return;
    this.begin(headers);
    this.#over = true;
    this.#closeWith({ 'grpc-status': 0, ...trailers });
    this.#written += message.length + 5;
    this.#stream.end(framed(message));
    if (message.length > large) this.connection.slow.add(this);
  }

  /** The headers of an answer that streams. */
  protected begin(headers: OutgoingHttpHeaders): void {
    const stream = this.#stream;
    if (this.#over || stream.headersSent || stream.destroyed || stream.closed) return;
    const all = {
      ':status': 200,
      'content-type': 'application/grpc+proto',
      'grpc-accept-encoding': accepted,
      ...headers,
    };
    stream.respond(all, { waitForTrailers: true });
  }

  /** One message of a stream. False when the client should read first: `drained` says when it has. */
  protected send(message: Uint8Array): boolean {
    if (this.#over) return true;
    this.#written += message.length + 5;
    return this.#stream.write(framed(message));
  }

  /**
   * Resolves when the client has read what was sent, or is gone.
   *
   * @param patience milliseconds after which a client that does not read is given up: then it rejects
   */
  protected drained(patience: number): Promise<void> {
    const stream = this.#stream;
    if (this.#over || !stream.writableNeedDrain) return Promise.resolve();
    this.connection.slow.add(this);
    return new Promise((resolve, reject) => {
      const settle = (error?: A2AError): void => {
        clearTimeout(timer);
        stream.off('drain', settle);
        stream.off('close', settle);
        if (error) reject(error);
        else resolve();
      };
      const timer = setTimeout(
        () => settle(new A2AError('tooManyRequests', tooSlow)),
        readTimeoutFor(stream.writableLength, patience),
      );
      stream.on('drain', settle);
      stream.on('close', settle);
    });
  }

  /** The end of a stream. */
  protected end(trailers?: OutgoingHttpHeaders): void {
    if (this.#over) return;
    this.#over = true;
    this.#closeWith({ 'grpc-status': 0, ...trailers });
    this.#stream.end();
  }

  /** Ends the call with an error, unless it has ended. */
  fail(thrown: unknown): void {
    if (this.#over) return;
    const error = A2AError.from(thrown);
    const headers = { ...statusHeaders(error, this.tellError), ...this.errorHeaders(error) };
    const stream = this.#stream;
    this.#finish(error);
    if (stream.headersSent) {
      this.#closeWith(headers);
      stream.end();
    } else if (!stream.destroyed && !stream.closed) {
      // A call without messages has its trailers in the headers.
      const all = { ':status': 200, 'content-type': 'application/grpc+proto', ...headers };
      stream.respond(all, { endStream: true });
    }
    // Whatever the client has still to send is of no use.
    if (!this.#complete) stream.close(NGHTTP2_NO_ERROR);
  }

  #closeWith(trailers: OutgoingHttpHeaders): void {
    const stream = this.#stream;
    stream.on('wantTrailers', () => {
      if (!stream.destroyed && !stream.closed) stream.sendTrailers(trailers);
    });
  }

  #finish(reason: A2AError): void {
    if (this.#over) return;
    this.#over = true;
    this.#buffer = undefined;
    this.aborted(reason);
  }
}

const accepted = 'identity,deflate,gzip';

/** A message with its prefix: not compressed, and its length. */
function framed(message: Uint8Array): Buffer {
  const { length } = message;
  const frame = Buffer.allocUnsafe(5 + length);
  frame[0] = 0;
  frame.writeUInt32BE(length, 1);
  frame.set(message, 5);
  return frame;
}
