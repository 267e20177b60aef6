import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { A2AError } from '../core/model/errors.ts';
import type { OutboundAuthSettings } from './outbound-settings.ts';

/** A client's certificate, and the authorities that it trusts, in PEM. */
export interface ClientTls {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer;
}

/**
 * Reads the certificate of `mtls` settings; undefined for all others.
 *
 * @throws A2AError `unavailable` that names the file that cannot be read, or the certificate and key that do not match
 */
export async function clientTls(settings: OutboundAuthSettings | undefined): Promise<ClientTls | undefined> {
  if (settings?.type !== 'mtls') return undefined;
  const [cert, key] = await Promise.all([read(settings.cert), read(settings.key)]);
  const tls = { cert, key, ...(settings.ca !== undefined && { ca: await read(settings.ca) }) };
  try {
    createSecureContext(tls);
  } catch (error) {
    const { code = 'not PEM' } = error as NodeJS.ErrnoException;
    throw new A2AError('unavailable', `${settings.cert} and ${settings.key} cannot be used for TLS (${code})`);
  }
  return tls;
}

const read = (path: string): Promise<Buffer> =>
  readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new A2AError('unavailable', `cannot read ${path} (${cause.code ?? 'unknown'})`, { cause });
  });
