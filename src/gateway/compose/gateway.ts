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
  /** Scheme and authority, such as `http://localhost:8080`: what cards advertise. */
  readonly url: string;
}

/** A gateway: agents, a store, and every binding over them. */
export interface Gateway {
  /**
   * Opens the store and loads the agents. `listen` calls it; call it yourself when you mount the gateway. Rejects with
   * an A2AError that says what cannot be opened or loaded.
   */
  start(): Promise<void>;
  /**
   * Starts, and then listens as configured: until it serves, connections are refused, so that balancers go elsewhere. With
   * `listen.whileStarting` the port is open meanwhile; requests get 503, and so does `/readyz`. Rejects when the port is taken,
   * and as `start` does.
   */
  listen(): Promise<Listening>;
  /**
   * Express middleware, or any in the style of connect: serves A2A requests and the gateway's pages, except that at the
   * root, and passes on all others. gRPC needs `attach`.
   */
  readonly middleware: ConnectMiddleware;
  /**
   * Serves the same ahead of a server's own listeners, such as an Express app, which doubles the speed, and gRPC on the
   * server's port. All other requests reach those listeners as before. Call it after `start`, when the listeners are
   * registered. A server with TLS must have `h2` in its `ALPNProtocols` for gRPC, after `http/1.1`. Cards list gRPC where it
   * is served.
   */
  attach(server: Server | HttpsServer): void;
  /**
   * Answers a request of the Fetch API, as Hono, route handlers of Next and other servers have it: every binding but gRPC, cards
   * and pages, except that at the root; 404 for what is not the gateway's. A `Request` does not say where it came from:
   * without `from`, callers without credentials are not taken for callers of this machine.
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
   * Gets 503 before the gateway has started. Rejects when the signal of the request aborts before the answer.
   */
  fetch(request: Request, from?: FetchOrigin): Promise<Response>;
  /**
   * Calls an operation within the program, without a network. The request is validated as one from outside is, and the caller
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
   * Applies another configuration without closing a connection: agents, authentication, limits, the listener's
   * certificate and all else that can change at run time. The report names the settings that need a restart. Running
   * tasks keep the agent that they began with; streams of callers that lost access end. Concurrent reloads run one after
   * the other.
   *
   * Rejects with a ConfigError when any part of the configuration cannot be used: then nothing has changed. Rejects with
   * A2AError `unavailable` when the gateway stops.
   *
   * @param settings default: what `rereadConfig` returns; without that, it rejects with a TypeError
   */
  reload(settings?: GatewaySettings | Config): Promise<ReloadReport>;
  /**
   * Reports "not ready", keeps serving for `delayMs` milliseconds, then refuses new work, waits up to `drainMs`
   * milliseconds for running work, leaves the rest resumable, and closes. Defaults: `shutdown` in the configuration; no
   * delay where `drainMs` is given.
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
 * @param settings the same as in a configuration file, where agents, the store and the logger may be objects of the program;
 *   or a configuration as `loadConfig`, `parseConfig` and `defaultConfig` return it
 * @throws ConfigError that names every problem of the settings with its path
 */
export function createGateway(settings: GatewaySettings | Config = {}, deps: GatewayDeps = {}): Gateway {
  const { config, ...parts } = readSettings(settings, deps.agents);
  const base = createBase(config, { ...deps, ...parts });
  let listener: Listener | undefined;
  let starting: Promise<Started> | undefined;
  let started: Started | undefined;
  /** Whether the port is opened after the start: the admin key is made known then. */
  let listensLater = false;

  const theListener = (): Listener => {
    listener ??= createListener(base);
    return listener;
  };
  const start = async (): Promise<Started> => {
    const opened = await open(base, extensions);
    const built = build(opened, extensions);
    started = { opened, built, serving: serve(opened, built, theListener()) };
    if (!listensLater) base.adminKeys.use(opened.active.snapshot.access.adminKey);
    return started;
  };
  const ready = (): Promise<Started> => {
    starting ??= start();
    return starting;
  };
  const notStarted = (): A2AError =>
    new A2AError('unavailable', 'The gateway has not been started: call start() first', { retryAfter: 1 });
  const now = (): Started => {
    if (!started) throw notStarted();
    return started;
  };
  const mount: Mount = {
    rpcs: rpcsByPath(base.dialects.protocols),
    server: () => now().serving.server.rpcs,
    invoke: async (call) => (await ready()).built.invoke(call),
  };

  const gateway: Gateway & Mountable = {
    [mountKey]: mount,
    async start() {
      await ready();
    },
    async listen() {
      const { port: tcp } = theListener();
      base.state.listens = true;
      const urlAt = (port: number): string => config.listen.publicUrl ?? listenerUrl(config.listen, port);
      const openPort = async (): Promise<Listening> => {
        const port = await tcp.listen();
        const url = urlAt(port);
        Object.assign(base.state, { port, url, grpc: true });
        return { port, url };
      };
      if (config.listen.whileStarting) {
        const listening = await openPort();
        await ready().catch(async (thrown: unknown) => {
          await tcp.close({ drainMs: 0 });
          throw thrown;
        });
        return listening;
      }
      // Before anything is opened for nothing.
      await tcp.requireFree();
      const wanted = deps.workers?.listen.port ?? config.listen.port;
      if (wanted !== 0) base.state.url = urlAt(wanted);
      listensLater = starting === undefined;
      const { opened, built, serving } = await ready();
      try {
        const listening = await openPort();
        if (listensLater) base.adminKeys.use(opened.active.snapshot.access.adminKey);
        return listening;
      } catch (thrown) {
        starting = undefined;
        await close(opened, built, serving, { drainMs: 0 });
        throw thrown;
      }
    },
    middleware: (req, res, next) => {
      if (started) started.serving.server.middleware(req, res, next);
      else next(notStarted());
    },
    attach: (server) => now().serving.server.attach(server),
    async fetch(request, from) {
      if (started) return started.serving.server.fetch(request, from);
      return refusal(notStarted());
    },
    call: createLocalCall(() => {
      const { opened, built, serving } = now();
      if (base.state.stopping) throw base.state.stopping;
      const { dialects, operations, active } = opened;
      const needsPrincipal = active.snapshot.access.authenticate.anonymous === 'none';
      const { counts } = serving.server.rpcs.limits;
      const { agents } = active;
      return { dialects: dialects.protocols, operations, agents, counts, invoke: built.invoke, needsPrincipal };
    }),
    async reload(next) {
      const { rereadConfig } = deps;
      if (!next && !rereadConfig)
        throw new TypeError('reload needs settings: there is no configuration file to read again');
      const read = async () => readSettings(next ?? (await rereadConfig?.()) ?? {}, deps.agents).config;
      return (await ready()).serving.reload(read);
    },
    async close(options = {}) {
      if (!starting) return;
      const { opened, built, serving } = await starting;
      await close(opened, built, serving, options);
    },
  };
  return gateway;
}

interface Started {
  readonly opened: Opened;
  readonly built: Built;
  readonly serving: Serving;
}
