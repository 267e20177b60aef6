import type { IncomingMessage } from 'node:http';
import { isLocal } from '../../auth/anonymous.ts';
import { challengeOf } from '../../auth/schemes.ts';
import { hasProxy } from '../../config/sections/listen.ts';
import type { Authenticate } from '../../core/limits/admission.ts';
import type { AgentHealth } from '../../core/model/agent.ts';
import { A2AError } from '../../core/model/errors.ts';
import { hasScope, mayCall, type Principal } from '../../core/model/principal.ts';
import { parseDuration } from '../../core/model/scalars.ts';
import { withTimeout } from '../../core/model/timing.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Dialects } from '../../dialects/kernel/detect.ts';
import type { Family } from '../../metrics/family.ts';
import { formatFor } from '../../metrics/text.ts';
import { cardPath } from '../../transports/http/cards.ts';
import { mountOf, originOf, RequestFacts } from '../../transports/http/request-facts.ts';
import type { CatalogContent } from '../../transports/pages/catalogs.ts';
import type { MetricsPageOptions } from '../../transports/pages/metrics.ts';
import type { OwnPagesOptions } from '../../transports/pages/own-pages.ts';
import { openApiOf } from '../../transports/rest/openapi.ts';
import { healthOf } from '../agents/agents.ts';
import type { WorkerGroup } from '../process/workers.ts';
import type { ActiveConfig, ConfigSnapshot } from '../reload/active-config.ts';
import { landingPage, type ShownAgent } from './landing.ts';

/** Milliseconds for identifying the reader of a public page. */
const identifyTimeout = 500;

export interface PagesOptions {
  readonly active: ActiveConfig;
  readonly dialects: Dialects;
  /** The URL in cards; undefined while it is not known. */
  readonly publicUrl: () => string | undefined;
  readonly store: Store;
  /** Authenticates callers for pages that only callers may read. Refuses them while the gateway stops. */
  readonly authenticate: Authenticate;
  readonly checkReadiness: CheckReadiness;
  /** The signatures of an agent's card at this origin. Undefined: the card is not signed. */
  readonly signaturesOf: (req: IncomingMessage, agent: string, origin: string) => unknown;
  /** The documents of each agent and of the gateway, without cards. */
  readonly documents: CatalogContent['documents'];
}

type ShownPages = Pick<OwnPagesOptions, 'admit' | 'agents' | 'catalog' | 'openApi' | 'ready' | 'landing'>;

/** The content of the gateway's own pages. Its members are handed on one by one. */
export class PageContent implements ShownPages {
  readonly #options: PagesOptions;

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  readonly admit: ShownPages['admit'] = async (req) =>
    this.#options.active.snapshot.config.auth.anonymous === 'none' && (await this.#identify(req));

  readonly agents: ShownPages['agents'] = async (req) =>
    this.#agentsFor(await this.#options.authenticate(new RequestFacts(req)), req);

