import { setTimeout as sleep } from 'node:timers/promises';
import { maintain } from '../../core/cluster/maintenance.ts';
import { ownDialect } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Family } from '../../metrics/family.ts';
import { mergeFamilies } from '../../metrics/merge.ts';
import { createHttpClient } from '../../net/http-client.ts';
import { type Deliverer, PushDeliverer } from '../../push/deliverer.ts';
import { createSender } from '../../push/sender.ts';
import { closeAgents, healthAndModeOf } from '../agents/agents.ts';
import type { Listener } from '../http/listener.ts';
import { metricsReader } from '../http/pages.ts';
import { GatewayHttpServer } from '../http/server.ts';
import { Draining } from '../reload/draining.ts';
import { createReload } from '../reload/reload.ts';
import type { Built } from './build.ts';
import type { Opened } from './open.ts';

export type Serving = ReturnType<typeof serve>;

/** Phase three: serves every binding on the listener, delivers push notifications, and maintains the store. */
export function serve(opened: Opened, built: Built, listener: Listener) {
  const { active, logger, metrics, modes, modules, state, store, traces } = opened;
  const { service } = built;
  const push = startPush(opened, built);
  const inputs = {
    live: () => service.live,
    agents: () => healthAndModeOf(active.agents, modes),
    push: () => push.stats(),
    added: () => modules.families(),
    store,
  };
  const { workers } = opened.deps;
  const families = (): Promise<Family[]> => metrics.families(inputs);
  workers?.answer('metrics', families);
  const stopHistory = metrics.keepHistory(inputs);
  const sendLastMetrics = traces.metrics?.(families);
  const server = new GatewayHttpServer({
    ...opened,
    ...built,
    listener,
    dialectOf: service.dialectOf,
    card: built.cards.source,
    keySet: opened.signer?.keySet,
    readMetrics: metricsReader(
      workers ? async () => mergeFamilies((await workers.all('metrics')).map((known) => known ?? [])) : families,
    ),
    added: (parts) => modules.http({ ...built.host, ...parts }),
  });
  const draining = new Draining(logger);
  const reload = createReload({ ...opened, server, draining });
  state.reload = reload;
  modules.start(built.host);
  const stopWatching = store.topics.agentModes.listen(modesWithin, () => modes.refresh());
  const stopMaintenance = maintain({
    store,
    logger,
    retention: active.select('retention'),
    takeOver: service.takeOver,
    expire: (limit) => active.snapshot.parts.expire(limit),
  });
  return { server, push, draining, reload, stopHistory, sendLastMetrics, stopMaintenance, stopWatching };
}

/** Milliseconds within which a mode that an operator has set at another replica takes effect here. */
const modesWithin = 2_000;

/** Overrides of `shutdown` in the configuration. Milliseconds. */
export interface CloseOptions {
  readonly delayMs?: number;
  readonly drainMs?: number;
}

/** Smallest number of milliseconds for which requests are served after the port is closed. */
const lastRequests = 200;

/** Largest number of milliseconds for which the first requests of open connections are awaited after that. */
const firstRequests = 1_000;

/** Closes the port, and serves the requests that are still arriving on connections that were accepted before. */
async function serveLastRequests(server: Serving['server']): Promise<void> {
  await server.closePort();
  await sleep(lastRequests);
  const end = performance.now() + firstRequests;
  while (server.awaitsRequests() && performance.now() < end) await sleep(10);
  // Bytes that have arrived are read in the next turn of the event loop.
  await sleep(10);
}

/** Stops everything that the phases have started, in reverse order. */
export async function close(
  { active, adminKeys, agentHttp, modules, sessions, state, store, traces }: Opened,
  { service }: Built,
  { server, push, draining, stopHistory, sendLastMetrics, stopMaintenance, stopWatching }: Serving,
  options: CloseOptions,
): Promise<void> {
  const { delay, drain } = active.snapshot.config.shutdown;
  const { drainMs = drain, delayMs = options.drainMs === undefined ? delay : 0 } = options;
  state.stopping = new A2AError('unavailable', 'The gateway is stopping');
  server.leave();
  for (const module of modules.all) module.stopping?.();
  if (delayMs > 0) await sleep(delayMs);
  // A gateway that is stopped by hand has no balancer in front of it.
  if (options.delayMs !== 0 && drainMs > 0) await serveLastRequests(server);
  stopHistory();
  stopMaintenance();
  stopWatching();
  modules.close();
  server.retire();
  await service.close(AbortSignal.timeout(drainMs));
  modules.closeServices();
  // The last answers of streams and waiting calls leave in the next turn of the event loop.
  await sleep(10);
  await Promise.all([server.close(Math.min(drainMs, 1_000)), push.close(Math.min(drainMs, 2_000))]);
  // Sent while there is a store from which they can be read.
  await sendLastMetrics?.(Math.min(drainMs, 2_000));
  const { access, agents, parts } = active.snapshot;
  await modules.closed();
  access.close();
  await Promise.all([draining.close(), closeAgents(agents), parts.close()]);
  agentHttp.close();
  sessions.close();
  // Removed before another gateway may use the store.
  adminKeys.remove();
  await store.close();
  await traces.close(Math.min(drainMs, 2_000));
}

/**
 * Starts to deliver push notifications, each in the dialect in which it was registered, and only to URLs that the guard allows.
 */
export function startPush(
  { active, dialects, guard, modules, traces, logger, audit, budget, store }: Opened,
  { host }: Pick<Built, 'host'>,
): Deliverer {
  const limits = active.select('limits');
  const settings = active.select('push');
  const http = createHttpClient({ connectTimeout: Math.min(settings.timeout, 10_000), guard });
  const canonical = dialects.byName.get(ownDialect) ?? dialects.default;
  const deliverer = new PushDeliverer({
    store,
    dialect: (name) => {
      const known = dialects.byName.get(name);
      return known?.push ? known : canonical;
    },
    own: (delivery) => modules.webhook(delivery, host),
    refusalFor: (owner) => active.snapshot.parts.webhookRefusal(owner),
    send: traces.sending(createSender(active.select('push', { http, guard }))),
    logger,
    audit,
    budget,
    get maxAge() {
      return settings.maxAge;
    },
    get perMinute() {
      return limits.webhooks.perMinute;
    },
  });
  return {
    stats: () => deliverer.stats(),
    async close(graceMs) {
      await deliverer.close(graceMs);
      http.close();
    },
  };
}
