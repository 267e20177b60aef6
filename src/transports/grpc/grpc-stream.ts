import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Linked } from '../../core/collections/linked-list.ts';
import { Reservation } from '../../core/limits/memory-budget.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Principal } from '../../core/model/principal.ts';
import { longestTimer, steadyNow } from '../../core/model/timing.ts';
import { compressionOf, decompress, grpcAcceptEncoding, grpcCompressions } from '../http/decompress.ts';
import { callEnded, type Http2Connection, stopRequest } from '../listener/http2-compat.ts';
import { drained, type SlowReader } from '../listener/slow-readers.ts';
import { EnvelopeReader, envelope } from '../rpc/envelope.ts';
import { metadataOf, statusHeaders } from '../rpc/errors.ts';
import { parseGrpcTimeout } from '../rpc/rpc.ts';

/** The first headers of every answer with messages. */
const answerHead = [
  ...[':status', '200', 'content-type', 'application/grpc+proto'],
  ...['grpc-accept-encoding', grpcAcceptEncoding],
];
const withTrailers = { waitForTrailers: true };

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
/** Whether this Node takes a flat list of headers, as 22.20, 24.7 and later versions do. */
const takesLists = major > 24 || (major === 24 && minor >= 7) || (major === 22 && minor >= 20);

/** Returns the supported compressions, for a client that has used another one. */
const accepted = ({ kind }: A2AError) => kind === 'unimplemented' && { 'grpc-accept-encoding': grpcAcceptEncoding };

const { NGHTTP2_ENHANCE_YOUR_CALM } = constants;
const tooSlow = 'The client reads the stream too slowly; subscribe again to resume';
/** Answers of more bytes are watched at once. The periodic check finds clients that do not read smaller ones. */
const large = 64 * 1024;

export interface IncomingCall {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly connection: Http2Connection;
  /** Called when the stream is closed, however the call ended. */
  readonly onClosed: (call: GrpcStream) => void;
}

/**
 * One call in gRPC's framing over HTTP/2 (gRPC's PROTOCOL-HTTP2.md): headers, messages with a prefix of five bytes in both
 * directions, trailers with the status. Subclasses implement the services. CONTRIBUTING.md says why grpc-js is not used.
 */
export abstract class GrpcStream implements Linked<GrpcStream>, SlowReader {
  previous: GrpcStream | undefined;
  next: GrpcStream | undefined;
  /** Time when the call began, by `steadyNow`. */
  readonly began: number = steadyNow();
  /** Time when the caller's timeout ends, in milliseconds since the epoch. */
  deadline: number | undefined;
  readonly connection: Http2Connection;
  /** Memory for the call's request and its answer, once the caller is known. */
  reservation: Reservation | undefined;
  /** Id under which pending bytes are counted, once the caller is known. */
  caller: string | undefined;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #limit: number;
  /** Reader of messages. Released when the call ends, so that ended calls keep no bytes of their request. */
  #reader: EnvelopeReader | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether a status was sent or the client is gone, so that nothing more can be sent. */
  #over = false;
  #complete = false;
  /** Bytes of messages that were written. */
  #written = 0;
  /** Set while messages wait, for their decompression or for their reader. The client is paused meanwhile. */
  #queue: Promise<void> | undefined;
  /** Time when the first bytes of an incomplete message arrived, by `steadyNow`. */
  #partialSince: number | undefined;

