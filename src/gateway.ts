import type { Server } from 'node:http';
import { hostname } from 'node:os';
import { endWithCredentials } from './auth/ending.ts';
import type { Config } from './config/config.ts';
import type { Agent } from './core/agent.ts';
import { createAudit } from './core/audit.ts';
import type { Invoke } from './core/call.ts';
import { A2AError } from './core/errors.ts';
import { idempotent } from './core/idempotency.ts';
import { logFailures } from './core/logging.ts';
import { maintain } from './core/maintenance.ts';
import type { AgentDirectory, Logger, Store } from './core/ports.ts';
import { routeByService } from './core/route.ts';
import { createService, type Service } from './core/service.ts';
import { StreamLimit } from './core/stream-limit.ts';
import { createDialects } from './dialects/registry.ts';
import { type Access, createAccess } from './gateway/access.ts';
import { closeAgents, makeAgents, openAgents } from './gateway/agents.ts';
import { cardSigner, signedCards } from './gateway/card-signing.ts';
import { createCardMaker } from './gateway/cards.ts';
import { createFileHost } from './gateway/files.ts';
import { createFront, type Front, type Middleware } from './gateway/front.ts';
import { createOutboundGuard, judgeWebhook } from './gateway/guard.ts';
import { createKnowledge, type GatewayKnowledge } from './gateway/knowledge.ts';
import { createLogger } from './gateway/logger.ts';
import { startPush } from './gateway/push.ts';
import { api } from './gen/a2a-v1/index.ts';
import { operations as ofKnowledge } from './gen/knowledge-v1/operations.ts';
import type { Api } from './gen/operations.ts';
import type { Deliverer } from './push/index.ts';
import { createStore } from './stores/index.ts';

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
  /** Starts, and listens as the configuration says. Rejects when the port is taken. */
  listen(): Promise<Listening>;
  /** Express 5 middleware (or any connect-style one): serves A2A requests and passes on all others. */
  readonly middleware: Middleware;
  /**
   * Lets A2A requests of a server skip its listeners, such as an Express app, which doubles their speed. All other
   * requests reach the listeners as before. Call it after `start`, when the listeners are there.
   */
  attach(server: Server): void;
  /** Calls an agent in this process, without a network. */
  readonly invoke: Invoke;
  /**
   * Takes no new work, waits up to `drainMs` milliseconds (default 10,000) for what is running, leaves the rest so that
   * it can be taken up, and closes.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

interface Started {
  readonly service: Service;
  readonly knowledge: GatewayKnowledge;
  readonly agents: AgentDirectory;
  readonly access: Access;
  readonly invoke: Invoke;
  readonly front: Front;
  readonly push: Deliverer;
  readonly stopMaintenance: () => void;
}

/** Makes a gateway of a configuration (`defaultConfig`, `loadConfig` or `parseConfig`). Nothing is opened yet. */
export function createGateway(config: Config, deps: GatewayDeps = {}): Gateway {
  const logger = deps.logger ?? createLogger(config);
  const { durability } = config;
  const store = deps.store ?? createStore(config.store, { instance: hostname(), durability, logger });
  let starting: Promise<Started> | undefined;
  let started: Started | undefined;
  let listening: Listening | undefined;

  const start = async (): Promise<Started> => {
    const audit = createAudit(logger);
    const guard = createOutboundGuard(config, audit);
    const [agents] = await Promise.all([makeAgents(config, { ids: store, logger, guard }, deps.agents), store.open()]);
    openAgents(agents);
    const publicUrl = (): string | undefined => config.listen.publicUrl ?? listening?.url;
    const generated = deps.api ?? api;
    const dialects = createDialects(generated);
    const ofTasks = { scope: 'tasks', operations: generated.operations };
    const services = [ofTasks, { scope: 'knowledge', operations: ofKnowledge }];
    const access = await createAccess({ config, services, store, audit });
    const { security } = access;
    const { limits, retention } = config;
    const bounded = limits.streams !== undefined || limits.streamsPerTask !== undefined;
    const streams = bounded ? new StreamLimit({ ...limits, audit }) : undefined;
    const knowledge = await createKnowledge({ config, agents, store, streams, logger });
    const made = { agents, dialects, publicUrl, security, languagesOf: knowledge.languagesOf };
    const signer = await cardSigner(config.cards.signing, publicUrl);
    const plain = createCardMaker(made);
    const cards = signer ? signedCards({ ...made, cards: plain, signer }) : plain;
    const core = { store, agents, logger, limits, streams, judgeWebhook: judgeWebhook(guard) };
    const service = createService({ ...core, extendedCard: cards.extended });
    const { dialectOf } = service;
    const routed = routeByService(
      { ...ofTasks, invoke: service.invoke },
      { operations: ofKnowledge, invoke: knowledge.invoke },
    );
    const operations = services.flatMap((each) => each.operations);
    const keyed = idempotent({ store, operations, answer: limits.answer });
    const invoke = logFailures(logger)(endWithCredentials(access.authorize(keyed(routed))));
    const files = await createFileHost(store);
    const card = cards.source;
    const ground = { config, agents, store, files, logger, audit, access };
    const front = createFront({
      ...ground,
      dialects,
      invoke,
      dialectOf,
      card,
      publicUrl,
      keySet: signer?.keySet,
      streams,
    });
    const push = startPush({ config, store, dialects, guard, logger, audit });
    const stopMaintenance = maintain({ store, logger, recover: service.recover, retention });
    started = { service, knowledge, agents, access, invoke, front, push, stopMaintenance };
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
      const { front } = await ready();
      const port = await front.listen();
      listening = { port, url: config.listen.publicUrl ?? localUrl(config, port) };
      return listening;
    },
    middleware: (req, res, next) => {
      if (started) started.front.middleware(req, res, next);
      else next(new A2AError('unavailable', 'The gateway has not been started'));
    },
    attach: (server) => running().front.attach(server),
    invoke: async (call) => (await ready()).invoke(call),
    async close({ drainMs = 10_000 } = {}) {
      if (!starting) return;
      const { service, knowledge, agents, access, front, push, stopMaintenance } = await starting;
      stopMaintenance();
      front.retire();
      await service.close(AbortSignal.timeout(drainMs));
      await knowledge.close();
      // What streams and waiting callers were just told leaves with the next turn of the loop.
      await new Promise((resolve) => setTimeout(resolve, 10));
      await Promise.all([front.close(Math.min(drainMs, 1_000)), push.close(Math.min(drainMs, 2_000))]);
      access.close();
      await closeAgents(agents);
      await store.close();
    },
  };
}

function localUrl({ listen }: Config, port: number): string {
  const host = listen.host.includes(':') && !listen.host.startsWith('[') ? `[${listen.host}]` : listen.host;
  return `${listen.tls ? 'https' : 'http'}://${host}:${port}`;
}
