import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenStreams } from '../../auth/stream-expiry.ts';
import { isLoopbackHost } from '../../config/addresses.ts';
import type { Config } from '../../config/types.ts';
import { maintain } from '../../core/cluster/maintenance.ts';
import { MemoryBudget } from '../../core/limits/memory-budget.ts';
import { StreamLimit } from '../../core/limits/stream-limit.ts';
import { api } from '../../core/model/a2a.ts';
import type { Agent } from '../../core/model/agent.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { createService, type Service } from '../../core/operations/service.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import { createAudit } from '../../core/telemetry/audit.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import { createDialects } from '../../dialects/kernel/registry.ts';
import type { Api } from '../../gen/api.ts';
import { operations as knowledgeOperations } from '../../gen/knowledge-v1/operations.ts';
import type { Operation } from '../../gen/operations.ts';
import { Metrics } from '../../metrics/metrics.ts';
import { createUrlGuard, type UrlGuard, UrlRefused } from '../../net/guard.ts';
import type { Deliverer } from '../../push/index.ts';
import { createStore } from '../../stores/index.ts';
import type { FileHost } from '../../transports/pages/files.ts';
import { type CardSigner, cardSigner, signedCards } from '../cards/card-signing.ts';
import { type CardFactory, createCardFactory } from '../cards/card-source.ts';
import { metricsReader } from '../http/metrics.ts';
import { createHttpServer, type GatewayHttpServer } from '../http/server.ts';
import { closeKnowledge, createGatewayKnowledge, type GatewayKnowledge } from '../knowledge/services.ts';
import { ActiveConfig, type ConfigSnapshot } from '../reload/active-config.ts';
import { createSnapshot } from '../reload/config-snapshot.ts';
import { Draining } from '../reload/draining.ts';
import { createReload, type Reload } from '../reload/reload.ts';
import { openTraces, type Traces } from '../tracing/traces.ts';
import { closeAgents, openAgents } from './agents.ts';
import { createFileHost } from './file-host.ts';
import { createListener, type Listener } from './listener.ts';
import { createLogger } from './logger.ts';
import { throughPipeline } from './pipeline.ts';
import { startPush } from './push.ts';
import { packageVersion } from './version.ts';

/** Replacements for what the configuration would create. */
export interface GatewayDeps {
  /** Default: JSON lines on stderr, at the level of the configuration. */
  readonly logger?: Logger;
  /** Opened and closed by the gateway. */
  readonly store?: Store;
  /** Agents of the program, served besides those of the configuration. */
  readonly agents?: Readonly<Record<string, Agent>>;
  /**
   * Whether the gateway has the process to itself. Then the OpenTelemetry SDK of the configuration is registered for the
   * whole process, so that spans of agents become part of the gateway's traces. Default false.
   */
  readonly wholeProcess?: boolean;
  /** The generated A2A v1. Default: that of this package. */
  readonly api?: Api;
}

/** What a gateway has before it opens anything. */
export interface Base {
  /** The configuration that the gateway was created with; a reload does not change it. */
  readonly config: Config;
  readonly deps: GatewayDeps;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly audit: Audit;
  /** Not open yet. Its accesses are counted. */
  readonly store: Store;
  readonly budget: MemoryBudget;
  /** What changes in the life of a gateway. */
  readonly state: {
    /** Base URL of the listener; undefined while nothing listens. */
    url?: string;
    /** What callers get as soon as the gateway stops. */
    stopping?: A2AError;
  };
}

/** Creates what needs no file, no database and no socket. */
export function createBase(config: Config, deps: GatewayDeps): Base {
  const logger = deps.logger ?? createLogger(config);
  const { durability } = config;
  const metrics = new Metrics(packageVersion());
  const { onBatch } = metrics;
  const store = deps.store ?? createStore(config.store, { instance: hostname(), durability, logger, onBatch });
  return {
    config,
    deps,
    logger,
    metrics,
    audit: metrics.audit(createAudit(logger)),
    store: metrics.store(store),
    budget: new MemoryBudget(config.limits.buffered),
    state: {},
  };
}

/** The listener of a gateway. Nothing listens yet. */
export const createGatewayListener = ({ config, metrics, audit, budget }: Base): Listener =>
  createListener({ config, meters: metrics.meters, audit, budget });

/** What the first phase opened. */
export interface Opened extends Base {
  readonly traces: Traces;
  readonly guard: UrlGuard;
  readonly dialects: Dialects;
  /** Of all services. */
  readonly operations: readonly Operation[];
  readonly active: ActiveConfig;
  /** Creates what another configuration says; what `former` has in common with it is carried over. */
  readonly createNext: (config: Config, former: ConfigSnapshot) => Promise<ConfigSnapshot>;
  /** Undefined where cards are not signed. */
  readonly signer: CardSigner | undefined;
  readonly files: FileHost;
  /** What cards advertise; undefined while the gateway does not know. */
  readonly publicUrl: () => string | undefined;
}

