import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AnswerTarget, Reservation } from '../../core/limits/memory-budget.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import { ambiguityOf, hasUnknownCoding } from './authority.ts';
import { idleHttp1 } from './idle.ts';
import { closeLingering } from './linger.ts';
import { inRequestOrder } from './request-order.ts';
import { type SlowReader, SlowReaders, sliced } from './slow-readers.ts';

export interface Http1Limits {
  /** Milliseconds in which a request's headers must arrive. Default 15,000. */
  readonly headers?: number;
  /** Milliseconds in which a whole request must arrive. Default 120,000. */
  readonly request?: number;
  /** Bytes of a request's headers. Default 16 KiB. */
  readonly headerBytes?: number;
}

export interface Http1ServerOptions {
  /** Read for each request, so that it can be replaced. */
  onRequest: RequestListener;
  readonly limits?: Http1Limits;
  /** Tracks clients that do not read their answers. Default: a tracker of the server's own. */
  readonly slow?: SlowReaders;
  /** Called for each input that is refused because it is not valid HTTP. */
  readonly onRefused?: (
    error: A2AError,
    sent: { readonly status: string; readonly address: string | undefined },
  ) => void;
}

/** Milliseconds between two searches for idle connections while the server closes. */
const idleCheck = 20;

/** HTTP/1.1 over connections that a listener hands in. */
export class Http1Server {
  readonly #server: Server;
  #closing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: Http1ServerOptions) {
    const { limits = {}, slow = new SlowReaders() } = options;
    const { headers = 15_000, request = 120_000, headerBytes = 16 * 1024 } = limits;
    const refuse = refuser(options.onRefused ?? (() => {}));
    const serve: RequestListener = (req, res) => {
      // Express may have replaced the response's prototype by the time it is answered.
      if (this.#closing) res.shouldKeepAlive = false;
      options.onRequest(req, res);
    };
    this.#server = createServer(
      {
        ServerResponse: trackedResponse(slow, () => this.#closing),
        // Two Authorization headers must not be read as one.
        joinDuplicateHeaders: true,
        requireHostHeader: false,
        headersTimeout: Math.min(headers, request),
        requestTimeout: request,
        keepAliveTimeout: idleHttp1,
        maxHeaderSize: headerBytes,
        connectionsCheckingInterval: Math.max(10, Math.min(2_000, headers / 4)),
      },
      unambiguous(inRequestOrder(serve, slow.budget), refuse),
    );
    this.#server.on('clientError', (error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }, socket) => {
      // Node pauses a connection whose client has not read an answer, and TLS still delivers what it has decrypted: no error.
      if (error.code === 'HPE_PAUSED' && error.rawPacket) socket.push(error.rawPacket);
      // The sockets that `serve` hands in.
      else refuseInput(error, socket as Socket, refuse);
    });
  }

  /** Starts the timers that enforce the limits, as this event does in Node. The server itself never listens. */
  start(): void {
    this.#server.emit('listening');
  }

  /** Serves a connection. Bound, since it is called for each by others. */
  readonly serve = (socket: Socket): void => {
    // Node calls this after an answer with `Connection: close`.
    socket.destroySoon = lingering;
    this.#server.emit('connection', socket);
  };

  /** Closes each connection after its next answer. */
  disableKeepAlive(): void {
    this.#closing = true;
  }

  /** Closes connections when they become idle. */
  closeWhenIdle(): void {
    this.#closing = true;
    this.#server.closeIdleConnections();
    this.#timer ??= setInterval(() => this.#server.closeIdleConnections(), idleCheck);
  }

  closeAll(): void {
    this.#server.closeAllConnections();
  }

  close(): void {
    clearInterval(this.#timer);
    // Ends the server's timers. The callback receives ERR_SERVER_NOT_RUNNING, because the server never listened.
    this.#server.close(() => {});
  }
}

/**
 * Refuses requests that the parser accepts although another server could read them differently, HTTP/0.9 included (RFC 9112
 * section 2.3). Requests that were pipelined behind a refused one are not served.
 */
const unambiguous =
  (onRequest: RequestListener, refuse: Refuse): RequestListener =>
  (req, res) => {
    const { socket } = req;
    if (!socket.writable) {
      req.resume();
      const number = (ignored.get(socket) ?? 0) + 1;
      ignored.set(socket, number);
      if (number > mostIgnored) socket.destroy();
      return;
    }
    const reason = ambiguityOf(req);
    const code = hasUnknownCoding(req) ? unknownCoding : undefined;
    // Node keeps them as long as the answer. Nothing reads them: `headers` has been made of them.
    req.rawHeaders = none;
    if (reason === undefined && code === undefined) {
      onRequest(req, res);
      return;
    }
    req.resume();
    if (!endsWithEarlier(socket, req))
      refuse(reason === undefined && code !== undefined ? { code } : {}, socket, reason);
  };

/** Requests of one connection behind its last answer that are read and ignored; Node keeps each until the connection ends. */
const mostIgnored = 100;
/** How many there were. */
const ignored = new WeakMap<Socket, number>();

