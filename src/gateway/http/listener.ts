import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Config } from '../../config/types.ts';
import { A2AError } from '../../core/model/errors.ts';
import { readFileText } from '../../net/read-file.ts';
import { errorHeaders, send } from '../../transports/http/headers.ts';
import { authoritiesIn } from '../../transports/listener/client-certificate.ts';
import { SlowReaders } from '../../transports/listener/slow-readers.ts';
import {
  createTcpListener,
  type ListenerTls,
  type TcpListenerOptions,
} from '../../transports/listener/tcp-listener.ts';
import type { Base } from '../compose/open.ts';

/** Handle what arrives at the listener. */
export interface RequestHandlers {
  readonly onRequest: RequestListener;
  readonly onHttp2: (socket: Socket) => void;
}

export type Listener = ReturnType<typeof createListener>;

/** Milliseconds for the headers of a request. */
const headersTimeout = 15_000;

/**
 * Creates the gateway's own listener; nothing listens yet.
 *
 * @throws A2AError `internal` that says which file of the certificate cannot be used
 */
export function createListener({
  config,
  meters,
  audit,
  budget,
  deps,
}: Pick<Base, 'config' | 'meters' | 'audit' | 'budget'> & Partial<Pick<Base, 'deps'>>) {
  const { listen, limits } = config;
  const slow = new SlowReaders({
    timeout: limits.slowReader,
    budget,
    audit,
    onDisconnect: () => {
      meters.slowReaders += 1;
    },
  });
  const options: TcpListenerOptions = {
    host: listen.host,
    port: deps?.workers?.listen.port ?? listen.port,
    shared: deps?.workers?.listen,
    tls: readTls(config),
    onRequest: ({ url = '' }, res) => answerStarting(url.split('?', 1)[0] ?? '', res),
    // No call exists yet to be answered; clients retry.
    onHttp2: (socket) => void socket.destroy(),
    onRefused: (error, sent) => meters.refused('other', error, sent),
    limits: {
      headers: Math.min(headersTimeout, limits.requestTimeout),
      // The transports bound the body first, and answer in the caller's protocol.
      request: limits.requestTimeout + headersTimeout,
      headerBytes: limits.headers,
      connections: limits.connections,
    },
    slow,
  };
  return {
    port: createTcpListener(options),
    slow,
    /** Sets the handlers. Until then callers get 503: the gateway is alive and not ready. */
    serve: (handlers: RequestHandlers) => void Object.assign(options, handlers),
  };
}

/** A migration may take a while: health checks pass, readiness checks do not. */
function answerStarting(path: string, res: ServerResponse): void {
  if (path === '/healthz') {
    send(res, 200, [], 'application/json', '{"status":"ok"}');
    return;
  }
  const error = new A2AError('unavailable', 'The gateway is starting', { retryAfter: 1 });
  const { message } = error;
  const since = new Date(Date.now() - process.uptime() * 1_000).toISOString();
  const body =
    path === '/readyz'
      ? { status: 'not ready', reason: message, checks: { serving: { state: 'failed', since, reason: message } } }
      : { error: { code: 503, status: error.row.grpc, message, details: error.details() } };
  send(res, 503, errorHeaders(error), 'application/json', JSON.stringify(body));
}

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
  const [cert, key] = [read(tls.cert), read(tls.key)];
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
 * Where there are several authorities, a name alone does not say whose client is meant.
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
