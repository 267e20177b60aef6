import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { expect, expectTypeOf, it } from 'vitest';
import { parseTarget } from '../../src/client/choose.ts';
import { A2AError, type AgentCard, allDialects, type Client, connect, type Task } from '../../src/client/index.ts';
import { v1Card } from '../support/cards.ts';
import { afterTest, bodyOf, closedPortUrl, sendJson, serve } from '../support/peer.ts';

const cardPath = '/.well-known/agent-card.json';

const card = (interfaces: AgentCard['supportedInterfaces'], more: Partial<AgentCard> = {}): AgentCard =>
  v1Card(interfaces, { capabilities: { streaming: true }, ...more });

const rpc = (url: string, more = {}) => ({ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', ...more });
const rest = (url: string) => ({ url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0.1' });

interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An agent with a card that answers every JSON-RPC call with `result`; what it was asked. */
async function agent(
  makeCard: (origin: string) => unknown,
  result: unknown = { task },
): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  let url = '';
  const listener: RequestListener = async (req, res) => {
    const body = await bodyOf(req);
    seen.push({ url: req.url ?? '', headers: req.headers, body });
    if (req.method === 'GET' && req.url === cardPath) sendJson(res, makeCard(url));
    else if (req.method === 'POST') sendJson(res, { jsonrpc: '2.0', id: JSON.parse(body).id, result });
    else res.writeHead(404).end();
  };
  url = await serve(listener);
  return { url, seen };
}

const task: Task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } };

async function open(...args: Parameters<typeof connect>): Promise<Client> {
  const client = await connect(...args);
  afterTest(() => client.close());
  return client;
}

it('connect reads the card as a v1 client and calls the first interface that it can', async () => {
  const { url, seen } = await agent((origin) =>
    card([
      { url: 'https://x.example', protocolBinding: 'CARRIER-PIGEON', protocolVersion: '1.0' },
      rpc(`${origin}/rpc`),
      rest(origin),
    ]),
  );
  const client = await open(url);
  expect([client.binding, client.dialect, client.card.name]).toEqual(['jsonrpc', 'a2a-1.0', 'Test']);
  expect(await client.send('hello')).toEqual({ task });
  expect(seen.map(({ url }) => url)).toEqual([cardPath, '/rpc']);
  expect(seen[0]?.headers['a2a-version']).toBe('1.0');
  expect(JSON.parse(seen[1]?.body ?? '')).toMatchObject({
    method: 'SendMessage',
    params: { message: { role: 'ROLE_USER', parts: [{ text: 'hello' }], messageId: expect.any(String) } },
  });
});

it('connect takes the binding and dialect that it is given', async () => {
  const { url } = await agent((origin) => card([rpc(origin), rest(origin)]));
  expect((await open(url, { via: 'rest' })).binding).toBe('rest');
  await expect(open(url, { via: 'grpc' })).rejects.toMatchObject({
    kind: 'unsupportedOperation',
    message: 'the agent cannot be called over gRPC; its card offers JSONRPC 1.0, HTTP+JSON 1.0.1',
  });
  await expect(open(url, { via: 'connect' })).rejects.toThrow('over Connect');
  const dialects = allDialects().slice(0, 1);
  await expect(open(url, { as: 'a2a-php-0.3', dialects })).rejects.toThrow('not a dialect of this version');
});

it('connect takes the URL of a card', async () => {
  const { url, seen } = await agent((origin) => card([rpc(origin)]));
  await open(`${url}${cardPath}`);
  expect(seen).toHaveLength(1);
});

it('connect calls an agent in the generation of its card', async () => {
  const vault = (origin: string) => ({
    schemaVersion: '1.0',
    humanReadableId: 'test/test',
    agentVersion: '1',
    name: 'Test',
    description: 'For tests',
    url: origin.replace('127.0.0.1', 'localhost'),
    provider: { name: 'Test' },
    capabilities: { a2aVersion: '0.2' },
    authSchemes: [{ scheme: 'none' }],
  });
  const { url } = await agent(vault);
  expect(await open(url + cardPath)).toMatchObject({ dialect: 'agentvault-0.2', binding: 'jsonrpc' });
});

it('connect looks below the base, and nowhere else', async () => {
  const { url } = await agent((origin) => card([rpc(origin)]));
  await expect(open(`${url}/other`)).rejects.toMatchObject({ kind: 'agentNotFound' });
  await expect(open(`${url}/other`)).rejects.toThrow(/tried \/other\/.well-known\/agent-card.json \(HTTP 404\)/);
});

it('connect copies the tenant of the interface into each request', async () => {
  const { url, seen } = await agent((origin) => card([rpc(origin, { tenant: 'acme' })]), task);
  const client = await open(url);
  await client.getTask({ id: 't1' });
  await client.getTask({ id: 't1', tenant: 'other' });
  expect(seen.slice(1).map(({ body }) => JSON.parse(body).params.tenant)).toEqual(['acme', 'other']);
});

it('connect has a typed method for every operation', async () => {
  const { url, seen } = await agent((origin) => card([rpc(origin)]), task);
  const client = await open(url);
  expect(await client.getTask({ id: 't1' })).toEqual(task);
  expect(await client.call('CancelTask', { id: 't1' })).toEqual(task);
  expect(seen.slice(1).map(({ body }) => JSON.parse(body).method)).toEqual(['GetTask', 'CancelTask']);
  expectTypeOf(client.getTask).returns.resolves.toEqualTypeOf<Task>();
  // A task in place of a stream is read as its only event.
  const { value: event } = await client.subscribeToTask({ id: 't1' })[Symbol.asyncIterator]().next();
  expect(event).toMatchObject({ task: { id: 't1' } });
});

it('connect shows credentials as the card wants them', async () => {
  const { url, seen } = await agent((origin) =>
    card([rpc(origin)], {
      securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'X-Weather-Key' } } },
    }),
  );
  let asked = 0;
  const client = await open(url, { apiKey: 'k', bearer: async () => `t${++asked}`, headers: { 'X-Team': 'a' } });
  await client.send('x');
  expect(seen[0]?.headers).toMatchObject({ 'x-api-key': 'k', authorization: 'Bearer t1', 'x-team': 'a' });
  expect(seen[1]?.headers).toMatchObject({ 'x-weather-key': 'k', authorization: 'Bearer t2', 'x-team': 'a' });
});

