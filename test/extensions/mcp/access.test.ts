import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { ClientCredentialsProvider as MachineClient } from '@modelcontextprotocol/client';
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { silent } from '../../support/core.ts';
import { type Running, startGateway } from '../../support/gateway.ts';
import { modernTools, toolsAt } from './client.ts';

/** Access of callers over MCP. */

const [alice, bob, carol, dan, eve] = [newKey(), newKey(), newKey(), newKey(), newKey()];
const logged: object[] = [];
let gateway: Running;
beforeAll(async () => {
  gateway = await startGateway({
    logger: { ...silent, warn: (fields: object) => void logged.push(fields) },
    cors: ['https://console.example.com'],
    settings: `
  hosted: { kind: reference, hosts: [hosted.example.com] }
auth:
  anonymous: false
  apiKeys:
    - { name: alice, hash: "${alice.hash}", agents: [demo, hello] }
    - { name: bob, hash: "${bob.hash}", agents: [demo] }
    - { name: dan, hash: "${dan.hash}" }
    - { name: eve, hash: "${eve.hash}" }
  jwt: { issuer: https://idp.example.com, audience: a2a, jwksUrl: https://idp.example.com/jwks.json }
  tokenEndpoint: { clients: [{ id: carol, hash: "${carol.hash}", agents: [hello] }] }
limits: { requestsPerMinute: 40, streams: 1 }
`,
  });
});

const withKey = ({ key }: { key: string }) => ({ requestInit: { headers: { 'X-API-Key': key } } });

const list = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(gateway.origin + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });

it('a caller with a key is offered the agents that it may call, and calls them', async () => {
  const { names, call } = await toolsAt(`${gateway.origin}/mcp`, withKey(alice));
  const skills = (await names()).filter((name) => name.includes('__'));
  expect(skills).toEqual(['demo__echo', 'hello__greet']);
  expect((await call('demo__echo', { message: 'good day' })).structured.text).toBe('good day');
  const refused = await call('send_message', { agent: 'frugal', message: 'hi' });
  expect(refused.result.isError).toBe(true);
  expect(refused.text).toBe('Invalid arguments: agent must be one of demo, hello');
});

it('a caller with a key is refused where it may not go, before its body is read', async () => {
  const answer = await list('/hello/mcp', { 'X-API-Key': bob.key });
  expect(answer.status).toBe(403);
  expect(logged).toContainEqual(
    expect.objectContaining({
      security: 'authorization.denied',
      principal: expect.stringContaining('bob'),
      agent: 'hello',
    }),
  );
  expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } });
});

it("a caller with a key finds no other's task", async () => {
  const { call } = await toolsAt(`${gateway.origin}/demo/mcp`, withKey(alice));
  const { structured } = await call('send_message', { message: 'ask' });
  const others = await toolsAt(`${gateway.origin}/demo/mcp`, withKey(bob));
  for (const tool of ['get_task', 'cancel_task']) {
    const found = await others.call(tool, { task_id: structured.task_id });
    expect(found.result.isError).toBe(true);
    expect(found.text).toBe(`Task not found: ${structured.task_id}`);
  }
  expect((await others.call('list_tasks')).structured.tasks).toEqual([]);
});

it('a caller with a key has as many streams and requests as it may', async () => {
  const headers = { Accept: 'text/event-stream', 'X-API-Key': dan.key };
  const leaving = new AbortController();
  const first = await fetch(`${gateway.origin}/demo/mcp`, { headers, signal: leaving.signal });
  expect(first.status).toBe(200);
  const second = await fetch(`${gateway.origin}/demo/mcp`, { headers });
  expect(second.status).toBe(429);
  expect(second.headers.get('retry-after')).toBe('5');
  expect(await second.json()).toMatchObject({
    jsonrpc: '2.0',
    error: { message: expect.stringContaining('streams') },
  });
  leaving.abort();
  let answer = await list('/demo/mcp', { 'X-API-Key': dan.key });
  for (let count = 0; count < 50 && answer.status === 200; count += 1) {
    answer = await list('/demo/mcp', { 'X-API-Key': dan.key });
  }
  expect(answer.status).toBe(429);
  expect(logged).toContainEqual(
    expect.objectContaining({ security: 'limit.exceeded', principal: expect.stringContaining('dan') }),
  );
  expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', id: null });
});

