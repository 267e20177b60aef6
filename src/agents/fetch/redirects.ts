import type { HttpAnswer } from '../../net/http-exchange.ts';
import type { SentRequest } from './request.ts';

/** Headers that go to another origin as well. All others may hold credentials. */
const carried: ReadonlySet<string> = new Set([
  ...['accept', 'accept-language', 'accept-encoding', 'user-agent', 'content-type', 'content-encoding'],
  ...['content-language', 'range', 'if-match', 'if-none-match', 'if-modified-since'],
]);

/** The request that a redirect asks for, as browsers send it (WHATWG Fetch, HTTP-redirect fetch). Undefined: it is none. */
export function nextRequest(
  { method, url, headers, body }: SentRequest,
  { status, headers: { location } }: HttpAnswer,
): SentRequest | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
  const next = URL.parse(location, url.href);
  if (!next) throw new TypeError('fetch failed: the answer redirects to what is no URL');
  const becomesGet = (status === 303 && method !== 'GET' && method !== 'HEAD') || (status <= 302 && method === 'POST');
  const kept = Object.entries(headers).filter(
    ([name]) => (next.origin === url.origin || carried.has(name)) && !(becomesGet && name.startsWith('content-')),
  );
  return {
    method: becomesGet ? 'GET' : method,
    url: next,
    headers: Object.fromEntries(kept),
    body: becomesGet ? undefined : body,
  };
}
