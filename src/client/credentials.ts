import type { AgentCard } from '../core/model/a2a.ts';
import { apiKeyHeader } from '../net/header-names.ts';

/** The credentials of a client. */
export interface Credentials {
  /** API key, sent in the header that the card names for API keys, otherwise in `X-API-Key`. */
  readonly apiKey?: string;
  /**
   * Bearer token, sent as `Authorization: Bearer …`. A function is called before each call, so that it can renew the
   * token.
   */
  readonly bearer?: string | (() => string | Promise<string>);
  /** Further headers, sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the headers of one call. */
export type HeaderSource = () => Record<string, string> | Promise<Record<string, string>>;

/** Returns a source of the headers for credentials, with lower-case names. */
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
 * Whether credentials for `target` may also be sent to `url`, which a card names: its host must be the target's or a trusted one, and
 * it must use TLS if the target does. Otherwise a card could direct a key to any server, or have it sent in the clear.
 */
export const mayShare = (target: URL, url: URL, trusted: readonly string[] = []): boolean =>
  (url.hostname === target.hostname || trusted.includes(url.hostname)) &&
  (target.protocol !== 'https:' || url.protocol === 'https:');

/** Returns the note about credentials that were not sent to a host. */
export const withheldNote = (host: string): string => `credentials are held back from ${host}, which the card names`;
