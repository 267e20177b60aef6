import { createCopies } from '../../src/agents/upstream/copies.ts';
import { createUpstreamAgent, type UpstreamOptions } from '../../src/agents/upstream/index.ts';
import { type Client, connect } from '../../src/client/index.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { createStore } from '../../src/stores/index.ts';
import { silent } from './core.ts';
import { openGateway } from './gateway.ts';
import { endAfterTest } from './peer.ts';

/** A gateway in front of upstream agents. */
export interface Bridge {
  readonly origin: string;
  readonly gateway: Gateway;
  /** A client of one of its agents, speaking A2A 1.0 over JSON-RPC. */
  client(agent: string): Promise<Client>;
  close(): Promise<void>;
}

/** Settings of an upstream, except those that the bridge supplies. */
export type UpstreamSettings = Omit<Partial<UpstreamOptions>, 'url'> & { readonly url: string | readonly string[] };

/** Short of everything: tests do not wait. */
export const hasty = { attempts: 3, pause: 100, call: 2_000, quiet: 300, pulse: 2_000, settle: 300 };

/**
 * Starts a gateway whose agents are upstreams.
 *
 * @param store URL of its store. Default: memory
 */
export async function startBridge(
  upstreams: Readonly<Record<string, UpstreamSettings>>,
  store = 'memory:',
): Promise<Bridge> {
  const text = `listen: { host: localhost, port: 0 }\nagents: { own: { kind: reference } }\nstore: "${store}"\n`;
  const config = parseConfig(text, { file: '/bridge.yaml' });
  const ids = createStore(store, { instance: 'bridge', logger: silent });
  const agents = Object.fromEntries(
    Object.entries(upstreams).map(([name, { url, ...settings }]) => {
      const options = { name, ids, logger: silent, bounds: hasty, breaker: { failures: 1_000 }, ...settings };
      const agent =
        typeof url === 'string' ? createUpstreamAgent({ ...options, url }) : createCopies({ ...options, urls: url });
      return [name, agent];
    }),
  );
  const { gateway, url } = await openGateway(config, { store: ids, agents });
  const clients: Client[] = [];
  const close = endAfterTest(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await gateway.close({ drainMs: 0 });
  });
  return {
    origin: url,
    gateway,
    async client(agent) {
      const client = await connect(`${url}/${agent}`, { as: 'a2a-1.0', via: 'jsonrpc' });
      clients.push(client);
      return client;
    },
    close,
  };
}
