import type { Server } from 'node:http';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithCredentials, OngoingStreams } from '../../auth/ending.ts';
import type { Config } from '../../config/types.ts';
import { maintain } from '../../core/cluster/maintenance.ts';
import { AnswerBudget } from '../../core/limits/memory-budget.ts';
import { StreamLimit } from '../../core/limits/stream-limit.ts';
import { inTurns } from '../../core/middleware/admit-in-order.ts';
import { idempotent } from '../../core/middleware/idempotency.ts';
import { logFailures, logRequests } from '../../core/middleware/logging.ts';
import { routeByService } from '../../core/middleware/routing.ts';
import { api } from '../../core/model/a2a.ts';
import type { Agent } from '../../core/model/agent.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { createService, type Service } from '../../core/operations/service.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import { createAudit } from '../../core/telemetry/audit.ts';
import { createDialects } from '../../dialects/kernel/registry.ts';
import type { Api } from '../../gen/api.ts';
import { operations as ofKnowledge } from '../../gen/knowledge-v1/operations.ts';
import { Metrics } from '../../metrics/metrics.ts';
import type { Deliverer } from '../../push/index.ts';
import { createStore } from '../../stores/index.ts';
import { cardSigner, signedCards } from '../cards/card-signing.ts';
import { createCardFactory } from '../cards/card-source.ts';
import { countCalls, metricsReader } from '../http/metrics.ts';
import { type ConnectMiddleware, createHttpServer, type GatewayHttpServer } from '../http/server.ts';
import { closeKnowledge, createGatewayKnowledge, type GatewayKnowledge } from '../knowledge/services.ts';
import { ActiveConfig } from '../reload/active-config.ts';
import { createSnapshot } from '../reload/config-snapshot.ts';
import { Draining } from '../reload/draining.ts';
import { createReload, type Reload, type ReloadReport } from '../reload/reload.ts';
import { openTraces, type Traces } from '../tracing/traces.ts';
import { closeAgents, openAgents } from './agents.ts';
import { createFileHost } from './file-host.ts';
import { createOutboundGuard, judgeWebhook } from './guard.ts';
import { createListener, type Listener } from './listener.ts';
import { createLogger } from './logger.ts';
import { startPush } from './push.ts';
import { packageVersion } from './version.ts';

/** Where a gateway listens. */
export interface Listening {
  readonly port: number;
  /** Scheme and authority, such as `http://localhost:8080`: what cards advertise. */
  readonly url: string;
}

/** What may be put in the place of what the configuration would make. */
export interface GatewayDeps {
  /** Default: JSON lines on stderr, of the level that the configuration says. */
  readonly logger?: Logger;
  /** Opened and closed by the gateway. */
  readonly store?: Store;
  /** Agents made by the program itself, served beside those of the configuration. */
  readonly agents?: Readonly<Record<string, Agent>>;
  /**
   * Whether the process is the gateway's: then the SDK of OpenTelemetry that the configuration asks for, if any, is
   * registered for all of it, so that agents' own spans become part of the gateway's traces. Default false.
   */
  readonly wholeProcess?: boolean;
  /** The generated A2A v1. Default: the one that this package was built with. */
  readonly api?: Api;
}

/** A gateway: agents, a store, and every binding over them. */
export interface Gateway {
  /**
   * Opens the store and loads the agents. `listen` does it; call it yourself when you mount the gateway. Rejects with
   * an A2AError that says what cannot be opened or loaded.
   */
  start(): Promise<void>;
  /**
   * Listens as the configuration says, and starts: until it has, callers are told so, and `/readyz` is 503. Rejects when
   * the port is taken, and as `start` does.
   */
  listen(): Promise<Listening>;
  /** Express 5 middleware (or any connect-style one): serves A2A requests and passes on all others. */
  readonly middleware: ConnectMiddleware;
  /**
   * Lets A2A requests of a server skip its listeners, such as an Express app, which doubles their speed. All other
   * requests reach the listeners as before. Call it after `start`, when the listeners are there.
   */
  attach(server: Server): void;
  /** Calls an agent in this process, without a network. */
  readonly invoke: Invoke;
  /**
   * Lets another configuration count, without a connection being closed: agents, who gets in, limits, the listener's
   * certificate and what else can change while it is used; the report names what takes a restart. What runs goes on with
   * the agent that it began with; streams of callers who are not let in any more end. Reloads that are asked for at the
   * same time come one after the other.
   *
   * Rejects with a ConfigError when anything of it cannot be used: then nothing has changed. Rejects with A2AError
   * `unavailable` when the gateway stops.
   */
  reload(config: Config): Promise<ReloadReport>;
  /**
   * Says that it is not ready any more, goes on for `delayMs` milliseconds, takes no new work then, waits up to `drainMs`
   * milliseconds for what is running, leaves the rest so that it can be taken up, and closes. Default: as the
   * configuration says under `shutdown`; where `drainMs` is given, it goes on for no time.
   */
  close(options?: CloseOptions): Promise<void>;
}

