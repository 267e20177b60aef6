import { Code } from '@connectrpc/connect';
import { beforeAll, expect, it } from 'vitest';
import { openGateway } from '../../support/gateway.ts';
import {
  type KnowledgeClient,
  overConnectEs,
  overJsonRpc,
  overRest,
  transports,
} from '../../support/knowledge-clients.ts';
import { bodyOf, sendJson, serve } from '../../support/peer.ts';

/** Agents that answer as the extension's document has it: HTTP 501 for a language that they do not support. */

let here: string;

beforeAll(async () => {
  const url = await serve(async (request, response) => {
    const text = await bodyOf(request);
    if (request.method === 'GET') {
      response.writeHead(404).end();
    } else if (request.url?.startsWith('/bare')) {
      response.writeHead(501).end();
    } else if (request.url?.startsWith('/rest')) {
      sendJson(response, { error: { code: 501, status: 'UNIMPLEMENTED', message: 'no such language' } }, 501);
    } else {
      const { id, method } = JSON.parse(text) as { id: string; method: string };
      const code = { 'knowledge/query': -32010, 'knowledge/subscribe': -32012 }[method] ?? -32601;
      sendJson(response, { jsonrpc: '2.0', id, error: { code, message: 'no such language' } }, 501);
    }
  });
  const upstream = (path: string, dialect: string, transport: string): string =>
    `{ kind: upstream, url: "${url}/${path}", dialect: "${dialect}", transport: ${transport} }`;
  const gateway = await openGateway(`
agents:
  rpc: ${upstream('rpc', 'a2a-0.2', 'jsonrpc')}
  rpc1: ${upstream('rpc', 'a2a-1.0', 'jsonrpc')}
  rest: ${upstream('rest', 'a2a-1.0', 'rest')}
  bare: ${upstream('bare', 'a2a-0.2', 'jsonrpc')}
  barerest: ${upstream('bare', 'a2a-1.0', 'rest')}
`);
  here = gateway.url;
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

it.each(agents)(
  'an upstream agent that answers HTTP 501 for a query language as `%s` is answered with that reason over JSON-RPC, and with 501 over HTTP+JSON',
  async (name) => {
    await hold(overJsonRpc(`${here}/${name}`), {});
    await hold(overRest(`${here}/${name}`), { status: 501 });
  },
);

it.each(Object.entries(transports))(
  'an upstream agent that answers HTTP 501 for a query language is answered as unimplemented over %s',
  async (_, make) => {
    for (const name of agents) await hold(overConnectEs(make(here), name), { status: Code.Unimplemented });
  },
);

it.each([
  ['a2a-1.0', 'connect'],
  ['a2a-1.0', 'grpc'],
  ['a2a-1.0', 'rest'],
  ['a2a-1.0', 'jsonrpc'],
  ['a2a-0.3', 'connect'],
])(
  'a subscription that an upstream agent refuses over %s and %s has its status before any event',
  async (dialect, transport) => {
    const { url } = await openGateway('agents: { own: { kind: reference, knowledge: true } }');
    const bridge = await openGateway(`
agents:
  far: { kind: upstream, url: "${url}/own", dialect: "${dialect}", transport: ${transport} }
`);
    const answer = await fetch(`${bridge.url}/far/knowledge:subscribe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subscriptionQuery: 'SELECT 1', queryLanguage: 'sql' }),
    });
    expect(answer.status).toBe(501);
    expect(answer.headers.get('content-type')).toContain('application/json');
    await answer.body?.cancel();
  },
);
