import { allDialects, dialectsFor } from '../../client/dialects.ts';
import { readCard } from '../../client/read-card.ts';
import { readCatalog } from '../../client/read-catalog.ts';
import { configOfSettings } from '../../config/load.ts';
import { ConfigError } from '../../config/report.ts';
import { type AgentConfig, agentNameFault } from '../../config/sections/agents.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import { UrlRefused } from '../../net/guard.ts';
import { createHttpClient } from '../../net/http-client.ts';
import type { OpeningHost } from '../host.ts';
import type { OpenModule } from '../module.ts';
import { registrationHandlers } from './handlers.ts';
import { Registry, type ServedOffer } from './registry.ts';
import { type Offer, openRegistrations } from './store.ts';

/** Opens the registry of agents that are registered at run time. Rejects as the store does. */
export async function openRegistry(host: OpeningHost): Promise<OpenModule> {
  const { store, logger, guard, config, apply, opening } = host;
  await opening;
  const http = createHttpClient({ guard, connectTimeout: 5_000 });
  let onAway = (_names: ReadonlySet<string>): void => undefined;
  const registry = new Registry({
    logger,
    apply,
    store: await store.extend(openRegistrations),
    approve: () => config().registration.approve,
    isConfigured: (name) => config().agents.has(name),
    check(name, offer) {
      const fault = agentNameFault(name);
      if (fault !== undefined) throw A2AError.invalidField('name', fault);
      settingsOf(name, offer);
      try {
        guard.check(offer.url);
      } catch (thrown) {
        throw asFault('url', thrown);
      }
    },
    async readCard(offer, signal) {
      const dialects =
        offer.dialect === '' ? dialectsFor(undefined) : allDialects().filter(({ name }) => name === offer.dialect);
      const options = { http, dialects, headers: () => ({}), signal, timeout: cardTimeout };
      try {
        return (await readCard(new URL(offer.url), options)).document;
      } catch (thrown) {
        throw asFault('url', thrown);
      }
    },
    readCatalog: (url, signal) =>
      readCatalog(url, { http, headers: () => ({}), signal, timeout: catalogTimeout }).catch((thrown: unknown) =>
        Promise.reject(catalogFault(thrown)),
      ),
    onAway: (names) => onAway(names),
    lease: (name, ms) => store.peers.lease(name, ms),
  });
  await registry.load();
  return {
    addTo(given) {
      const agents = new Map(given.agents);
      for (const served of registry.served((name) => agents.has(name))) {
        // One of which no agent can be made keeps no other from being served.
        const agent = store.damaged.read('registered_agent', [served.name], () => configOf(served));
        if (agent) agents.set(served.name, agent);
      }
      return agents.size === given.agents.size ? given : { ...given, agents };
    },
    replicaFacts: () => ({ waitingCards: registry.rows.filter(({ waits }) => waits).length }),
    handlers: ({ active }) => registrationHandlers(registry, active.select('limits')),
    http: () => ({ applyConfig: () => registry.applyConfig() }),
    start({ modes }) {
      onAway = (names) => modes.setAway(names);
      registry.start();
    },
    close() {
      registry.close();
      http.close();
    },
  };
}

/** Milliseconds for one card, over all places where it may be. */
const cardTimeout = 5_000;
/** Milliseconds for a catalog, with those that it names. */
const catalogTimeout = 15_000;

/** Settings of offers: they are read again with each reload. */
const known = new WeakMap<Offer, AgentConfig>();

function configOf({ name, id, offer, card, review }: ServedOffer): AgentConfig {
  const settings = known.get(offer) ?? settingsOf(name, offer);
  known.set(offer, settings);
  return { ...settings, reviewed: { id, card: () => card, review } } as AgentConfig;
}

/** The settings of an agent of the configuration with this name and URL. Throws A2AError `invalidParams`. */
function settingsOf(name: string, { url, dialect, transport }: Offer): AgentConfig {
  const agent = { kind: 'upstream', url, ...(dialect && { dialect }), ...(transport && { transport }) };
  try {
    return configOfSettings({ agents: { [name]: agent } }).agents.get(name) as AgentConfig;
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    const violations = thrown.problems.map(({ path, message }) => ({
      field: path.slice(`agents.${name}.`.length) || 'name',
      description: message,
    }));
    throw A2AError.invalidParams(undefined, violations);
  }
}

/** Errors of a site that answers with something that is not a catalog. */
const catalogKinds: ReadonlySet<ErrorKind> = new Set([
  'invalidAgentResponse',
  'agentNotFound',
  'unauthenticated',
  'permissionDenied',
]);

/** `invalidParams` for `catalog` where the guard has refused it, or what is there is no catalog; else the same. */
function catalogFault(thrown: unknown): unknown {
  const error = asFault('catalog', thrown);
  if (!(error instanceof A2AError) || !catalogKinds.has(error.kind)) return error;
  return A2AError.invalidParams(undefined, [{ field: 'catalog', description: error.message }]);
}

/** `invalidParams` for a field where the guard has refused it; else the same. */
function asFault(field: string, thrown: unknown): unknown {
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof UrlRefused) return A2AError.invalidParams(undefined, [{ field, description: cause.message }]);
  }
  return thrown;
}
