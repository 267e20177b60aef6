import type { AgentCard } from '../core/model/a2a.ts';
import { apiKeyHeader } from '../net/header-names.ts';

/** The credentials of a client. */
export interface Credentials {
  /** Sent in the header that the card names for API keys, otherwise as `X-API-Key`. */
  readonly apiKey?: string;
  /** Sent as `Authorization: Bearer …`. A function is called before each call, so that it can renew the token. */
  readonly bearer?: string | (() => string | Promise<string>);
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes the headers of one call. */
export type HeaderSource = () => Record<string, string> | Promise<Record<string, string>>;

/** The headers of these credentials, with names in lower case. */
export function credentialHeaders({ apiKey, bearer, headers = {} }: Credentials, card?: AgentCard): HeaderSource {
  const fixed = {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...(apiKey !== undefined && { [apiKeyHeader(card)]: apiKey }),
  };
  if (bearer === undefined) return () => fixed;
  return async () => ({ ...fixed, authorization: `Bearer ${typeof bearer === 'function' ? await bearer() : bearer}` });
}

export const hasCredentials = ({ apiKey, bearer, headers }: Credentials): boolean =>
  apiKey !== undefined || bearer !== undefined || Object.keys(headers ?? {}).length > 0;

/**
 * Whether credentials for `target` may also be sent to `url`, which a card names: to the same host, and encrypted if the
 * target was. Otherwise a card could send a key to anyone.
 */
export const mayShare = (target: URL, url: URL, trusted: readonly string[] = []): boolean =>
  trusted.includes(url.hostname) ||
  (url.hostname === target.hostname && (target.protocol !== 'https:' || url.protocol === 'https:'));

/** Says why credentials were not sent to a host. */
export const withheldNote = (host: string): string => `credentials are held back from ${host}, which the card names`;
