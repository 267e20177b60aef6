import { createSecureContext } from 'node:tls';
import type { Config } from '../../config/types.ts';
import { A2AError } from '../../core/model/errors.ts';
import { readFileText } from '../../net/read-file.ts';
import { authoritiesIn } from '../../transports/listener/client-certificate.ts';
import type { ListenerTls } from '../../transports/listener/tcp-listener.ts';

/**
 * Reads the listener's certificate and key, and checks that they can be used. Undefined without TLS.
 *
 * @throws A2AError `internal` that names the file that cannot be read, or the certificate and key that do not match
 */
export function readTls({ listen, auth }: Pick<Config, 'listen' | 'auth'>): ListenerTls | undefined {
  const { tls } = listen;
  if (!tls) return undefined;
  const read = (path: string): string => {
    try {
      return readFileText(path);
    } catch (cause) {
      throw new A2AError('internal', `cannot read ${path} (${codeOf(cause)})`, { cause });
    }
  };
  const cert = read(tls.cert);
  const key = read(tls.key);
  const clientCa = tls.clientCa === undefined ? undefined : read(tls.clientCa);
  try {
    createSecureContext({ cert, key, ...(clientCa !== undefined && { ca: clientCa }) });
  } catch (cause) {
    // Without the original error, which may quote the file.
    throw new A2AError('internal', `${tls.cert} and ${tls.key} cannot be used for TLS (${codeOf(cause)})`);
  }
  if (clientCa !== undefined) requireAuthorities(clientCa, auth.mtls?.clients ?? []);
  return { cert, key, clientCa, certificateRequired: auth.mtls?.required };
}

/**
 * Checks that each client names its authority if there are several, because a name alone would be ambiguous.
 *
 * @throws A2AError `internal` that names the client
 */
function requireAuthorities(clientCa: string, clients: NonNullable<Config['auth']['mtls']>['clients']): void {
  const authorities = authoritiesIn(clientCa);
  const index = clients.findIndex(({ authority, fingerprint }) => authority === undefined && fingerprint === undefined);
  if (authorities.length < 2 || index < 0) return;
  throw new A2AError(
    'internal',
    `auth.mtls.clients.${index} requires authority, since listen.tls.clientCa has several: one of ${authorities.join(', ')}`,
  );
}

const codeOf = (thrown: unknown): string => (thrown as NodeJS.ErrnoException).code ?? 'not PEM';
