import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defaultConfig } from '../../../src/config/index.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { defineAgent, status } from '../../../src/index.ts';
import { openGateway, startGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';
import { bodyOf } from '../../support/peer.ts';
import { peerRow } from '../../support/peer-row.ts';
import { modernTools, toolsAt } from './client.ts';

peerRow({
  software: 'SDK 1 of MCP for TypeScript (`@modelcontextprotocol/sdk`)',
  version: { npm: '@modelcontextprotocol/sdk' },
  role: 'client',
  speaks: 'MCP 2025-11-25: streamable HTTP, stdio',
  does: 'offers agents as tools',
});
peerRow({
  software: 'SDK 2 of MCP for TypeScript (`@modelcontextprotocol/client`)',
  version: { npm: '@modelcontextprotocol/client' },
  role: 'client',
  speaks: 'MCP 2026-07-28: streamable HTTP, stdio',
  does: 'offers agents as tools',
});

/** The rules of streamable HTTP (transports of MCP 2025-11-25 and of 2026-07-28), and what is not as they say. */

const gateway = await startGateway({ settings: 'limits: { body: 10KiB }\n' });

const accept = 'application/json, text/event-stream';

function post(body: unknown, headers: Record<string, string> = {}, path = '/demo/mcp'): Promise<Response> {
  return fetch(gateway.origin + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: accept, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(paced(10_000)),
  });
}

const rpc = (method: string, params?: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
const callOf = (name: string, given: object, id: unknown = 1) => rpc('tools/call', { name, arguments: given }, id);

it('a request needs no session, and no beginning', async () => {
  const answer = await post(rpc('tools/list'));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('x-request-id')).toBeTruthy();
  expect(await answer.json()).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  const called = await post(callOf('echo', { message: 'good day' }, 'seven'));
  expect(called.headers.get('content-type')).toBe('text/event-stream');
  const [, data] = /data: (.*)/.exec(await called.text()) ?? [];
  expect(JSON.parse(data as string)).toMatchObject({
    id: 'seven',
    result: { structuredContent: { text: 'good day' } },
  });
});

it('a request that begins gets an id, and the version that it requested', async () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const answer = await post(rpc('initialize', params));
  expect(answer.headers.get('mcp-session-id')).toMatch(/^[\x21-\x7e]{20,}$/);
  expect(await answer.json()).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
  const newest = await post(rpc('initialize', { ...params, protocolVersion: '2999-01-01' }));
  expect(await newest.json()).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
});

it('a request of a session that another gateway has begun is served', async () => {
  const answer = await post(rpc('tools/list'), { 'Mcp-Session-Id': 'made-elsewhere' });
  expect(answer.status).toBe(200);
});

it('a request may be a notification or an answer', async () => {
  for (const body of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]) {
    const answer = await post(body);
    expect(answer.status).toBe(202);
    expect(await answer.text()).toBe('');
  }
});

it.each([
  ['no JSON', '{', 400, -32700],
  ['nothing', '', 400, -32700],
  ['a batch', [rpc('tools/list'), rpc('ping', {}, 2)], 400, -32600],
  ['no JSON-RPC', { method: 'tools/list', id: 1 }, 400, -32600],
  ['an unknown method', rpc('tools/burn'), 200, -32601],
  ['an unknown tool', callOf('nothing', {}), 200, -32602],
  ['no name of a tool', rpc('tools/call', {}), 200, -32602],
  ['arguments that are none', rpc('tools/call', { name: 'echo', arguments: [1] }), 200, -32602],
  ['too much', { ...rpc('tools/list'), more: 'x'.repeat(20_000) }, 413, -32600],
  ['a prototype', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{"a":1}}}', 400, -32700],
])('a request that is %s is refused', async (_, body, status, code) => {
  const answer = await post(body);
  expect(answer.status).toBe(status);
  expect(await answer.text()).toContain(`"code":${code}`);
});

it.each([
  [{ 'Content-Type': 'text/plain' }, 400],
  [{ 'MCP-Protocol-Version': '1999-01-01' }, 400],
  [{ Origin: 'https://evil.example' }, 403],
  [{ 'A2A-Hops': 'nine' }, 200],
])('a request with %j is answered with %i', async (headers, status) => {
  const answer = await post(rpc('tools/list'), headers as Record<string, string>);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ jsonrpc: '2.0' });
});

