import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/parse.ts';
import { createGateway, type Gateway } from '../../../src/gateway/compose/gateway.ts';
import { silent } from '../../support/core.ts';
import {
  type KnowledgeClient,
  overConnectEs,
  overJsonRpc,
  overRest,
  transports,
} from '../../support/knowledge-clients.ts';

/** Agents that answer as the extension's document has it: HTTP 501 for a language that they do not support. */

let gateway: Gateway;
let agent: Server;
let here: string;

const readBody = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
};

beforeAll(async () => {
  agent = createServer(async (request, response) => {
    const text = await readBody(request);
    if (request.method === 'GET') {
      response.writeHead(404).end();
    } else if (request.url?.startsWith('/bare')) {
      response.writeHead(501).end();
    } else if (request.url?.startsWith('/rest')) {
      response.writeHead(501, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 501, status: 'UNIMPLEMENTED', message: 'no such language' } }));
    } else {
      const { id, method } = JSON.parse(text) as { id: string; method: string };
      const code = { 'knowledge/query': -32010, 'knowledge/subscribe': -32012 }[method] ?? -32601;
      response.writeHead(501, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no such language' } }));
    }
  });
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`;
  const upstream = (path: string, dialect: string, transport: string): string =>
    `{ kind: upstream, url: "${url}/${path}", dialect: "${dialect}", transport: ${transport} }`;
  const config = `
listen: { port: 0 }
store: "memory:"
agents:
  rpc: ${upstream('rpc', 'a2a-0.2', 'jsonrpc')}
  rpc1: ${upstream('rpc', 'a2a-1.0', 'jsonrpc')}
  rest: ${upstream('rest', 'a2a-1.0', 'rest')}
  bare: ${upstream('bare', 'a2a-0.2', 'jsonrpc')}
  barerest: ${upstream('bare', 'a2a-1.0', 'rest')}
`;
  gateway = createGateway(parseConfig(config, { file: '/gateway.yaml', env: {} }), { logger: silent });
  here = (await gateway.listen()).url;
});
afterAll(async () => {
  await gateway.close({ drainMs: 0 });
  agent.closeAllConnections();
  agent.close();
});

const query = { query: 'SELECT * {}', queryLanguage: 'sparql' };
const subscription = { subscriptionQuery: 'SELECT * {}', queryLanguage: 'sparql' };

async function hold(client: KnowledgeClient, expected: object): Promise<void> {
  const answer = client.query(query);
  await expect(answer).rejects.toMatchObject({ reason: 'QUERY_LANGUAGE_NOT_SUPPORTED', ...expected });
  const subscribed = client.subscribe(subscription).then((events) => events.next());
  await expect(subscribed).rejects.toMatchObject({ reason: 'SUBSCRIPTION_LANGUAGE_NOT_SUPPORTED', ...expected });
}

const agents = ['rpc', 'rpc1', 'rest', 'bare', 'barerest'];

describe('an upstream agent that answers HTTP 501 for a query language', () => {
  it.each(agents)('as `%s` is answered with that reason over JSON-RPC, and with 501 over HTTP+JSON', async (name) => {
    await hold(overJsonRpc(`${here}/${name}`), {});
    await hold(overRest(`${here}/${name}`), { status: 501 });
  });

  it.each(Object.entries(transports))('is answered as unimplemented over %s', async (_, make) => {
    for (const name of agents) await hold(overConnectEs(make(here), name), { status: Code.Unimplemented });
  });
});
