import { once } from 'node:events';
import { Agent, createServer, type IncomingHttpHeaders, request } from 'node:http';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Authenticate } from '../../../src/core/limits/admission.ts';
import { type ConnectServerOptions, createConnectHandlers } from '../../../src/transports/connect/server.ts';
import { createHttpContext } from '../../../src/transports/http/context.ts';
import { createCors } from '../../../src/transports/http/cors.ts';
import { createDispatcher } from '../../../src/transports/http/dispatcher.ts';
import { listenOn } from '../../support/peer.ts';
import { agents, caller, dialects, FakeCore, recorder, reply } from '../rpc-support.ts';

/** Connect behind the real dispatcher, over real sockets and a fake core. */
export async function startConnect(
  over: { limits?: Partial<ConnectServerOptions['limits']>; authenticate?: Authenticate } = {},
) {
  const core = new FakeCore();
  const logger = recorder();
  const limits = { body: 64 * 1024, ...over.limits };
  const http = createHttpContext({ logger, bodies: { body: limits.body } });
  const connect = createConnectHandlers({ dialects: dialects.list, invoke: core.invoke, agents, http, limits });
  const dispatch = createDispatcher({
    agents,
    dialects,
    http,
    authenticate: over.authenticate ?? (() => caller),
    bindings: [connect],
    cors: () => createCors([]),
    card: () => undefined as never,
  });
  const server = createServer((req, res) => {
    if (!dispatch(req, res)) res.writeHead(404).end();
  });
  const { origin: url, close: stop } = await listenOn(server);
  return { core, logger, url, stop };
}

export type RunningConnect = Awaited<ReturnType<typeof startConnect>>;

/** Starts one before each test; those and all that tests start besides are gone after it. */
export function connectForEach(): {
  readonly running: RunningConnect;
  serve(over?: Parameters<typeof startConnect>[0]): Promise<RunningConnect>;
} {
  const all: RunningConnect[] = [];
  const serve = async (over?: Parameters<typeof startConnect>[0]): Promise<RunningConnect> => {
    const one = await startConnect(over);
    one.core.answer = () => ({ value: reply });
    all.push(one);
    return one;
  };
  beforeEach(async () => void (await serve()));
  afterEach(() => void all.splice(0));
  return {
    get running() {
      return all[0] ?? expect.fail('nothing runs yet');
    },
    serve,
  };
}

/** A request as bytes. */
export async function post(
  url: string,
  type: string | undefined,
  body: Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  const req = request(url, {
    method: 'POST',
    agent: new Agent(),
    headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
  });
  req.end(body);
  const [res] = await once(req, 'response');
  const parts: Buffer[] = [];
  for await (const part of res) parts.push(part);
  return { status: res.statusCode, headers: res.headers, body: Buffer.concat(parts) };
}

export const errorIn = (body: Buffer): { code: string; message: string; details: object[] } =>
  JSON.parse(body.toString());
