import type { AgentInterface } from '../../core/model/a2a.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { OperationName } from '../../gen/services.ts';
import type { ClientTls } from '../../net/client-tls.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import { bindings } from '../bindings.ts';
import { type InterfaceChoice, type InterfacePreferences, parseTarget } from '../choose.ts';
import { type Credentials, credentialHeaders, type HeaderSource, hasCredentials, mayShare } from '../credentials.ts';
import { allDialects } from '../dialects.ts';
import type { FoundCard } from '../read-card.ts';
import { operationReports } from './abilities.ts';
import { absentKinds, type ProbeRequestOptions, sendProbe } from './ask.ts';
import { endpointsOf, type ProbeEndpoint } from './places.ts';
import type { FoundEndpoint, ProbeReport } from './report.ts';
import { surveyCards } from './survey-cards.ts';
import { methodOf, readOperations } from './tables.ts';
import { probeAll } from './try-all.ts';

export type {
  CardReport,
  EndpointReport as Way,
  FoundEndpoint as Found,
  OperationReport as Ability,
  OperationSupport as How,
  ProbeReport,
  RejectedEndpoint as Rejected,
} from './report.ts';

/** How to probe an agent. */
export interface ProbeOptions extends Credentials, InterfacePreferences {
  /** Cancels the probe. */
  readonly signal?: AbortSignal;
  /** Hosts that credentials go to although a card on another host names them. */
  readonly trustedHosts?: readonly string[];
  /** The dialects to speak, the preferred one first. Default: all that this version knows. */
  readonly dialects?: readonly Dialect[];
  /** A pool of connections to share. Default: a new pool, closed with what opened it. */
  readonly http?: HttpClient;
  /** Headers for what is asked of a URL, instead of the credentials. */
  readonly headersFor?: (url: URL) => HeaderSource;
  /** What is shown in a TLS handshake where `http` is not used, to the target's own host only. */
  readonly tls?: ClientTls;
  /** The agent's card as it was read already; it is not read again. */
  readonly card?: FoundCard;
  /**
   * Only ways that the card lists are tried, in every generation that the card can be read as, and it is not asked what
   * the agent can do over them. Default false.
   */
  readonly listedOnly?: boolean;
  /** Milliseconds of each question. Default 5,000. */
  readonly timeout?: number;
  /** Milliseconds of everything. Default 30,000. */
  readonly within?: number;
  /** Told what is being asked. */
  onProgress?(what: string): void;
}

/**
 * Finds out what an agent speaks: reads its cards, and asks over every binding and in every dialect for a task that
 * cannot exist. No message is sent, and nothing is made. An agent that does not answer is a report without anything
 * found.
 *
 * @param target the agent's base URL or the URL of its card
 * @throws A2AError `invalidParams` for a target that is no URL; `canceled` when the signal aborts
 */
export async function probe(target: string, options: ProbeOptions = {}): Promise<ProbeReport> {
  const url = parseTarget(target);
  const { timeout = 5_000, within = 30_000, as } = options;
  const all = options.dialects ?? allDialects();
  const dialects = as === undefined ? all : all.filter(({ name }) => name === as);
  if (dialects.length === 0) throw A2AError.invalidParams(`${as} is not spoken by this version`);
  const http = options.http ?? createHttpClient();
  try {
    const signal = options.signal ?? new AbortController().signal;
    const end = performance.now() + within;
    const cards =
      options.card === undefined
        ? await surveyCards(url, dialects, {
            http,
            headers: (place) => (options.headersFor?.(place) ?? credentialHeaders(options))(),
            signal,
            timeout,
            end,
            onProgress: options.onProgress,
          })
        : { reports: [], best: options.card };
    const held = new Set<string>();
    const headersFor = options.headersFor ?? createHeaders(url, options, cards.best, held);
    const { tls } = options;
    const tlsFor = (place: URL): ClientTls | undefined => (place.hostname === url.hostname ? tls : undefined);
    const asking: ProbeRequestOptions = { http, headersFor, tlsFor, signal, timeout, end };
    const { places, rejected } = endpointsOf(url, cards.best, dialects, options);
    const tried = await probeAll(places, asking, options.onProgress);
    const { found } = tried;
    const [best] = found;
    return {
      target: url.href,
      cards: cards.reports,
      ...(cards.best && { card: cards.best }),
      found: found.map(({ result }) => result),
      rejected: [...rejected, ...tried.rejected],
      abilities:
        best && options.listedOnly !== true
          ? operationReports(best.place, cards.best?.card, await refusals(best.place, asking))
          : [],
      notes: [...held].map((host) => `credentials are held back from ${host}, which the card names`),
    };
  } finally {
    if (options.http === undefined) http.close();
  }
}

/** What a way that was found is called with. */
export function choiceOf(
  { binding: via, dialect: as, url, tenant }: FoundEndpoint,
  dialects = allDialects(),
): InterfaceChoice {
  const binding = bindings.find(({ name }) => name === via);
  const dialect = dialects.find(({ name }) => name === as);
  if (binding === undefined || dialect === undefined) throw new TypeError(`${via} in ${as} is not known here`);
  const { protocolVersion } = dialect.card;
  const face: AgentInterface = { url, protocolBinding: binding.protocolBinding, protocolVersion };
  return { binding, dialect, interface: tenant === undefined ? face : { ...face, tenant } };
}

function createHeaders(target: URL, options: ProbeOptions, card: FoundCard | undefined, held: Set<string>) {
  const shown = credentialHeaders(options, card?.card);
  return (url: URL): HeaderSource => {
    if (mayShare(target, url, options.trustedHosts)) return shown;
    if (hasCredentials(options)) held.add(url.host);
    return () => ({});
  };
}

/** The operations that only read and that the agent refuses altogether, with its words. */
async function refusals(
  place: ProbeEndpoint,
  asking: ProbeRequestOptions,
): Promise<ReadonlyMap<OperationName, string>> {
  const refused = new Map<OperationName, string>();
  for (const operation of readOperations) {
    if (operation === 'GetTask' || methodOf(place.binding.wireFormat, place.dialect, operation) === undefined) continue;
    const answer = await sendProbe(place, operation, asking);
    const kind = answer.error?.kind;
    if (kind !== undefined && (absentKinds.has(kind) || unable.has(kind))) refused.set(operation, answer.words);
  }
  return refused;
}

/** Kinds that say that the agent cannot do this at all. */
const unable: ReadonlySet<ErrorKind> = new Set([
  'unsupportedOperation',
  'pushNotificationNotSupported',
  'extendedAgentCardNotConfigured',
]);
