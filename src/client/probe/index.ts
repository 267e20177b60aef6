import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { findingsOf } from '../../dialects/card-rules/findings.ts';
import { isLoopback } from '../../dialects/card-rules/rule.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { CardFinding } from '../../gen/admin-v1/types.ts';
import type { OperationName } from '../../gen/services.ts';
import type { ClientTls } from '../../net/client-tls.ts';
import {
  candidates,
  choose,
  explicitChoice,
  hasUsableInterface,
  type InterfaceChoice,
  type InterfacePreferences,
  parseTarget,
  type ReadCard,
  selectDialects,
} from '../choose.ts';
import { type ConnectionOptions, openPool, tlsByUrl, wireOf } from '../connection.ts';
import {
  type Credentials,
  credentialHeaders,
  type HeaderSource,
  hasCredentials,
  mayShare,
  withheldNote,
} from '../credentials.ts';
import { allDialects, dialectsFor } from '../dialects.ts';
import { cardLocations, type FoundCard, fetchCard, type ReadCardOptions } from '../read-card.ts';
import { operationReports } from './abilities.ts';
import { absentKinds, type ProbeRequestOptions, sendProbe } from './ask.ts';
import { endpointsOf, type ProbeEndpoint } from './places.ts';
import type { CardReport, FoundEndpoint, ProbeReport } from './report.ts';
import { methodOf, readOperations } from './tables.ts';
import { probeAll } from './try-all.ts';

/** Options of a probe. */
export interface ProbeOptions extends Credentials, ConnectionOptions, InterfacePreferences {
  /** Cancels the probe. */
  readonly signal?: AbortSignal;
  /** The dialects to try, the preferred one first. Default: all dialects of this version except previews. */
  readonly dialects?: readonly Dialect[];
  /** Headers for requests to a URL, instead of the credentials. */
  readonly headersFor?: (url: URL) => HeaderSource;
  /** TLS settings for bindings that do not use `http`, instead of `tls`. */
  readonly tlsFor?: (url: URL) => ClientTls | undefined;
  /** The agent's card, if it has been read. */
  readonly card?: FoundCard;
  /**
   * Whether to try only ways that the card lists, in every dialect in which it can be read, and not to check which
   * operations the agent refuses. Default false.
   */
  readonly listedOnly?: boolean;
  /** Milliseconds for each request. Default 5,000. */
  readonly timeout?: number;
  /** Milliseconds for the whole probe. Default 30,000. */
  readonly within?: number;
  /** Called before each step. */
  onProgress?(what: string): void;
}

/**
 * Detects which dialects and bindings an agent speaks: reads its cards, and requests a task that cannot exist over
 * every binding and in every dialect. It sends no message and creates nothing. If the agent does not answer, `found` is
 * empty in the report.
 *
 * @param target the agent's base URL or the URL of its card
 * @throws A2AError `invalidParams` if the target is not a URL; `canceled` if the signal aborts
 */
