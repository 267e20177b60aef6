import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Readable, type Writable } from 'node:stream';
import type { MultiplexedConnection } from '../../core/limits/memory-budget.ts';
import type { ClientCertificate } from '../../core/model/principal.ts';
import { steadyNow } from '../../core/model/timing.ts';
import { CompatResponse } from './compat-response.ts';
import { type SlowReader, type SlowReaders, sliced } from './slow-readers.ts';

/**
 * Requests and responses of HTTP/2 with the interface of HTTP/1.1, so that every binding is written once. Node's own
 * compatibility layer is not used, because it ends the body of an aborted request as if it were complete.
 */

const { NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_NO_ERROR } = constants;

/** State that the requests of one HTTP/2 connection share. */
export interface Http2Connection extends MultiplexedConnection {
  readonly socket: Socket;
  readonly slow: SlowReaders;
  readonly remoteAddress: string;
  readonly encrypted: boolean;
  readonly certificate: ClientCertificate | undefined;
  /** Requests in progress. */
  calls: number;
  /** Time when the last request ended, by `steadyNow`. */
  idleSince: number;
}

/** The stream of a request is closed. */
export function callEnded(connection: Http2Connection): void {
  connection.calls -= 1;
  if (connection.calls === 0) connection.idleSince = steadyNow();
}

/** Serves a request of HTTP/2 with a listener for requests of HTTP/1.1. */
export function serveOverHttp2(
  listener: RequestListener,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  connection: Http2Connection,
): void {
  const req = new Http2Request(stream, headers, connection);
  const res = new Http2Response(stream, req, connection);
  connection.calls += 1;
  if (headers.expect !== undefined) {
    if (headers.expect.toLowerCase() !== '100-continue') {
      res.writeHead(417).end();
      return;
    }
    stream.additionalHeaders({ ':status': 100 });
  }
  listener(req as unknown as IncomingMessage, res as unknown as ServerResponse);
}