  /**
   * @param incoming whose stream has a listener for errors; 'close' follows every error and is handled here
   * @param limit bytes of one message, uncompressed
   */
  constructor({ stream, headers, connection, onClosed }: IncomingCall, limit: number) {
    this.#stream = stream;
    this.#headers = headers;
    this.#limit = limit;
    this.connection = connection;
    connection.calls += 1;
    stream.on('close', () => {
      callEnded(connection);
      clearTimeout(this.#timer);
      connection.slow.delete(this);
      onClosed(this);
      this.closed();
      if (!this.#over) this.#finish(new A2AError('canceled'));
    });
  }

  /** Called once, when the call is in the list of open calls. */
  abstract start(): void;
  /** Called with each message of the client. The next message waits for the promise, if there is one. */
  protected abstract received(message: Buffer): Promise<void> | undefined;
  /** Called when the client has sent its last message. */
  protected abstract halfClosed(): void;
  /** Called when the call ends early: by the client, by its deadline, or with an error. */
  protected aborted(_reason: A2AError): void {}
  /** Called when the stream is closed, however the call ended. */
  protected closed(): void {}

  /** @param _isWhole whether the headers are the whole answer */
  protected errorHeaders(error: A2AError, _isWhole: boolean): OutgoingHttpHeaders {
    return statusHeaders(error);
  }

  get over(): boolean {
    return this.#over;
  }

  /**
   * Whether the client is late with the data that it must send: by default the whole request, by the moment `_due`, by
   * `steadyNow`.
   */
  isLate(_due: number): boolean {
    return !this.#complete;
  }

  /**
   * Returns the time when the client began the message that has not arrived completely; undefined if it waits for the
   * gateway.
   */
  protected get partialSince(): number | undefined {
    return this.#queue ? undefined : this.#partialSince;
  }

  protected get target(): ServerHttp2Stream {
    return this.#stream;
  }

  get remoteAddress(): string {
    return this.connection.remoteAddress;
  }

  /** Bytes that were written and for which the client has not made room yet. */
  get pendingBytes(): number {
    return this.#stream.destroyed ? 0 : this.#stream.writableLength;
  }

  get progress(): number {
    // The end of the call counts as progress, so that the client has the full time again to read the status.
    return this.#written - this.#stream.writableLength + (this.#over ? 1 : 0);
  }

  /** Ends the call without waiting until pending bytes are read. gRPC maps the code to RESOURCE_EXHAUSTED. */
  disconnect(): void {
    this.#finish(new A2AError('tooManyRequests', tooSlow));
    this.#stream.close(NGHTTP2_ENHANCE_YOUR_CALM);
  }

  get host(): string | undefined {
    return this.#headers[':authority'] ?? this.#headers.host;
  }

  readonly httpVersion = '2.0';

  headerNames(): readonly string[] {
    return Object.keys(this.#headers);
  }

  header(name: string): string | undefined {
    if (name === 'host') return this.host;
    const value = this.#headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }

  /** Starts the timer of the call's deadline. Throws A2AError `invalidRequest` for a malformed `grpc-timeout`. */
  protected startDeadline(): void {
    const given = this.#headers['grpc-timeout'];
    if (given === undefined) return;
    const timeout = parseGrpcTimeout(String(given));
    if (timeout === undefined) throw new A2AError('invalidRequest', 'grpc-timeout is malformed');
    this.deadline = Date.now() + timeout;
    this.#timer = setTimeout(() => this.fail(new A2AError('deadlineExceeded')), Math.min(timeout, longestTimer));
  }

  /** Counts the call's request and its answer for its caller. */
  protected countFor(principal: Principal): void {
    this.reservation = new Reservation(this.connection.slow.budget, principal, this.#stream, this.connection);
    this.caller = this.reservation.caller;
  }

  /**
   * Starts to read the body. Until then the client can send no more than fits into an HTTP/2 window. Throws A2AError
   * `unimplemented` for an unknown compression.
   */
  protected read(): void {
    const encoding = this.#headers['grpc-encoding'];
    if (encoding !== undefined) compressionOf(String(encoding), grpcCompressions);
    if (!this.#over) this.#reader = new EnvelopeReader({ limit: this.#limit, reservation: this.reservation });
    this.#stream.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#stream.on('end', () => this.#ended());
  }

  #take(chunk: Buffer): void {
    if (!this.#reader) return;
    try {
      for (const { flags, data } of this.#reader.read(chunk)) {
        this.#partialSince = undefined;
        this.#deliver(flags, data);
        if (this.#over) return;
      }
      if (this.#reader.unfinished) this.#partialSince ??= steadyNow();
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  #deliver(compressed: number, message: Buffer): void {
    if (compressed === 0 && !this.#queue) {
      const receiving = this.received(message);
      if (receiving) this.#enqueue(() => receiving);
    } else if (compressed === 0) {
      this.#enqueue(() => (this.#over ? undefined : this.received(message)));
    } else {
      this.#enqueue(() => this.#decompressed(message));
    }
  }

  async #decompressed(message: Buffer): Promise<void> {
    const encoding = String(this.#headers['grpc-encoding'] ?? 'identity');
    const reading = { limit: this.#limit, reservation: this.reservation };
    const decompressed = await decompress(encoding, grpcCompressions, message, reading);
    if (!this.#over) await this.received(decompressed);
  }

  /** Runs the steps one after the other, and pauses the client until the last one has ended. */
  #enqueue(step: () => Promise<void> | undefined): void {
    this.#stream.pause();
    const queue = (this.#queue ?? Promise.resolve())
      .then(step)
      .catch((thrown) => this.fail(thrown))
      .then(() => {
        if (this.#queue !== queue) return;
        this.#queue = undefined;
        if (this.#partialSince !== undefined) this.#partialSince = steadyNow();
        this.#stream.resume();
      });
    this.#queue = queue;
  }

  #ended(): void {
    // A reset ends the stream, too.
    if (this.#stream.closed) return;
    this.#complete = true;
    if (this.#over) return;
    if (this.#reader?.unfinished) this.fail(new A2AError('invalidRequest', 'The body ends within a message'));
    else if (this.#queue) this.#queue.then(() => this.#over || this.halfClosed());
    else this.halfClosed();
  }

  /** Sends the one message of a unary answer, and ends the call. */
  answer(message: Uint8Array, headers: readonly string[], trailers?: OutgoingHttpHeaders): void {
    if (this.#over) return;
    this.begin(headers);
    this.#over = true;
    this.#closeWith({ 'grpc-status': 0, ...trailers });
    this.#written += message.length + 5;
    this.#stream.end(envelope(message));
    if (message.length > large) this.connection.slow.add(this);
  }

  /**
   * Sends the headers of a streamed answer.
   *
   * @param headers flat list of names and values, which costs Node less than an object
   */
  begin(headers: readonly string[]): void {
    const stream = this.#stream;
    if (this.#over || stream.headersSent || stream.destroyed || stream.closed) return;
    const head = answerHead.concat(headers);
    stream.respond(takesLists ? head : metadataOf(head), withTrailers);
  }

  /** Sends one message of a stream. Returns false if the caller should wait for `drained` before the next one. */
  send(message: Uint8Array): boolean {
    if (this.#over) return true;
    this.#written += message.length + 5;
    return this.#stream.write(envelope(message));
  }

  /**
   * Resolves when the client has read what was sent, or is gone. Rejects when it reads too slowly.
   *
   * @param timeout milliseconds in which it must read a mebibyte
   */
  protected async drained(timeout: number): Promise<void> {
    if (this.#over || !this.#stream.writableNeedDrain) return;
    this.connection.slow.add(this);
    if (!(await drained(this.#stream, timeout))) throw new A2AError('tooManyRequests', tooSlow);
  }

  end(trailers?: OutgoingHttpHeaders): void {
    if (this.#over) return;
    this.#over = true;
    this.#closeWith({ 'grpc-status': 0, ...trailers });
    this.#stream.end();
  }

  /** Ends the call with an error, unless it has ended. */
  fail(thrown: unknown): void {
    if (this.#over) return;
    const error = A2AError.from(thrown);
    const stream = this.#stream;
    const headers = this.errorHeaders(error, !stream.headersSent);
    this.#finish(error);
    if (stream.headersSent) {
      this.#closeWith(headers);
      stream.end();
    } else if (!stream.destroyed && !stream.closed) {
      // An answer without messages has its trailers in the headers.
      const all = { ':status': 200, 'content-type': 'application/grpc+proto', ...accepted(error), ...headers };
      stream.respond(all, { endStream: true });
      if (!this.#complete) stopRequest(stream);
    }
  }

  /** The status after the messages. A client that is still sending must not send the rest of its request. */
  #closeWith(trailers: OutgoingHttpHeaders): void {
    const stream = this.#stream;
    if (!this.#complete) this.#reader = undefined;
    stream.on('wantTrailers', () => {
      if (stream.destroyed || stream.closed) return;
      stream.sendTrailers(trailers);
      if (!this.#complete) stopRequest(stream);
    });
  }

  #finish(reason: A2AError): void {
    if (this.#over) return;
    this.#over = true;
    this.#reader = undefined;
    this.aborted(reason);
  }
}