const none: string[] = [];

function lingering(this: Socket): void {
  closeLingering(this);
}

/** The code of a request whose body has a transfer coding besides chunked (RFC 9112 section 6.1). */
const unknownCoding = 'UNKNOWN_TRANSFER_CODING';

/** By the parser's error code, or our own. All other codes are 400. */
const refusals: Readonly<Record<string, readonly [status: string, message: string, kind: ErrorKind]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large', 'payloadTooLarge'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time', 'requestTimeout'],
  [unknownCoding]: [
    '501 Not Implemented',
    'The only supported transfer coding is chunked; send the body without Transfer-Encoding: gzip and the like',
    'invalidRequest',
  ],
};

const notHttp = ['400 Bad Request', 'This is not an HTTP/1.1 request', 'invalidRequest'] as const;

/** @param reason the message to the client; default: what the error's code means */
type Refuse = (error: Pick<NodeJS.ErrnoException, 'code'>, socket: ServerSocket, reason?: string) => void;

type ServerSocket = Socket & {
  /** The answer whose turn it is; null where the last request is answered. */
  _httpMessage?: ServerResponse | null;
  /** With the last request. */
  readonly parser?: { readonly incoming: IncomingMessage | null } | null;
};

/**
 * Whether an earlier request of a connection has been read whole, and is still to be answered: a refusal of later input would
 * be taken for its answer. The connection then ends after that answer.
 *
 * @param refused the request that is refused, if there is one
 */
function endsWithEarlier(socket: ServerSocket, refused?: IncomingMessage): boolean {
  const { _httpMessage: earlier } = socket;
  if (!earlier?.req.complete || earlier.req === refused) return false;
  if (earlier.shouldKeepAlive) {
    earlier.shouldKeepAlive = false;
    // Its headers may have been sent. Before Node serves the next request.
    earlier.prependOnceListener('finish', () => closeLingering(socket));
  }
  return true;
}

/**
 * Refuses input that the parser does not accept, unless it comes behind the last answer, before an earlier one, or belongs to a
 * request that is answered.
 */
function refuseInput(error: NodeJS.ErrnoException, socket: ServerSocket, refuse: Refuse): void {
  const { code = '' } = error;
  // The connection lingers after its last answer: the rest that the client sends is discarded, whatever it is.
  if (socket.writableEnded && code.startsWith('HPE_')) return;
  // The rest of a request that was answered before its end: a second answer would be taken for that of another request.
  if (!socket._httpMessage && socket.parser?.incoming?.complete === false) {
    closeLingering(socket);
    return;
  }
  if (code === 'ECONNRESET' || !endsWithEarlier(socket)) refuse(error, socket);
}

