import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { LinkedList, Listed } from '../../core/collections/linked-list.ts';
import type { CountLimits } from '../../core/limits/counts.ts';
import { A2AError } from '../../core/model/errors.ts';
import { steadyNow } from '../../core/model/timing.ts';
import { Meters } from '../../core/telemetry/meters.ts';
import { hostMatchesAuthority } from '../listener/authority.ts';
import { type Http2Connection, stopRequest } from '../listener/http2-compat.ts';
import { SlowReaders } from '../listener/slow-readers.ts';
import { plainStatus, statusHeaders, statusOfError } from '../rpc/errors.ts';
import { createReflection, reflectionRpc, reflectionServices } from '../rpc/reflection.ts';
import { rpcOfVersion, rpcsByPath } from '../rpc/rpc.ts';
import type { GrpcStream, IncomingCall } from './grpc-stream.ts';
import { createHealth, HealthCall, healthService } from './health.ts';
import { Http2Sessions } from './http2-sessions.ts';
import { ReflectionCall } from './reflection.ts';
import { ArrivedCalls, type CallDependencies, ServerCall } from './server-call.ts';

export interface GrpcServerOptions extends Omit<CallDependencies, 'arrived' | 'meter' | 'meters' | 'slowReader'> {
  /** Loads the descriptors of all services, a serialised FileDescriptorSet, for the first reflection request. */
  readonly loadImage: () => Promise<Uint8Array>;
  readonly limits: {
    /** Bytes of a request message, uncompressed. Read for every call, so that it may change. */
    readonly body: number;
    /** Parts, keys and values of a request message. Default: `requestCounts`. */
    readonly counts?: CountLimits;
    /** Bytes of a call's headers, with the 32 that HTTP/2 adds for each. Default 16 KiB. */
    readonly headers?: number;
    /** Milliseconds in which the request message must arrive. Default 30,000. */
    readonly arrival?: number;
    /** Milliseconds that a stream waits for a slow client. Default 30,000. */
    readonly slowReader?: number;
  };
  /** Tracks calls whose client does not read. Default: a tracker of the server's own. */
  readonly slow?: SlowReaders;
  /** Counters of the binding. Default: nothing is counted. */
  readonly meters?: Meters;
  /** Serves requests that are not gRPC. Absent: they are refused. */
  readonly onRequest?: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Http2Connection) => void;
}

/** Concurrent streams of one connection. */
const connectionStreams = 1_000;
/** Milliseconds between the end of the last calls and of their connections, so that the statuses arrive. */
const lingerTime = 500;

/**
 * The gRPC binding: every rpc of the dialects' gRPC bindings, server reflection and the health service, over connections
 * that a listener hands in. Errors are mapped as their dialect prescribes (A2A 1.0.1 section 10.6). `resolveAgent` selects
 * the agent.
 *
 * Request metadata: `a2a-version`, `a2a-extensions`, `a2a-agent`, `idempotency-key`, `last-event-id`, `traceparent`,
 * `a2a-hops`, `x-request-id`, credentials. Initial metadata: `x-request-id`, `a2a-version`, `a2a-extensions` (in 0.3 also
 * `x-a2a-extensions`); an error before the first message has the first two as trailers. Trailers: `a2a-gateway-loss`,
 * `grpc-status-details-bin`, `retry-after` (seconds).
 */
