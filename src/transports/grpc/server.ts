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

export interface GrpcServerOptions extends Omit<CallDependencies, 'arrived' | 'meters' | 'slowReader'> {
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
  /** Default: counted nowhere. */
  readonly meters?: Meters;
  /** Serves requests that are not gRPC. Absent: they are refused. */
  readonly onRequest?: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Http2Connection) => void;
}

export type GrpcServer = ReturnType<typeof createGrpcServer>;

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
export function createGrpcServer(options: GrpcServerOptions) {
  const { limits } = options;
  const { arrival = 30_000, slowReader = 30_000, headers: headerBytes = 16_384 } = limits;
  const { slow = new SlowReaders({ timeout: slowReader }), meters = new Meters() } = options;
  const open = new LinkedList<GrpcStream>();
  const onClosed = (call: GrpcStream): void => void open.delete(call);
  const rpcs = rpcsByPath(options.dialects);
  const services = [...new Set(rpcs.values().map(([{ api }]) => api.service))];
  const health = createHealth(services);
  const reflection = createReflection(options.loadImage, [...services, healthService, ...reflectionServices]);
  const shared: CallDependencies = { ...options, meters, slowReader, arrived: new ArrivedCalls() };

  const byPath = new Map<string, (incoming: IncomingCall) => GrpcStream | undefined>();
  for (const [path, versions] of rpcs) {
    byPath.set(path, (incoming) => {
      const rpc = rpcOfVersion(versions, versionIn(incoming.headers));
      return rpc && new ServerCall(incoming, rpc, shared);
    });
  }
  for (const [rpc, handler] of Object.entries(health.handlers)) {
    byPath.set(`/${healthService}/${rpc}`, (incoming) => new HealthCall(incoming, handler));
  }
  for (const service of reflectionServices) {
    byPath.set(`/${service}/${reflectionRpc}`, (incoming) => new ReflectionCall(incoming, reflection));
  }

  const sessions = new Http2Sessions(slow);
  const sockets = new LinkedList<Listed<Socket>>();
  let accepted: Socket;
  const createHttp2Server = (): Http2Server => {
    const server = createServer({
      settings: { maxConcurrentStreams: connectionStreams, maxHeaderListSize: headerBytes, enablePush: false },
      // Megabytes. Node's default of 10 refuses streams of a connection with many unread answers.
      maxSessionMemory: 512,
    });
    server.on('session', (session: ServerHttp2Session) => sessions.add(session, accepted));
    server.on('sessionError', ignore);
    server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags, rawHeaders: string[]) => {
      // The connection may be broken already. An 'error' event without a listener would end the process.
      stream.on('error', ignore);
      const type = headers['content-type'] ?? '';
      const isPost = headers[':method'] === 'POST';
      const isGrpc = isPost && grpcType.test(type);
      const binding = isGrpc ? 'grpc' : 'other';
      if (sizeOf(rawHeaders) > headerBytes) {
        const error = new A2AError('payloadTooLarge', `The request headers are larger than ${headerBytes} bytes`);
        meters.refused(binding, error, { res: stream });
        refuse(stream, isGrpc ? errorHead(error) : { ':status': 431 });
        return;
      }
      if (!hostMatchesAuthority(headers)) {
        meters.refused(binding, 'invalidRequest', { res: stream });
        refuse(stream, { ':status': 400 });
        return;
      }
      const connection = sessions.connectionOf(stream.session);
      if (!connection) {
        stream.destroy();
        return;
      }
      if (!isGrpc) {
        if (options.onRequest && headers[':method'] !== 'CONNECT' && !otherGrpcType.test(type)) {
          options.onRequest(stream, headers, connection);
          return;
        }
        meters.refused('grpc', isPost ? 'contentTypeNotSupported' : 'verbNotAllowed', { res: stream });
        const isOtherCodec = isPost && otherGrpcType.test(type);
        // Some clients, such as connect-go, read a status only if it comes with the type that they sent.
        const [sent = protobufType] = codecType.exec(type) ?? [];
        refuse(stream, isOtherCodec ? errorHead(otherCodec, sent) : { ':status': isPost ? 415 : 405 });
        return;
      }
      const call = byPath.get(headers[':path'] ?? '')?.({ stream, headers, connection, onClosed });
      if (!call) {
        const error = new A2AError('methodNotFound', 'The server has no such rpc');
        meters.refused('grpc', error, { address: connection.remoteAddress, res: stream });
        refuse(stream, errorHead(error, protobufType, plainStatus));
        return;
      }
      open.add(call);
      call.start();
    });
    return server;
  };
  /** Created for the first connection: what Node needs for HTTP/2 takes a while to load. */
  let server: Http2Server | undefined;

  const timer = setInterval(
    () => {
      sessions.check();
      const due = steadyNow() - arrival;
      // The list is in the order in which calls began.
      for (const call of open) {
        if (call.began > due) break;
        if (call.over) slow.add(call);
        else if (call.isLate(due)) call.fail(new A2AError('requestTimeout'));
      }
    },
    Math.min(arrival, 5_000),
  ).unref();

  return {
    /** Answers requests of server reflection, for other bindings too. */
    reflection,
    /** Serves a connection that uses HTTP/2, by prior knowledge or by ALPN. */
    serveConnection(socket: Socket): void {
      const listed = new Listed(socket);
      sockets.add(listed);
      socket.once('close', () => sockets.delete(listed));
      accepted = socket;
      server ??= createHttp2Server();
      server.emit('connection', socket);
    },
    /**
     * Reports NOT_SERVING in the health service and sends GOAWAY on every connection. Calls are still answered, also those
     * on new connections.
     */
    announceShutdown(): void {
      health.announceShutdown();
      sessions.closeGracefully();
    },
    /**
     * Does the same and lets open calls finish. After `ms` milliseconds they end with UNAVAILABLE. Resolves when no
     * connection is left.
     */
    async drain(ms: number): Promise<void> {
      const closed = Promise.all([...sockets].map(({ value: socket }) => whenClosed(socket)));
      this.announceShutdown();
      const failCalls = setTimeout(() => {
        for (const call of open) call.fail(new A2AError('unavailable', 'The server is shutting down'));
      }, ms);
      const destroySessions = setTimeout(() => sessions.destroy(), ms + lingerTime);
      await closed;
      clearTimeout(failCalls);
      clearTimeout(destroySessions);
    },
    /** Ends everything at once. */
    close(): void {
      clearInterval(timer);
      health.announceShutdown();
      sessions.destroy();
      for (const { value: socket } of sockets) socket.destroy();
    },
  };
}

const ignore = (): void => {};

/** The value of `a2a-version`. Node joins several. */
const versionIn = ({ 'a2a-version': version }: IncomingHttpHeaders): string | undefined => String(version ?? '').trim();

/** gRPC with protobuf, the only codec that is supported. */
const grpcType = /^application\/grpc(?:\+proto)?(?: *;|$)/i;
/** gRPC with any codec. gRPC-Web and Connect have media types of their own. */
const otherGrpcType = /^application\/grpc(?![\w.-])/i;
/** The same with the name of its codec, without parameters. */
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
