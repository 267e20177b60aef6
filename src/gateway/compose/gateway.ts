import type { Server } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { listenerUrl } from '../../config/sections/listen.ts';
import type { Config } from '../../config/types.ts';
import { A2AError } from '../../core/model/errors.ts';
import { type Mount, type Mountable, mountKey } from '../../transports/rpc/mount.ts';
import { rpcsByPath } from '../../transports/rpc/rpc.ts';
import { type FetchOrigin, refusal } from '../http/fetch.ts';
import { createListener, type Listener } from '../http/listener.ts';
import type { ConnectMiddleware } from '../http/server.ts';
import type { ReloadReport } from '../process/state.ts';
import { type Built, build } from './build.ts';
import { extensions } from './extensions.ts';
import { createLocalCall, type LocalCall } from './local-calls.ts';
import { createBase, type GatewayDeps, type Opened, open } from './open.ts';
import { type CloseOptions, close, type Serving, serve } from './serve.ts';
import { type GatewaySettings, readSettings } from './settings.ts';

/** Address at which a gateway listens. */
export interface Listening {
  readonly port: number;
  /** Scheme and authority, such as `http://localhost:8080`, which cards advertise. */
  readonly url: string;
}

/** A gateway: agents, a store, and every binding over them. */
export interface Gateway {
  /**
   * Opens the store and loads the agents. `listen` calls it; call it yourself when you mount the gateway. Rejects with an
   * A2AError that names the part which cannot be opened or loaded.
   */
  start(): Promise<void>;
  /**
   * Starts, and then listens as configured. Until the gateway serves, connections are refused, so that balancers choose another
   * gateway. With `listen.whileStarting` the port is open meanwhile, and requests get 503, as does `/readyz`. Rejects if the port
   * is taken, and as `start` does.
   */
  listen(): Promise<Listening>;
  /**
   * Middleware for Express, and for other servers in the style of connect. Serves A2A requests and the gateway's pages, except
   * the one at the root, and passes on all other requests. gRPC needs `attach`.
   */
  readonly middleware: ConnectMiddleware;
  /**
   * Serves the same requests ahead of a server's own listeners, such as an Express app, at twice the speed, and serves gRPC on
   * the server's port. All other requests reach those listeners as before. Call it after `start`, when the listeners are
   * registered. A server with TLS must have `h2` in its `ALPNProtocols` for gRPC, after `http/1.1`. Cards list gRPC if it is
   * served.
   */
  attach(server: Server | HttpsServer): void;
  /**
   * Answers a request of the Fetch API, for Hono, route handlers of Next and other servers. Serves every binding except gRPC, the
   * cards, and the pages except the one at the root; other paths get 404. A `Request` does not show its origin: without `from`,
   * callers without credentials do not count as callers of this machine.
   *
   * ```ts
   * import { createGateway } from 'a2a-gateway';
   * import { Hono } from 'hono';
   *
   * const gateway = createGateway({ agents: { demo: { kind: 'reference' } } });
   * const app = new Hono<{ Bindings: object }>();
   * app.mount('/a2a', (request, env) => gateway.fetch(request, { ...env, base: '/a2a' }), { replaceRequest: false });
   * ```
   *
   * The answer is 503 before the gateway has started. Rejects if the signal of the request aborts before the answer.
   */
  fetch(request: Request, from?: FetchOrigin): Promise<Response>;
  /**
   * Calls an operation within the program, without a network. The request is validated like one from outside, and the caller is
   * authorized. Rejects, and streams throw, with an A2AError.
   *
   * ```ts
   * import { createGateway, type Message } from 'a2a-gateway';
   *
   * const gateway = createGateway({ agents: { greeter: { kind: 'reference' } } });
   * const message: Message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
   * const { task } = await gateway.call('SendMessage', { message }, { agent: 'greeter', principal: { id: 'ada' } });
   * console.log(task?.status.state);
   * for await (const event of gateway.call('SendStreamingMessage', { message })) console.log(event);
   * ```
   */
  readonly call: LocalCall;
  /**
   * Applies another configuration without closing a connection: agents, authentication, limits, the listener's certificate and
   * all else that can change at run time. The report names the settings that need a restart. Running tasks keep the agent that
   * they began with; streams of callers that lost access end. Concurrent reloads run one after the other.
   *
   * Rejects with a ConfigError if any part of the configuration cannot be used; nothing has changed then. Rejects with A2AError
   * `unavailable` if the gateway stops.
   *
   * @param settings default: what `rereadConfig` returns; without that, it rejects with a TypeError
   */
  reload(settings?: GatewaySettings | Config): Promise<ReloadReport>;
  /**
   * Reports "not ready", keeps serving for `delayMs` milliseconds, then refuses new work, waits up to `drainMs` milliseconds for
   * running work, leaves the rest resumable, and closes. Defaults: `shutdown` in the configuration; no delay if `drainMs` is
   * given.
   */
  close(options?: CloseOptions): Promise<void>;
}

export type { GatewayDeps } from './open.ts';

/**
 * Creates a gateway. Nothing is opened yet.
 *
 * ```ts
 * import { createGateway, defineAgent } from 'a2a-gateway';
 *
 * const greeter = defineAgent({ name: 'Greeter', description: 'Greets' }, ({ text }) => `Hello, ${text}`);
 * const gateway = createGateway({ agents: { greeter }, listen: { port: 8080 } });
 * const { url } = await gateway.listen();
 * console.log(`Every version and binding of A2A is served at ${url}`);
 * ```
 *
 * @param settings settings of a configuration file, in which agents, the store and the logger may be objects of the program; or a
 *   configuration that `loadConfig`, `parseConfig` or `defaultConfig` has returned
 * @throws ConfigError that names every problem of the settings with its path
 */
