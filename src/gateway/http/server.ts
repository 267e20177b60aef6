import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { OngoingStreams } from '../../auth/ending.ts';
import type { Authenticate, CheckOperation } from '../../core/limits/admission.ts';
import type { StreamLimit } from '../../core/limits/stream-limit.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Service } from '../../core/operations/service.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import { Meters } from '../../core/telemetry/meters.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import { createConnectHandlers } from '../../transports/connect/server.ts';
import { createGrpcServer } from '../../transports/grpc/server.ts';
import { createHttpContext } from '../../transports/http/context.ts';
import { type Cors, createCors } from '../../transports/http/cors.ts';
import { createDispatcher } from '../../transports/http/dispatcher.ts';
import { mountOf, originOf, ownOriginOf } from '../../transports/http/request-facts.ts';
import { createJsonRpcServer } from '../../transports/jsonrpc/server.ts';
import { serveOverHttp2 } from '../../transports/listener/http2-compat.ts';
import { inRequestOrder } from '../../transports/listener/request-order.ts';
import type { ListenerTls } from '../../transports/listener/tcp-listener.ts';
import { createApp } from '../../transports/pages/app.ts';
import type { CardSource } from '../../transports/pages/cards.ts';
import { createFiles, type FileHost } from '../../transports/pages/files.ts';
import { createKeySet } from '../../transports/pages/key-set.ts';
import { createMetricsPage, type MetricsPageOptions } from '../../transports/pages/metrics.ts';
import { createOAuthMetadata } from '../../transports/pages/oauth-metadata.ts';
import { createTokenPage } from '../../transports/pages/oauth-token.ts';
import { createRestServer } from '../../transports/rest/server.ts';
import { createAdmission } from '../compose/access.ts';
import type { Listener } from '../compose/listener.ts';
import { createMcpEndpoint } from '../mcp/endpoint.ts';
import type { ActiveConfig } from '../reload/active-config.ts';
import { admitReader } from './metrics.ts';
import { createPages } from './pages.ts';
import { Readiness } from './readiness.ts';

export interface HttpServerOptions {
  /** What is served, to whom, and within which limits: as it is at the moment. */
  readonly active: ActiveConfig;
  /** The port, which may be open already. */
  readonly listener: Listener;
  readonly dialects: Dialects;
  readonly invoke: Invoke;
  /** Where several dialects share a method name, the one in which the caller last used the task decides. */
  readonly dialectOf: Service['dialectOf'];
  readonly card: CardSource;
  readonly store: Store;
  /** Absent: inline bytes of tasks are served nowhere. */
  readonly files?: FileHost;
  readonly logger: Logger;
  readonly audit: Audit;
  /** Told of streams that are no call's. */
  readonly ongoing: OngoingStreams;
  /** What cards advertise; undefined while the gateway does not know. */
  readonly publicUrl: () => string | undefined;
  /** The public keys that verify its cards; undefined where they are not signed. */
  readonly keySet?: object | undefined;
  /** Absent: any number of streams. */
  readonly streams?: StreamLimit | undefined;
  /** Where what happens at the edges is counted. Default: where nobody reads it. */
  readonly meters?: Meters;
  /** What `/metrics` says. Absent: there is no such page. */
  readonly readMetrics?: MetricsPageOptions['read'];
}

/** Middleware of Express 5, and of whatever else calls it like that. */
export type ConnectMiddleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/** Every binding over one Invoke: on a port of its own, or as part of somebody's server. */
export interface GatewayHttpServer {
  readonly middleware: ConnectMiddleware;
  attach(server: Server): void;
  /** Lets what follows from the generation that counts now count at once where it is not looked for. */
  applyConfig(tls: ListenerTls | undefined): void;
  /** Says that new work goes elsewhere: not ready any more, and every connection is told. Work is still taken. */
  leave(): void;
  /** New work is refused from now on; the port still answers, and says so. */
  retire(): void;
  close(drainMs: number): Promise<void>;
}

