import { describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { connect } from '../../../src/client/index.ts';
import { askAdmin } from '../../support/admin.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

/** Counts of the admin service: calls by agent and by caller, and fields that conversions drop. */

const json = { 'content-type': 'application/json' };

/** Calls a method of JSON-RPC; the answer's result or error. */
async function call(url: string, method: string, params: object, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { ...json, ...headers }, body });
  return (await response.json()) as { result?: { task?: { id: string } }; error?: { code: number } };
}

const v1 = { 'a2a-version': '1.0' };
const say = (text: string) => ({ message: { messageId: text, role: 'ROLE_USER', parts: [{ text }] } });

describe('agents', () => {
  const two = `
defaultAgent: demo
agents:
  demo: { kind: reference, knowledge: {} }
  idle: { kind: reference }
`;

  it('agents are listed with their kind, calls, failures, latency, tasks in memory and knowledge', async () => {
    const { url } = await openGateway(two);
    const [fresh, idle] = (await askAdmin(url, 'ListAgents', {})).agents ?? [];
    expect(fresh).toMatchObject({
      name: 'demo',
      isDefault: true,
      kind: 'reference',
      state: 'ok',
      calls: 0,
      liveTasks: 0,
    });
    expect(fresh).not.toHaveProperty('latencyMedianMs');
    expect(fresh?.queryLanguages).toContain('graphql');
    expect(fresh?.knowledge).toBe(true);
    expect(idle).toMatchObject({ name: 'idle', isDefault: false, knowledge: false, queryLanguages: [] });

    for (let at = 0; at < 3; at += 1) await call(url, 'SendMessage', say('say hello'), v1);
    await call(url, 'GetTask', { id: 'none' }, v1);
    const waiting = await connect(url);
    afterTest(() => waiting.close());
    const stream = waiting.sendStream('wait')[Symbol.asyncIterator]();
    await stream.next();
    const [used, unused] = (await askAdmin(url, 'ListAgents', {})).agents ?? [];
    expect(used).toMatchObject({ calls: 5, failedCalls: 1, liveTasks: 1 });
    expect(used?.latencyMedianMs).toBeGreaterThan(0);
    expect(Number(used?.latencyP95Ms)).toBeGreaterThanOrEqual(Number(used?.latencyMedianMs));
    expect(unused).toMatchObject({ calls: 0, failedCalls: 0, liveTasks: 0 });
    await stream.return?.();
  });

  it('agents that are upstream have a URL, a dialect, a binding, a breaker and the age of their card', async () => {
    const upstream = await openGateway('agents: { demo: { kind: reference } }');
    const began = Date.now();
    const { url } = await openGateway(`agents: { far: { kind: upstream, url: "${upstream.url}" } }`);
    const far = async () => (await askAdmin(url, 'ListAgents', {})).agents?.[0];
    await expect.poll(async () => (await far())?.state).toBe('ok');
    expect(await far()).toMatchObject({
      kind: 'upstream',
      dialect: 'a2a-1.0',
      breaker: 'closed',
      url: expect.stringContaining(upstream.url),
      binding: expect.any(String),
    });
    const readAt = Date.parse((await far())?.cardReadAt ?? '');
    expect(readAt).toBeGreaterThanOrEqual(began);
    expect(readAt).toBeLessThanOrEqual(Date.now());
  });
});

