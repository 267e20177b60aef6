import { createSecureContext } from 'node:tls';
import { A2AError } from '../core/model/errors.ts';
import type { OutboundAuthSettings } from './credentials/outbound-settings.ts';
import { fileBytes } from './read-file.ts';

/** TLS settings of a client's connections. Certificates and keys are in PEM. */
export interface ClientTls {
  /** The client's certificate. */
  readonly cert?: string | Buffer;
  /** The private key of the certificate. */
  readonly key?: string | Buffer;
  /** Certificate authorities to trust instead of the system's. */
  readonly ca?: string | Buffer;
  /** Whether to refuse certificates that cannot be verified. Default true. */
  readonly rejectUnauthorized?: boolean;
}

/** Returns the TLS settings for connections to a URL. */
export type TlsByUrl = (url: URL) => ClientTls | undefined;

/** Applies TLS settings to one origin (scheme, host and port), and none to all others. */
export const tlsAt =
  (origin: string, tls: ClientTls): TlsByUrl =>
  (url) =>
    url.origin === origin ? tls : undefined;

/**
 * Reads the certificate of `mtls` settings. Undefined for all other settings.
 *
 * @throws A2AError `unavailable`, whose message names the file that cannot be read, or the certificate and key that do
 *   not match
 */
export async function clientTls(settings: OutboundAuthSettings | undefined): Promise<ClientTls | undefined> {
  if (settings?.type !== 'mtls') return undefined;
  const [cert, key] = await Promise.all([read(settings.cert), read(settings.key)]);
  const tls = { cert, key, ...(settings.ca !== undefined && { ca: await read(settings.ca) }) };
  const fault = tlsFault(tls);
  if (fault === undefined) return tls;
  throw new A2AError('unavailable', `${settings.cert} and ${settings.key} cannot be used for TLS (${fault})`);
}

/** Returns an error code if the certificates and keys cannot be used. Undefined if they can. */
export function tlsFault({ cert, key, ca }: ClientTls): string | undefined {
  try {
    createSecureContext({ ...(cert && { cert }), ...(key && { key }), ...(ca && { ca }) });
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'not PEM';
  }
}

const read = (path: string): Promise<Buffer> =>
  fileBytes(path).catch((cause: NodeJS.ErrnoException) => {
    throw new A2AError('unavailable', `cannot read ${path} (${cause.code ?? 'unknown'})`, { cause });
  });
