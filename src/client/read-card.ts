import { isDeepStrictEqual } from 'node:util';
import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { defined, parsedJson } from '../core/model/json.ts';
import { shownUrl } from '../core/model/shown-url.ts';
import { trimEnd } from '../core/model/text.ts';
import { cardIn } from '../dialects/kernel/card-document.ts';
import type { Dialect } from '../dialects/kernel/dialect.ts';
import type { HttpClient } from '../net/http-client.ts';
import type { HttpAnswer } from '../net/http-exchange.ts';
import { isNotHttp, neverArrived } from '../net/network-errors.ts';
import { requestedWait } from '../net/retry.ts';
import { hasUsableInterface } from './choose.ts';
import { mayShare } from './credentials.ts';
import { allDialects } from './dialects.ts';
import { type CardOverride, type RecognizedCard, recognizeCard } from './recognize-card.ts';
import type { CardTrust } from './verify-card.ts';

export type { CardOverride };

/** Validators for conditional requests (RFC 9110 section 8.8). */
interface CacheValidators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A card with the document and the URL from which it was read. */
export interface FoundCard extends RecognizedCard {
  /** The document as it was received. */
  readonly document: unknown;
  readonly url: string;
  readonly validators: CacheValidators;
}

export interface ReadCardOptions {
  readonly http: HttpClient;
  /** The dialects to look for, the preferred one first. */
  readonly dialects: readonly Dialect[];
  /** Returns the headers of a request for a card, with lower-case names. Not called for redirects to other hosts. */
  readonly headers: (url: URL) => Record<string, string> | Promise<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Milliseconds in total. */
  readonly timeout: number;
  /** The card as it was last read. */
  readonly known?: FoundCard;
  /** Members that replace those of the card. Default: none. */
  readonly override?: CardOverride | undefined;
  /** Verifies the signatures of every card, including unchanged ones. Default: signatures are not verified. */
  readonly trust?: Pick<CardTrust, 'judge'> | undefined;
}

/** A possible URL of a card, and the value of `A2A-Version` to send to it. */
export interface CardLocation {
  readonly url: URL;
  readonly version: string | undefined;
}

/**
 * A card; otherwise a short description of the location's response, and the error for it. `document` is a document that
 * no dialect can read.
 */
export type CardAnswer =
  | { readonly found: FoundCard; readonly says?: undefined; readonly error?: undefined }
  | { readonly found?: undefined; readonly says: string; readonly error: A2AError; readonly document?: unknown };

/** Largest card, in bytes. */
const maxCardSize = 1 << 20;
const maxRedirects = 3;

/**
 * Finds an agent's card. A target whose path ends in `.json` is the card's own URL; any other is the agent's base URL,
 * below which the well-known paths of all dialects are tried in order, and finally the URL itself. A card without a
 * usable interface is returned only if there is no other.
 *
 * With `known`, its URL is requested first, conditionally. If the returned `card` is the same object, nothing has
 * changed.
 *
 * @throws A2AError of a network kind; `unauthenticated` and `permissionDenied`; `unavailable` if the server is
 *   temporarily unable to answer; `agentNotFound` if there is no card; `invalidAgentResponse` for an invalid card
 */
export async function readCard(target: URL, options: ReadCardOptions): Promise<FoundCard> {
  const end = performance.now() + options.timeout;
  const locations = cardLocations(target, options.dialects);
  const location = locations.find(({ url }) => url.href === options.known?.url);
  if (location !== undefined) {
    const { found } = await fetchCard(location, options, end, options.known);
    if (found !== undefined && found.card === options.known?.card) return found;
  }

  let unusable: FoundCard | undefined;
  const failures: A2AError[] = [];
  const tried: string[] = [];
  for (const place of locations) {
    const { found, says, error } = await fetchCard(place, options, end);
    if (found === undefined) {
      if (error.kind !== 'agentNotFound') failures.push(error);
      tried.push(`${place.url.pathname} (${says})`);
    } else if (hasUsableInterface(found, options.dialects)) return found;
    else unusable ??= found;
  }
  if (unusable !== undefined) return unusable;
  throw failures[0] ?? new A2AError('agentNotFound', `no agent card at ${shownUrl(target)}: tried ${tried.join(', ')}`);
}

/** Returns possible locations of a target's card, the most likely first. */
export function cardLocations(target: URL, dialects: readonly Dialect[]): CardLocation[] {
  const own: CardLocation = { url: target, version: dialects[0]?.versions[0] };
  if (target.pathname.endsWith('.json')) return [own];
  const locations = new Map<string, CardLocation>();
  // Dialects without paths of their own use those of the others.
  const havePaths = dialects.some(({ card }) => card.paths.length > 0);
  for (const { card, versions } of havePaths ? dialects : allDialects()) {
    for (const path of card.paths) {
      const url = new URL(target);
      url.pathname = trimEnd(target.pathname, '/') + path;
      if (!locations.has(url.href)) locations.set(url.href, { url, version: havePaths ? versions[0] : undefined });
    }
  }
  return [...locations.values(), own];
}

