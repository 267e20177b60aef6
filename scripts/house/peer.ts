import { parentPort } from 'node:worker_threads';
import { type BindingName, type Client, connect, type DialectName } from '../../src/client/index.ts';
import { defaultConfig } from '../../src/config/index.ts';
import { createGateway } from '../../src/gateway/compose/gateway.ts';
import { createLogger } from '../../src/gateway/process/logger.ts';
import type { FlowName, Order } from './flows.ts';

interface Flow {
  readonly via: BindingName;
  readonly as: DialectName;
  call(client: Client): Promise<unknown>;
}

const message: Flow = { via: 'jsonrpc', as: 'a2a-1.0', call: (client) => client.send('good day') };
const flows: Readonly<Record<FlowName, Flow>> = {
  message,
  stream: {
    via: 'grpc',
    as: 'a2a-0.3',
    async call(client) {
      const events = [];
      for await (const event of client.sendStream('good day')) events.push(event);
      if (events.length !== 4) throw new Error(`the stream has ${events.length} events`);
    },
  },
  agentvault: message,
};

const clients = new Map<string, Promise<Client>>();

function clientOf({ flow, url }: Order): Promise<Client> {
  const key = `${flow} ${url}`;
  const client = clients.get(key) ?? connect(url, { via: flows[flow].via, as: flows[flow].as });
  clients.set(key, client);
  return client;
}

const config = defaultConfig({ port: 0, store: 'memory:' });
const agent = createGateway(config, { logger: createLogger({ ...config, log: { ...config.log, level: 'error' } }) });
const { url } = await agent.listen();
parentPort?.on('message', async (order: Order) => {
  try {
    await flows[order.flow].call(await clientOf(order));
    parentPort?.postMessage('done');
  } catch (thrown) {
    parentPort?.postMessage(String(thrown));
  }
});
parentPort?.postMessage(`${url}/as/agentvault-0.2`);