/** Puts all transports together over the same agents, dialects and callers. */
export function createHttpServer(options: HttpServerOptions): GatewayHttpServer {
  const { active: current, dialects, invoke, card, store, logger, meters = new Meters() } = options;
  const { agents } = current;
  const limits = current.select('limits');
  const { listen } = current.snapshot.config;
  let leaving = false;
  let draining = false;
  const admit = current.computed(createAdmission(options));
  const requireWork = (): void => {
    if (draining) throw new A2AError('unavailable', 'The gateway is stopping', { retryAfter: 5 });
  };
  const authenticate: Authenticate = (caller) => {
    requireWork();
    return admit()(caller);
  };
  const { port, slow } = options.listener;
  const { publicUrl, files: host } = options;
  const files = host && createFiles({ host, publicUrl, logger, budget: slow.budget });
  const ground = createHttpContext({
    logger,
    get maxBody() {
      return limits.body;
    },
    bodyTimeout: limits.requestTimeout,
    readTimeout: limits.slowReader,
    meters,
    budget: slow.budget,
    ...(files && { files }),
  });
  const checkOperation: CheckOperation = (...asked) => current.snapshot.access.checkOperation(...asked);
  const jsonrpc = createJsonRpcServer({
    dialects,
    invoke,
    checkOperation,
    http: ground,
    recall: ({ agent, principal }, taskId) => options.dialectOf({ agent, tenant: '', principal: principal.id }, taskId),
    card: ({ agent, req, base, pinned }, dialect) =>
      card({
        agent,
        dialects: [dialect],
        pinned,
        origin: listen.publicUrl ?? originOf(req),
        base: mountOf(req) + base,
      }),
  });
  const rest = createRestServer({ dialects, invoke, checkOperation, http: ground });
  const connect = createConnectHandlers({
    dialects: dialects.protocols,
    invoke,
    checkOperation,
    agents,
    http: ground,
    limits,
  });
  const grpc = createGrpcServer({
    dialects: dialects.protocols,
    invoke,
    checkOperation,
    authenticate,
    agents,
    logger,
    loadImage,
    limits: {
      get body() {
        return limits.body;
      },
      headers: limits.headers,
      arrival: limits.requestTimeout,
      slowReader: limits.slowReader,
    },
    slow,
    meters,
    onRequest: (...request) => serveOverHttp2(onRequest, ...request),
  });
  const corsNow = current.computed(({ config }) => createCors(config.listen.cors, [config.auth.apiKeyHeader]));
  const cors: Cors = {
    apply: (req, res) => corsNow().apply(req, res),
    options: (req, res, verbs) => corsNow().options(req, res, verbs),
  };
  const metadata = current.computed(({ config, access }) =>
    createOAuthMetadata({
      issuer: config.auth.jwt?.issuer,
      grants: access.tokens !== undefined,
      origin: (req) => ownOriginOf(req, agents, options.publicUrl()) ?? options.publicUrl() ?? originOf(req),
      cors,
    }),
  );
  const mcp = createMcpEndpoint({
    agents,
    dialects,
    invoke,
    ground,
    limits,
    streams: options.streams,
    ongoing: options.ongoing,
    origins: () => current.snapshot.config.listen.cors,
    resourceMetadata: (req, path) => metadata().urlFor(req, path),
  });
  const dispatch = createDispatcher({
    agents,
    dialects,
    http: ground,
    authenticate,
    handlers: [jsonrpc.handle, mcp.handle, rest.handle, connect.handle],
    refusals: [jsonrpc.refuse, mcp.refuse, connect.refuse, rest.refuse],
    rootSegments: ['mcp'],
    cors,
    card,
    checkAgent: (...asked) => current.snapshot.access.checkAgent(...asked),
    publicCards: () => current.snapshot.config.auth.publicCards,
    publicUrl: listen.publicUrl,
  });

  const pages = createPages({
    agents,
    dialects,
    authenticate,
    identify: (caller) => current.snapshot.access.authenticate(caller),
    readiness: new Readiness({
      serving: () => {
        if (leaving) throw new A2AError('unavailable', 'The gateway is stopping');
      },
      store: () => store.ping(AbortSignal.timeout(5_000)),
    }),
    publicUrl: options.publicUrl,
  });
  const app = createApp({ ...pages, cors, notFound: dispatch.notFound });

  const keySet = options.keySet ? createKeySet(options.keySet, cors) : () => false;
  const tokens = current.computed(({ access }) =>
    access.tokens ? createTokenPage(access.tokens, requireWork) : () => false,
  );
  const { readMetrics: read } = options;
  const reader = current.computed(({ config, access }) => admitReader({ config, authenticate: access.authenticate }));
  const metrics = read ? createMetricsPage({ admit: (caller) => reader()(caller), read }) : () => false;
  const serves = (req: IncomingMessage, res: ServerResponse): boolean =>
    dispatch(req, res) || keySet(req, res) || tokens()(req, res) || metadata().serve(req, res) || metrics(req, res);
  const onRequest: RequestListener = (req, res) => {
    if (!serves(req, res)) app(req, res);
  };

  options.listener.serve({ onRequest, onHttp2: grpc.serveConnection });

  return {
    middleware: (req, res, next) => {
      if (!serves(req, res)) next();
    },
    attach(server) {
      const others = server.listeners('request') as RequestListener[];
      server.removeAllListeners('request');
      const serve: RequestListener = (req, res) => {
        if (serves(req, res)) return;
        for (const other of others) other.call(server, req, res);
      };
      server.on('request', inRequestOrder(serve, slow.budget));
    },
    applyConfig(tls) {
      if (tls) port.renew(tls);
      port.bound(limits.connections);
      mcp.look();
    },
    leave() {
      leaving = true;
      port.disableKeepAlive();
      grpc.announceShutdown();
    },
    retire() {
      this.leave();
      draining = true;
    },
    async close(drainMs) {
      this.retire();
      ground.streams.close();
      await mcp.close();
      // HTTP requests and gRPC calls end at the same time; gRPC tells its clients why, which takes a moment more.
      await Promise.all([grpc.drain(drainMs), port.close({ drainMs: drainMs + 1_000 })]);
      grpc.close();
    },
  };
}

/** The descriptors that reflection and Connect read; loaded when somebody asks. */
async function loadImage(): Promise<Uint8Array> {
  const { image } = await import('../../gen/image.ts');
  return Buffer.from(image, 'base64');
}