/** How to stop, where it is not to be as configured. */
export interface CloseOptions {
  readonly delayMs?: number;
  readonly drainMs?: number;
}

interface Started {
  readonly service: Service;
  readonly knowledge: GatewayKnowledge;
  readonly current: ActiveConfig;
  readonly retired: Draining;
  readonly invoke: Invoke;
  readonly reload: Reload;
  readonly front: GatewayHttpServer;
  readonly push: Deliverer;
  readonly traces: Traces;
  readonly stopMaintenance: () => void;
}

/** Makes a gateway of a configuration (`defaultConfig`, `loadConfig` or `parseConfig`). Nothing is opened yet. */
export function createGateway(config: Config, deps: GatewayDeps = {}): Gateway {
  const logger = deps.logger ?? createLogger(config);
  const { durability } = config;
  const metrics = new Metrics(packageVersion());
  const { meters, onBatch } = metrics;
  const kept = deps.store ?? createStore(config.store, { instance: hostname(), durability, logger, onBatch });
  const bare = metrics.store(kept);
  const audit = metrics.audit(createAudit(logger));
  const budget = new AnswerBudget(config.limits.buffered);
  let listener: Listener | undefined;
  const door = (): Listener => {
    listener ??= createListener({ config, meters, audit, budget });
    return listener;
  };
  let starting: Promise<Started> | undefined;
  let started: Started | undefined;
  let listening: Listening | undefined;
  let stopping: A2AError | undefined;

  const start = async (): Promise<Started> => {
    const traces = await openTraces({ config, logger, store: bare, global: deps.wholeProcess === true });
    const { store, tracing } = traces;
    let counting: ActiveConfig | undefined;
    const allowed = (): readonly string[] => (counting?.snapshot.config ?? config).outbound.allow;
    const guard = createOutboundGuard(config, allowed, audit);
    const publicUrl = (): string | undefined => config.listen.publicUrl ?? listening?.url;
    const generated = deps.api ?? api;
    const dialects = createDialects(generated);
    const ofTasks = { scope: 'tasks', operations: generated.operations };
    const services = [ofTasks, { scope: 'knowledge', operations: ofKnowledge }];
    const parts = {
      store,
      logger,
      audit,
      services,
      tracing,
      agents: { guard, tracing, ...metrics.upstreams },
      own: deps.agents,
    };
    const first = await createSnapshot(config, parts, store.open());
    const current = new ActiveConfig(first);
    counting = current;
    openAgents(first.agents);
    const { agents } = current;
    const limits = current.select('limits');
    const streams = new StreamLimit({
      get streams() {
        return limits.streams;
      },
      get streamsPerTask() {
        return limits.streamsPerTask;
      },
      audit,
    });
    const knowledge = createGatewayKnowledge({ agents, known: () => current.snapshot.knowledge, streams, limits });
    const security = (origin: string) => current.snapshot.access.security(origin);
    const servesGrpc = (): boolean => listening !== undefined;
    const made = {
      agents,
      dialects,
      publicUrl,
      security,
      servesGrpc,
      languagesOf: knowledge.languagesOf,
      config: () => current.snapshot.config,
    };
    const signer = await cardSigner(config.cards.signing, publicUrl);
    const plain = createCardFactory(made);
    const cards = signer ? signedCards({ ...made, cards: plain, signer }) : plain;
    const core = {
      store,
      agents: traces.agents(agents),
      logger,
      limits,
      budget,
      streams,
      judgeWebhook: judgeWebhook(guard),
    };
    const service = createService({ ...core, traces: traces.turns, extendedCard: cards.extended });
    const { dialectOf } = service;
    const routed = routeByService(
      { ...ofTasks, invoke: service.invoke },
      { operations: ofKnowledge, invoke: knowledge.invoke },
    );
    const operations = services.flatMap((each) => each.operations);
    const keyed = idempotent({
      store,
      operations,
      keyed: service.keyed,
      get answer() {
        return limits.answer;
      },
    })(routed);
    const authorized = current.computed(({ access }) => access.authorize(keyed));
    const ongoing = new OngoingStreams();
    const guarded = endWithCredentials((call) => authorized()(call), ongoing);
    const counted = countCalls(metrics, { agents, operations, dialects });
    const told = logRequests({ logger, settings: current.select('log'), meters });
    // Before anything that takes time, so that what is measured is the call and not its turn.
    const invoke = inTurns(counted(traces.calls(operations)(told(logFailures(logger)(guarded)))));
    const files = await createFileHost(store);
    const card = cards.source;
    const ground = { current, listener: door(), store, files, logger, audit, ongoing, meters };
    const push = startPush({
      settings: current.select('push'),
      limits,
      store,
      dialects,
      guard,
      traces,
      logger,
      audit,
    });
    const readMetrics = metricsReader(metrics, { service, agents, push, store });
    const front = createHttpServer({
      ...ground,
      dialects,
      invoke,
      dialectOf,
      card,
      publicUrl,
      keySet: signer?.keySet,
      streams,
      readMetrics,
    });
    const retention = current.select('retention');
    const stopMaintenance = maintain({ store, logger, takeOver: service.takeOver, retention });
    const retired = new Draining(logger);
    const reload = createReload({
      current,
      front,
      make: (wanted, former) => createSnapshot(wanted, parts, Promise.resolve(), former),
      ongoing,
      retired,
      logger,
      meters,
      stopping: () => stopping,
    });
    started = { service, knowledge, current, retired, invoke, reload, front, push, traces, stopMaintenance };
    return started;
  };
  const ready = (): Promise<Started> => {
    starting ??= start();
    return starting;
  };
  const running = (): Started => {
    if (started) return started;
    throw new A2AError('unavailable', 'The gateway has not been started');
  };

  return {
    async start() {
      await ready();
    },
    async listen() {
      const { port } = door();
      const number = await port.listen();
      listening = { port: number, url: config.listen.publicUrl ?? localUrl(config, number) };
      try {
        await ready();
      } catch (thrown) {
        await port.close({ drainMs: 0 });
        throw thrown;
      }
      return listening;
    },
    middleware: (req, res, next) => {
      if (started) started.front.middleware(req, res, next);
      else next(new A2AError('unavailable', 'The gateway has not been started'));
    },
    attach: (server) => running().front.attach(server),
    invoke: async (call) => (await ready()).invoke(call),
    reload: async (wanted) => (await ready()).reload(wanted),
    async close({ delayMs, drainMs: wanted } = {}) {
      if (!starting) return;
      const { service, knowledge, current, retired, front, push, traces, stopMaintenance } = await starting;
      const { delay, drain } = current.snapshot.config.shutdown;
      const drainMs = wanted ?? drain;
      stopping = new A2AError('unavailable', 'The gateway is stopping');
      front.leave();
      const goOn = delayMs ?? (wanted === undefined ? delay : 0);
      // Without a delay not even what comes with this turn of the loop is served.
      if (goOn > 0) await sleep(goOn);
      stopMaintenance();
      front.retire();
      await service.close(AbortSignal.timeout(drainMs));
      knowledge.close();
      // What streams and waiting callers were just told leaves with the next turn of the loop.
      await new Promise((resolve) => setTimeout(resolve, 10));
      await Promise.all([front.close(Math.min(drainMs, 1_000)), push.close(Math.min(drainMs, 2_000))]);
      const { access, agents, knowledge: known } = current.snapshot;
      access.close();
      await Promise.all([retired.close(), closeAgents(agents), closeKnowledge(known)]);
      await bare.close();
      await traces.close(Math.min(drainMs, 2_000));
    },
  };
}

function localUrl({ listen }: Config, port: number): string {
  const host = listen.host.includes(':') && !listen.host.startsWith('[') ? `[${listen.host}]` : listen.host;
  return `${listen.tls ? 'https' : 'http'}://${host}:${port}`;
}