it('connect follows the slash that servers add to URLs, and to no other place', async () => {
  const { url, seen } = await agent((origin) => card([rpc(`${origin}/a2a`), rest(`${origin}/rest`)]));
  const front = await serve((req, res) => {
    const own = req.url === '/a2a' || req.url?.startsWith('/rest');
    const location = own ? (req.url === '/a2a' ? '/a2a/' : `${url}${req.url}`) : undefined;
    if (location !== undefined) res.writeHead(307, { location }).end();
    else if (req.method === 'GET') sendJson(res, card([rpc(`${front}/a2a`), rest(`${front}/rest`)]));
    else bodyOf(req).then((body) => sendJson(res, { jsonrpc: '2.0', id: JSON.parse(body).id, result: { task } }));
  });
  expect(await (await open(front)).send('hello')).toEqual({ task });
  const elsewhere = await open(front, { via: 'rest', bearer: 'secret' });
  await expect(elsewhere.send('hello')).rejects.toThrow(
    /redirects to http.*, which is another origin and gets no calls.* \(HTTP 307\)/,
  );
  expect(seen).toEqual([]);
});

it('connect keeps credentials from another host that a card names', async () => {
  const other = await agent(() => undefined);
  const { url } = await agent(() => card([rpc(other.url.replace('127.0.0.1', 'localhost'))]));
  const client = await open(url, { bearer: 'secret' });
  expect(client.notes).toEqual([expect.stringMatching(/^credentials are held back from localhost:\d+/)]);
  await client.send('x').catch(() => {});
  expect(JSON.stringify(other.seen)).not.toContain('secret');
  const trusting = await open(url, { bearer: 'secret', trustedHosts: ['localhost'] });
  expect(trusting.notes).toEqual([]);
});

it('connect follows redirects to a card without carrying credentials to another host', async () => {
  const there = await agent((origin) => card([rpc(origin)]));
  const target = `${there.url.replace('127.0.0.1', 'localhost')}${cardPath}`;
  const here = await serve((_, res) => res.writeHead(302, { location: target }).end());
  const client = await open(here, { bearer: 'secret' }).catch((error: A2AError) => error);
  expect(JSON.stringify(there.seen)).not.toContain('secret');
  if (client instanceof A2AError) expect(client.kind).toBe('upstreamUnreachable');
  const loop = await serve((req, res) => res.writeHead(302, { location: req.url }).end());
  await expect(open(loop)).rejects.toThrow('redirects too often');
});

it.each<[what: string, status: number, body: string, kind: string, says: RegExp]>([
  ['a web page', 200, '<html>', 'invalidAgentResponse', /not an agent card/],
  ['a card that is none', 200, '{"name":"x"}', 'invalidAgentResponse', /is not valid: it lacks the members of a card/],
  ['a locked door', 401, '', 'unauthenticated', /asks for credentials/],
  ['a closed door', 403, '', 'permissionDenied', /denies access/],
  ['nothing', 500, '', 'agentNotFound', /HTTP 500/],
  ['a huge card', 200, `{"name":"${'x'.repeat(2 << 20)}"}`, 'invalidAgentResponse', /larger/],
])('connect says what is wrong with %s', async (_, status, body, kind, says) => {
  const url = await serve((_, res) => res.writeHead(status, { 'content-type': 'application/json' }).end(body));
  await expect(open(url)).rejects.toMatchObject({ kind, message: expect.stringMatching(says) });
});

it('connect reports a closed port, and gives up in time', async () => {
  const url = await closedPortUrl();
  await expect(open(url)).rejects.toThrow(`cannot reach ${url}: connection refused`);
  const mute = await serve(() => {});
  await expect(open(mute, { cardTimeout: 40 })).rejects.toMatchObject({ kind: 'upstreamTimeout' });
  await expect(open(mute, { signal: AbortSignal.timeout(40) })).rejects.toMatchObject({ kind: 'deadlineExceeded' });
});

it.each([
  ['localhost:8080', 'http://localhost:8080/'],
  ['127.0.0.1', 'http://127.0.0.1/'],
  ['[::1]:1/demo', 'http://[::1]:1/demo'],
  ['agents.example.com/demo', 'https://agents.example.com/demo'],
  ['http://a.example/#x', 'http://a.example/'],
])('the target %s is %s', (target, url) => expect(parseTarget(target).href).toBe(url));

it.each(['', 'ftp://x', 'http://', 'file:///etc/passwd'])('%s is no target', (target) =>
  expect(() => parseTarget(target)).toThrow(/is not the URL of an agent/),
);