export async function probe(target: string, options: ProbeOptions = {}): Promise<ProbeReport> {
  const url = parseTarget(target);
  const { timeout = 5_000, within = 30_000, signal = new AbortController().signal, onProgress } = options;
  const dialects = selectDialects(options);
  const { http, close } = openPool(url, options);
  const end = performance.now() + within;
  try {
    const headers = (place: URL) => (options.headersFor?.(place) ?? credentialHeaders(options))();
    const reading = { http, dialects, headers, signal, timeout };
    const cards = options.card
      ? { reports: [], best: options.card, judged: undefined }
      : await surveyCards(url, reading, end, onProgress);
    const card = cards.best;
    const shown = credentialHeaders(options, card?.card);
    const withheld = new Set<string>();
    const headersFor = (place: URL): HeaderSource => {
      if (mayShare(url, place, options.trustedHosts)) return shown;
      if (hasCredentials(options)) withheld.add(place.host);
      return () => ({});
    };
    const tlsFor = options.tlsFor ?? tlsByUrl(url, options) ?? (() => undefined);
    const asking = {
      http,
      headersFor: options.headersFor ?? headersFor,
      tlsFor,
      onWire: wireOf(options),
      signal,
      timeout,
      end,
    };
    const { places, rejected } = endpointsOf(url, card, dialects, options);
    const tried = await probeAll(places, asking, onProgress);
    const best = options.listedOnly ? undefined : tried.found[0];
    return {
      target: url.href,
      cards: cards.reports,
      ...(card && { card }),
      findings: judgement(cards.judged, card),
      found: tried.found.map(({ result }) => result),
      rejected: [...rejected, ...tried.rejected],
      abilities: best ? operationReports(best.place, card?.card, await refusals(best.place, asking)) : [],
      notes: [...[...withheld].map(withheldNote), ...(card && !options.card ? await adviceOn(card, reading) : [])],
    };
  } finally {
    close();
  }
}

/** Path of the gateway's card that lists only URLs of its own origin (`transports/http/request-target.ts`). */
const cardOfUrls = '/as/http/.well-known/agent-card.json';

/**
 * Returns advice about a card that some clients refuse: they accept only URLs of the card's own origin, with TLS unless
 * the agent is on the same machine.
 */
async function adviceOn({ card, url }: FoundCard, reading: ReadCardOptions): Promise<string[]> {
  const { origin } = new URL(url);
  const foreign = card.supportedInterfaces.find((one) => URL.parse(one.url)?.origin !== origin);
  if (!foreign) return [];
  const what = `clients that accept only URLs of the card's own origin, such as Google ADK, refuse ${foreign.url} (${foreign.protocolBinding})`;
  const path = /\/\.well-known\/agent-card\.json$/;
  const place = new URL(url.replace(path, cardOfUrls));
  const end = performance.now() + reading.timeout;
  const answer = await fetchCard({ url: place, version: undefined }, reading, end).catch(() => undefined);
  if (!answer?.found || place.href === url) {
    return path.test(url)
      ? [`${what}: a gateway in front of the agent serves a card for them at /NAME${cardOfUrls}`]
      : [];
  }
  const [first, ...others] = new Set(answer.found.card.supportedInterfaces.map((one) => URL.parse(one.url)?.origin));
  // The gateway may have several host names; its cards contain one of them.
  if (first === undefined || others.length > 0) return [];
  const given = new URL(place.pathname, first);
  const needsTls = given.protocol === 'http:' && !isLoopback(given);
  return [
    `${what}: give them ${given.href}${needsTls ? ', with https, which they require unless it is on the same machine' : ''}`,
  ];
}

/** Returns the findings about a document. `card` is undefined if no dialect can read the document. */
const judgement = (document: unknown, card: FoundCard | undefined): CardFinding[] =>
  isObject(document)
    ? findingsOf(card?.dialect.name ?? '', document, Buffer.byteLength(JSON.stringify(document)), card?.problems)
    : [];

/**
 * Requests every possible location of a card, until the server stops answering. Throws A2AError `canceled`.
 *
 * @returns `judged`: the document of the best card, or the first one that no dialect can read
 */
async function surveyCards(
  target: URL,
  options: ReadCardOptions,
  end: number,
  onProgress: ((what: string) => void) | undefined,
): Promise<{
  readonly reports: readonly CardReport[];
  readonly best: FoundCard | undefined;
  readonly judged: unknown;
}> {
  const { dialects, timeout } = options;
  const reports: CardReport[] = [];
  const cards: FoundCard[] = [];
  let unreadable: unknown;
  for (const place of cardLocations(target, dialects)) {
    const { href: url } = place.url;
    onProgress?.(`looking for a card at ${url}`);
    try {
      const answer = await fetchCard(place, options, Math.min(end, performance.now() + timeout));
      const { found, says } = answer;
      if (found) cards.push(found);
      else unreadable ??= answer.document;
      const name = found?.dialect.name;
      reports.push(name === undefined ? { url, says: says ?? '' } : { url, says: `a card of ${name}`, dialect: name });
    } catch (thrown) {
      const { kind, message } = A2AError.from(thrown);
      if (kind === 'canceled') throw thrown;
      reports.push({ url, says: message });
      break;
    }
  }
  const best = cards.find((card) => hasUsableInterface(card, dialects)) ?? cards[0];
  return { reports, best, judged: best?.document ?? unreadable };
}

