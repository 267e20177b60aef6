import { createServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Authenticate, CheckOperation } from '../../core/limits/admission.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { Meters } from '../../core/telemetry/meters.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import { hostMatchesAuthority } from '../listener/authority.ts';
import type { Http2Connection } from '../listener/http2-compat.ts';
import { LinkedList } from '../listener/linked-list.ts';
import { SlowReaders } from '../listener/slow-readers.ts';
import { statusHeaders } from '../rpc/errors.ts';
import { rpcsOf } from '../rpc/rpc.ts';
import type { GrpcStream } from './grpc-stream.ts';
import { createHealth, HealthCall, healthService } from './health.ts';
import { Http2Sessions } from './http2-sessions.ts';
import { createReflection, ReflectionCall, reflectionRpc, reflectionServices } from './reflection.ts';
import { type CallDependencies, ServerCall } from './server-call.ts';

export interface GrpcServerOptions {
  /** Those without a protobuf face are passed over. */
  readonly dialects: readonly WireProtocol[];
  readonly invoke: Invoke;
  /** Asked before parameters are read. Default: every operation is allowed. */
  readonly checkOperation?: CheckOperation;
  readonly authenticate: Authenticate;
  readonly agents: AgentDirectory;
  readonly logger: Logger;
  /** The descriptors of all services, as a serialised FileDescriptorSet. Called when reflection is first asked. */
  readonly loadImage: () => Promise<Uint8Array>;
  readonly limits: {
    /** Bytes of a request message, uncompressed. Read for every call, so that it may change. */
    readonly body: number;
    /** Bytes of a call's headers, each with the 32 that HTTP/2 counts for it besides. Default 16 KiB. */
    readonly headers?: number;
    /** Streams of one connection at the same time. Default 1,000. */
    readonly connectionStreams?: number;
    /** Milliseconds until the request message must have arrived. Default 30,000. */
    readonly arrival?: number;
    /** Milliseconds that a stream waits for a client which does not read. Default 30,000. */
    readonly slowReader?: number;
  };
  /** Told of calls whose client does not read. Default: one of the server's own. */
  readonly slow?: SlowReaders;
  /** Where what happens is counted. Default: where nobody reads it. */
  readonly meters?: Meters;
  /** Serves requests that are not gRPC. Absent: they are refused. */
  readonly onRequest?: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Http2Connection) => void;
}

export interface GrpcServer {
  /** Serves one connection on which HTTP/2 is spoken, with prior knowledge or after ALPN. */
  serveConnection(socket: Socket): void;
  /**
   * Says that new work goes elsewhere, in the health service and on every connection (GOAWAY). Calls are still answered,
   * and so are those that come over new connections.
   */
  announceShutdown(): void;
  /**
   * Takes no new calls (GOAWAY, and NOT_SERVING in the health service) and lets those under way end; after `ms`
   * milliseconds they are ended with UNAVAILABLE. Resolves when no connection is left.
   */
  drain(ms: number): Promise<void>;
  /** Ends everything at once. */
  close(): void;
}

/** How long ended calls have to tell their clients before the connections are closed. */
const farewell = 500;

type Open = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Http2Connection) => GrpcStream;

/**
 * The gRPC binding: every rpc of the dialects' protobuf faces, server reflection and the health service, over
 * connections that a listener hands in. Errors are told as their dialect tells them, in A2A 1.0.1 as in its section
 * 10.6; which agent is called says `resolveAgent`.
 *
 * Request metadata: `a2a-version`, `a2a-extensions`, `a2a-agent`, `idempotency-key`, `last-event-id`, `traceparent`,
 * `a2a-hops`, `x-request-id`, credentials. Initial metadata: `x-request-id`, `a2a-version`, `a2a-extensions` (in 0.3
 * `x-a2a-extensions`, too); an error that comes before any message carries the first two as trailers. Trailers:
 * `a2a-gateway-loss`, `grpc-status-details-bin`, `retry-after` (seconds).
 */
