import type { ClientTls, TlsByUrl } from '../net/client-tls.ts';
import { createHttpClient, type HttpClient } from '../net/http-client.ts';
import { hide } from '../net/secret.ts';
import type { OnWire } from '../net/wire-log.ts';
import { type Credentials, mayShare } from './credentials.ts';

export { tlsFault } from '../net/client-tls.ts';

/** TLS settings of a client. Certificates and keys are in PEM. */
export interface TlsOptions {
  /** Authorities to trust instead of the system's. */
  readonly ca?: string | Buffer;
  /** The client's certificate, shown to the target's own host only. */
  readonly cert?: string | Buffer;
  /** The key of the certificate. */
  readonly key?: string | Buffer;
  /** Accept every certificate of the agent, so that others may read and change what is sent. Default false. */
  readonly insecure?: boolean;
}

/** Options of the connections to an agent. */
export interface ConnectionOptions {
  /** A shared pool of connections, with TLS settings and an `onWire` of its own. Default: a new pool. */
  readonly http?: HttpClient;
  readonly tls?: TlsOptions;
  /** Gets what is sent and received over every binding, line by line and without credentials. */
  readonly onWire?: OnWire;
  /** Hosts that get credentials although only a card on another host names them. */
  readonly trustedHosts?: readonly string[];
}

/** The TLS settings for each URL that a card of the target names. Undefined when there are none at all. */
export function tlsByUrl(target: URL, { tls, trustedHosts }: ConnectionOptions): TlsByUrl | undefined {
  if (tls === undefined) return undefined;
  const { ca, cert, key, insecure = false } = tls;
  const shared: ClientTls = { ...(ca && { ca }), ...(insecure && { rejectUnauthorized: false }) };
  const own: ClientTls = { ...shared, ...(cert && { cert }), ...(key && { key }) };
  return (url) => (mayShare(target, url, trustedHosts) ? own : shared);
}

/** `onWire` without the API key, whose header may have any name. */
export function wireOf({ onWire, apiKey }: ConnectionOptions & Credentials): OnWire | undefined {
  if (onWire === undefined || apiKey === undefined) return onWire;
  return ({ direction, text }) => onWire({ direction, text: hide(text, [apiKey]) });
}

/** The pool of the options, or a new one for them; `close` closes a new one only. */
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