it.each([
  ['/nobody/mcp', 404, 'No such agent: nobody'],
  ['/mcp/demo', 404, 'No such path'],
  ['/demo/as/a2a-1.0/mcp', 404, 'No such path'],
])('a request at %s leads nowhere', async (path, status, words) => {
  const answer = await post(rpc('tools/list'), {}, path);
  expect(answer.status).toBe(status);
  expect(await answer.text()).toContain(words);
});

it('a request that came in a circle is refused', async () => {
  const byHeader = await post(callOf('echo', { message: 'hi' }), { 'A2A-Hops': '9' });
  expect(await byHeader.text()).toContain('has passed more than 8 gateways');
  const { call } = await toolsAt(`${gateway.origin}/demo/mcp`);
  const byMeta = await call('echo', { message: 'hi' }, { _meta: { 'a2a-gateway/hops': 9 } });
  expect(byMeta.text).toContain('has passed more than 8 gateways');
});

it('a request with another verb is refused', async () => {
  const put = await fetch(`${gateway.origin}/demo/mcp`, { method: 'PUT' });
  expect(put.status).toBe(405);
  expect(put.headers.get('allow')).toBe('GET, POST');
  const trace = request(`${gateway.origin}/demo/mcp`, { method: 'TRACE' }).end();
  const [{ statusCode }] = (await once(trace, 'response')) as [IncomingMessage];
  expect(statusCode).toBe(405);
  const get = await fetch(`${gateway.origin}/demo/mcp`, { headers: { Accept: 'text/html, */*;q=0.8' } });
  expect(get.status).toBe(406);
  const gone = await fetch(`${gateway.origin}/demo/mcp`, { method: 'DELETE', headers: { 'Mcp-Session-Id': 'x' } });
  expect(gone.status).toBe(405);
});

