import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Authenticate } from '../../core/limits/admission.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Service } from '../../core/operations/service.ts';
import type { ActiveObserver } from '../../core/ports/exchange-observer.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Meters } from '../../core/telemetry/meters.ts';
import type { Dialects } from '../../dialects/kernel/detect.ts';
import type { ModuleHttp, ModuleServer } from '../../extensions/module.ts';
import type { CardSource } from '../../transports/http/cards.ts';
import {
  type ConnectionServer,
  createHttpContext,
  type HttpBinding,
  type HttpContext,
} from '../../transports/http/context.ts';
import { type Cors, createCors } from '../../transports/http/cors.ts';
import { createDispatcher, type Dispatcher } from '../../transports/http/dispatcher.ts';
import { createFiles, type FileHost } from '../../transports/http/files.ts';
import type { PageHandler } from '../../transports/http/headers.ts';
import { mountOf, originOf, ownOriginOf } from '../../transports/http/request-facts.ts';
import { serveHttp2On } from '../../transports/listener/attached-server.ts';
import { inRequestOrder } from '../../transports/listener/request-order.ts';
import type { ListenerTls } from '../../transports/listener/tcp-listener.ts';
import type { MetricsPageOptions } from '../../transports/pages/metrics.ts';
import type { OAuthMetadata } from '../../transports/pages/oauth-metadata.ts';
import type { GatewayState } from '../process/state.ts';
import type { WorkerGroup } from '../process/workers.ts';
import type { ActiveConfig } from '../reload/active-config.ts';
import { createFetch } from './fetch.ts';
import type { Listener } from './listener.ts';
import { createPageHandlers, oauthMetadataOf, type PageHandlers } from './page-handlers.ts';
import { type BindingServer, rpcsOf, servedBindings } from './served-bindings.ts';

/** Parts of the server that modules get in addition to the gateway. */
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
  /** Observes the requests whose callers are known. Absent: no observer. */
  readonly observer?: ActiveObserver;
  /** The listener, which may already be open. */
  readonly listener: Listener;
  /** Decides between dialects that share a method name: returns the dialect in which the caller last used the task. */
  readonly dialectOf: Service['dialectOf'];
  readonly card: CardSource;
  /** The public keys that verify the cards. Undefined: cards are not signed. */
  readonly keySet: object | undefined;
  readonly readMetrics: MetricsPageOptions['read'];
  /** Parts that modules add. */
  readonly added: (server: ServerParts) => readonly ModuleHttp[];
}

/** Middleware of Express 5, and of other servers in the style of connect. */
export type ConnectMiddleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * Serves all bindings and pages over the same agents, dialects and callers: on the gateway's own listener, or mounted in
 * another server.
 */
export class GatewayHttpServer {
  /** The rpcs, for servers of other libraries. */
  readonly rpcs: ReturnType<typeof rpcsOf>;
  /** Answers requests of the Fetch API. */
  readonly fetch: ReturnType<typeof createFetch>;
  readonly #options: HttpServerOptions;
  readonly #facts: ServerFacts;
  readonly #server: BindingServer;
  /** Parts that modules add. */
  readonly #added: readonly ModuleHttp[];
  readonly #bindings: readonly HttpBinding[];
  /** Serves the connections that use HTTP/2. */
  readonly #connections: ConnectionServer | undefined;
  readonly #dispatch: Dispatcher;
  readonly #pages: PageHandlers;

