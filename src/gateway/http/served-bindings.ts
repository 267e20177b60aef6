import type { IncomingMessage, RequestListener } from 'node:http';
import type { CheckOperation } from '../../core/limits/admission.ts';
import { tenantOf } from '../../core/model/principal.ts';
import type { Service } from '../../core/operations/service.ts';
import type { ActiveObserver } from '../../core/ports/exchange-observer.ts';
import type { Dialects } from '../../dialects/kernel/detect.ts';
import { loadImage } from '../../dialects/registry.ts';
import { connectReflection } from '../../transports/connect/reflection.ts';
import { createConnectHandlers } from '../../transports/connect/server.ts';
import { GrpcServer, type GrpcServerOptions } from '../../transports/grpc/server.ts';
import type { CardSource } from '../../transports/http/cards.ts';
import type { HttpBinding, HttpContext } from '../../transports/http/context.ts';
import { mountOf, originOf } from '../../transports/http/request-facts.ts';
import { createJsonRpcServer } from '../../transports/jsonrpc/server.ts';
import { type Http2Connection, serveOverHttp2 } from '../../transports/listener/http2-compat.ts';
import type { SlowReaders } from '../../transports/listener/slow-readers.ts';
import { createRestServer } from '../../transports/rest/server.ts';
import type { MountServer } from '../../transports/rpc/mount.ts';
import { reflectionServices } from '../../transports/rpc/reflection.ts';

/** The members of the HTTP server that bindings use. */
export interface BindingServer extends Pick<MountServer, 'invoke' | 'authenticate' | 'agents'> {
  readonly checkOperation: CheckOperation;
  readonly dialects: Dialects;
  readonly http: HttpContext;
  /** Limits of the active configuration, which are read for each call. */
  readonly limits: Required<GrpcServerOptions['limits']>;
  readonly slow: SlowReaders;
  readonly observer: ActiveObserver | undefined;
  readonly dialectOf: Service['dialectOf'];
  readonly card: CardSource;
  /** Start of the URLs in cards. Undefined: the Host header of the request is used. */
  readonly publicUrl: string | undefined;
  /** Whether the server at which a request arrived serves gRPC. */
  readonly servesGrpc: (req: IncomingMessage) => boolean;
  /** Serves the requests of a connection that came with HTTP/2. */
  readonly listenerOf: (connection: Http2Connection) => RequestListener;
}

/** The bindings of the gateway's port, in the order in which requests are offered to them. The bindings of modules follow the first. */
export const servedBindings: readonly ((server: BindingServer) => HttpBinding)[] = [
  jsonrpcOf,
  // Before HTTP+JSON, in which the name of a service would be a tenant.
  (server) => createConnectHandlers(rpcsOf(server)),
  createRestServer,
  grpcOf,
];

function jsonrpcOf(server: BindingServer): HttpBinding {
  const { card, dialectOf, publicUrl, servesGrpc } = server;
  return createJsonRpcServer({
    ...server,
    recall: ({ agent, principal }, taskId) =>
      dialectOf({ agent, tenant: tenantOf(principal, ''), principal: principal.id }, taskId),
    card: ({ agent, req, base, pinned }, dialect) =>
      card({
        agent,
        dialects: [dialect],
        pinned,
        origin: publicUrl ?? originOf(req),
        base: mountOf(req) + base,
        grpc: servesGrpc(req),
      }),
  });
}

/** gRPC, and the server reflection of gRPC over Connect. */
function grpcOf(server: BindingServer): HttpBinding {
  const { agents, authenticate, checkOperation, dialects, http, invoke, limits, listenerOf, observer, slow } = server;
  const grpc = new GrpcServer({
    dialects: dialects.protocols,
    invoke,
    checkOperation,
    authenticate,
    agents,
    logger: http.logger,
    loadImage: () => loadImage(dialects),
    limits,
    slow,
    meters: http.meters,
    observer,
    onRequest: (stream, headers, connection) => serveOverHttp2(listenerOf(connection), stream, headers, connection),
  });
  return {
    names: ['grpc'],
    connections: grpc,
    handle: connectReflection(http, grpc.reflection),
    segments: reflectionServices,
  };
}

/** The parts of the server that serve rpcs. Servers of other libraries use them, too. */
export const rpcsOf = ({ dialects, ...server }: BindingServer) => ({ ...server, dialects: dialects.protocols });