const version = '2026-07-28';
const modernEcho = { 'MCP-Protocol-Version': version, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' };

/** Sends a request with exactly these headers: `fetch` adds `Accept` where there is none. */
async function sendBare(method: string, headers: Record<string, string>, body?: object): Promise<IncomingMessage> {
  const sent = request(`${gateway.origin}/demo/mcp`, { method, headers });
  sent.end(body && JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

describe.each<[string, Record<string, string>]>([
  ['takes any media type', { Accept: '*/*' }],
  ['names no media type', {}],
  ['takes JSON alone', { Accept: 'application/json' }],
  ['refuses event streams', { Accept: 'application/json, text/event-stream;q=0' }],
  ['takes JSON in any spelling', { Accept: 'Application/JSON; charset=utf-8' }],
])('a client that %s', (label, accepted) => {
  const json = { 'Content-Type': 'application/json' };

  it.each([
    ['of 2025-11-25', {}, {}],
    [
      'of 2026-07-28',
      modernEcho,
      {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    ],
  ])(
    `a client that ${label} gets the result of a call %s as one JSON object`,
    async (_, own: Record<string, string>, meta) => {
      const params = { name: 'echo', arguments: { message: 'good day' }, _meta: { ...meta, progressToken: 1 } };
      const headers = { ...json, ...accepted, ...own };
      const answer = await sendBare('POST', headers, rpc('tools/call', params));
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(JSON.parse(await bodyOf(answer))).toMatchObject({
        id: 1,
        result: { structuredContent: { text: 'good day' } },
      });
    },
  );
});

it('a client that takes event streams alone gets the result of a call as a stream', async () => {
  const headers = { 'Content-Type': 'application/json', Accept: 'text/event-stream' };
  const answer = await sendBare('POST', headers, callOf('echo', { message: 'good day' }));
  expect(answer.headers['content-type']).toBe('text/event-stream');
  expect(await bodyOf(answer)).toContain('good day');
});

it.each([[{ Accept: '*/*' }], [{}], [{ Accept: 'application/json, text/plain, */*' }]])(
  'a client with %j gets the stream of changes by GET',
  async (headers) => {
    const answer = await sendBare('GET', headers as Record<string, string>);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/event-stream');
    answer.destroy();
  },
);

describe('a request of 2026-07-28', () => {
  const meta = (protocolVersion: string) => ({
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientCapabilities': {},
  });
  const modern = (method: string, params: object = {}, own: Record<string, string> = {}, claimed = version) =>
    post(rpc(method, { ...params, _meta: meta(claimed) }), {
      'MCP-Protocol-Version': claimed,
      'Mcp-Method': method,
      ...own,
    });

  it('a request of 2026-07-28 learns versions, capabilities and instructions without a session', async () => {
    const answer = await modern('server/discover');
    expect(answer.headers.get('mcp-session-id')).toBeNull();
    expect(await answer.json()).toMatchObject({
      id: 1,
      result: {
        supportedVersions: [version],
        capabilities: { tools: { listChanged: true } },
        instructions: expect.stringContaining('get_task'),
      },
    });
  });

  it.each<[string, () => Promise<Response>, number, number]>([
    ['of another version', () => modern('tools/list', {}, {}, '2099-01-01'), 400, -32022],
    ['without its version in a header', () => modern('tools/list', {}, { 'MCP-Protocol-Version': '' }), 400, -32020],
    ['with the header of another method', () => modern('tools/list', {}, { 'Mcp-Method': 'tools/call' }), 400, -32020],
    [
      'with an older version in its header',
      () => modern('tools/list', {}, { 'MCP-Protocol-Version': '2025-11-25' }),
      400,
      -32020,
    ],
    ['with an older version in its envelope', () => modern('tools/list', {}, {}, '2025-11-25'), 400, -32022],
    [
      'without an envelope',
      () => post(rpc('tools/list'), { 'MCP-Protocol-Version': version, 'Mcp-Method': 'tools/list' }),
      400,
      -32602,
    ],
    [
      'that begins as earlier versions do',
      () =>
        post(
          rpc('initialize', { protocolVersion: version, capabilities: {}, clientInfo: { name: 'a', version: '1' } }),
          { 'MCP-Protocol-Version': version },
        ),
      400,
      -32020,
    ],
    ['for an unknown method', () => modern('tools/burn'), 404, -32601],
    ['for an unknown tool', () => modern('tools/call', { name: 'nothing' }, { 'Mcp-Name': 'nothing' }), 200, -32602],
  ])('a request of 2026-07-28 is refused: %s', async (_, send, status, code) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    const text = await answer.text();
    const isStream = answer.headers.get('content-type') === 'text/event-stream';
    expect(JSON.parse(isStream ? text.replace(/^event: message\ndata: /, '') : text)).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      error: { code },
    });
  });

  it('a request of 2026-07-28 that calls a tool is answered with a stream, whose head does not wait for the result', async () => {
    const answer = await modern('tools/call', { name: 'echo', arguments: { message: 'hi' } }, { 'Mcp-Name': 'echo' });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(await answer.text()).toContain('"text":"hi"');
  });

  it('a request of 2026-07-28 that came in a circle is refused', async () => {
    const { call } = await modernTools(`${gateway.origin}/demo/mcp`);
    const { text } = await call('echo', { message: 'hi' }, { _meta: { 'a2a-gateway/hops': 9 } });
    expect(text).toContain('has passed more than 8 gateways');
  });

  it('a request of 2026-07-28 ends its own wait when its connection is closed, and nothing else', async () => {
    const { call } = await modernTools(`${gateway.origin}/demo/mcp`);
    const giveUp = new AbortController();
    const onprogress = (): void => giveUp.abort('enough');
    await expect(call('echo', { message: 'wait' }, { signal: giveUp.signal, onprogress })).rejects.toThrow('enough');
    const tasks = (await call('list_tasks', { state: 'working' })).structured.tasks as { task_id: string }[];
    expect(tasks).toHaveLength(1);
    expect((await call('cancel_task', { task_id: tasks[0]?.task_id })).structured.state).toBe('canceled');
  });
});

it('a client that cancels its call ends its own wait, and nothing else', async () => {
  const { call } = await toolsAt(`${gateway.origin}/demo/mcp`);
  const first = await post(callOf('echo', { message: 'wait' }, 5), { 'Mcp-Session-Id': 'a' });
  const second = await post(callOf('echo', { message: 'slow 400' }, 5), { 'Mcp-Session-Id': 'b' });
  const canceled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
  expect((await post(canceled, { 'Mcp-Session-Id': 'a' })).status).toBe(202);
  expect(await first.text()).not.toContain('data:');
  expect(await second.text()).toContain('Done after 400 ms.');
  const listed = await call('list_tasks', { state: 'working' });
  const [task] = listed.structured.tasks as { task_id: string }[];
  expect((await call('cancel_task', { task_id: task?.task_id })).structured.state).toBe('canceled');
});

it('a client that cancels its call is understood in the way of the official one', async () => {
  const { call } = await toolsAt(`${gateway.origin}/hello/mcp`);
  const { call: ask } = await toolsAt(`${gateway.origin}/demo/mcp`);
  const giveUp = new AbortController();
  const onprogress = (): void => giveUp.abort('enough');
  const waiting = ask('echo', { message: 'wait' }, { signal: giveUp.signal, onprogress });
  await expect(waiting).rejects.toThrow('enough');
  const listed = await ask('list_tasks', { state: 'working' });
  const tasks = listed.structured.tasks as { task_id: string }[];
  expect(tasks).toHaveLength(1);
  await ask('cancel_task', { task_id: tasks[0]?.task_id });
  expect((await call('list_tasks')).structured.tasks).toEqual([]);
});

it('a client that cancels its call may disconnect: the task continues', async () => {
  const leaving = new AbortController();
  const request = { method: 'POST', headers: { 'Content-Type': 'application/json', Accept: accept } };
  const body = JSON.stringify(callOf('echo', { message: 'slow 301' }));
  const answer = await fetch(`${gateway.origin}/demo/mcp`, { ...request, body, signal: leaving.signal });
  expect(answer.status).toBe(200);
  leaving.abort();
  const { call } = await toolsAt(`${gateway.origin}/demo/mcp`);
  const done = async (): Promise<string[]> => {
    const { tasks } = (await call('list_tasks', { state: 'completed' })).structured as {
      tasks: { task_id: string }[];
    };
    return Promise.all(tasks.map(async ({ task_id }) => (await call('get_task', { task_id })).text));
  };
  while (!(await done()).join('\n').includes('Done after 301 ms.'));
});

/** An agent that learns. */
function learner(): Agent & { learn(): void } {
  const description = { name: 'Learner', description: 'Learns.' };
  const skill = (id: string) => ({ id, name: id, description: id, tags: [] });
  const agent = defineAgent({
    ...description,
    skills: [skill('read')],
    async *execute() {
      yield status('TASK_STATE_WORKING');
      await new Promise(() => {});
    },
  });
  let { card } = agent;
  return {
    ...agent,
    get card() {
      return card;
    },
    learn() {
      card = { ...card, skills: [...card.skills, skill('write')] };
    },
  };
}

it('the MCP server says how long its lists may be kept, and by whom', async () => {
  const { client } = await modernTools(`${gateway.origin}/mcp`);
  expect(await client.listTools()).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' });
  const discovered = await client.request({ method: 'server/discover', params: {} }, z.looseObject({}));
  expect(discovered).toMatchObject({ ttlMs: 300_000, cacheScope: 'public', supportedVersions: ['2026-07-28'] });
});

it('a gateway of its own notifies of changed tools, and answers waiting calls when it stops', async () => {
  const agent = learner();
  const config = defaultConfig({ port: 0, store: 'memory:' });
  const { gateway: own, url } = await openGateway({ ...config, agents: new Map() }, { agents: { learner: agent } });
  const { client, names, call } = await toolsAt(`${url}/mcp`);
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
  });
  const modern = await modernTools(`${url}/mcp`);
  const structured = new Promise<void>((resolve) => {
    modern.client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
  });
  const subscription = await modern.client.listen({ toolsListChanged: true });
  expect(await names()).not.toContain('learner__write');
  agent.learn();
  await Promise.all([changed, structured]);
  expect(await modern.names()).toContain('learner__write');
  expect(await names()).toContain('learner__write');

  const waiting = call('learner__read', { message: 'go' }, { timeout: paced(15_000) });
  while (((await call('list_tasks', { state: 'working' })).structured.tasks as unknown[]).length === 0);
  const closing = own.close({ drainMs: 100 });
  const { structured: current, text } = await waiting;
  expect(current).toMatchObject({ state: 'working', task_id: expect.any(String) });
  expect(text).toContain('call get_task');
  expect(await subscription.closed).toBe('graceful');
  await closing;
});
