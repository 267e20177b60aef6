import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { agentsOfResource } from '../../auth/principals.ts';
import type { Authenticate, CheckOperation } from '../../core/limits/admission.ts';
import type { AgentCard } from '../../core/model/a2a.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { tenantOf } from '../../core/model/principal.ts';
import type { Service } from '../../core/operations/service.ts';
import type { ActiveObserver } from '../../core/ports/exchange-observer.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Meters } from '../../core/telemetry/meters.ts';
import type { Dialects } from '../../dialects/kernel/detect.ts';
import { loadImage } from '../../dialects/registry.ts';
import type { ModuleHttp, ModuleServer } from '../../extensions/module.ts';
import { connectReflection } from '../../transports/connect/reflection.ts';
import { createConnectHandlers } from '../../transports/connect/server.ts';
import { GrpcServer } from '../../transports/grpc/server.ts';
import { type CardSource, cardPath } from '../../transports/http/cards.ts';
import { createHttpContext } from '../../transports/http/context.ts';
import { createCors } from '../../transports/http/cors.ts';
import { createDispatcher } from '../../transports/http/dispatcher.ts';
import { createFiles, type FileHost } from '../../transports/http/files.ts';
import type { PageHandler } from '../../transports/http/headers.ts';
import { mountOf, originOf, ownOriginOf } from '../../transports/http/request-facts.ts';
import { createJsonRpcServer } from '../../transports/jsonrpc/server.ts';
import { serveHttp2On } from '../../transports/listener/attached-server.ts';
import { serveOverHttp2 } from '../../transports/listener/http2-compat.ts';
import { inRequestOrder } from '../../transports/listener/request-order.ts';
import type { ListenerTls } from '../../transports/listener/tcp-listener.ts';
import { createKeySet } from '../../transports/pages/key-set.ts';
import { createMetricsPage, type MetricsPageOptions } from '../../transports/pages/metrics.ts';
import { createOAuthMetadata } from '../../transports/pages/oauth-metadata.ts';
import { createTokenPage } from '../../transports/pages/oauth-token.ts';
import { createOwnPages, type OwnPage, ownPages } from '../../transports/pages/own-pages.ts';
import { createRestServer } from '../../transports/rest/server.ts';
import type { MountServer } from '../../transports/rpc/mount.ts';
import { reflectionServices } from '../../transports/rpc/reflection.ts';
import type { GatewayState } from '../process/state.ts';
import type { WorkerGroup } from '../process/workers.ts';
import type { ActiveConfig } from '../reload/active-config.ts';
import { createFetch } from './fetch.ts';
import type { Listener } from './listener.ts';
import { admitReader, createPages, readinessOf, requireReady } from './pages.ts';

/** Parts of the server that modules get besides the gateway. */
export type ServerParts = Pick<ModuleServer, 'agents' | 'http' | 'checkOperation' | 'urlOf' | 'resourceMetadata'>;

export interface HttpServerOptions {
  readonly active: ActiveConfig;
  readonly dialects: Dialects;
  readonly files: FileHost;
  readonly logger: Logger;
  readonly meters: Meters;
  /** The URL in cards; undefined while it is not known. */
  readonly publicUrl: () => string | undefined;
  readonly state: GatewayState;
  readonly store: Store;
  readonly invoke: Invoke;
  readonly deps?: { readonly workers?: WorkerGroup | undefined };
  /** Sees the requests whose callers are known. Absent: there is none. */
  readonly observer?: ActiveObserver;
  /** It may be open already. */
  readonly listener: Listener;
  /** Decides where several dialects share a method name: the dialect in which the caller last used the task. */
  readonly dialectOf: Service['dialectOf'];
  readonly card: CardSource;
  /** The public keys that verify the cards; undefined where cards are not signed. */
  readonly keySet: object | undefined;
  readonly readMetrics: MetricsPageOptions['read'];
  /** Parts that modules add. */
  readonly added: (server: ServerParts) => readonly ModuleHttp[];
}

/** Middleware of Express 5, and of other servers in the style of connect. */
export type ConnectMiddleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

export type GatewayHttpServer = ReturnType<typeof createHttpServer>;

/**
 * Serves all transports and pages over the same agents, dialects and callers: on the gateway's own listener, or mounted in
 * another server.
 */