export class GrpcServer {
  readonly #options: GrpcServerOptions;
  readonly #headerBytes: number;
  readonly #meters: Meters;
  readonly #open = new LinkedList<GrpcStream>();
  readonly #health: ReturnType<typeof createHealth>;
  /** Answers requests of server reflection, for other bindings too. */
  readonly reflection: ReturnType<typeof createReflection>;
  readonly #byPath = new Map<string, (incoming: IncomingCall) => GrpcStream | undefined>();
  readonly #sessions: Http2Sessions;
  readonly #sockets = new LinkedList<Listed<Socket>>();
  /** The connection that is being handed to the server. */
  #accepted: Socket | undefined;
  /** The HTTP/2 server. Created for the first connection, because loading Node's HTTP/2 takes a while. */
  #server: Http2Server | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(options: GrpcServerOptions) {
    this.#options = options;
    const { limits } = options;
    const { arrival = 30_000, slowReader = 30_000 } = limits;
    this.#headerBytes = limits.headers ?? 16_384;
    const { slow = new SlowReaders({ timeout: slowReader }) } = options;
    this.#meters = options.meters ?? new Meters();
    const rpcs = rpcsByPath(options.dialects);
    const services = [...new Set(rpcs.values().map(([{ api }]) => api.service))];
    this.#health = createHealth(services);
    this.reflection = createReflection(options.loadImage, [...services, healthService, ...reflectionServices]);
    const meters = this.#meters;
    const meter = meters.streamsOf('grpc');
    this.#addCalls(rpcs, { ...options, meters, meter, slowReader, arrived: new ArrivedCalls() });
    this.#sessions = new Http2Sessions(slow);
    this.#timer = setInterval(() => this.#check(arrival, slow), Math.min(arrival, 5_000)).unref();
  }

  #addCalls(rpcs: ReturnType<typeof rpcsByPath>, shared: CallDependencies): void {
    for (const [path, versions] of rpcs) {
      this.#byPath.set(path, (incoming) => {
        const rpc = rpcOfVersion(versions, versionIn(incoming.headers));
        return rpc && new ServerCall(incoming, rpc, shared);
      });
    }
    for (const [rpc, handler] of Object.entries(this.#health.handlers)) {
      this.#byPath.set(`/${healthService}/${rpc}`, (incoming) => new HealthCall(incoming, handler));
    }
    for (const service of reflectionServices) {
      this.#byPath.set(`/${service}/${reflectionRpc}`, (incoming) => new ReflectionCall(incoming, this.reflection));
    }
  }

  /** Ends calls whose message has not arrived in time, and finds clients that do not read. */
  #check(arrival: number, slow: SlowReaders): void {
    this.#sessions.check();
    const due = steadyNow() - arrival;
    // The list is in the order in which calls began.
    for (const call of this.#open) {
      if (call.began > due) break;
      if (call.over) slow.add(call);
      else if (call.isLate(due)) call.fail(new A2AError('requestTimeout'));
    }
  }

  readonly #onClosed = (call: GrpcStream): void => void this.#open.delete(call);

  #createHttp2Server(): Http2Server {
    const server = createServer({
      settings: { maxConcurrentStreams: connectionStreams, maxHeaderListSize: this.#headerBytes, enablePush: false },
      // Megabytes. Node's default of 10 refuses streams of a connection with many unread answers.
      maxSessionMemory: 512,
    });
    server.on('session', (session: ServerHttp2Session) => this.#sessions.add(session, this.#accepted as Socket));
    server.on('sessionError', ignore);
    server.on('stream', this.#serve);
    return server;
  }

  readonly #serve = (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    _flags: unknown,
    rawHeaders: string[],
  ): void => {
    // The connection may be broken already. An 'error' event without a listener would end the process.
    stream.on('error', ignore);
    const isGrpc = headers[':method'] === 'POST' && grpcType.test(headers['content-type'] ?? '');
    const binding = isGrpc ? 'grpc' : 'other';
    if (sizeOf(rawHeaders) > this.#headerBytes) {
      const error = new A2AError('payloadTooLarge', `The request headers are larger than ${this.#headerBytes} bytes`);
      this.#meters.refused(binding, error, { res: stream });
      refuse(stream, isGrpc ? errorHead(error) : { ':status': 431 });
      return;
    }
    if (!hostMatchesAuthority(headers)) {
      this.#meters.refused(binding, 'invalidRequest', { res: stream });
      refuse(stream, { ':status': 400 });
      return;
    }
    const connection = this.#sessions.connectionOf(stream.session);
    if (!connection) {
      stream.destroy();
      return;
    }
    if (!isGrpc) {
      this.#serveOther(stream, headers, connection);
      return;
    }
    const incoming: IncomingCall = { stream, headers, connection, onClosed: this.#onClosed };
    const call = this.#byPath.get(headers[':path'] ?? '')?.(incoming);
    if (!call) {
      const error = new A2AError('methodNotFound', 'The server has no such rpc');
      this.#meters.refused('grpc', error, { address: connection.remoteAddress, res: stream });
      refuse(stream, errorHead(error, protobufType, plainStatus));
      return;
    }
    this.#open.add(call);
    call.start();
  };

  /** Serves a request that is not gRPC with protobuf, or refuses it. */
  #serveOther(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Http2Connection): void {
    const type = headers['content-type'] ?? '';
    const isPost = headers[':method'] === 'POST';
    if (this.#options.onRequest && headers[':method'] !== 'CONNECT' && !otherGrpcType.test(type)) {
      this.#options.onRequest(stream, headers, connection);
      return;
    }
    this.#meters.refused('grpc', isPost ? 'contentTypeNotSupported' : 'verbNotAllowed', { res: stream });
    const isOtherCodec = isPost && otherGrpcType.test(type);
    // Some clients, such as connect-go, read a status only if it comes with the type that they sent.
    const [sent = protobufType] = codecType.exec(type) ?? [];
    refuse(stream, isOtherCodec ? errorHead(otherCodec, sent) : { ':status': isPost ? 415 : 405 });
  }

  /** Serves a connection that uses HTTP/2, by prior knowledge or by ALPN. */
  readonly serveConnection = (socket: Socket): void => {
    const listed = new Listed(socket);
    this.#sockets.add(listed);
    socket.once('close', () => this.#sockets.delete(listed));
    this.#accepted = socket;
    this.#server ??= this.#createHttp2Server();
    this.#server.emit('connection', socket);
  };

  /**
   * Reports NOT_SERVING in the health service and sends GOAWAY on every connection but those whose first call is probably on its
   * way. Calls are still answered, also those on new connections.
   */
  announceShutdown(): void {
    this.#health.announceShutdown();
    this.#sessions.closeGracefully();
  }

  /** Whether the first call of a connection is probably on its way. */
  awaitsRequests(): boolean {
    return this.#sessions.awaitCalls();
  }

  /** Reports NOT_SERVING and sends GOAWAY on every connection. */
  retire(): void {
    this.#health.announceShutdown();
    this.#sessions.closeAllGracefully();
  }

  /** Does the same and lets open calls finish. After `ms` milliseconds they end with UNAVAILABLE. Resolves when no connection is left. */
  async drain(ms: number): Promise<void> {
    const closed = Promise.all([...this.#sockets].map(({ value: socket }) => whenClosed(socket)));
    this.retire();
    const failCalls = setTimeout(() => {
      for (const call of this.#open) call.fail(new A2AError('unavailable', 'The server is shutting down'));
    }, ms);
    const cut = setTimeout(() => this.#cut(), ms + lingerTime);
    await closed;
    clearTimeout(failCalls);
    clearTimeout(cut);
  }

  /** Ends everything at once. */
  close(): void {
    clearInterval(this.#timer);
    this.#health.announceShutdown();
    this.#cut();
  }

  /** Destroys the connections, also those that the server has ended and whose clients have not. */
  #cut(): void {
    this.#sessions.destroy();
    for (const { value: socket } of this.#sockets) socket.destroy();
  }
}

const ignore = (): void => {};

/** The value of `a2a-version`. Node joins several. */
const versionIn = ({ 'a2a-version': version }: IncomingHttpHeaders): string | undefined => String(version ?? '').trim();

/** gRPC with protobuf, the only codec that is supported. */
const grpcType = /^application\/grpc(?:\+proto)?(?: *;|$)/i;
/** gRPC with any codec. gRPC-Web and Connect have media types of their own. */
const otherGrpcType = /^application\/grpc(?![\w.-])/i;
/** gRPC with the name of its codec, without parameters. */
const codecType = /^application\/grpc\+[\w.-]+/i;
const protobufType = 'application/grpc+proto';

/**
 * Bytes of a header list as HTTP/2 counts them (RFC 9113 section 6.5.2). Node announces the limit without enforcing it, and
 * with header compression (RFC 7541) a client can repeat a large header at the cost of one byte.
 */
function sizeOf(raw: readonly string[]): number {
  let size = raw.length * 16;
  for (const text of raw) size += text.length;
  return size;
}

/** Headers of a call that ends with an error before anything else is sent. */
const errorHead = (error: A2AError, type = protobufType, toStatus = statusOfError): OutgoingHttpHeaders => ({
  ':status': 200,
  'content-type': type,
  ...statusHeaders(error, toStatus),
});

/** For gRPC with another codec. Its clients show a status of gRPC; of an HTTP status they would show only the number. */
const otherCodec = new A2AError(
  'contentTypeNotSupported',
  'gRPC is served with protobuf messages alone: send application/grpc or application/grpc+proto. For JSON, call over ' +
    'Connect (application/json), at the same path.',
);

/** Answers with headers alone, unless the client has reset its request already. */
function refuse(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond(headers, { endStream: true });
  stopRequest(stream);
}

const whenClosed = (socket: Socket): Promise<void> =>
  socket.destroyed ? Promise.resolve() : new Promise((resolve) => socket.once('close', () => resolve()));
