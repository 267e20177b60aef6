import { hostname } from 'node:os';
import { createAgentFetch } from '../../agents/fetch/agent-fetch.ts';
import { OpenStreams } from '../../auth/stream-expiry.ts';
import { isLocalOnly } from '../../config/sections/listen.ts';
import type { Config } from '../../config/types.ts';
import { MemoryBudget } from '../../core/limits/memory-budget.ts';
import { AgentModes } from '../../core/middleware/agent-modes.ts';
import { api } from '../../core/model/a2a.ts';
import type { Agent, AgentFetch } from '../../core/model/agent.ts';
import type { CallContext } from '../../core/model/call.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import { createAudit } from '../../core/telemetry/audit.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import { createDialects } from '../../dialects/registry.ts';
import type { OpeningHost } from '../../extensions/host.ts';
import type { Module } from '../../extensions/module.ts';
import type { Api } from '../../gen/api.ts';
import { Metrics } from '../../metrics/metrics.ts';
import { createUrlGuard, type UrlGuard } from '../../net/guard.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import { createStore } from '../../stores/index.ts';
import { AdminKeys } from '../access/admin-key.ts';
import { openSessions } from '../access/sessions.ts';
import { openAgents } from '../agents/agents.ts';
import { createCardSigner } from '../cards/card-signer.ts';
import { createFileHost } from '../http/file-host.ts';
import { createLogger } from '../process/logger.ts';
import type { GatewayState } from '../process/state.ts';
import { packageVersion } from '../process/version.ts';
import type { WorkerGroup } from '../process/workers.ts';
import { ActiveConfig, type ConfigSnapshot, createSnapshot, type SnapshotDeps } from '../reload/active-config.ts';
import { openTraces } from '../tracing/traces.ts';
import { agentKinds, OpenModules, scopedOperations } from './modules.ts';

/** Objects that replace those which the gateway would create from the configuration. */
export interface GatewayDeps {
  /** Logger of the gateway. Default: lines on stderr, according to `log` in the configuration. */
  readonly logger?: Logger;
  /** Store of the gateway, which opens and closes it. */
  readonly store?: Store;
  /** Agents of the program, which are served together with those of the configuration. */
  readonly agents?: Readonly<Record<string, Agent>>;
  /**
   * Gets the key for the admin service and the console, which the gateway makes if no configured credential has the scope
   * `admin`: at the start, and when a reload removes the last such credential. The key is not shown again. Default: it is not
   * passed on. A gateway that listens itself and stores in a file keeps the key next to that file.
   */
  readonly onAdminKey?: (key: string) => void;
  /** Implementation of `context.fetch`. Default: the gateway's own HTTP client. */
  readonly fetch?: AgentFetch;
  /**
   * Finds a caller that the program itself has named with `call` or in a hook, by its id. After a restart, agents continue tasks
   * of callers of whom only the id is known. They can call other agents for such a caller if this function or the configuration
   * returns the caller's permissions. Default: no caller is found.
   */
  readonly principalById?: (id: string) => Principal | undefined;
  /**
   * Whether the gateway is the only program in the process. If so, the OpenTelemetry SDK of the configuration is registered for
   * the whole process, so that spans of agents become part of the gateway's traces. Default false.
   */
  readonly wholeProcess?: boolean;
  /**
   * Reads the configuration again, for a reload that an operator asks for, and for `reload()`. Rejects with a ConfigError.
   * Default: only the program reloads.
   */
  readonly rereadConfig?: () => Promise<Config>;
  /** The processes that serve together with this one. Only `a2a-gateway serve` starts them. */
  readonly workers?: WorkerGroup;
  /** Generated code of the newest version of A2A 1.x. Default: this package's. */
  readonly api?: Api;
}

/** Creates the parts that need no file, database or socket. */
export function createBase(config: Config, deps: GatewayDeps) {
  const logger = deps.logger ?? createLogger(config);
  const { durability, fullText, notifications } = config;
  const metrics = new Metrics(packageVersion());
  const { meters, stores } = metrics;
  const createOwn = (): Store =>
    createStore(config.store, {
      instance: hostname(),
      durability,
      fullText,
      notifications,
      logger,
      onBatch: stores.onBatch,
    });
  const state: GatewayState = {};
  return {
    config,
    deps,
    logger,
    metrics,
    meters,
    audit: metrics.audit(createAudit(logger)),
    store: stores.observe(deps.store ?? createOwn()),
    budget: new MemoryBudget(config.limits.buffered),
    adminKeys: new AdminKeys({
      config,
      logger,
      onAdminKey: deps.onAdminKey,
      ownStore: deps.store !== undefined,
      ownKey: deps.workers?.adminKey,
      port: () => state.port,
    }),
    dialects: createDialects({ preview: config.preview, ...(deps.api && { api: deps.api }) }),
    state,
    /** The URL in cards; undefined while it is not known. */
    publicUrl: (): string | undefined => config.listen.publicUrl ?? state.url,
  };
}