describe('callers', () => {
  const keys = { alice: newKey(), bob: newKey(), operator: newKey() };
  const settings = `
agents: { demo: { kind: reference } }
auth:
  anonymous: false
  apiKeys:
    - { name: alice, hash: "${keys.alice.hash}" }
    - { name: bob, hash: "${keys.bob.hash}", scopes: ["tasks:read"] }
    - { name: operator, hash: "${keys.operator.hash}", scopes: [admin] }
`;

  it('callers are listed with their calls and their last one, the latest first, and those that never called', async () => {
    const { url } = await openGateway(settings);
    const began = Date.now();
    const asOperator = { 'x-api-key': keys.operator.key };
    const asAlice = { 'x-api-key': keys.alice.key };
    await call(url, 'SendMessage', say('say hello'), { ...v1, ...asAlice });
    await call(url, 'tasks/get', { id: 'none' }, asAlice);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { callers = [], since, completeSince } = await askAdmin(url, 'ListCallers', {}, asOperator);
    expect(Date.parse(since ?? '')).toBeLessThanOrEqual(began);
    expect(completeSince).toBe(since);
    // Requests of a console are not counted as a caller's.
    expect(callers.map(({ principal }) => principal)).toEqual(['key:alice', 'key:bob', 'key:operator']);
    const [alice, bob] = callers;
    expect(alice).toMatchObject({
      calls: 2,
      failedCalls: 1,
      configured: true,
      scopes: [],
      lastOperation: 'GetTask',
      lastAgent: 'demo',
      lastDialect: 'a2a-0.3',
      lastBinding: 'jsonrpc',
    });
    expect(Date.parse(alice?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(began);
    expect(bob).toMatchObject({ configured: true, scopes: ['tasks:read'] });
    expect(bob).not.toHaveProperty('lastUsedAt');
  });
});

it('losses are counted by dialect and field, those of requests and of answers', async () => {
  const { url } = await openGateway('agents: { demo: { kind: reference } }');
  expect((await askAdmin(url, 'ListLosses', {})).losses ?? []).toEqual([]);
  const rich = { text: 'hi', mediaType: 'text/markdown', filename: 'hi.md' };
  const { result } = await call(url, 'SendMessage', { message: { ...say('rich').message, parts: [rich] } }, v1);
  expect((await askAdmin(url, 'ListLosses', {})).losses ?? []).toEqual([]);
  const began = Date.now();
  for (const dialect of ['a2a-0.3', 'a2a-0.3', 'agentvault-0.2']) {
    await call(`${url}/as/${dialect}`, 'tasks/get', { id: result?.task?.id, historyLength: 5 });
  }
  const { losses = [] } = await askAdmin(url, 'ListLosses', {});
  const counts = losses.map(({ dialect, path, count }) => [dialect, path, count]);
  expect(counts).toContainEqual(['a2a-0.3', 'history.parts.filename', 2]);
  expect(counts).toContainEqual(['agentvault-0.2', 'history.parts.filename', 1]);
  expect(counts.map(([, , count]) => count)).toEqual(
    counts
      .map(([, , count]) => count)
      .sort()
      .reverse(),
  );
  for (const { lastAt = '', ...loss } of losses) {
    expect(loss).toMatchObject({ lastAgent: 'demo', ofAgent: false, lastPrincipal: 'anonymous' });
    expect(loss.lastTask).toBe(result?.task?.id);
    expect(Date.parse(lastAt)).toBeGreaterThanOrEqual(began);
  }
});

it('losses say whose dialect cannot express a field, and name the call that lost it last', async () => {
  const far = await openGateway('agents: { demo: { kind: reference } }');
  const vault = `${far.url}/demo/as/agentvault-0.2`;
  const { url } = await openGateway(
    `agents: { vault: { kind: upstream, url: "${vault}", dialect: agentvault-0.2, transport: jsonrpc } }`,
  );
  const parts = [{ text: 'say hello', filename: 'hello.md' }];
  const headers = { ...v1, 'x-request-id': 'request-of-alice' };
  const { result } = await call(url, 'SendMessage', { message: { ...say('m').message, parts } }, headers);
  const { losses = [] } = await askAdmin(url, 'ListLosses', {});
  expect(losses).toContainEqual({
    dialect: 'agentvault-0.2',
    ofAgent: true,
    path: 'message.parts.filename',
    count: 1,
    lastAgent: 'vault',
    lastPrincipal: 'anonymous',
    lastTask: result?.task?.id,
    lastRequestId: 'request-of-alice',
    lastAt: expect.any(String),
  });
  expect(losses.filter(({ dialect }) => dialect === 'a2a-1.0')).toEqual([]);
  const { calls = [] } = await askAdmin(url, 'ListCalls', { requestId: losses[0]?.lastRequestId ?? '' });
  expect(calls).toMatchObject([{ lossPaths: losses.map(({ path }) => path), taskKey: result?.task?.id }]);
});