export function createHttpServer(options: HttpServerOptions) {
  const { active, dialects, invoke, card, store, logger, publicUrl, meters, observer, state } = options;
  const { agents } = active;
  const limits = active.select('limits');
  const { listen } = active.snapshot.config;
  let leaving = false;
  let draining = false;
  const requireAccepting = (): void => {
    if (draining) throw new A2AError('unavailable', 'The gateway is stopping', { retryAfter: 5 });
  };
  const authenticate: Authenticate = (caller) => {
    requireAccepting();
    return active.snapshot.access.admit(caller);
  };
  const { port, slow } = options.listener;
  /** Connections of servers that the gateway is attached to, where those serve gRPC. */
  const attached = new WeakSet<Socket>();
  const servesGrpc = ({ socket }: IncomingMessage): boolean => state.url !== undefined || attached.has(socket);
  const http = createHttpContext({
    logger,
    get maxBody() {
      return limits.body;
    },
    counts: limits,
    bodyTimeout: limits.requestTimeout,
    readTimeout: limits.slowReader,
    meters,
    observer,
    budget: slow.budget,
    files: createFiles({ host: options.files, publicUrl, logger, budget: slow.budget }),
  });
  const checkOperation: CheckOperation = (...args) => active.snapshot.access.checkOperation(...args);
  const jsonrpc = createJsonRpcServer({
    dialects,
    invoke,
    checkOperation,
    http,
    recall: ({ agent, principal }, taskId) =>
      options.dialectOf({ agent, tenant: tenantOf(principal, ''), principal: principal.id }, taskId),
    card: ({ agent, req, base, pinned }, dialect) =>
      card({
        agent,
        dialects: [dialect],
        pinned,
        origin: listen.publicUrl ?? originOf(req),
        base: mountOf(req) + base,
        grpc: servesGrpc(req),
      }),
  });
  const rest = createRestServer({ dialects, invoke, checkOperation, http });
  const rpcs = {
    dialects: dialects.protocols,
    invoke,
    checkOperation,
    authenticate,
    agents,
    http,
    limits: {
      get body() {
        return limits.body;
      },
      counts: limits,
      get slowReader() {
        return limits.slowReader;
      },
    },
  } satisfies MountServer;
  const connect = createConnectHandlers(rpcs);
  const grpc = new GrpcServer({
    dialects: dialects.protocols,
    invoke,
    checkOperation,
    authenticate,
    agents,
    logger,
    loadImage: () => loadImage(dialects),
    limits: {
      get body() {
        return limits.body;
      },
      counts: limits,
      headers: limits.headers,
      arrival: limits.requestTimeout,
      slowReader: limits.slowReader,
    },
    slow,
    meters,
    observer,
    onRequest: (stream, headers, connection) =>
      serveOverHttp2(attached.has(connection.socket) ? onAttachedHttp2 : onRequest, stream, headers, connection),
  });
  const originFor = (req: IncomingMessage): string =>
    ownOriginOf(req, agents, publicUrl()) ?? publicUrl() ?? originOf(req);
  const cors = active.computed(({ config, access }) => createCors(config.listen.cors, access.headers));
  const metadata = active.computed(({ config, access }) =>
    createOAuthMetadata({
      issuer: config.auth.jwt?.issuer,
      grants: access.tokens !== undefined,
      scopes: config.auth.jwt?.clientScopes ?? [],
      origin: originFor,
      cors,
    }),
  );
  const added = options.added({
    agents,
    http,
    checkOperation,
    urlOf: (req, path) => originFor(req) + mountOf(req) + path,
    resourceMetadata: (req, path) => metadata().urlFor(req, path),
  });
  const documents = added.flatMap(({ document }) => document ?? []);
  const dispatch = createDispatcher({
    agents,
    dialects,
    http,
    authenticate,
    handlers: [
      jsonrpc.handle,
      ...added.flatMap(({ handle }) => handle ?? []),
      rest.handle,
      connect.handle,
      connectReflection(http, grpc.reflection),
    ],
    verbsOf: rest.verbsOf,
    refusals: [jsonrpc.refuse, ...added.flatMap(({ refuse }) => refuse ?? []), connect.refuse, rest.refuse],
    documents,
    rootSegments: [...reflectionServices, ...added.flatMap(({ segment }) => segment ?? [])],
    cors,
    card,
    servesGrpc,
    checkAgent: (...args) => active.snapshot.access.checkAgent(...args),
    publicCards: () => active.snapshot.config.auth.publicCards,
    publicUrl: listen.publicUrl,
  });

  const workers = options.deps?.workers;
  const checks = {
    serving: () => {
      if (leaving) throw new A2AError('unavailable', 'The gateway is stopping');
    },
    store: () => store.ping(AbortSignal.timeout(5_000)),
  };
  const checkOwnReadiness = readinessOf(checks);
  workers?.answer('ready', async () => (await checkOwnReadiness()).ready);

  const [firstReader, ...otherReaders] = dialects.list.filter((one) => one.card.paths.includes(cardPath));
  const pages = createPages({
    ...options,
    authenticate,
    checkReadiness: workers ? readinessOf({ ...checks, workers: () => requireReady(workers) }) : checkOwnReadiness,
    documents,
    signaturesOf: (req, agent, origin) => {
      if (!options.keySet || !firstReader) return undefined;
      const [base, grpc] = [`${mountOf(req)}/${agent}`, servesGrpc(req)];
      const readers = [firstReader, ...otherReaders] as const;
      const document = card({ agent, dialects: readers, pinned: undefined, origin, base, grpc });
      return (document as AgentCard).signatures;
    },
  });
  /** Whether a page is served; at a server that the gateway is attached to, those that apps have only when they are named. */
  const servesPage = (page: OwnPage, isAttached: boolean): boolean => {
    const { pages: wanted } = active.snapshot.config;
    return typeof wanted === 'boolean' ? wanted && !(isAttached && ownPages[page].ofApps) : wanted.includes(page);
  };
  const hasPages = (): boolean => active.snapshot.config.pages !== false;
  // The root belongs to the app that the gateway is part of.
  const { landing: _, ...withoutLanding } = pages;
  const pagesOf = (shown: typeof withoutLanding, isAttached: boolean): PageHandler => {
    const own = createOwnPages({ ...shown, cors, serves: (page) => servesPage(page, isAttached) });
    return (req, res) => (servesPage('/metrics', isAttached) && metrics(req, res)) || (hasPages() && own(req, res));
  };

  const keySet = options.keySet ? createKeySet(options.keySet, cors) : () => false;
  const agentsOf = (req: IncomingMessage, resource: string) =>
    agentsOfResource(
      resource,
      { url: originFor(req) + mountOf(req), agent: agents.forHost(req.headers.host ?? '') },
      agents,
    );
  const tokens = active.computed(({ access }) =>
    access.tokens ? createTokenPage(access.tokens, requireAccepting, agentsOf) : () => false,
  );
  const admitToMetrics = active.computed(admitReader);
  const metrics = createMetricsPage({ admit: (caller) => admitToMetrics()(caller), read: options.readMetrics });
  const addedPages = added.flatMap(({ page }) => page ?? []);
  const serves = (req: IncomingMessage, res: ServerResponse, served: PageHandler): boolean =>
    dispatch(req, res) ||
    keySet(req, res) ||
    tokens()(req, res) ||
    metadata().serve(req, res) ||
    addedPages.some((page) => page(req, res)) ||
    served(req, res);
  const listenerPages = pagesOf(pages, false);
  const mountedPages = pagesOf(withoutLanding, false);
  const attachedPages = pagesOf(withoutLanding, true);
  const onRequest: RequestListener = (req, res) => {
    if (!serves(req, res, listenerPages)) dispatch.notFound(req, res);
  };
  const onAttachedHttp2: RequestListener = (req, res) => {
    if (!serves(req, res, attachedPages)) dispatch.notFound(req, res);
  };

  options.listener.serve({ onRequest, onHttp2: grpc.serveConnection });

  const middleware: ConnectMiddleware = (req, res, next) => {
    if (!serves(req, res, mountedPages)) next();
  };
  return {
    rpcs,
    fetch: createFetch((req, res) => {
      if (!serves(req, res, mountedPages)) dispatch.notFound(req, res);
    }),
    middleware,
    attach(server: Server | HttpsServer): void {
      // Of servers of node:http2 alone: their classes, and that of node:https, would be loaded for it.
      if ('updateSettings' in server) {
        const instead = 'attach to one of node:http, which then serves HTTP/2 too, or call gateway.listen()';
        throw new TypeError(`attach takes a server of node:http or node:https, whose app has HTTP/1.1: ${instead}`);
      }
      const others = server.listeners('request') as RequestListener[];
      const left = (Object.keys(ownPages) as OwnPage[]).filter((page) => !servesPage(page, true));
      const message =
        'attached to a server: these pages are left to the app; name those that the gateway serves in pages';
      if (hasPages() && left.length > 0) logger.info({ pages: left }, message);
      server.removeAllListeners('request');
      const serve: RequestListener = (req, res) => {
        if (serves(req, res, attachedPages)) return;
        for (const other of others) other.call(server, req, res);
      };
      server.on('request', inRequestOrder(serve, slow.budget));
      const event = 'setSecureContext' in server ? 'secureConnection' : 'connection';
      if (!serveHttp2On(server, grpc.serveConnection)) return;
      state.grpc = true;
      server.prependListener(event, (socket: Socket) => void attached.add(socket));
    },
    /** Applies what the active configuration changes in open connections and timers. */
    applyConfig(tls: ListenerTls | undefined): void {
      if (tls) port.replaceCertificate(tls);
      port.limitConnections(limits.connections);
      for (const { applyConfig } of added) applyConfig?.();
    },
    /** Reports "not ready" and asks clients to reconnect elsewhere. New work is still accepted. */
    leave(): void {
      leaving = true;
      port.disableKeepAlive();
      grpc.announceShutdown();
    },
    /** Refuses new connections, so that balancers go elsewhere. What comes on open connections is still served. */
    closePort(): void {
      this.leave();
      port.stopAccepting();
    },
    /** Connections of the port whose first request is still to come. */
    silentConnections: () => port.silentConnections(),
    /** Refuses new work from now on. */
    retire(): void {
      this.closePort();
      port.closeWhenIdle();
      draining = true;
    },
    async close(drainMs: number): Promise<void> {
      this.retire();
      http.streams.close();
      await Promise.all(added.map(({ close }) => close?.()));
      // Both drain at the same time. gRPC also sends its clients the reason, which takes a moment longer.
      await Promise.all([grpc.drain(drainMs), port.close({ drainMs: drainMs + 1_000 })]);
      grpc.close();
    },
  };
}