/** Phase one: opens the store, reads files and keys, loads agents and knowledge. Rejects when any of it fails. */
export async function open(base: Base): Promise<Opened> {
  const { config, deps, logger, audit, metrics, state } = base;
  const traces = await openTraces({ config, logger, store: base.store, global: deps.wholeProcess === true });
  const { store, tracing } = traces;
  const { operations } = deps.api ?? api;
  let active: ActiveConfig | undefined;
  const guard = createUrlGuard({
    allow: () => (active?.snapshot.config ?? config).outbound.allow,
    // Services of this machine may be called where no other machine can reach the gateway.
    loopback: isLoopbackHost(config.listen.host) && config.listen.publicUrl === undefined,
    onRefused: (target, reason) => audit({ event: 'url.refused', reason, ...(target !== '' && { target }) }),
  });
  const snapshotDeps = {
    store,
    logger,
    audit,
    services: [
      { scope: 'tasks', operations },
      { scope: 'knowledge', operations: knowledgeOperations },
    ],
    tracing,
    agents: { guard, tracing, ...metrics.upstreams },
    own: deps.agents,
  };
  active = new ActiveConfig(await createSnapshot(config, snapshotDeps, store.open()));
  openAgents(active.snapshot.agents);
  const publicUrl = (): string | undefined => config.listen.publicUrl ?? state.url;
  return {
    ...base,
    store,
    traces,
    guard,
    dialects: createDialects(deps.api ?? api),
    operations: [...operations, ...knowledgeOperations],
    active,
    createNext: (next, former) => createSnapshot(next, snapshotDeps, Promise.resolve(), former),
    signer: await cardSigner(config.cards.signing, publicUrl),
    files: await createFileHost(store),
    publicUrl,
  };
}

/** What the second phase built. */
export interface Built {
  readonly service: Service;
  readonly knowledge: GatewayKnowledge;
  readonly streams: StreamLimit;
  /** Streams that end when their callers lose access. */
  readonly ongoing: OpenStreams;
  readonly cards: CardFactory;
  /** The services behind the pipeline. */
  readonly invoke: Invoke;
}

/** Phase two: builds the services and the pipeline in front of them. Nothing is served yet. */
export function build(opened: Opened): Built {
  const { active, audit, budget, dialects, guard, logger, publicUrl, signer, state, store, traces } = opened;
  const { agents } = active;
  const limits = active.select('limits');
  const streams = new StreamLimit(active.select('limits', { audit }));
  const knowledge = createGatewayKnowledge({ agents, known: () => active.snapshot.knowledge, streams, limits });
  const cardOptions = {
    agents,
    dialects,
    publicUrl,
    security: (origin: string) => active.snapshot.access.security(origin),
    servesGrpc: () => state.url !== undefined,
    languagesOf: knowledge.languagesOf,
    config: () => active.snapshot.config,
  };
  const unsigned = createCardFactory(cardOptions);
  const cards = signer ? signedCards({ ...cardOptions, cards: unsigned, signer }) : unsigned;
  const service = createService({
    store,
    agents: traces.agents(agents),
    logger,
    limits,
    budget,
    streams,
    judgeWebhook: (url) => refusalOf(guard, url),
    traces: traces.turns,
    extendedCard: cards.extended,
  });
  const ongoing = new OpenStreams();
  const { keyed } = service;
  const invoke = throughPipeline(service.invoke, { ...opened, agents, ongoing, keyed, knowledge: knowledge.invoke });
  return { service, knowledge, streams, ongoing, cards, invoke };
}

/** Why the guard refuses a webhook that is being registered; undefined when it does not. */
function refusalOf(guard: UrlGuard, url: string): string | undefined {
  try {
    guard.check(url);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof UrlRefused) return thrown.message;
    throw thrown;
  }
}

/** What the third phase started. */
export interface Serving {
  readonly server: GatewayHttpServer;
  readonly push: Deliverer;
  readonly draining: Draining;
  readonly reload: Reload;
  readonly stopMaintenance: () => void;
}

/** Phase three: serves every binding on the listener, delivers push notifications, and maintains the store. */
export function serve(opened: Opened, built: Built, listener: Listener): Serving {
  const { active, createNext, logger, metrics, signer, state, store } = opened;
  const { cards, ongoing, service } = built;
  const push = startPush(opened);
  const server = createHttpServer({
    ...opened,
    ...built,
    listener,
    meters: metrics.meters,
    dialectOf: service.dialectOf,
    card: cards.source,
    keySet: signer?.keySet,
    readMetrics: metricsReader(metrics, { service, agents: active.agents, push, store }),
  });
  const draining = new Draining(logger);
  return {
    server,
    push,
    draining,
    reload: createReload({
      active,
      server,
      create: createNext,
      ongoing,
      draining,
      logger,
      meters: metrics.meters,
      stopping: () => state.stopping,
    }),
    stopMaintenance: maintain({ store, logger, takeOver: service.takeOver, retention: active.select('retention') }),
  };
}

/** How to stop, where it is not to be as configured. */
export interface CloseOptions {
  readonly delayMs?: number;
  readonly drainMs?: number;
}

/** Ends what the phases started, in reverse. */
export async function close(
  { active, state, store, traces }: Opened,
  { service, knowledge }: Built,
  { server, push, draining, stopMaintenance }: Serving,
  { delayMs, drainMs: wanted }: CloseOptions,
): Promise<void> {
  const { delay, drain } = active.snapshot.config.shutdown;
  const drainMs = wanted ?? drain;
  state.stopping = new A2AError('unavailable', 'The gateway is stopping');
  server.leave();
  const wait = delayMs ?? (wanted === undefined ? delay : 0);
  // Without a delay not even the requests of this turn of the loop are served.
  if (wait > 0) await sleep(wait);
  stopMaintenance();
  server.retire();
  await service.close(AbortSignal.timeout(drainMs));
  knowledge.close();
  // The last answers of streams and waiting callers leave with the next turn of the loop.
  await sleep(10);
  await Promise.all([server.close(Math.min(drainMs, 1_000)), push.close(Math.min(drainMs, 2_000))]);
  const { access, agents, knowledge: known } = active.snapshot;
  access.close();
  await Promise.all([draining.close(), closeAgents(agents), closeKnowledge(known)]);
  await store.close();
  await traces.close(Math.min(drainMs, 2_000));
}
