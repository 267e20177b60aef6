import type { ClientTls, TlsByUrl } from '../net/client-tls.ts';
import { createHttpClient, type HttpClient } from '../net/http-client.ts';
import { hide } from '../net/secret.ts';
import type { OnWire } from '../net/wire-log.ts';
import { type Credentials, mayShare } from './credentials.ts';

export { tlsFault } from '../net/client-tls.ts';

/** TLS settings of a client. Certificates and keys are in PEM. */
export interface TlsOptions {
  /** Certificate authorities to trust instead of the system's. */
  readonly ca?: string | Buffer;
  /** The client's certificate, sent only to the target's host and to `trustedHosts`. */
  readonly cert?: string | Buffer;
  /** The private key of the certificate. */
  readonly key?: string | Buffer;
  /** Whether to accept any certificate of the agent, which lets others read and change the traffic. Default false. */
  readonly insecure?: boolean;
}

/** Options of the connections to an agent. */
export interface ConnectionOptions {
  /** A shared connection pool, with its own TLS settings and `onWire`. Default: a new pool. */
  readonly http?: HttpClient;
  readonly tls?: TlsOptions;
  /** Called with each line that is sent or received, over every binding and without credentials. */
  readonly onWire?: OnWire;
  /** Hosts that receive credentials even if only a card on another host names them; over TLS alone if the target uses TLS. */
  readonly trustedHosts?: readonly string[];
}

/**
 * Returns a function that selects the TLS settings for a URL in the target's card. Undefined if no TLS settings are
 * given.
 */
export function tlsByUrl(target: URL, { tls, trustedHosts }: ConnectionOptions): TlsByUrl | undefined {
  if (tls === undefined) return undefined;
  const { ca, cert, key, insecure = false } = tls;
  const shared: ClientTls = { ...(ca && { ca }), ...(insecure && { rejectUnauthorized: false }) };
  const own: ClientTls = { ...shared, ...(cert && { cert }), ...(key && { key }) };
  return (url) => (mayShare(target, url, trustedHosts) ? own : shared);
}

/** Wraps `onWire` to hide the API key, whose header may have any name. */
export function wireOf({ onWire, apiKey }: ConnectionOptions & Credentials): OnWire | undefined {
  if (onWire === undefined || apiKey === undefined) return onWire;
  return ({ direction, text }) => onWire({ direction, text: hide(text, [apiKey]) });
}

/** Returns the pool of the options, or creates one. `close` closes only a pool that was created here. */
export function openPool(
  target: URL,
  options: ConnectionOptions & Credentials,
): { readonly http: HttpClient; close(): void } {
  if (options.http) return { http: options.http, close: () => {} };
  const tls = tlsByUrl(target, options);
  const onWire = wireOf(options);
  const http = createHttpClient({ ...(tls && { tls }), ...(onWire && { onWire }) });
  return { http, close: () => http.close() };
}
