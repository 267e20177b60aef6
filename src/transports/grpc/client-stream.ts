import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { A2AError, grpcStatus } from '../../core/model/errors.ts';
import { longestTimer, steadyNow } from '../../core/model/timing.ts';
import { type ReceivedStatus, readStatus, statusOfHttp } from '../../dialects/kernel/rpc-status.ts';
import { maxInterim, tooManyInterim } from '../../net/http-exchange.ts';
import { abortError, markUnsent, networkError, tooLarge } from '../../net/network-errors.ts';
import { decompress, grpcAcceptEncoding, grpcCompressions } from '../http/decompress.ts';
import { EnvelopeReader, envelope } from '../rpc/envelope.ts';
import { type GrpcChannel, hasEnded, resetNow } from './channel.ts';

type ResponseHead = IncomingHttpHeaders & IncomingHttpStatusHeader;

/**
 * How often a call is sent again if the server has provably not processed it (RFC 9113 section 8.7), as gRPC's own clients send it
 * again. New connections may end, too: behind a balancer, several end while replicas are replaced.
 */
const repeats = { sameConnection: 1, newConnection: 3 } as const;

export interface OutgoingRpc {
  readonly channel: GrpcChannel;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly message: Uint8Array;
  readonly signal: AbortSignal;
  /** Bytes of one message of the answer. */
  readonly maxAnswer: number;
  /** Time when the answer, or the beginning of a stream, must have arrived: milliseconds since the epoch. */
  readonly deadline: number;
  /** Longest silence of a stream that has begun, in milliseconds. */
  readonly silence: number;
  /**
   * The error for a status that is not OK.
   *
   * @param http the status of an answer that is not gRPC's
   */
  toError(status: ReceivedStatus, facts: { readonly trailersOnly: boolean; readonly http?: number }): A2AError;
  /** Returns the error for a deadline that has passed. */
  late(): A2AError;
  /** Returns the error for a stream that has been silent for too long. */
  silent(): A2AError;
  /** Called when the request is sent for the first time, with its headers. */
  onSent?(headers: OutgoingHttpHeaders): void;
  /** Called with the headers and with the trailers of an answer. */
  onHeaders(headers: IncomingHttpHeaders): void;
  /** Called with each message of an answer. */
  onMessage?(message: Buffer): void;
}

/**
 * One call to a server in gRPC's framing over HTTP/2 (gRPC's PROTOCOL-HTTP2.md): the request's one message, and the messages
 * and the status of the answer. The counterpart of GrpcStream.
 */
export abstract class ClientStream {
  protected readonly rpc: OutgoingRpc;
  #stream: ClientHttp2Stream | undefined;
  #session: ClientHttp2Session | undefined;
  /** Time when the call was last sent, by `steadyNow`, and number of bytes that had arrived over its connection by then. */
  #sent = { at: 0, bytesRead: 0 };
  /** Times that it was sent again. */
  #repeats = 0;
  readonly #reader: EnvelopeReader;
  #head: ResponseHead | undefined;
  /** Whether the head belongs to a gRPC response. */
  #isGrpc = false;
  #status: ReceivedStatus | undefined;
  /** Whether the status came in the headers, and nothing followed. */
  #trailersOnly = false;
  #timer: NodeJS.Timeout | undefined;
  #over = false;
  /** Whether the timer bounds the silence of a stream. */
  #hasBegun = false;
  /** Set while messages are being decompressed, so that later messages and the end wait. */
  #queue: Promise<void> | undefined;

  constructor(rpc: OutgoingRpc) {
    this.rpc = rpc;
    this.#reader = new EnvelopeReader({ limit: rpc.maxAnswer });
  }

  /** Called when the headers of an answer have arrived. */
  protected begun(): void {}
  protected abstract received(message: Buffer): void;
  /** Called once, when the call is over. */
  protected abstract ended(error?: A2AError): void;