/** A request: its members are those of `IncomingMessage` that bindings and the MCP SDK read. */
export class Http2Request extends Readable {
  readonly httpVersion = '2.0';
  readonly httpVersionMajor = 2;
  readonly httpVersionMinor = 0;
  readonly method: string;
  /** A framework may remove the path at which the gateway is mounted. */
  url: string;
  /** With `host`, without the pseudo-headers. */
  readonly headers: IncomingHttpHeaders = Object.create(null);
  readonly rawHeaders: string[] = [];
  readonly socket: Socket;
  /** Whether the body has arrived whole. */
  complete = false;
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, { socket }: Http2Connection) {
    super();
    this.#stream = stream;
    this.method = headers[':method'] ?? 'GET';
    this.url = headers[':path'] ?? '/';
    this.socket = socket;
    const host = headers[':authority'] ?? headers.host;
    for (const [name, value] of Object.entries({ ...headers, ...(host !== undefined && { host }) })) {
      if (name.startsWith(':') || value === undefined) continue;
      this.headers[name] = value;
      for (const each of Array.isArray(value) ? value : [value]) this.rawHeaders.push(name, String(each));
    }
    // As in HTTP/1.1, a body of unknown length is announced, so that it is not taken for none.
    if (!stream.endAfterHeaders && headers['content-length'] === undefined) {
      this.headers['transfer-encoding'] = 'chunked';
    }
    stream.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) stream.pause();
    });
    // Nothing is read before the body is requested.
    stream.pause();
    stream.once('end', () => {
      // A reset ends the stream, too.
      if (stream.closed) return;
      this.complete = true;
      this.push(null);
    });
    stream.once('close', () => {
      if (this.complete) this.destroy();
      else this.destroy(new Error('The client has aborted its request'));
    });
    // Without a listener, an aborted request whose body is not read would end the process.
    this.on('error', () => {});
  }

  get connection(): Socket {
    return this.socket;
  }

  override _read(): void {
    if (!this.#stream.destroyed) this.#stream.resume();
  }

  /** Ends the stream if the body has not arrived, as HTTP/1.1 ends the connection. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.complete && !this.#stream.destroyed) this.#stream.close(NGHTTP2_ENHANCE_YOUR_CALM);
    done(error);
  }
}

/**
 * Makes a client stop that is still sending its request although it has its answer (RFC 9113 section 8.1). Not in the same turn
 * of the event loop as the answer: Node 22 has versions that drop an answer without a body then.
 */
export function stopRequest(stream: ServerHttp2Stream): void {
  setImmediate(() => stream.close(NGHTTP2_NO_ERROR));
}

export class Http2Response extends CompatResponse implements SlowReader {
  readonly shared: Http2Connection;
  readonly req: Http2Request;
  readonly #stream: ServerHttp2Stream;
  #bytes = 0;

  constructor(stream: ServerHttp2Stream, req: Http2Request, connection: Http2Connection) {
    super({ decodeStrings: false });
    this.#stream = stream;
    this.req = req;
    this.shared = connection;
    stream.once('close', () => {
      callEnded(connection);
      connection.slow.delete(this);
      this.destroy();
    });
    this.on('error', () => {});
  }

  get socket(): Socket {
    return this.req.socket;
  }

  flushHeaders(): void {
    this.#respond(false);
  }

  // biome-ignore lint/suspicious/noExplicitAny: any arguments of the base class
  override write(...parts: any[]): boolean {
    this.reservation?.release();
    const taken = super.write(...(parts as Parameters<Writable['write']>));
    if (!taken) this.shared.slow.add(this);
    return taken;
  }

  // biome-ignore lint/suspicious/noExplicitAny: any arguments of the base class
  override end(...parts: any[]): this {
    this.reservation?.release();
    const isEmpty = parts[0] === undefined || parts[0] === '' || typeof parts[0] === 'function';
    if (!this.#stream.headersSent) this.#respond(isEmpty && this.writableLength === 0);
    super.end(...(parts as Parameters<Writable['end']>));
    if (this.pendingBytes > 0) this.shared.slow.add(this);
    return this;
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#respond(false);
    if (this.#stream.destroyed || this.#stream.writableEnded) {
      done();
      return;
    }
    const [first, rest] = sliced(chunk) ?? [chunk];
    this.#bytes += typeof first === 'string' ? Buffer.byteLength(first, encoding) : first.length;
    this.#stream.write(first, encoding, () => {
      // The rest follows in another turn of the event loop.
      if (rest !== undefined) {
        setImmediate(() => this._write(rest, encoding, done));
        return;
      }
      if (this.#stream.writableLength === 0) this.reservation?.drained();
      done();
    });
  }

  override _final(done: () => void): void {
    const stream = this.#stream;
    const enough = (): void => {
      if (!this.req.complete) stopRequest(stream);
    };
    if (!stream.writableEnded && !stream.destroyed) stream.end(enough);
    else enough();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#stream.destroyed && !this.#stream.writableEnded) this.#stream.close(NGHTTP2_CANCEL);
    done(error);
  }

  /** Bytes that the client has not made room for. */
  get pendingBytes(): number {
    return this.#stream.destroyed ? 0 : this.writableLength + this.#stream.writableLength;
  }

  get progress(): number {
    return this.#bytes - this.#stream.writableLength;
  }

  get caller(): string | undefined {
    return this.reservation?.caller;
  }

  get remoteAddress(): string {
    return this.socket.remoteAddress ?? '';
  }

  /** Ends the stream, and drops its pending bytes. */
  disconnect(): void {
    this.#stream.close(NGHTTP2_ENHANCE_YOUR_CALM);
  }

  #respond(endStream: boolean): void {
    const stream = this.#stream;
    if (stream.headersSent || stream.destroyed || stream.closed) return;
    this.headersSent = true;
    const headers: OutgoingHttpHeaders = { ':status': this.statusCode };
    for (const [name, value] of this.fields) if (!connectionHeaders.has(name)) headers[name] = value;
    stream.respond(headers, { endStream: endStream || this.req.method === 'HEAD' });
  }
}

/** Headers that HTTP/2 does not have (RFC 9113 section 8.2.2). */
const connectionHeaders: ReadonlySet<string> = new Set(
  'connection keep-alive proxy-connection transfer-encoding upgrade'.split(' '),
);
