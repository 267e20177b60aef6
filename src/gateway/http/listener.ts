import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config/types.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Meters } from '../../core/telemetry/meters.ts';
import { errorHeaders, send } from '../../transports/http/headers.ts';
import { SlowReaders } from '../../transports/listener/slow-readers.ts';
import { TcpListener, type TcpListenerOptions } from '../../transports/listener/tcp-listener.ts';
import type { WorkerGroup } from '../process/workers.ts';
import { readTls } from '../reload/listener-tls.ts';

/** Handlers of the requests and connections that arrive at the listener. */
export interface RequestHandlers {
  readonly onRequest: RequestListener;
  readonly onHttp2: (socket: Socket) => void;
}

export interface ListenerOptions {
  readonly config: Config;
  readonly meters: Meters;
  readonly audit: Audit;
  readonly budget: SlowReaders['budget'];
  readonly deps?: { readonly workers?: Pick<WorkerGroup, 'listen'> | undefined };
}

export type Listener = ReturnType<typeof createListener>;

/** Time limit in milliseconds for the headers of a request. */
const headersTimeout = 15_000;

/**
 * Creates the gateway's own listener; nothing listens yet.
 *
 * @throws A2AError `internal` that names the certificate file which cannot be used
 */
export function createListener({ config, meters, audit, budget, deps }: ListenerOptions) {
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
      // The transports limit the body first, and answer in the caller's protocol.
      request: limits.requestTimeout + headersTimeout,
      headerBytes: limits.headers,
      connections: limits.connections,
    },
    slow,
  };
  return {
    port: new TcpListener(options),
    slow,
    /** Sets the handlers. Until then callers get 503: the gateway is alive and not ready. */
    serve: (handlers: RequestHandlers) => void Object.assign(options, handlers),
  };
}

/** Answers requests during the start. A migration may take a while: health checks pass, and readiness checks do not. */
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