  /** Sends the request once there is a connection. */
  start(): void {
    const { signal, deadline } = this.rpc;
    if (signal.aborted) {
      this.#abort();
      return;
    }
    signal.addEventListener('abort', this.#abort);
    this.#timer = setTimeout(this.#expire, Math.min(Math.max(0, deadline - Date.now()), longestTimer));
    this.#connect();
  }

  #connect(): void {
    if (this.#over) return;
    const { channel } = this.rpc;
    const session = channel.session();
    if (!(session instanceof Promise)) {
      this.#send(session);
      return;
    }
    session.then(
      // Calls that waited for the same connection may have taken all its room.
      (opened) => (hasEnded(opened) ? this.#send(opened) : this.#connect()),
      (error: A2AError) => {
        const full = channel.leastUsed();
        if (full) this.#send(full);
        else this.fail(error);
      },
    );
  }

  /** Ends the call on this side. */
  fail(error: A2AError): void {
    if (this.#over) return;
    this.#finish(this.#stream ? error : markUnsent(error));
    if (this.#stream) resetNow(this.#stream, constants.NGHTTP2_CANCEL);
    if (this.#session && !this.#head) this.rpc.channel.gaveUp(this.#session, this.#sent);
  }

  get over(): boolean {
    return this.#over;
  }

  protected pause(): void {
    this.#stream?.pause();
  }

  protected resume(): void {
    this.#stream?.resume();
  }

  /** Ends the time limit of the answer. From now on only the silence between its parts is limited. */
  protected beginStream(): void {
    clearTimeout(this.#timer);
    this.#hasBegun = true;
    this.#timer = setTimeout(this.#endSilence, Math.min(this.rpc.silence, longestTimer));
  }

  readonly #abort = (): void => this.fail(abortError(this.rpc.signal));

  readonly #expire = (): void => this.fail(this.rpc.late());

  readonly #endSilence = (): void => {
    // While this side does not read, the other side may have to wait.
    if (this.#stream?.isPaused()) this.#timer?.refresh();
    else this.fail(this.rpc.silent());
  };

  readonly #send = (session: ClientHttp2Session): void => {
    if (this.#over) return;
    const { channel, path, headers, message } = this.rpc;
    const head: OutgoingHttpHeaders = {
      ':method': 'POST',
      ':path': path,
      ':scheme': channel.scheme,
      ':authority': channel.target,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-accept-encoding': grpcAcceptEncoding,
      ...headers,
    };
    let stream: ClientHttp2Stream;
    try {
      stream = session.request(head);
    } catch (error) {
      // The session was closed meanwhile, or a header is not valid.
      if (!hasEnded(session) || !this.#repeat(session)) this.fail(networkError(channel.target, error));
      return;
    }
    this.#stream = stream;
    this.#session = session;
    if (this.#sent.at === 0) this.rpc.onSent?.(head);
    this.#sent = { at: steadyNow(), bytesRead: session.socket.bytesRead };
    channel.callBegan(session, stream);
    let failure: Error | undefined;
    let interim = 0;
    stream.on('headers', () => {
      interim += 1;
      if (interim > maxInterim) this.fail(tooManyInterim(channel.target));
    });
    stream.on('response', (received) => this.#begin(received));
    stream.on('trailers', (received) => this.#readTrailers(received));
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('end', () => {
      if (this.#status) this.#close(stream);
    });
    stream.on('error', (error: NodeJS.ErrnoException) => {
      failure = error;
      // The connection has no stream ids left. The next call opens another connection.
      if (error.code === 'ERR_HTTP2_OUT_OF_STREAMS') session.close();
    });
    stream.on('close', () => {
      channel.callEnded(session, stream);
      if (!this.#isUnprocessed(session, stream) || !this.#repeat(session)) this.#close(stream, failure);
    });
    stream.end(envelope(message));
  };

  /** Whether the server has provably not processed the call. */
  #isUnprocessed(session: ClientHttp2Session, stream: ClientHttp2Stream): boolean {
    return !this.#head && this.rpc.channel.isUnprocessed(session, stream);
  }

  /** Sends the call again, over another connection if this one has ended. Returns whether it may be sent again. */
  #repeat(session: ClientHttp2Session): boolean {
    const most = hasEnded(session) ? repeats.newConnection : repeats.sameConnection;
    if (this.#over || this.#repeats >= most) return false;
    this.#repeats += 1;
    this.#stream = undefined;
    this.#session = undefined;
    this.#connect();
    return true;
  }

  #begin(head: ResponseHead): void {
    if (this.#over) return;
    this.#head = head;
    this.#isGrpc = head[':status'] === 200 && /^application\/grpc/i.test(head['content-type'] ?? '');
    // An answer without messages has its trailers in the headers.
    this.#trailersOnly = head['grpc-status'] !== undefined;
    if (this.#trailersOnly) this.#readTrailers(head);
    else this.rpc.onHeaders(head);
    if (this.#isGrpc && this.#status === undefined) this.begun();
  }

  #readTrailers(trailers: IncomingHttpHeaders): void {
    if (this.#over) return;
    this.rpc.onHeaders(trailers);
    this.#status = readStatus(trailers);
  }

  #take(chunk: Buffer): void {
    if (this.#over || !this.#isGrpc) return;
    if (this.#status) {
      // A status in the headers counts only if no messages follow.
      this.#status = undefined;
      this.#trailersOnly = false;
      this.begun();
    }
    if (this.#hasBegun) this.#timer?.refresh();
    try {
      for (const { flags, data } of this.#reader.read(chunk)) this.#deliver(flags, data);
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  #deliver(compressed: number, message: Buffer): void {
    if (compressed === 0 && !this.#queue) {
      this.#receive(message);
      return;
    }
    const encoding = String(this.#head?.['grpc-encoding'] ?? 'identity');
    const earlier = this.#queue ?? Promise.resolve();
    this.#queue = earlier
      .then(() =>
        compressed === 0 ? message : decompress(encoding, grpcCompressions, message, { limit: this.rpc.maxAnswer }),
      )
      .then((decompressed) => {
        if (!this.#over) this.#receive(decompressed);
      })
      .catch((thrown) => this.#refuse(thrown));
  }

  #refuse(thrown: unknown): void {
    const isLarge = A2AError.from(thrown).kind === 'payloadTooLarge';
    this.fail(isLarge ? tooLarge(this.rpc.maxAnswer, thrown) : invalid(thrown));
  }

  #receive(message: Buffer): void {
    this.rpc.onMessage?.(message);
    this.received(message);
  }

  /** Called at the end of the body when the status is known, otherwise when the HTTP/2 stream is closed. */
  #close(stream: ClientHttp2Stream, failure?: Error): void {
    const end = (): void => this.#finish(this.#outcome(stream, failure));
    if (this.#queue) void this.#queue.then(end);
    else end();
  }

  #outcome(stream: ClientHttp2Stream, failure: Error | undefined): A2AError | undefined {
    const { target } = this.rpc.channel;
    const status = this.#status;
    if (status) {
      const facts = { trailersOnly: this.#trailersOnly };
      if (status.code !== grpcStatus.OK) return this.rpc.toError(status, facts);
      return this.#reader.unfinished ? invalid(new A2AError('parse', 'it ends within a message')) : undefined;
    }
    const head = this.#head;
    if (head && !this.#isGrpc) {
      return this.rpc.toError(statusOfProxy(head), { trailersOnly: false, http: head[':status'] ?? 0 });
    }
    const session = this.#session;
    if (session && this.#isUnprocessed(session, stream)) return markUnsent(networkError(target, failure ?? lost));
    if (session && hasEnded(session)) return networkError(target, failure ?? lost);
    const code = statusOfReset[stream.rstCode];
    const message = `HTTP/2 error ${stream.rstCode}`;
    if (code !== undefined) return this.rpc.toError({ code, message, details: [] }, { trailersOnly: false });
    return new A2AError('invalidAgentResponse', `${target} ended its answer without a status`, { cause: failure });
  }

  #finish(error: A2AError | undefined): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.rpc.signal.removeEventListener('abort', this.#abort);
    this.ended(error);
  }
}

const lost = Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' });

const invalid = (thrown: unknown): A2AError =>
  new A2AError('invalidAgentResponse', `The server's answer is not valid: ${A2AError.from(thrown).message}`, {
    cause: thrown,
  });

const { NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_INADEQUATE_SECURITY } = constants;

/** Statuses for codes of RST_STREAM (PROTOCOL-HTTP2.md, "Errors"). */
const statusOfReset: Readonly<Partial<Record<number, number>>> = {
  ...Object.fromEntries([1, 2, 3, 4, 6, 9, 10].map((code) => [code, grpcStatus.INTERNAL])),
  [NGHTTP2_CANCEL]: grpcStatus.CANCELLED,
  [NGHTTP2_ENHANCE_YOUR_CALM]: grpcStatus.RESOURCE_EXHAUSTED,
  [NGHTTP2_INADEQUATE_SECURITY]: grpcStatus.PERMISSION_DENIED,
};

/** The status of an answer that is not gRPC's, such as a proxy's. */
function statusOfProxy({
  ':status': status = 0,
  'content-type': type = 'no content type',
}: ResponseHead): ReceivedStatus {
  const code = grpcStatus[statusOfHttp(status)];
  return { code, message: `it answered HTTP ${status} with ${type.slice(0, 64)} instead of gRPC`, details: [] };
}