export type Base = ReturnType<typeof createBase>;
export type Opened = Awaited<ReturnType<typeof open>>;

/** Phase one: opens the store, reads files and keys, loads agents and modules. Rejects if any of these fails. */
export async function open(base: Base, list: readonly Module[]) {
  const { config, deps, logger, publicUrl } = base;
  const traces = await openTraces(config, { ...base, wholeProcess: deps.wholeProcess === true });
  const store = traces.observe(base.store, config.store);
  const services = [{ scope: 'tasks', operations: (deps.api ?? api).operations }, ...scopedOperations(list)];
  let active: ActiveConfig | undefined;
  const guard = createGuard(base, () => active?.snapshot.config ?? config);
  const agentHttp = createHttpClient({ guard });
  const ongoing = new OpenStreams();
  const sessions = openSessions({ store, ongoing, publicUrl });
  const early = { ...openingHost(base, () => active), store, opening: store.open(), guard };
  const modules = await OpenModules.open(list, early);
  const snapshotDeps = {
    ...base,
    addTo: (given: Config) => modules.addTo(given),
    store,
    services,
    principalById: deps.principalById,
    tracing: traces.tracing,
    agents: agentDeps(base, { guard, kinds: agentKinds(list), store, traces }),
    modules: modules.all,
    sessions: sessions.open,
    pathOf: (context: CallContext) => modules.pathOf(context),
  };
  active = new ActiveConfig(await createSnapshot(config, snapshotDeps, early.opening));
  const modes = new AgentModes(store, logger);
  await Promise.all([modules.ready(), modes.refresh()]);
  openAgents(active.snapshot.agents);
  warnOfSettings(base, modules);
  return {
    ...base,
    ...early,
    traces,
    operations: services.flatMap((service) => service.operations),
    active,
    modes,
    modules,
    recompose: () => modules.recompose(),
    /** Open streams, which end when their callers lose access. */
    ongoing,
    sessions,
    /** HTTP client for the requests of agents. */
    agentHttp,
    fetch: fetchOf(deps, agentHttp, traces.tracing),
    /** Creates the snapshot of another configuration, which shares the unchanged parts of `former`. */
    createNext: (next: Config, former: ConfigSnapshot) => createSnapshot(next, snapshotDeps, Promise.resolve(), former),
    signer: config.cards.signing && (await createCardSigner(config.cards.signing, publicUrl)),
    files: await createFileHost(store),
  };
}

/**
 * Parts of the gateway that modules get while they are opened. @param active returns the active configuration; undefined while
 * there is none
 */
function openingHost(
  base: Base,
  active: () => ActiveConfig | undefined,
): Omit<OpeningHost, 'guard' | 'opening' | 'recompose' | 'store'> {
  const read = (): Config => active()?.snapshot.base ?? base.config;
  return {
    version: packageVersion(),
    logger: base.logger,
    audit: base.audit,
    meters: base.meters,
    metrics: base.metrics,
    agents: { get: (name) => active()?.agents.get(name) },
    config: read,
    apply: async () => base.state.reload?.(read),
  };
}

/** @param inForce returns the active configuration */
const createGuard = ({ config, audit }: Base, inForce: () => Config): UrlGuard =>
  createUrlGuard({
    allow: () => inForce().outbound.allow,
    // Services of this machine may be called where no other machine can reach the gateway.
    loopback: isLocalOnly(config.listen),
    onRefused: (target, reason) => audit({ event: 'url.refused', reason, ...(target !== '' && { target }) }),
  });

/** Parts of the gateway that agents are created from. */
const agentDeps = (
  { metrics }: Base,
  {
    guard,
    kinds,
    store,
    traces,
  }: Pick<SnapshotDeps['agents'], 'guard' | 'kinds'> & {
    readonly store: Store;
    readonly traces: Awaited<ReturnType<typeof openTraces>>;
  },
): SnapshotDeps['agents'] => ({
  guard,
  version: packageVersion(),
  tracing: traces.tracing,
  trace: traces.agent,
  kinds,
  observe: metrics.upstreams.observe,
  onRetry: metrics.upstreams.onRetry,
  onSkipped: metrics.upstreams.onSkipped,
  leaveOut: (name: string, thrown: unknown) => store.damaged.note('registered_agent', [name], thrown),
});

const fetchOf = ({ fetch: own }: GatewayDeps, http: HttpClient, tracing: Tracing | undefined) =>
  own ? () => own : createAgentFetch({ http, tracing });

/** Warns of settings with which nothing is served, or with which fewer processes serve than configured. */
function warnOfSettings({ config, deps, logger }: Base, modules: OpenModules): void {
  if (config.agents.size === 0 && !modules.addAgents)
    logger.warn({}, 'no agent is configured: every call is answered with "not found"');
  const alone = 'one process serves: only a2a-gateway serve starts the workers of the configuration';
  if (config.workers > 1 && !deps.workers) logger.warn({ workers: config.workers }, alone);
}