  constructor(options: HttpServerOptions) {
    const { active } = options;
    const facts = new ServerFacts(options);
    this.#options = options;
    this.#facts = facts;
    this.#server = this.#createServer();
    this.rpcs = rpcsOf(this.#server);
    this.#added = options.added(partsForModules(facts, this.#server));
    this.#bindings = openBindings(this.#server, this.#added);
    // Metrics contain these bindings from the start.
    for (const name of [...this.#bindings.flatMap(({ names }) => names ?? []), 'local']) options.meters.streamsOf(name);
    this.#connections = this.#bindings.find(({ connections }) => connections)?.connections;
    this.#dispatch = createDispatcher({
      ...this.#server,
      bindings: this.#bindings,
      cors: facts.cors,
      checkAgent: (...args) => active.snapshot.access.checkAgent(...args),
      publicCards: () => active.snapshot.config.auth.publicCards,
    });
    this.#pages = createPageHandlers({
      ...options,
      ...facts,
      workers: options.deps?.workers,
      documents: this.#bindings.flatMap(({ document }) => document ?? []),
      added: this.#added.flatMap(({ page }) => page ?? []),
    });
    this.fetch = createFetch((req, res) => {
      if (!this.#serves(req, res, this.#pages.mounted)) this.#dispatch.notFound(req, res);
    });
    options.listener.serve({ onRequest: this.#onRequest, onHttp2: this.#onHttp2 });
  }

  #createServer(): BindingServer {
    const { active, card, dialectOf, dialects, invoke, listener, observer } = this.#options;
    const { attached, authenticate, servesGrpc } = this.#facts;
    const limits = createLimits(active);
    return {
      dialects,
      invoke,
      card,
      dialectOf,
      observer,
      limits,
      authenticate,
      servesGrpc,
      agents: active.agents,
      slow: listener.slow,
      http: createContext(this.#options, limits),
      checkOperation: (...args) => active.snapshot.access.checkOperation(...args),
      publicUrl: active.snapshot.config.listen.publicUrl,
      listenerOf: ({ socket }) => (attached.has(socket) ? this.#onAttachedHttp2 : this.#onRequest),
    };
  }

  #serves(req: IncomingMessage, res: ServerResponse, pages: PageHandler): boolean {
    return this.#dispatch(req, res) || pages(req, res);
  }

  readonly #onRequest: RequestListener = (req, res) => {
    if (!this.#serves(req, res, this.#pages.listener)) this.#dispatch.notFound(req, res);
  };

  readonly #onAttachedHttp2: RequestListener = (req, res) => {
    if (!this.#serves(req, res, this.#pages.attached)) this.#dispatch.notFound(req, res);
  };

  readonly #onHttp2 = (socket: Socket): void => {
    if (this.#connections) this.#connections.serveConnection(socket);
    else socket.destroy();
  };

  readonly middleware: ConnectMiddleware = (req, res, next) => {
    if (!this.#serves(req, res, this.#pages.mounted)) next();
  };

  /** Serves requests of another server ahead of its own listeners, and gRPC on its port. */
  attach(server: Server | HttpsServer): void {
    // Only servers of node:http2 have this member. `instanceof` would need their classes, and load the modules for it.
    if ('updateSettings' in server) {
      const instead = 'attach to one of node:http, which then serves HTTP/2 too, or call gateway.listen()';
      throw new TypeError(`attach takes a server of node:http or node:https, whose app has HTTP/1.1: ${instead}`);
    }
    const { listener, logger, state } = this.#options;
    const left = this.#pages.leftToApp();
    const message =
      'attached to a server: these pages are left to the app; name those that the gateway serves in pages';
    if (left.length > 0) logger.info({ pages: left }, message);
    const others = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    const serve: RequestListener = (req, res) => {
      if (this.#serves(req, res, this.#pages.attached)) return;
      for (const other of others) other.call(server, req, res);
    };
    server.on('request', inRequestOrder(serve, listener.slow.budget));
    const event = 'setSecureContext' in server ? 'secureConnection' : 'connection';
    if (!this.#connections || !serveHttp2On(server, this.#onHttp2)) return;
    state.grpc = true;
    server.prependListener(event, (socket: Socket) => void this.#facts.attached.add(socket));
  }

  /** Applies the changes of the active configuration to open connections and timers. */
  applyConfig(tls: ListenerTls | undefined): void {
    const { active, listener } = this.#options;
    if (tls) listener.port.replaceCertificate(tls);
    listener.port.limitConnections(active.snapshot.config.limits.connections);
    for (const binding of this.#bindings) binding.applyConfig?.();
  }

  /** Reports "not ready" and asks clients to reconnect elsewhere. New work is still accepted. */
  leave(): void {
    this.#facts.leaving = true;
    this.#options.listener.port.disableKeepAlive();
    this.#connections?.announceShutdown();
  }

  /**
   * Refuses new connections, so that balancers choose another gateway. Requests on open connections are still served. Resolves
   * when the port is closed.
   */
  closePort(): Promise<void> {
    this.leave();
    return this.#options.listener.port.stopAccepting();
  }

  /** Whether the first request of a connection is still to come. */
  awaitsRequests(): boolean {
    return this.#options.listener.port.awaitsRequests() || this.#connections?.awaitsRequests() === true;
  }

  /** Refuses new work from now on. */
  retire(): void {
    void this.closePort();
    this.#options.listener.port.closeWhenIdle();
    this.#connections?.retire();
    this.#facts.draining = true;
  }

  async close(drainMs: number): Promise<void> {
    this.retire();
    this.#server.http.streams.close();
    await Promise.all(this.#bindings.map(({ close }) => close?.()));
    // Both drain at the same time. gRPC also sends the reason to its clients, which takes a moment longer.
    const { port } = this.#options.listener;
    await Promise.all([this.#connections?.drain(drainMs), port.close({ drainMs: drainMs + 1_000 })]);
    this.#connections?.close();
  }
}

/** Facts about the server that its parts need. Its members are handed on one by one. */
class ServerFacts {
  /** Connections of servers to which the gateway is attached, if these serve gRPC. */
  readonly attached = new WeakSet<Socket>();
  readonly cors: () => Cors;
  readonly metadata: () => OAuthMetadata;
  /** Whether the gateway is about to stop. */
  leaving = false;
  /** Whether it refuses new work. */
  draining = false;
  readonly #options: HttpServerOptions;

  constructor(options: HttpServerOptions) {
    const { active } = options;
    this.#options = options;
    this.cors = active.computed(({ config, access }) => createCors(config.listen.cors, access.headers));
    this.metadata = oauthMetadataOf(active, this.cors, this.originFor);
  }

  readonly requireAccepting = (): void => {
    if (this.draining) throw new A2AError('unavailable', 'The gateway is stopping', { retryAfter: 5 });
  };

  readonly requireServing = (): void => {
    if (this.leaving) throw new A2AError('unavailable', 'The gateway is stopping');
  };

  readonly authenticate: Authenticate = (caller) => {
    this.requireAccepting();
    return this.#options.active.snapshot.access.admit(caller);
  };

  readonly servesGrpc = ({ socket }: IncomingMessage): boolean =>
    this.#options.state.url !== undefined || this.attached.has(socket);

  readonly originFor = (req: IncomingMessage): string => {
    const publicUrl = this.#options.publicUrl();
    return ownOriginOf(req, this.#options.active.agents, publicUrl) ?? publicUrl ?? originOf(req);
  };
}

const partsForModules = (
  { metadata, originFor }: ServerFacts,
  { agents, http, checkOperation }: BindingServer,
): ServerParts => ({
  agents,
  http,
  checkOperation,
  urlOf: (req, path) => originFor(req) + mountOf(req) + path,
  resourceMetadata: (req, path) => metadata().urlFor(req, path),
});

/** The gateway's own bindings, and those of modules after the first of them. */
function openBindings(server: BindingServer, added: readonly ModuleHttp[]): readonly HttpBinding[] {
  const [first, ...others] = servedBindings.map((open) => open(server));
  return first ? [first, ...added, ...others] : added;
}

function createContext(
  { active, files, listener, logger, meters, observer, publicUrl }: HttpServerOptions,
  limits: BindingServer['limits'],
): HttpContext {
  const { budget } = listener.slow;
  return createHttpContext({
    bodies: limits,
    readTimeout: active.snapshot.config.limits.slowReader,
    logger,
    meters,
    observer,
    budget,
    files: createFiles({ host: files, publicUrl, logger }),
  });
}

/** Limits that bindings read for each call, of the active configuration. */
function createLimits(active: ActiveConfig): BindingServer['limits'] {
  const { requestTimeout: arrival } = active.snapshot.config.limits;
  return active.select('limits', { counts: active.select('limits'), arrival });
}