export function createGateway(settings: GatewaySettings | Config = {}, deps: GatewayDeps = {}): Gateway {
  return new OneGateway(settings, deps);
}

class OneGateway implements Gateway, Mountable {
  readonly [mountKey]: Mount;
  readonly call: LocalCall;
  readonly #config: Config;
  readonly #deps: GatewayDeps;
  readonly #base: ReturnType<typeof createBase>;
  #listener: Listener | undefined;
  #starting: Promise<Started> | undefined;
  #started: Started | undefined;
  /** Whether the port is opened after the start. The admin key is then made known only when the port is open. */
  #listensLater = false;

  constructor(settings: GatewaySettings | Config, deps: GatewayDeps) {
    const { config, ...parts } = readSettings(settings, deps.agents);
    this.#config = config;
    this.#deps = deps;
    this.#base = createBase(config, { ...deps, ...parts });
    this.call = createLocalCall(() => this.#partsForCalls());
    this[mountKey] = {
      rpcs: rpcsByPath(this.#base.dialects.protocols),
      server: () => this.#now.serving.server.rpcs,
      invoke: async (call) => (await this.#ready()).built.invoke(call),
    };
  }

  // Members are function properties, because programs hand them on by themselves.

  readonly start = async (): Promise<void> => {
    await this.#ready();
  };

  readonly listen = async (): Promise<Listening> => {
    const { port } = this.#port;
    this.#base.state.listens = true;
    return this.#config.listen.whileStarting ? this.#listenThenStart(port) : this.#startThenListen(port);
  };

  readonly middleware: ConnectMiddleware = (req, res, next) => {
    if (this.#started) this.#started.serving.server.middleware(req, res, next);
    else next(notStarted());
  };

  readonly attach = (server: Server | HttpsServer): void => this.#now.serving.server.attach(server);

  readonly fetch = async (request: Request, from?: FetchOrigin): Promise<Response> => {
    if (this.#started) return this.#started.serving.server.fetch(request, from);
    return refusal(notStarted());
  };

  readonly reload = async (next?: GatewaySettings | Config): Promise<ReloadReport> => {
    const { rereadConfig, agents } = this.#deps;
    if (!next && !rereadConfig)
      throw new TypeError('reload needs settings: there is no configuration file to read again');
    const read = async () => readSettings(next ?? (await rereadConfig?.()) ?? {}, agents).config;
    return (await this.#ready()).serving.reload(read);
  };

  readonly close = async (options: CloseOptions = {}): Promise<void> => {
    if (!this.#starting) return;
    const { opened, built, serving } = await this.#starting;
    await close(opened, built, serving, options);
  };

  /** The listener, created when it is first needed. */
  get #port(): Listener {
    this.#listener ??= createListener(this.#base);
    return this.#listener;
  }

  get #now(): Started {
    if (!this.#started) throw notStarted();
    return this.#started;
  }

  #ready(): Promise<Started> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<Started> {
    const opened = await open(this.#base, extensions);
    const built = build(opened, extensions);
    this.#started = { opened, built, serving: serve(opened, built, this.#port) };
    if (!this.#listensLater) this.#base.adminKeys.use(opened.active.snapshot.access.adminKey);
    return this.#started;
  }

  #urlAt(port: number): string {
    return this.#config.listen.publicUrl ?? listenerUrl(this.#config.listen, port);
  }

  async #openPort(tcp: Listener['port']): Promise<Listening> {
    const port = await tcp.listen();
    const url = this.#urlAt(port);
    Object.assign(this.#base.state, { port, url, grpc: true });
    return { port, url };
  }

  async #listenThenStart(tcp: Listener['port']): Promise<Listening> {
    const listening = await this.#openPort(tcp);
    await this.#ready().catch(async (thrown: unknown) => {
      await tcp.close({ drainMs: 0 });
      throw thrown;
    });
    return listening;
  }

  async #startThenListen(tcp: Listener['port']): Promise<Listening> {
    // Checked first, so that nothing is opened in vain.
    await tcp.requireFree();
    const wanted = this.#deps.workers?.listen.port ?? this.#config.listen.port;
    if (wanted !== 0) this.#base.state.url = this.#urlAt(wanted);
    this.#listensLater = this.#starting === undefined;
    const { opened, built, serving } = await this.#ready();
    try {
      const listening = await this.#openPort(tcp);
      if (this.#listensLater) this.#base.adminKeys.use(opened.active.snapshot.access.adminKey);
      return listening;
    } catch (thrown) {
      this.#starting = undefined;
      await close(opened, built, serving, { drainMs: 0 });
      throw thrown;
    }
  }

  #partsForCalls() {
    const { opened, built, serving } = this.#now;
    if (this.#base.state.stopping) throw this.#base.state.stopping;
    const { dialects, operations, active } = opened;
    const needsPrincipal = active.snapshot.access.authenticate.anonymous === 'none';
    const { counts } = serving.server.rpcs.limits;
    const { agents } = active;
    return { dialects: dialects.protocols, operations, agents, counts, invoke: built.invoke, needsPrincipal };
  }
}

const notStarted = (): A2AError =>
  new A2AError('unavailable', 'The gateway has not been started: call start() first', { retryAfter: 1 });

interface Started {
  readonly opened: Opened;
  readonly built: Built;
  readonly serving: Serving;
}