describe('an agent with a Host of its own', () => {
  const listAt = (headers: Record<string, string>): Promise<string> =>
    new Promise((resolve, reject) => {
      const accept = 'application/json, text/event-stream';
      const all = { 'Content-Type': 'application/json', Accept: accept, Host: 'hosted.example.com', ...headers };
      const req = request(`${gateway.origin}/mcp`, { method: 'POST', headers: all }, (res) => {
        text(res).then(resolve, reject);
      });
      req.on('error', reject);
      req.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    });

  it('an agent with a Host of its own has its tools at the root, for those who may call it', async () => {
    const own = JSON.parse(await listAt({ 'X-API-Key': eve.key }));
    const names = own.result.tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['send_message', 'get_task', 'cancel_task', 'list_tasks', 'echo']);
    const none = JSON.parse(await listAt({ 'X-API-Key': alice.key }));
    expect(none.result.tools).toEqual([]);
  });
});

it.each(['/mcp', '/demo/mcp'])('a caller without credentials learns at %s where to get credentials', async (path) => {
  const answer = await list(path);
  expect(answer.status).toBe(401);
  const metadata = `${gateway.origin}/.well-known/oauth-protected-resource${path}`;
  const challenge = answer.headers.get('www-authenticate');
  expect(challenge).toContain(`Bearer realm="a2a-gateway", resource_metadata="${metadata}"`);
  expect(await answer.json()).toMatchObject({
    jsonrpc: '2.0',
    id: null,
    error: { message: 'Credentials are required' },
  });
  const structured = await fetch(metadata);
  expect(await structured.json()).toEqual({
    resource: gateway.origin + path,
    authorization_servers: ['https://idp.example.com', gateway.origin],
    bearer_methods_supported: ['header'],
  });
});

it('a caller without credentials finds no metadata of other paths', async () => {
  const structured = await fetch(`${gateway.origin}/.well-known/oauth-protected-resource/etc/passwd`);
  expect(structured.status).toBe(404);
});

it('a caller without credentials is refused as a page of a foreign origin, and may read the answer as a page of a configured origin', async () => {
  expect((await list('/mcp', { Origin: 'https://evil.example' })).status).toBe(403);
  const known = await list('/mcp', { Origin: 'https://console.example.com' });
  expect(known.status).toBe(401);
  expect(known.headers.get('access-control-expose-headers')).toMatch(/Mcp-Session-Id/);
  const asks = {
    Origin: 'https://console.example.com',
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'mcp-method, mcp-param-region, x-other',
  };
  const preflight = await fetch(`${gateway.origin}/mcp`, { method: 'OPTIONS', headers: asks });
  const allowed = preflight.headers.get('access-control-allow-headers');
  expect(allowed).toMatch(/Mcp-Session-Id, Mcp-Protocol-Version.*, mcp-param-region$/);
  expect(preflight.headers.get('access-control-allow-methods')).toMatch(/POST.*DELETE/);
});