  readonly catalog: ShownPages['catalog'] = async (req) => {
    const { documents, signaturesOf } = this.#options;
    const principal = await this.#readerOf(new RequestFacts(req));
    const origin = this.#originFor(req);
    const listed = this.#agentsFor(principal, req).map((agent) => ({
      ...agent,
      signatures: signaturesOf(req, agent.name, origin),
    }));
    return { base: origin + mountOf(req), agents: listed, documents };
  };

  readonly landing: NonNullable<ShownPages['landing']> = async (req) => {
    const { active } = this.#options;
    const principal = await this.#known(req);
    const shown = principal && this.#agentsFor(principal, req);
    const atRoot = shown?.some(({ name }) => name === active.agents.defaultName);
    const origin = this.#originFor(req);
    const card = atRoot ? origin + cardPath : undefined;
    return landingPage(origin, shown, { console: active.snapshot.config.console !== false, card });
  };

  readonly openApi: ShownPages['openApi'] = () => {
    const { dialects, publicUrl } = this.#options;
    const first = dialects.list.find((dialect) => dialect.rest);
    if (!first?.rest) throw new A2AError('routeNotFound');
    const own = { rest: first.rest, versions: first.versions };
    const extensions = dialects.extensions.flatMap(({ rest }) => (rest ? [{ rest, versions: [] }] : []));
    return openApiOf([own, ...extensions], { title: 'a2a-gateway', version: '1.0', server: publicUrl() ?? '/' });
  };

  readonly ready: ShownPages['ready'] = async (req) => {
    const { active, checkReadiness, store } = this.#options;
    const { ready, checks } = await checkReadiness(toleranceOf(req));
    const principal = await this.#known(req);
    // All other readers learn only whether the gateway is ready.
    if (!principal) return { ready, body: {} };
    const [reason] = Object.values(checks).flatMap((check) => check.reason ?? []);
    if (!ready) return { ready, body: { reason, checks } };
    // Callers see the state of the agents that they may call. Operators also see their URLs.
    const isOperator = hasScope(principal, 'admin:read');
    const health = Object.entries(healthOf(active.agents)).flatMap(([name, { parts: _, ...facts }]) =>
      mayCall(principal, name) ? [[name, isOperator ? facts : withoutAddresses(facts)] as const] : [],
    );
    const damagedRows = isOperator && store.damaged.count > 0 ? store.damaged.list() : undefined;
    const ofStore = { store: checks.store?.state, ...(damagedRows && { damagedRows }) };
    return { ready, body: { ...ofStore, checks, agents: Object.fromEntries(health) } };
  };

  /** Identifies the reader of a public page. */
  #identify(req: IncomingMessage): Principal | Promise<Principal> {
    return this.#options.active.snapshot.access.authenticate(new RequestFacts(req));
  }

  #originFor(req: IncomingMessage): string {
    return this.#options.publicUrl() ?? originOf(req);
  }

  #describe(name: string, req: IncomingMessage): ShownAgent {
    const base = `${this.#originFor(req)}${mountOf(req)}/${name}`;
    const { name: title, description } = this.#options.active.agents.get(name)?.card ?? {};
    return { name, title, description, url: base, card: base + cardPath };
  }

  /** @param principal undefined: a reader without credentials, who sees the agents whose cards are public */
  #agentsFor(principal: Principal | undefined, req: IncomingMessage): ShownAgent[] {
    const { names } = this.#options.active.agents;
    return names.filter((name) => !principal || mayCall(principal, name)).map((name) => this.#describe(name, req));
  }

  /**
   * Identifies a reader with credentials. Undefined if they are not valid, or if checking them takes too long: health checks must
   * not wait for it.
   */
  async #known(req: IncomingMessage): Promise<Principal | undefined> {
    try {
      return await withTimeout(Promise.resolve(this.#identify(req)), identifyTimeout);
    } catch {
      return undefined;
    }
  }

  /**
   * Returns the reader of cards: undefined for a reader without credentials, if cards are public. Each reader is counted in the
   * request rate.
   */
  async #readerOf(caller: RequestFacts): Promise<Principal | undefined> {
    try {
      return await this.#options.authenticate(caller);
    } catch (thrown) {
      const { access, config } = this.#options.active.snapshot;
      if (!config.auth.publicCards || A2AError.from(thrown).kind !== 'unauthenticated') throw thrown;
      await access.countOpen(caller);
      return undefined;
    }
  }
}

/** Words, with everything after two slashes, and IPv6 addresses in brackets. */
const words = /\[[\da-f:.]+\](?::\d+)?|[\w+.:-]+(?:\/\/[^\s"'<>]*)?/gi;
const port = /:\d{1,5}(?::|$)/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ipv4 = /\b(?:\d{1,3}\.){3}\d{1,3}\b/;

/** Whether a word is a web address, a host name or an IP address with a port, or an IP address. */
const isAddress = (word: string): boolean =>
  word.startsWith('[') || word.includes('://') || (port.test(word) && !time.test(word)) || ipv4.test(word);

function withoutAddresses({ url, ...facts }: AgentHealth): AgentHealth {
  const own = url === undefined ? undefined : URL.parse(url)?.hostname;
  const clean = (text: string): string => {
    const rest = text.replaceAll(words, (word) =>
      isAddress(word) ? `its address${word.endsWith(':') ? ':' : ''}` : word,
    );
    return own === undefined || own === '' ? rest : rest.replaceAll(own, 'its host');
  };
  return {
    ...facts,
    ...Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, clean(String(fact))])),
  } as AgentHealth;
}

