import type { AgentCard } from '../core/model/a2a.ts';
import { apiKeyHeader } from '../net/header-names.ts';

/** What a client shows of itself. */
export interface Credentials {
  /** Sent in the header that the card names for API keys, else as `X-API-Key`. */
  readonly apiKey?: string;
  /** Sent as `Authorization: Bearer …`; a function is asked before each call, so that it may renew the token. */
  readonly bearer?: string | (() => string | Promise<string>);
  /** Sent with every request, whatever they mean. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes the headers of one call. */
export type HeaderSource = () => Record<string, string> | Promise<Record<string, string>>;

/** The headers of these credentials, their names in lower case. Without a card, API keys travel as `X-API-Key`. */
export function credentialHeaders(credentials: Credentials, card?: AgentCard): HeaderSource {
  const { apiKey, bearer, headers = {} } = credentials;
  const fixed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (apiKey !== undefined) fixed[apiKeyHeader(card)] = apiKey;
  return async () =>
    bearer === undefined
      ? fixed
      : { ...fixed, authorization: `Bearer ${typeof bearer === 'function' ? await bearer() : bearer}` };
}

/** Whether there is anything to show. */
export const hasCredentials = ({ apiKey, bearer, headers }: Credentials): boolean =>
  apiKey !== undefined || bearer !== undefined || Object.keys(headers ?? {}).length > 0;

/**
 * Whether credentials meant for `target` may also go to `url`, which a card names: the same host, and encrypted if the
 * target was. A card must not be able to send a key elsewhere.
 */
export const mayShare = (target: URL, url: URL, trusted: readonly string[] = []): boolean =>
  trusted.includes(url.hostname) ||
  (url.hostname === target.hostname && (target.protocol !== 'https:' || url.protocol === 'https:'));
