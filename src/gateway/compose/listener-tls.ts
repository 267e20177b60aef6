import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Config } from '../../config/types.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { PortTls } from '../../transports/listener/tcp-listener.ts';

/**
 * What the listener shows of itself, read from its files, and found to be usable; undefined without TLS.
 *
 * @throws A2AError `internal` that says which file cannot be read, or that certificate and key do not fit
 */
export function readTls({ listen, auth }: Pick<Config, 'listen' | 'auth'>): PortTls | undefined {
  const { tls } = listen;
  if (!tls) return undefined;
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch (cause) {
      throw new A2AError('internal', `cannot read ${path} (${codeOf(cause)})`, { cause });
    }
  };
  const [cert, key] = [read(tls.cert), read(tls.key)];
  const clientCa = tls.clientCa === undefined ? undefined : read(tls.clientCa);
  try {
    createSecureContext({ cert, key, ...(clientCa !== undefined && { ca: clientCa }) });
  } catch (cause) {
    // Not what was thrown: it may quote the file.
    throw new A2AError('internal', `${tls.cert} and ${tls.key} cannot be used for TLS (${codeOf(cause)})`);
  }
  return { cert, key, clientCa, certificateRequired: auth.mtls?.required };
}

const codeOf = (thrown: unknown): string => (thrown as NodeJS.ErrnoException).code ?? 'not PEM';
