import { isDeepStrictEqual } from 'node:util';
import { A2AError } from '../core/model/errors.ts';
import { trimEnd } from '../core/model/text.ts';
import type { Dialect } from '../dialects/kernel/dialect.ts';
import type { HttpClient } from '../net/http-client.ts';
import type { HttpAnswer } from '../net/http-exchange.ts';
import { isNotHttp, neverArrived } from '../net/network-errors.ts';
import { shownUrl } from '../net/secret.ts';
import { hasUsableInterface, type ReadCard } from './choose.ts';
import { mayShare } from './credentials.ts';
import { allDialects } from './dialects.ts';
import type { CardTrust } from './verify-card.ts';

/** What an answer said that makes it cheap to ask again (RFC 9110 section 8.8). */
export interface CacheValidators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A card that was found. */
export interface FoundCard extends RecognizedCard {
  /** The document as it came. */
  readonly document: unknown;
  readonly url: string;
  readonly validators: CacheValidators;
}

export interface ReadCardOptions {
  readonly http: HttpClient;
  /** The generations to look for, the preferred one first. */
  readonly dialects: readonly Dialect[];
  /** Headers of a request for a card, their names in lower case. Not asked where a redirect leads to another host. */
  readonly headers: (url: URL) => Record<string, string> | Promise<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Milliseconds for all of it. */
  readonly timeout: number;
  /** The card as it was read before. */
  readonly known?: FoundCard;
  /** What of a card may be used, by its signatures. Default: all of it. Asked again about a card that has not changed. */
  readonly trust?: Pick<CardTrust, 'judge'> | undefined;
}

/** A place at which a card may be. */
export interface CardLocation {
  readonly url: URL;
  /** Value of `A2A-Version`. */
  readonly version: string | undefined;
}

/** What a place answered: a card, or in a few words what else, and as which error that counts. */
export type CardAnswer =
  | { readonly found: FoundCard; readonly says?: undefined; readonly error?: undefined }
  | { readonly found?: undefined; readonly says: string; readonly error: A2AError };

/** Bytes that a card may have. */
const largestCard = 1 << 20;
const mostRedirects = 3;

/**
 * Finds an agent's card. A target whose path ends in `.json` is the card's own URL; any other is the agent's base URL,
 * below which the well-known paths of every dialect are tried in order, and at last the URL itself. A card that names
 * nothing which can be called is taken only where there is no other.
 *
 * With `known`, its URL alone is asked, conditionally: an answer whose `card` is the very same object says that nothing
 * has changed. Where something has, everything is looked for anew.
 *
 * @throws A2AError of the network's kinds; `unauthenticated` and `permissionDenied`; `unavailable` when somebody is there
 *   who cannot tell now; `agentNotFound` when there is no card; `invalidAgentResponse` when what is there is none
 */
export async function readCard(target: URL, options: ReadCardOptions): Promise<FoundCard> {
  const end = performance.now() + options.timeout;
  const places = cardLocations(target, options.dialects);
  const known = places.find(({ url }) => url.href === options.known?.url);
  if (options.known !== undefined && known !== undefined) {
    const { found } = await fetchCard(known, options, end, options.known);
    if (found !== undefined && found.card === options.known.card) return found;
  }

  let idle: FoundCard | undefined;
  const failures: A2AError[] = [];
  const tried: string[] = [];
  for (const place of places) {
    const { found, says, error } = await fetchCard(place, options, end);
    if (found === undefined) {
      if (error.kind !== 'agentNotFound') failures.push(error);
      tried.push(`${place.url.pathname} (${says})`);
    } else if (hasUsableInterface(found, options.dialects)) return found;
    else idle ??= found;
  }
  if (idle !== undefined) return idle;
  throw failures[0] ?? new A2AError('agentNotFound', `no agent card at ${shownUrl(target)}: tried ${tried.join(', ')}`);
}

/** Where a target's card may be, the likeliest place first. */
export function cardLocations(target: URL, dialects: readonly Dialect[]): CardLocation[] {
  const own: CardLocation = { url: target, version: dialects[0]?.versions[0] };
  if (target.pathname.endsWith('.json')) return [own];
  const places = new Map<string, CardLocation>();
  // A dialect without paths of its own has its cards where others have theirs.
  const homeless = dialects.every(({ card }) => card.paths.length === 0);
  for (const { card, versions } of homeless ? allDialects() : dialects) {
    for (const path of card.paths) {
      const url = new URL(target);
      url.pathname = trimEnd(target.pathname, '/') + path;
      if (!places.has(url.href)) places.set(url.href, { url, version: homeless ? undefined : versions[0] });
    }
  }
  return [...places.values(), own];
}

/**
 * Asks one place.
 *
 * @param end when `performance.now()` must not have passed
 * @param known what was there before
 * @throws A2AError when nobody is there, time is up or the signal aborts: then no other place is worth asking
 */
export async function fetchCard(
  place: CardLocation,
  options: ReadCardOptions,
  end: number,
  known?: FoundCard,
): Promise<CardAnswer> {
  const { url } = place;
  try {
    const answer = await get(place, options, end, known?.validators ?? {});
    if (answer.status === 304 && known !== undefined) {
      answer.discard();
      await trusted(known.document, url, options);
      return { found: renewed(known, answer) };
    }
    if (answer.status !== 200) {
      answer.discard();
      return refusal(url, answer);
    }
    const document = parse(await answer.read(largestCard));
    if (document === undefined) {
      const message = `${shownUrl(url)} answers with something that is not an agent card`;
      return { says: 'no JSON', error: new A2AError('invalidAgentResponse', message) };
    }
    const usable = await trusted(document, url, options);
    if (known !== undefined && isDeepStrictEqual(document, known.document)) return { found: renewed(known, answer) };
    const recognized = recognizeCard(usable, options.dialects, shownUrl(url));
    return { found: { ...recognized, document, url: url.href, validators: validatorsOf(answer) } };
  } catch (thrown) {
    const error = A2AError.from(thrown);
    if (neverArrived(error) || giveUp.has(error.kind)) throw error;
    // A port that only speaks gRPC has no cards.
    if (isNotHttp(error)) return { says: error.message, error: new A2AError('agentNotFound', error.message) };
    return { says: error.message, error };
  }
}