interface CheckResult {
  readonly state: 'ok' | 'failed';
  /** Time when the check first had this result, in ISO 8601. */
  readonly since: string;
  /** Why it fails, without internals. */
  readonly reason?: string;
}

/**
 * Reports whether a gateway should get work, and otherwise the reason and the time since when. Never rejects.
 *
 * @param tolerate milliseconds for which checks may fail before the gateway is not ready. Default: 0. A gateway that stops is not
 *   ready at once
 */
export type CheckReadiness = (tolerate?: number) => Promise<{
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, CheckResult>>;
}>;

/** Checks, each of which rejects with an A2AError if the gateway should get no work. */
interface ReadinessChecks {
  readonly serving: () => Promise<void> | void;
  readonly [name: string]: () => Promise<void> | void;
}

/** @param now milliseconds of a clock that never goes back */
export function readinessOf(checks: ReadinessChecks, now = () => performance.now()): CheckReadiness {
  const results = new Map<string, { readonly result: CheckResult; readonly began: number }>();

  async function run(name: string, check: () => Promise<void> | void) {
    let reason: string | undefined;
    try {
      await check();
    } catch (thrown) {
      reason = A2AError.from(thrown).message;
    }
    const state = reason === undefined ? 'ok' : 'failed';
    const before = results.get(name);
    const isSame = before?.result.state === state;
    const since = isSame ? before.result.since : new Date().toISOString();
    const found = {
      result: { state, since, ...(reason !== undefined && { reason }) } satisfies CheckResult,
      began: isSame ? before.began : now(),
    };
    results.set(name, found);
    return found;
  }

  return async (tolerate = 0) => {
    const entries = Object.entries(checks).map(async ([name, check]) => [name, await run(name, check)] as const);
    const found = await Promise.all(entries);
    const passes = ([name, { result, began }]: (typeof found)[number]): boolean =>
      result.state === 'ok' || (name !== 'serving' && now() - began < tolerate);
    return {
      ready: found.every(passes),
      checks: Object.fromEntries(found.map(([name, { result }]) => [name, result])),
    };
  };
}

/** Milliseconds for which checks may fail, from a request such as `/readyz?tolerate=30s`. */
const toleranceOf = ({ url = '' }: IncomingMessage): number => {
  const [, query] = url.split('?');
  return parseDuration(new URLSearchParams(query).get('tolerate') ?? '') ?? 0;
};

/** Rejects when a worker is not ready. */
export async function requireReady(workers: Pick<WorkerGroup, 'all'>): Promise<void> {
  const answers = await workers.all('ready');
  const missing = answers.filter((isReady) => !isReady).length;
  if (missing > 0) throw new A2AError('unavailable', `${missing} of ${answers.length} workers are not ready`);
}

/**
 * Admits readers of the metrics: callers on this machine if callers are admitted without credentials, and principals
 * with the scope `metrics`. With a public URL a proxy on this machine may stand in front of the gateway, so that no
 * caller counts as local.
 */
export function admitReader({ config: { listen, auth }, access }: ConfigSnapshot): MetricsPageOptions['admit'] {
  return async (caller) => {
    if (auth.anonymous !== 'none' && !hasProxy(listen) && isLocal(caller)) return;
    const principal = await access.authenticate(caller);
    if (hasScope(principal, 'metrics')) return;
    if (!principal.anonymous) throw new A2AError('permissionDenied', 'The caller lacks the scope metrics');
    throw new A2AError('unauthenticated', 'Metrics need the scope metrics', { challenge: challengeOf(auth, false) });
  };
}

export const metricsReader =
  (families: () => Promise<readonly Family[]>): MetricsPageOptions['read'] =>
  async (accept) => {
    const { mediaType, write } = formatFor(accept);
    return { mediaType, text: write(await families()) };
  };
