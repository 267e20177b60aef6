import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config/types.ts';
import type { AnswerBudget } from '../../core/limits/memory-budget.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Meters } from '../../core/telemetry/meters.ts';
import { errorHeaders, send } from '../../transports/http/headers.ts';
import { SlowReaders } from '../../transports/listener/slow-readers.ts';
import { createPort, type Port } from '../../transports/listener/tcp-listener.ts';
import { readTls } from './listener-tls.ts';

export interface ListenerOptions {
  readonly config: Pick<Config, 'listen' | 'limits' | 'auth'>;
  readonly meters: Meters;
  readonly audit: Audit;
  readonly budget: AnswerBudget;
}

/** Who answers what arrives at the port. */
export interface Answering {
  readonly onRequest: RequestListener;
  readonly onHttp2: (socket: Socket) => void;
}

/** The gateway's own port. */
export interface Listener {
  readonly port: Port;
  readonly slow: SlowReaders;
  /** Who answers from now on. Until then whoever calls is told that the gateway starts: it is alive, and not ready. */
  serve(answering: Answering): void;
}

/** Milliseconds that the headers of a request may take. */
const headersTimeout = 15_000;

/**
 * Makes the port; nothing listens yet.
 *
 * @throws A2AError `internal` that says which file of the certificate cannot be used
 */
export function createListener({ config, meters, audit, budget }: ListenerOptions): Listener {
  const { listen, limits } = config;
  const slow = new SlowReaders({
    patience: limits.slowReader,
    budget,
    audit,
    onCut: () => {
      meters.slowReaders += 1;
    },
  });
  let answering: Answering = {
    onRequest: ({ url = '' }, res) => tellStarting(url.split('?', 1)[0] ?? '', res),
    // There is no call yet that could be told anything; clients try again.
    onHttp2: (socket) => void socket.destroy(),
  };
  const port = createPort({
    host: listen.host,
    port: listen.port,
    tls: readTls(config),
    onRequest: (req, res) => answering.onRequest(req, res),
    onHttp2: (socket) => answering.onHttp2(socket),
    onRefused: (kind) => meters.refused('other', kind),
    limits: {
      headers: Math.min(headersTimeout, limits.requestTimeout),
      // Whoever reads the body has its own bound, and answers in the caller's words.
      request: limits.requestTimeout + headersTimeout,
      headerBytes: limits.headers,
      ...(limits.connections !== undefined && { connections: limits.connections }),
    },
    slow,
  });
  return {
    port,
    slow,
    serve(wanted) {
      answering = wanted;
    },
  };
}

/** A migration may take a while: whoever looks after the process sees that it lives, and sends it no work. */
function tellStarting(path: string, res: ServerResponse): void {
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