export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const { invoke, authenticate, agents, logger, limits } = options;
  const { arrival = 30_000, slowReader = 30_000, connectionStreams = 1_000, headers: headerBytes = 16_384 } = limits;
  const { slow = new SlowReaders({ timeout: slowReader }), meters = new Meters() } = options;
  const open = new LinkedList<GrpcStream>();
  const left = (call: GrpcStream): void => {
    open.delete(call);
  };
  const rpcs = rpcsOf(options.dialects);
  const services = [...new Set(rpcs.map(({ api }) => api.service))];
  const health = createHealth(services);
  const reflection = createReflection(options.loadImage, [...services, healthService, ...reflectionServices]);
  const serving: CallDependencies = {
    invoke,
    checkOperation: options.checkOperation,
    authenticate,
    agents,
    logger,
    meters,
    slowReader,
    limits,
    left,
  };

  const byPath = new Map<string, Open>();
  for (const rpc of rpcs) {
    byPath.set(
      rpc.operation.grpcPath,
      (stream, headers, connection) => new ServerCall(stream, headers, connection, rpc, serving),
    );
  }
  for (const [rpc, handler] of Object.entries(health.handlers)) {
    byPath.set(`/${healthService}/${rpc}`, (...call) => new HealthCall(...call, handler, left));
  }
  for (const service of reflectionServices) {
    byPath.set(`/${service}/${reflectionRpc}`, (...call) => new ReflectionCall(...call, reflection, left));
  }

  const sessions = new Http2Sessions(slow);
  const sockets = new Set<Socket>();
  const server = createServer({
    settings: { maxConcurrentStreams: connectionStreams, maxHeaderListSize: headerBytes, enablePush: false },
    // Megabytes. Node's own bound of 10 refuses streams of a connection on which many answers are under way.
    maxSessionMemory: 512,
  });
  let accepted: Socket;
  server.on('session', (session: ServerHttp2Session) => sessions.add(session, accepted));
  server.on('sessionError', ignore);
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags, rawHeaders: string[]) => {
    // Its connection may have broken already; what nobody listens for would end the process.
    stream.on('error', ignore);
    const type = headers['content-type'] ?? '';
    const isGrpc = headers[':method'] === 'POST' && grpcType.test(type);
    if (sizeOf(rawHeaders) > headerBytes) {
      if (!isGrpc) {
        meters.refused('other', 'payloadTooLarge');
        refuse(stream, { ':status': 431 });
        return;
      }
      const error = new A2AError('payloadTooLarge', `The request headers are larger than ${headerBytes} bytes`);
      meters.refused('grpc', error.kind);
      refuse(stream, { ':status': 200, 'content-type': 'application/grpc+proto', ...statusHeaders(error) });
      return;
    }
    if (!hostMatchesAuthority(headers)) {
      meters.refused(isGrpc ? 'grpc' : 'other', 'invalidRequest');
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
      const isPost = headers[':method'] === 'POST';
      meters.refused('grpc', isPost ? 'contentTypeNotSupported' : 'verbNotAllowed');
      refuse(stream, { ':status': isPost ? 415 : 405 });
      return;
    }
    const make = byPath.get(headers[':path'] ?? '');
    if (!make) {
      const error = new A2AError('methodNotFound', 'The server has no such rpc');
      meters.refused('grpc', error.kind);
      refuse(stream, { ':status': 200, 'content-type': 'application/grpc+proto', ...statusHeaders(error) });
      return;
    }
    const call = make(stream, headers, connection);
    open.add(call);
    call.start();
  });

  const sweep = setInterval(
    () => {
      sessions.check();
      const before = Date.now() - arrival;
      for (const call of open) {
        // In the order in which they began.
        if (call.began > before) break;
        if (call.over) slow.add(call);
        else if (call.arriving) call.fail(new A2AError('requestTimeout'));
      }
    },
    Math.min(arrival, 5_000),
  ).unref();

  return {
    serveConnection(socket) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      accepted = socket;
      server.emit('connection', socket);
    },
    announceShutdown() {
      health.announceShutdown();
      sessions.closeGracefully();
    },
    async drain(ms) {
      health.announceShutdown();
      const closed = Promise.all([...sockets].map((socket) => closing(socket)));
      sessions.closeGracefully();
      const cut = setTimeout(() => {
        for (const call of open) call.fail(new A2AError('unavailable', 'The server is shutting down'));
      }, ms);
      const end = setTimeout(() => sessions.destroy(), ms + farewell);
      await closed;
      clearTimeout(cut);
      clearTimeout(end);
    },
    close() {
      clearInterval(sweep);
      health.announceShutdown();
      sessions.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const ignore = (): void => {};

/** Messages of gRPC in protobuf, the one codec that is spoken. */
const grpcType = /^application\/grpc(?:\+proto)?(?: *;|$)/;
/** The same in any codec; gRPC-Web and Connect have types of their own. */
const otherGrpcType = /^application\/grpc(?![\w.-])/;

/**
 * Bytes of a header list as HTTP/2 counts them (RFC 9113 section 6.5.2). Node announces the bound and does not hold
 * clients to it, and a field that is said once can be repeated at a byte each (RFC 7541).
 */
function sizeOf(raw: readonly string[]): number {
  let size = raw.length * 16;
  for (const text of raw) size += text.length;
  return size;
}

/** Answers with headers alone, unless the client has taken its request back: a reset comes as soon as what it resets. */
function refuse(stream: ServerHttp2Stream, headers: Record<string, string | number>): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond(headers, { endStream: true });
  stream.close(0);
}

const closing = (socket: Socket): Promise<void> =>
  socket.destroyed ? Promise.resolve() : new Promise((resolve) => socket.once('close', () => resolve()));
