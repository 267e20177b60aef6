import { A2AError, type ErrorKind } from '../core/errors.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { OperationName } from '../gen/a2a-v1/operations.ts';
import type { AgentInterface } from '../gen/a2a-v1/types.ts';
import { createHttpClient, type HttpClient } from '../net/http-client.ts';
import { bindings } from './bindings.ts';
import type { Choice, Wishes } from './choose.ts';
import { callable } from './choose.ts';
import { type ConnectOptions, parseTarget } from './connect.ts';
import { type Credentials, credentialHeaders, type HeaderSource, hasCredentials, mayShare } from './credentials.ts';
import { allDialects } from './dialects.ts';
import { abilitiesOf } from './probe/abilities.ts';
import { type AskOptions, absent, ask, isSilent } from './probe/ask.ts';
import { type Place, placesOf, siteOf, wayOf } from './probe/places.ts';
import type { CardReport, Found, ProbeReport, Rejected } from './probe/report.ts';
import { methodOf, reads } from './probe/tables.ts';
import { tellApart } from './probe/tell-apart.ts';
import { type Outcome, tryPlace } from './probe/try-place.ts';
import { cardPlaces, type FoundCard, lookForCard } from './read-card.ts';

export type { Ability, CardReport, Found, How, ProbeReport, Rejected, Way } from './probe/report.ts';

/** How to probe an agent. */
export interface ProbeOptions
  extends Credentials,
    Wishes,
    Pick<ConnectOptions, 'dialects' | 'signal' | 'trustedHosts'> {
  /** A pool of connections to share. Default: one of its own, closed at the end. */
  readonly http?: HttpClient;
  /** Headers for what is asked of a URL, instead of the credentials. */
  readonly headersFor?: (url: URL) => HeaderSource;
  /** The agent's card as it was read already; it is not read again. */
  readonly card?: FoundCard;
  /** Only ways that the card lists are tried, in every generation that the card can be read as. Default false. */
  readonly listedOnly?: boolean;
  /** Milliseconds of each question. Default 5,000. */
  readonly timeout?: number;
  /** Milliseconds of everything. Default 30,000. */
  readonly within?: number;
  /** Told what is being asked. */
  onProgress?(what: string): void;
}

/** Sites that are asked at the same time. */
const concurrency = 2;

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
        ? await readCards(url, dialects, options, { http, signal, timeout, end })
        : { reports: [], best: options.card };
    const held = new Set<string>();
    const headersFor = options.headersFor ?? createHeaders(url, options, cards.best, held);
    const asking: AskOptions = { http, headersFor, signal, timeout, end };
    const { places, rejected } = placesOf(url, cards.best, dialects, options);
    const tried = await tryAll(places, asking, options);
    const found = tried.flatMap(({ found: some }) => some).sort(byPreference);
    const [best] = found;
    return {
      target: url.href,
      cards: cards.reports,
      ...(cards.best && { card: cards.best }),
      found: found.map(({ result }) => result),
      rejected: [...rejected, ...tried.flatMap((site) => site.rejected)],
      abilities: best ? abilitiesOf(best.place, cards.best?.card, await refusals(best.place, asking)) : [],
      notes: [...held].map((host) => `credentials are held back from ${host}, which the card names`),
    };
  } finally {
    if (options.http === undefined) http.close();
  }
}

