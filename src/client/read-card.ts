import { A2AError } from '../core/errors.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { AgentCard } from '../gen/a2a-v1/types.ts';
import type { HttpAnswer, HttpClient } from '../net/http-client.ts';
import { type HeaderSource, mayShare } from './credentials.ts';

/** A card that was found. */
export interface FoundCard {
  /** In v1, whatever its generation. */
  readonly card: AgentCard;
  /** The document as it came. */
  readonly document: unknown;
  /** The generation that the document is of. */
  readonly dialect: Dialect;
  readonly url: string;
}

export interface ReadCardOptions {
  readonly http: HttpClient;
  /** The generations to look for, the preferred one first. */
  readonly dialects: readonly Dialect[];
  readonly headers: HeaderSource;
  readonly signal: AbortSignal;
  /** Milliseconds for each request. */
  readonly timeout: number;
}

/** Bytes that a card may have. */
const largestCard = 1 << 20;
const mostRedirects = 3;

/**
 * Finds an agent's card. A target whose path ends in `.json` is the card's own URL; any other is the agent's base URL,
 * below which the well-known paths of every dialect are tried in order, and at last the URL itself.
 *
 * @throws A2AError of the network's kinds; `unauthenticated` and `permissionDenied`; `agentNotFound` when there is no
 *   card; `invalidAgentResponse` when what is there is none
 */
export async function readCard(target: URL, options: ReadCardOptions): Promise<FoundCard> {
  const tried: string[] = [];
  let unreadable: A2AError | undefined;
  for (const { url, version } of candidates(target, options.dialects)) {
    const answer = await get(url, version, options);
    if (answer.status !== 200) {
      answer.discard();
      if (answer.status === 401) {
        throw new A2AError('unauthenticated', `${url.href} asks for credentials (HTTP 401)`);
      }
      if (answer.status === 403) {
        throw new A2AError('permissionDenied', `${url.href} does not let this caller in (HTTP 403)`);
      }
      tried.push(`${url.pathname} (HTTP ${answer.status})`);
      continue;
    }
    const document = parse(await answer.read(largestCard));
    const found = document === undefined ? undefined : decode(document, options.dialects, url);
    if (found !== undefined && !(found instanceof A2AError)) return found;
    unreadable ??=
      found ?? new A2AError('invalidAgentResponse', `${url.href} answers with something that is not an agent card`);
  }
  throw unreadable ?? new A2AError('agentNotFound', `no agent card at ${target.href}: tried ${tried.join(', ')}`);
}

function* candidates(target: URL, dialects: readonly Dialect[]): Generator<{ url: URL; version: string | undefined }> {
  const first = dialects[0]?.versions[0];
  if (target.pathname.endsWith('.json')) {
    yield { url: target, version: first };
    return;
  }
  const seen = new Set<string>();
  for (const { card, versions } of dialects) {
    for (const path of card.paths) {
      const url = new URL(target);
      url.pathname = target.pathname.replace(/\/+$/, '') + path;
      if (seen.has(url.href)) continue;
      seen.add(url.href);
      yield { url, version: versions[0] };
    }
  }
  yield { url: target, version: first };
}

async function get(start: URL, version: string | undefined, options: ReadCardOptions): Promise<HttpAnswer> {
  const { http, headers, signal, timeout } = options;
  let url = start;
  for (let hop = 0; ; hop++) {
    const answer = await http.request({
      method: 'GET',
      url,
      headers: {
        ...(mayShare(start, url) && (await headers())),
        accept: 'application/json',
        ...(version !== undefined && { 'a2a-version': version }),
      },
      signal,
      timeout,
    });
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status > 399 || location === undefined || !URL.canParse(location, url.href)) {
      return answer;
    }
    answer.discard();
    if (hop === mostRedirects) throw new A2AError('invalidAgentResponse', `${start.href} redirects too often`);
    url = new URL(location, url);
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * The card by the first dialect that can read it and finds somewhere to call, or else that can read it at all: cards of
 * different generations have much in common. Or why the first one cannot.
 */
function decode(document: unknown, dialects: readonly Dialect[], url: URL): FoundCard | A2AError | undefined {
  let failure: A2AError | undefined;
  let readable: FoundCard | undefined;
  for (const dialect of dialects) {
    try {
      const card = dialect.card.decode(document, { losses: new Set() });
      const found = { card, document, dialect, url: url.href };
      if (card.supportedInterfaces?.length > 0) return found;
      readable ??= found;
    } catch (thrown) {
      const { message, violations } = A2AError.from(thrown);
      const fields = violations.map(({ field, description }) => `${field} ${description}`);
      const why = fields.length === 0 ? message : fields.slice(0, 3).join('; ');
      failure ??= new A2AError('invalidAgentResponse', `the agent card at ${url.href} is not valid: ${why}`);
    }
  }
  return readable ?? failure;
}