const giveUp: ReadonlySet<string> = new Set(['canceled', 'upstreamTimeout', 'deadlineExceeded', 'unavailable']);

/** What of a card may be used. */
const trusted = async (document: unknown, url: URL, { trust, signal }: ReadCardOptions): Promise<unknown> =>
  trust ? trust.judge(document, `the agent card at ${shownUrl(url)}`, signal) : document;

const renewed = (known: FoundCard, answer: HttpAnswer): FoundCard => ({
  ...known,
  validators: { ...known.validators, ...validatorsOf(answer) },
});

function validatorsOf({ headers: { etag, 'last-modified': lastModified } }: HttpAnswer): CacheValidators {
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}

function refusal(url: URL, { status, headers }: HttpAnswer): CardAnswer {
  const says = `HTTP ${status}`;
  if (status === 503) {
    // Somebody is there, and will tell later: an agent that starts, or drains.
    const seconds = Number(headers['retry-after'] ?? Number.NaN);
    const message = `${shownUrl(url)} is not available at the moment (HTTP 503)`;
    return { says, error: new A2AError('unavailable', message, seconds >= 0 ? { retryAfter: seconds } : {}) };
  }
  if (status === 401) {
    return { says, error: new A2AError('unauthenticated', `${shownUrl(url)} asks for credentials (HTTP 401)`) };
  }
  if (status === 403) {
    return { says, error: new A2AError('permissionDenied', `${shownUrl(url)} does not let this caller in (HTTP 403)`) };
  }
  return { says, error: new A2AError('agentNotFound', `no agent card at ${shownUrl(url)} (HTTP ${status})`) };
}

/** The answer of a place or of what it redirects to. */
async function get(
  { url: start, version }: CardLocation,
  options: ReadCardOptions,
  end: number,
  { etag, lastModified }: CacheValidators,
): Promise<HttpAnswer> {
  const { http, headers, signal, timeout } = options;
  let url = start;
  for (let hop = 0; ; hop++) {
    const left = Math.ceil(end - performance.now());
    if (left <= 0) throw new A2AError('upstreamTimeout', `no agent card was found within ${timeout} ms`);
    const answer = await http.request({
      method: 'GET',
      url,
      headers: {
        ...(mayShare(start, url) && (await headers(url))),
        accept: 'application/json',
        ...(version !== undefined && { 'a2a-version': version }),
        ...(etag !== undefined && { 'if-none-match': etag }),
        ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
      },
      signal,
      timeout: left,
    });
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status > 399 || location === undefined || !URL.canParse(location, url.href)) {
      return answer;
    }
    answer.discard();
    if (hop === mostRedirects) throw new A2AError('invalidAgentResponse', `${shownUrl(start)} redirects too often`);
    url = new URL(location, url);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new A2AError(
        'invalidAgentResponse',
        `${shownUrl(start)} redirects to ${url.protocol}, which cannot be read`,
      );
    }
  }
}

/** Undefined for what is no JSON. A byte order mark is none of a card's business. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** What a document turned out to be. */
export interface RecognizedCard extends ReadCard {
  /**
   * Other generations that the document can be read as, and that find something to call in it: cards of different
   * generations have much in common, some documents are written for several, and some dialects have no cards of their own.
   */
  readonly alternatives: readonly ReadCard[];
}

/**
 * Reads a document as the best generation that can read it and finds something to call in it; failing that, as the first
 * that can read it at all.
 *
 * @param dialects the preferred one first
 * @param place where the document comes from, for the error
 * @throws A2AError `invalidAgentResponse` when none can read it, with the reason of the one that is most likely meant
 */
export function recognizeCard(document: unknown, dialects: readonly Dialect[], place: string): RecognizedCard {
  const readings: ReadCard[] = [];
  const failures: A2AError[] = [];
  for (const dialect of dialects) {
    try {
      readings.push({ card: dialect.card.decode(document, { losses: new Set() }), dialect });
    } catch (thrown) {
      failures.push(A2AError.from(thrown));
    }
  }
  const usable = readings.filter(({ card, dialect }) => hasUsableInterface({ card, dialect }, dialects));
  const [best, ...others] = usable.length > 0 ? usable : readings;
  if (best !== undefined) return { ...best, alternatives: usable.length > 0 ? others : [] };
  const why = failures[0] === undefined ? 'no generation is asked for' : reasonOf(nearest(failures) ?? failures[0]);
  throw new A2AError('invalidAgentResponse', `the agent card at ${place} is not valid: ${why}`);
}

/** The failure with the fewest complaints: of a card with one mistake, that is the generation that it was written for. */
function nearest(failures: readonly A2AError[]): A2AError | undefined {
  const told = failures.filter(({ violations }) => violations.length > 0);
  return told.reduce<A2AError | undefined>(
    (best, one) => (best === undefined || one.violations.length < best.violations.length ? one : best),
    undefined,
  );
}

function reasonOf({ message, violations }: A2AError): string {
  const fields = violations.map(({ field, description }) => `${field} ${description}`);
  return fields.length === 0 ? message : fields.slice(0, 3).join('; ');
}