it('clients learn which scopes to request from the identity provider', async () => {
  const jwt = 'issuer: https://idp.example.com, audience: a2a, jwksUrl: https://idp.example.com/jwks.json';
  const own = await startGateway({
    settings: `auth: { anonymous: false, jwt: { ${jwt}, clientScopes: ["api://gw/use", openid] } }`,
  });
  try {
    const answer = await fetch(`${own.origin}/mcp`, { method: 'POST' });
    const metadata = `${own.origin}/.well-known/oauth-protected-resource/mcp`;
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="a2a-gateway", resource_metadata="${metadata}", scope="api://gw/use openid"`,
    );
    expect(await (await fetch(metadata)).json()).toMatchObject({ scopes_supported: ['api://gw/use', 'openid'] });
  } finally {
    await own.close();
  }
});

describe('a token of the gateway that lacks something', () => {
  const [reader, writer] = [newKey(), newKey()];
  let own: Running;
  beforeAll(async () => {
    own = await startGateway({
      settings: `auth:
  anonymous: false
  apiKeys: [{ name: erin, hash: "${newKey().hash}" }]
  tokenEndpoint:
    clients:
      - { id: reader, hash: "${reader.hash}", scopes: ["tasks:read"] }
      - { id: writer, hash: "${writer.hash}", scopes: [tasks] }`,
    });
  });
  afterAll(() => own.close());
  const clientOf = (clientId: string, clientSecret: string, scope?: string) =>
    modernTools(`${own.origin}/mcp`, {
      authProvider: new MachineClient({ clientId, clientSecret, expectedIssuer: own.origin, ...(scope && { scope }) }),
    });

  it('a token of the gateway that lacks something is replaced by one with the scope, where the client may have one', async () => {
    const { call } = await clientOf('writer', writer.key, 'tasks:read');
    expect((await call('list_tasks', { agent: 'demo' })).result.isError).toBeUndefined();
    expect((await call('demo__echo', { message: 'hi' })).structured.text).toBe('hi');
  });

  it('a token of the gateway that was asked for one agent is not for another', async () => {
    const issued: string[] = [];
    const provider = new MachineClient({ clientId: 'writer', clientSecret: writer.key, expectedIssuer: own.origin });
    const saveTokens = provider.saveTokens.bind(provider);
    provider.saveTokens = (tokens) => {
      issued.push(tokens.access_token);
      saveTokens(tokens);
    };
    const { call } = await modernTools(`${own.origin}/hello/mcp`, { authProvider: provider });
    expect((await call('greet', { message: 'Ada' })).structured).toMatchObject({ agent: 'hello' });
    const headers = { Authorization: `Bearer ${issued[0]}`, 'Content-Type': 'application/json' };
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const other = await fetch(`${own.origin}/demo/mcp`, { method: 'POST', headers, body });
    expect(other.status).toBe(403);
  });

  it('a token of the gateway that lacks something gets 403 with the scope, and what needs another one is served', async () => {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'reader',
      client_secret: reader.key,
    });
    const issued = (await (await fetch(`${own.origin}/oauth/token`, { method: 'POST', body: form })).json()) as {
      access_token: string;
    };
    const answerTo = (name: string) =>
      fetch(`${own.origin}/demo/mcp`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          Authorization: `Bearer ${issued.access_token}`,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: {} } }),
      });
    expect((await answerTo('list_tasks')).status).toBe(200);
    const refused = await answerTo('echo');
    expect(refused.status).toBe(403);
    const metadata = `${own.origin}/.well-known/oauth-protected-resource/demo/mcp`;
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer realm="a2a-gateway", resource_metadata="${metadata}", error="insufficient_scope", scope="tasks"`,
    );
    expect(await refused.json()).toMatchObject({ id: 7, error: { message: 'The caller lacks the scope tasks' } });
  });
});

it('a client with a secret gets a token by itself', async () => {
  const key = newKey();
  const own = await startGateway({
    settings: `auth: { anonymous: false, tokenEndpoint: { clients: [{ id: dave, hash: "${key.hash}", agents: [hello] }] } }`,
  });
  try {
    const authProvider = new ClientCredentialsProvider({
      clientId: 'dave',
      clientSecret: key.key,
      expectedIssuer: own.origin,
    });
    const { names, call } = await toolsAt(`${own.origin}/mcp`, { authProvider });
    expect((await names()).filter((name) => name.includes('__'))).toEqual(['hello__greet']);
    expect((await call('hello__greet', { message: 'Ada' })).structured).toMatchObject({ agent: 'hello' });
  } finally {
    await own.close();
  }
});

it('a stream that a client listens to ends with its token', async () => {
  // The clock stands still, so that the token lasts until the stream is open, however long that takes.
  vi.useFakeTimers({ toFake: ['Date'] });
  const key = newKey();
  const own = await startGateway({
    settings: `auth: { anonymous: false, tokenEndpoint: { lifetime: 1h, clients: [{ id: fay, hash: "${key.hash}" }] } }`,
  });
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'fay', client_secret: key.key });
  const answer = await (await fetch(`${own.origin}/oauth/token`, { method: 'POST', body: form })).json();
  const { access_token: token } = answer as { access_token: string };
  const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${token}` };
  vi.setSystemTime(Date.now() + 3_598_000);
  const listening = await fetch(`${own.origin}/demo/mcp`, { headers });
  expect(listening.status).toBe(200);
  vi.setSystemTime(Date.now() + 3_000);
  // Resolves at the end of the stream, which nothing else ends.
  await listening.text();
  expect((await fetch(`${own.origin}/demo/mcp`, { headers })).status).toBe(401);
});