/** What a way that was found is called with. */
export function choiceOf({ binding: via, dialect: as, url, tenant }: Found, dialects = allDialects()): Choice {
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

/** Asks every place for a card, until nobody answers. */
async function readCards(
  target: URL,
  dialects: readonly Dialect[],
  options: ProbeOptions,
  { http, signal, timeout, end }: Omit<AskOptions, 'headersFor'>,
): Promise<{ readonly reports: readonly CardReport[]; readonly best?: FoundCard }> {
  const headers = (url: URL) => (options.headersFor?.(url) ?? credentialHeaders(options))();
  const reports: CardReport[] = [];
  const found: FoundCard[] = [];
  for (const place of cardPlaces(target, dialects)) {
    const { href: url } = place.url;
    options.onProgress?.(`looking for a card at ${url}`);
    try {
      const until = Math.min(end, performance.now() + timeout);
      const answer = await lookForCard(place, { http, dialects, headers, signal, timeout }, until);
      if (answer.found === undefined) {
        reports.push({ url, says: answer.says });
        continue;
      }
      found.push(answer.found);
      const { dialect } = answer.found;
      reports.push({ url, says: `a card of ${dialect.name}`, dialect: dialect.name });
    } catch (thrown) {
      const { kind, message } = A2AError.from(thrown);
      if (kind === 'canceled') throw thrown;
      reports.push({ url, says: message });
      break;
    }
  }
  const best = found.find((one) => callable(one, dialects)) ?? found[0];
  return { reports, ...(best && { best }) };
}

/** A way that works, with what it is sorted by. */
interface Success {
  readonly place: Place;
  readonly result: Found;
  /** Position in the card of the first way at the same site that is spoken by the same methods. */
  readonly listed: number;
  /** Position among the dialects that were told apart. */
  readonly rank: number;
}

interface Site {
  readonly found: readonly Success[];
  readonly rejected: readonly Rejected[];
}

/** Tries every place, one after the other at each site. */
async function tryAll(
  places: readonly Place[],
  asking: AskOptions,
  { onProgress }: ProbeOptions,
): Promise<readonly Site[]> {
  const sites = [...Map.groupBy(places, siteOf).values()];
  const results: Site[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < sites.length; at = next++) {
      const site = sites[at] as readonly Place[];
      const [first] = site;
      onProgress?.(`asking ${first?.binding.title} at ${first?.url.href}`);
      results[at] = await trySite(site, asking);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}

async function trySite(places: readonly Place[], asking: AskOptions): Promise<Site> {
  const outcomes: Outcome[] = [];
  let silence: { readonly why: string; readonly kind: ErrorKind } | undefined;
  for (const place of places) {
    if (silence !== undefined) {
      outcomes.push({ place, ...silence });
      continue;
    }
    const { answer, ...outcome } = await tryPlace(place, asking);
    outcomes.push(outcome);
    if (isSilent(answer) && outcome.why !== undefined) silence = { why: outcome.why, kind: outcome.kind };
  }
  const rejected: Rejected[] = [];
  const spoken: (Outcome & { readonly evidence: string })[] = [];
  for (const outcome of outcomes) {
    if (outcome.evidence !== undefined) spoken.push(outcome);
    else rejected.push(rejection(outcome.place, outcome.why, outcome.kind));
  }
  const found: Success[] = [];
  const shared = Map.groupBy(spoken, ({ place: { binding, dialect } }) =>
    String(methodOf(binding.face, dialect, 'GetTask')?.names[0]),
  );
  for (const group of shared.values()) {
    const listed = Math.min(...group.map(({ place }) => place.listed ?? Number.POSITIVE_INFINITY));
    const told =
      group.length > 1
        ? await tellApart(
            group.map(({ place }) => place),
            asking,
          )
        : undefined;
    for (const { place, evidence } of group) {
      const rank = told?.findIndex(({ name }) => name === place.dialect.name) ?? 0;
      const { because, why, unsure } = told?.[rank] ?? {};
      if (why !== undefined) {
        rejected.push(rejection(place, why, 'versionNotSupported'));
        continue;
      }
      const result: Found = {
        ...wayOf(place),
        evidence: because === undefined ? evidence : `${evidence}; ${because}`,
        ...(unsure && { unsure }),
      };
      found.push({ place, result, listed, rank });
    }
  }
  return { found, rejected };
}

/** A card that would have to be read as one of another generation promises nothing. */
function rejection(place: Place, why: string, kind: ErrorKind): Rejected {
  const way = wayOf(place);
  return { ...way, listed: way.listed && !place.doubtful, why, kind };
}

/** What a card lists comes first, in its order; what nobody asks for of themselves comes last. */
function byPreference(a: Success, b: Success): number {
  const asked = ({ place }: Success): number => Number(place.binding.onRequest ?? false);
  const order = ({ place }: Success): number => bindings.indexOf(place.binding);
  return (
    asked(a) - asked(b) || (a.listed === b.listed ? 0 : a.listed - b.listed) || a.rank - b.rank || order(a) - order(b)
  );
}

/** The operations that only read and that the agent refuses altogether, with its words. */
async function refusals(place: Place, asking: AskOptions): Promise<ReadonlyMap<OperationName, string>> {
  const refused = new Map<OperationName, string>();
  for (const operation of reads) {
    if (operation === 'GetTask' || methodOf(place.binding.face, place.dialect, operation) === undefined) continue;
    const answer = await ask(place, operation, asking);
    const kind = answer.error?.kind;
    if (kind !== undefined && (absent.has(kind) || unable.has(kind))) refused.set(operation, answer.words);
  }
  return refused;
}

/** Kinds that say that the agent cannot do this at all. */
const unable: ReadonlySet<ErrorKind> = new Set([
  'unsupportedOperation',
  'pushNotificationNotSupported',
  'extendedAgentCardNotConfigured',
]);
