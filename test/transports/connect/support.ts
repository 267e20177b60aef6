import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Authenticate } from '../../../src/core/admission.ts';
import { type ConnectOptions, createConnectHandlers } from '../../../src/transports/connect/server.ts';
import { createCors } from '../../../src/transports/http/cors.ts';
import { createDispatcher } from '../../../src/transports/http/dispatcher.ts';
import { createHttpGround } from '../../../src/transports/http/ground.ts';
import { agents, caller, dialects, FakeCore, recorder } from '../rpc-support.ts';

/** Connect behind the real dispatcher, over real sockets and a fake core. */
export async function startConnect(
  over: { limits?: Partial<ConnectOptions['limits']>; authenticate?: Authenticate } = {},
) {
  const core = new FakeCore();
  const logger = recorder();
  const limits = { body: 64 * 1024, ...over.limits };
  const ground = createHttpGround({ logger, maxBody: limits.body });
  const connect = createConnectHandlers({ dialects: dialects.list, invoke: core.invoke, agents, ground, limits });
  const dispatch = createDispatcher({
    agents,
    dialects,
    ground,
    authenticate: over.authenticate ?? (() => caller),
    handlers: [connect.handle],
    refusals: [connect.refuse],
    cors: createCors([]),
    card: () => undefined as never,
  });
  const server = createServer((req, res) => {
    if (!dispatch(req, res)) res.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    core,
    logger,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type RunningConnect = Awaited<ReturnType<typeof startConnect>>;