/** Errors after which no other location is tried. */
const finalKinds: ReadonlySet<ErrorKind> = new Set(['canceled', 'upstreamTimeout', 'deadlineExceeded', 'unavailable']);

/**
 * Requests a card at one location.
 *
 * @param end time limit, on the clock of `performance.now()`
 * @param known the card that was last read there
 * @throws A2AError if the server is unreachable, time is up or the signal aborts, so that other locations need not be
 *   tried
 */
export async function fetchCard(
  location: CardLocation,
  options: ReadCardOptions,
  end: number,
  known?: FoundCard,
): Promise<CardAnswer> {
  const { url } = location;
  const shown = shownUrl(url);
  const { trust, signal } = options;
  let document: unknown;
  const judge = async (document: unknown): Promise<unknown> =>
    trust ? trust.judge(document, `the agent card at ${shown}`, signal) : document;
  try {
    const { etag, lastModified } = known?.validators ?? {};
    const version = location.version;
    const own = defined({ 'a2a-version': version, 'if-none-match': etag, 'if-modified-since': lastModified });
    const answer = await getDocument(url, 'agent card', own, options, end);
    if (answer.status === 304 && known !== undefined) {
      answer.discard();
      await judge(known.document);
      return { found: { ...known, validators: { ...known.validators, ...validatorsOf(answer) } } };
    }
    if (answer.status < 200 || answer.status > 299) {
      answer.discard();
      return { says: `HTTP ${answer.status}`, error: refusal(shown, 'agent card', answer) };
    }
    document = cardIn(new TextDecoder().decode(await answer.read(maxCardSize)));
    if (document === undefined) {
      const message = `${shown} answers with something that is not an agent card`;
      return { says: 'no JSON', error: new A2AError('invalidAgentResponse', message) };
    }
    const usable = await judge(document);
    const validators = { ...known?.validators, ...validatorsOf(answer) };
    if (known && isDeepStrictEqual(document, known.document)) return { found: { ...known, validators } };
    const recognized = recognizeCard(usable, options.dialects, url, options.override);
    return { found: { ...recognized, document, url: url.href, validators: validatorsOf(answer) } };
  } catch (thrown) {
    const error = A2AError.from(thrown);
    if (neverArrived(error) || finalKinds.has(error.kind)) throw error;
    // A port that serves only gRPC has no cards.
    if (isNotHttp(error)) return { says: error.message, error: new A2AError('agentNotFound', error.message) };
    return { says: error.message, error, document };
  }
}

function validatorsOf({ headers: { etag, 'last-modified': lastModified } }: HttpAnswer): CacheValidators {
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}

export function refusal(url: string, what: string, { status, headers }: HttpAnswer): A2AError {
  if (status === 503) {
    // The server is starting or stopping.
    const wait = requestedWait(headers['retry-after']);
    const message = `${url} is not available at the moment (HTTP 503)`;
    return new A2AError('unavailable', message, wait === undefined ? {} : { retryAfter: Math.ceil(wait / 1_000) });
  }
  if (status === 401) return new A2AError('unauthenticated', `${url} asks for credentials (HTTP 401)`);
  if (status === 403) return new A2AError('permissionDenied', `${url} denies access (HTTP 403)`);
  return new A2AError('agentNotFound', `no ${what} at ${url} (HTTP ${status})`);
}

/**
 * Requests a document, and follows redirects.
 *
 * @param what the kind of document, for errors
 * @param own headers of every request, in addition to `headers`, which may contain credentials
 */
export async function getDocument(
  start: URL,
  what: string,
  own: Readonly<Record<string, string>>,
  { http, headers, signal, timeout }: Pick<ReadCardOptions, 'http' | 'headers' | 'signal' | 'timeout'>,
  end: number,
): Promise<HttpAnswer> {
  let url = start;
  for (let hop = 0; ; hop++) {
    const credentials = mayShare(start, url) && (await headers(url));
    const left = Math.ceil(end - performance.now());
    if (left <= 0) throw new A2AError('upstreamTimeout', `no ${what} was found within ${timeout} ms`);
    const answer = await http.request({
      method: 'GET',
      url,
      headers: { ...credentials, accept: 'application/json', ...own },
      signal,
      timeout: left,
    });
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status > 399 || location === undefined || !URL.canParse(location, url.href)) {
      return answer;
    }
    answer.discard();
    url = new URL(location, url);
    const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
    if (isHttp && hop < maxRedirects) continue;
    const why = isHttp ? 'redirects too often' : `redirects to ${url.protocol}, which cannot be read`;
    throw new A2AError('invalidAgentResponse', `${shownUrl(start)} ${why}`);
  }
}

/** Parses a JSON document. TextDecoder drops a byte order mark. */
export const parseDocument = (body: Buffer): unknown => parsedJson(new TextDecoder().decode(body));