/** Returns the choice for an endpoint that was found. */
export function choiceOf(
  { binding: via, dialect: as, url, tenant }: FoundEndpoint,
  dialects = allDialects(),
): InterfaceChoice {
  const choice = explicitChoice(as, via, new URL(url), dialects);
  return { ...choice, interface: { ...choice.interface, url, ...(tenant !== undefined && { tenant }) } };
}

export interface DecideOptions extends InterfacePreferences, Omit<ProbeOptions, 'card' | 'listedOnly' | 'via' | 'as'> {
  /**
   * Whether to probe even if the possible dialects send messages with the same method and differ only in other methods.
   * Default false.
   */
  readonly thorough?: boolean;
}

/**
 * Decides how to call an agent that has a card: as the card says, if the card fits only one dialect. Otherwise it
 * probes the listed interfaces; if the probe finds none that works, it uses the most likely dialect. It also returns
 * the card as read in that dialect.
 *
 * @returns `choices`: the decided interface first, then the others of the card, those of less likely dialects last
 * @throws A2AError `unsupportedOperation`, whose message lists what the card offers; `canceled`
 */
export async function decide(
  target: string,
  found: FoundCard,
  options: DecideOptions,
): Promise<{ readonly choices: readonly InterfaceChoice[]; readonly reading: ReadCard }> {
  const { dialects = dialectsFor(options.as), thorough = false, ...asking } = options;
  const readings = [found, ...found.alternatives];
  const listed = readings.flatMap((reading) => candidates(reading, dialects, options));
  const byCard = () => ({ choices: [choose(found, dialects, options), ...listed], reading: found });
  const isOpen = found.alternatives.some(({ dialect }) => thorough || sendsBy(dialect) !== sendsBy(found.dialect));
  if (options.as !== undefined || !isOpen) return byCard();
  const report = await probe(target, { ...asking, dialects, card: found, listedOnly: true });
  const [best] = report.found;
  const reading = readings.find(({ dialect }) => dialect.name === best?.dialect);
  if (best === undefined || reading === undefined) return byCard();
  const decided = choose(reading, dialects, { via: best.binding, as: best.dialect });
  const spoken = report.found.map((way) => choiceOf(way, dialects));
  return { choices: [decided, ...spoken, ...listed], reading };
}

const sendsBy = (dialect: Dialect): string | undefined => methodOf('jsonrpc', dialect, 'SendMessage')?.names[0];

/** Returns the read-only operations that the agent refuses altogether, with its error messages. */
async function refusals(
  place: ProbeEndpoint,
  asking: ProbeRequestOptions,
): Promise<ReadonlyMap<OperationName, string>> {
  const refused = new Map<OperationName, string>();
  for (const operation of readOperations) {
    if (operation === 'GetTask' || methodOf(place.binding.wireFormat, place.dialect, operation) === undefined) continue;
    const { error, words } = await sendProbe(place, operation, asking);
    if (error && (absentKinds.has(error.kind) || unableKinds.has(error.kind))) refused.set(operation, words);
  }
  return refused;
}

/** Errors that report that the agent does not support an operation at all. */
const unableKinds: ReadonlySet<ErrorKind> = new Set([
  'unsupportedOperation',
  'pushNotificationNotSupported',
  'extendedAgentCardNotConfigured',
]);