/** Answers input that is not valid HTTP, unless the client is gone or another answer has begun. */
const refuser =
  (onRefused: NonNullable<Http1ServerOptions['onRefused']>): Refuse =>
  ({ code = '' }, socket, reason) => {
    if (!socket.writable || code === 'ECONNRESET' || socket._httpMessage?.headersSent) {
      socket.destroy();
      return;
    }
    const [status, meaning, kind] = refusals[code] ?? notHttp;
    const message = reason ?? meaning;
    onRefused(new A2AError(kind, message), { status: status.slice(0, 3), address: socket.remoteAddress });
    const details = new A2AError('invalidRequest', message).details();
    const name = code === unknownCoding ? 'UNIMPLEMENTED' : 'INVALID_ARGUMENT';
    const error = { code: Number.parseInt(status, 10), status: name, message, details };
    const body = JSON.stringify({ error });
    const head = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
    socket.write(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`);
    closeLingering(socket);
  };

/** An HTTP/1.1 connection with bytes that its client has not read. */
class SlowSocket implements SlowReader {
  caller: string | undefined;
  /** The answer that was written last. */
  answer: { readonly unwritten: number } | undefined;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get pendingBytes(): number {
    return this.#socket.destroyed ? 0 : this.#socket.writableLength + (this.answer?.unwritten ?? 0);
  }

  get progress(): number {
    return this.#socket.bytesWritten - this.#socket.writableLength;
  }

  get remoteAddress(): string {
    return this.#socket.remoteAddress ?? '';
  }

  disconnect(): void {
    this.#socket.destroy();
  }
}

/** Something that can be written later in the same turn of the event loop. */
interface Deferred {
  /** Writes it. Must not throw. */
  flush(): void;
}

/** Milliseconds that the first answer of a turn waits for the others. */
const longest = 1;

/**
 * Writes the answers of one turn of the event loop one after another, at its end. A write wakes the client. If that is
 * a process on the same machine, such as a reverse proxy, waking it for each answer costs about as much as a whole call;
 * a client that has several answers to read is awake. Node writes HTTP/2 in this way already.
 */
export class JoinedWrites {
  #waiting: Deferred[] = [];
  #since = 0;
  #scheduled = false;

  add(answer: Deferred): void {
    this.#waiting.push(answer);
    if (this.#waiting.length === 1) this.#since = performance.now();
    else if (performance.now() - this.#since > longest) {
      this.#flush();
      return;
    }
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#endTurn);
  }

  // Bound, since the answers of a turn must not be written in the context of its first call.
  readonly #flush = AsyncLocalStorage.bind((): void => {
    const answers = this.#waiting;
    this.#waiting = [];
    for (const answer of answers) answer.flush();
  });

  readonly #endTurn = (): void => {
    this.#scheduled = false;
    this.#flush();
  };
}

/** State that the responses of one server share. */
class ResponseTracking {
  readonly writes = new JoinedWrites();
  /** Whether connections are to be closed after their response. */
  readonly closing: () => boolean;
  readonly #slow: SlowReaders;
  readonly #readers = new WeakMap<Socket, SlowSocket>();

  constructor(slow: SlowReaders, closing: () => boolean) {
    this.#slow = slow;
    this.closing = closing;
  }

  /** Adds a connection to the slow ones when the client has not read the response at once. */
  track(answer: TrackedResponse): void {
    const { socket, reservation } = answer;
    if (socket === null || socket.writableLength + answer.unwritten === 0) return;
    const reader = this.#readers.get(socket) ?? new SlowSocket(socket);
    if (!this.#readers.has(socket)) {
      this.#readers.set(socket, reader);
      socket.once('close', () => this.#slow.delete(reader));
    }
    reader.caller = reservation?.caller;
    reader.answer = answer;
    this.#slow.add(reader);
  }
}

/**
 * The class of a server's responses. It adds a connection to `slow` when the client does not read a response at once.
 *
 * @param closing whether connections are to be closed after their response
 */
export function trackedResponse(
  slow: SlowReaders,
  closing: () => boolean = () => false,
): typeof ServerResponse<IncomingMessage> {
  const value = new ResponseTracking(slow, closing);
  class ServersResponse extends TrackedResponse {}
  Object.defineProperty(ServersResponse.prototype, 'tracking', { value });
  return ServersResponse;
}

class TrackedResponse extends ServerResponse<IncomingMessage> implements AnswerTarget, Deferred {
  /** A property of the prototype. */
  declare readonly tracking: ResponseTracking;
  reservation?: Reservation;
  /** Bytes, or characters, of a large body that are to be written. */
  unwritten = 0;
  /** Whether a part has been written. */
  #begun = false;
  /** The end of an answer that waits for the end of this turn of the event loop. */
  #end: Parameters<ServerResponse['end']> | undefined;

  static {
    // An accessor in Node, but a property in its types.
    Object.defineProperty(TrackedResponse.prototype, 'writableEnded', {
      get(this: TrackedResponse): boolean {
        return this.#end !== undefined || Reflect.get(ServerResponse.prototype, 'writableEnded', this);
      },
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: any arguments of the base class
  override writeHead(...parts: any[]): this {
    if (this.tracking.closing()) this.shouldKeepAlive = false;
    return super.writeHead(...(parts as Parameters<ServerResponse['writeHead']>));
  }

  // biome-ignore lint/suspicious/noExplicitAny: any arguments of the base class
  override write(...parts: any[]): boolean {
    this.#begun = true;
    // From now on the connection's pending bytes are counted instead.
    this.reservation?.release();
    const flushed = super.write(...(parts as Parameters<ServerResponse['write']>));
    if (!flushed) this.tracking.track(this);
    return flushed;
  }

  // biome-ignore lint/suspicious/noExplicitAny: any arguments of the base class
  override end(...parts: any[]): this {
    if (this.#end) return this;
    this.#end = parts as Parameters<ServerResponse['end']>;
    if (this.#begun) this.flush();
    else this.tracking.writes.add(this);
    return this;
  }

  flush(): void {
    const parts: readonly unknown[] | undefined = this.#end;
    if (!parts) return;
    this.reservation?.release();
    const [body] = parts;
    const isBody = parts.length === 1 && (typeof body === 'string' || Buffer.isBuffer(body));
    const slices = isBody ? sliced(body) : undefined;
    if (slices && !this.destroyed) {
      this.#writeSlice(...slices);
      return;
    }
    this.#end = undefined;
    this.unwritten = 0;
    super.end(...(parts as Parameters<ServerResponse['end']>));
    this.tracking.track(this);
  }

  /** Writes the first part of a large body: the rest follows in other turns of the event loop, once the client has read it. */
  #writeSlice(first: string | Buffer, rest: string | Buffer): void {
    if (!this.headersSent && !this.hasHeader('Content-Length'))
      this.setHeader('Content-Length', Buffer.byteLength(first) + Buffer.byteLength(rest));
    this.#end = [rest] as unknown as Parameters<ServerResponse['end']>;
    this.unwritten = rest.length;
    const goOn = (): void => void setImmediate(() => this.flush());
    if (super.write(first)) goOn();
    else this.once('drain', goOn);
    this.tracking.track(this);
  }
}
