import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { A2AError } from '../core/model/errors.ts';
import type { OutboundAuthSettings } from './outbound-settings.ts';

/** What a client shows of itself in a TLS handshake, and whom it trusts: PEM. */
export interface ClientTls {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer;
}

/**
 * Reads the certificate of `mtls` settings; undefined for all others.
 *
 * @throws A2AError `unavailable` that names the file which cannot be read, or says that certificate and key do not fit
 */
export async function clientTls(settings: OutboundAuthSettings | undefined): Promise<ClientTls | undefined> {
  if (settings?.type !== 'mtls') return undefined;
  const [cert, key, ca] = await Promise.all([
    read(settings.cert),
    read(settings.key),
    settings.ca === undefined ? undefined : read(settings.ca),
  ]);
  const tls = { cert, key, ...(ca !== undefined && { ca }) };
  try {
    createSecureContext(tls);
  } catch (error) {
    const { code = 'not PEM' } = error as NodeJS.ErrnoException;
    throw new A2AError('unavailable', `${settings.cert} and ${settings.key} cannot be used for TLS (${code})`);
  }
  return tls;
}

async function read(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new A2AError('unavailable', `cannot read ${path} (${code})`, { cause: error });
  }
}
