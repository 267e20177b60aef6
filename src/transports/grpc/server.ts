import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import {
  type ConnectionInjector,
  experimental,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Authenticate } from '../../core/admission.ts';
import type { Invoke } from '../../core/call.ts';
import { A2AError } from '../../core/errors.ts';
import type { AgentDirectory, Logger } from '../../core/ports.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { type Rpc, rpcsOf } from '../rpc.ts';
import { definitionOf } from './definition.ts';
import { createHealthService } from './health.ts';
import { OpenCalls } from './open-calls.ts';
import { readReflectionRequest, reflectionHandler, reflectionRpc, reflectionServices } from './reflection.ts';
import { ServedCall, type Serving } from './served-call.ts';

export interface GrpcServerOptions {
  /** Those without a protobuf face are passed over. */
  readonly dialects: readonly Dialect[];
  readonly invoke: Invoke;
  readonly authenticate: Authenticate;
  readonly agents: AgentDirectory;
  readonly logger: Logger;
  /** The descriptors of all services, as a serialised FileDescriptorSet. Called when reflection is first asked. */
  readonly loadImage: () => Promise<Uint8Array>;
  readonly limits: {
    /** Bytes of a request message, uncompressed. */
    readonly body: number;
    /** Streams of one connection at the same time. Default 1,000. */
    readonly connectionStreams?: number;
    /** Milliseconds until the request message must have arrived. Default 30,000. */
    readonly arrival?: number;
    /** Bytes of one stream that wait for the client before its source is held back. Default 64 KiB. */
    readonly highWater?: number;
    /** Milliseconds that a stream waits for a client which does not read. Default 30,000. */
    readonly slowReader?: number;
  };
}

export interface GrpcServer {
  /** Serves one connection on which HTTP/2 is spoken, with prior knowledge or after ALPN. */
  inject(socket: Socket): void;
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

/**
 * The gRPC binding: every rpc of the dialects' protobuf faces, server reflection and the health service, over
 * connections that a listener hands in. Errors are those of A2A 1.0.1 section 10.6; which agent is called says
 * `resolveAgent`.
 *
 * Request metadata: `a2a-version`, `a2a-extensions`, `a2a-agent`, `idempotency-key`, `last-event-id`, `traceparent`,
 * `a2a-hops`, credentials. Initial metadata: `x-request-id`, `a2a-version`, `a2a-extensions`; an error that comes
 * before any message carries the first two as trailers. Trailers: `a2a-gateway-loss`, `grpc-status-details-bin`.
 */
export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const { invoke, authenticate, agents, logger, limits } = options;
  const { arrival = 30_000, highWater = 64 * 1024, slowReader = 30_000, connectionStreams = 1_000 } = limits;
  const rpcs = rpcsOf(options.dialects);
  const open = new OpenCalls<ServedCall>();
  const serving: Serving = { invoke, authenticate, agents, logger, highWater, slowReader, open };
  const server = new Server({
    'grpc.enable_channelz': 0,
    'grpc.max_receive_message_length': limits.body,
    'grpc.max_send_message_length': -1,
    'grpc.max_concurrent_streams': connectionStreams,
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 20_000,
  });
  const health = addServices(server, rpcs, options.loadImage);
  const plain = injectorOf(server, rpcs, serving, false);
  const secure = injectorOf(server, rpcs, serving, true);
  const sockets = new Set<Socket>();

  const sweep = setInterval(
    () => {
      const before = Date.now() - arrival;
      for (const call of open) {
        // In the order in which they began.
        if (call.began > before) break;
        if (call.arriving) call.fail(new A2AError('requestTimeout'));
      }
    },
    Math.min(arrival, 5_000),
  ).unref();

  return {
    inject(socket) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      (socket instanceof TLSSocket ? secure : plain).injectConnection(socket);
    },
    async drain(ms) {
      health.retire();
      const closed = Promise.all([...sockets].map((socket) => closing(socket)));
      // The grace of grpc-js is longer than ours, so that calls are told why they end.
      for (const injector of [plain, secure]) injector.drain(ms + farewell);
      const cut = setTimeout(() => {
        for (const call of open) call.fail(new A2AError('unavailable', 'The server is shutting down'));
      }, ms);
      await closed;
      clearTimeout(cut);
    },
    close() {
      clearInterval(sweep);
      health.retire();
      server.forceShutdown();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const closing = (socket: Socket): Promise<void> =>
  socket.destroyed ? Promise.resolve() : new Promise((resolve) => socket.once('close', () => resolve()));

/** Registers all services; the handlers of our own rpcs are never reached, since `ServedCall` answers before them. */
function addServices(server: Server, rpcs: readonly Rpc[], loadImage: () => Promise<Uint8Array>) {
  const services = [...new Set(rpcs.map(({ api }) => api.service))];
  for (const service of services) {
    const own = rpcs.filter(({ api }) => api.service === service);
    const streaming = new Set(own.filter(({ operation }) => operation.streaming).map(({ operation }) => operation.rpc));
    const names = own.map(({ operation }) => operation.rpc);
    server.addService(definitionOf(service, names, { responseStream: (rpc) => streaming.has(rpc) }), {});
  }
  const health = createHealthService(services);
  server.addService(health.definition, health.handlers as unknown as UntypedServiceImplementation);
  const handler = reflectionHandler(loadImage, [...services, 'grpc.health.v1.Health', ...reflectionServices]);
  for (const service of reflectionServices) {
    const both = () => true;
    const definition = definitionOf(service, [reflectionRpc], {
      decode: readReflectionRequest,
      requestStream: both,
      responseStream: both,
    });
    server.addService(definition, { [reflectionRpc]: handler } as unknown as UntypedServiceImplementation);
  }
  return health;
}

/** Plain and encrypted connections have an injector each, which is how a call knows what it came by. */
function injectorOf(server: Server, rpcs: readonly Rpc[], serving: Serving, encrypted: boolean): ConnectionInjector {
  const byPath = new Map(rpcs.map((rpc) => [rpc.operation.grpcPath, rpc]));
  const intercept: ServerInterceptor = ({ path }, wire) => {
    const rpc = byPath.get(path);
    return rpc ? new ServedCall(wire, rpc, serving, encrypted) : new ServerInterceptingCall(wire);
  };
  const credentials = ServerCredentials.createInsecure();
  return server.createConnectionInjector(
    experimental.createServerCredentialsWithInterceptors(credentials, [intercept]),
  );
}
