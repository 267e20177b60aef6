import { connect as connectTcp } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { connect } from '../../../src/client/index.ts';
import type { AskReplicas } from '../../../src/core/cluster/ask-replicas.ts';
import { CallWatch } from '../../../src/extensions/calls/handlers.ts';
import type { CallEvent, CallSummary, ListCallsRequest, ListCallsResponse } from '../../../src/gen/admin-v1/types.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';

/** Calls as operators see them: the latest, failed ones, and requests that did not become a call. */

const alice = newKey();
const operator = newKey();
const asAlice = { 'x-api-key': alice.key };
const asOperator = { 'x-api-key': operator.key };
let gateway: Opened;
let url: string;

beforeAll(async () => {
  gateway = await openGateway(`
auth:
  anonymous: false
  apiKeys:
    - { name: alice, hash: "${alice.hash}" }
    - { name: operator, hash: "${operator.hash}", scopes: [admin, tasks] }
agents:
  demo: { kind: reference }
  dead: { kind: upstream, url: "http://127.0.0.1:9", keep: none }
defaultAgent: demo
`);
  ({ url } = gateway);
});

const list = async (request: ListCallsRequest = {}): Promise<CallSummary[]> =>
  (await askAdmin(url, 'ListCalls', request, asOperator)).calls ?? [];

/** The first call that matches, as soon as its answer has left. */
async function called(request: ListCallsRequest): Promise<CallSummary> {
  for (;;) {
    const [call] = await list(request);
    if (call?.status) return call;
  }
}

const json = { 'content-type': 'application/json' };
const v1 = { 'a2a-version': '1.0' };
const message = (text: string) => ({ messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] });

async function rpc(path: string, method: string, params: object, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(`${url}${path}`, { method: 'POST', headers: { ...json, ...asAlice, ...headers }, body });
  return {
    status: response.status,
    id: response.headers.get('x-request-id') ?? '',
    body: (await response.json()) as { result: { task: { id: string } } },
  };
}

test('a call is listed with its caller, address, way, task, duration and trace', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
  const sent = await rpc('/', 'SendMessage', { message: message('hello') }, { ...v1, traceparent });
  const call = await called({ requestId: sent.id });
  expect(await list({ requestId: sent.id })).toEqual([call]);
  const { id } = sent.body.result.task;
  expect(call).toMatchObject({
    principal: 'key:alice',
    address: '127.0.0.1',
    agent: 'demo',
    operation: 'SendMessage',
    dialect: 'a2a-1.0',
    binding: 'jsonrpc',
    status: '200',
    taskId: id,
    taskKey: id,
    traceId: trace,
  });
  expect(call.durationMs).toBeGreaterThan(0);
  expect(call.error ?? '').toBe('');
  expect(await list({ taskId: id })).toEqual([call]);
  expect(await list({ requestId: trace })).toContainEqual(call);
});

test('a call is listed once its stream is over, with the number of its events', async () => {
  for (const via of ['jsonrpc', 'rest', 'grpc', 'connect'] as const) {
    const client = await connect(url, { via, headers: asAlice });
    let taskId = '';
    let events = 0;
    for await (const event of client.sendStream('stream 3 0')) {
      taskId ||= event.task?.id ?? '';
      events += 1;
    }
    await client.close();
    const call = await called({ taskId, operation: 'SendStreamingMessage' });
    expect(call).toMatchObject({ binding: via, events, status: via === 'grpc' ? 'OK' : '200' });
  }
});

test('a call names what conversions to an older dialect dropped', async () => {
  const rich = { ...message('rich'), parts: [{ text: 'hi', mediaType: 'text/markdown', filename: 'hi.md' }] };
  const { body } = await rpc('/', 'SendMessage', { message: rich }, v1);
  const got = await rpc('/as/a2a-0.3', 'tasks/get', { id: body.result.task.id, historyLength: 5 });
  const [call] = await list({ requestId: got.id });
  expect(call?.losses).toBeGreaterThan(0);
  expect(call?.lossPaths).toContain('history.parts.filename');
});

describe('a failed call says what the caller saw, and why', () => {
  /** Calls over a binding, and finds the call. */
  async function failing(path: string, via: 'jsonrpc' | 'rest' | 'grpc' | 'connect', id: string): Promise<CallSummary> {
    const client = await connect(`${url}${path}`, { via, headers: asAlice });
    await expect(client.getTask({ id })).rejects.toThrow();
    await client.close();
    return called({ failed: true, taskId: id });
  }

  test.each([
    ['jsonrpc', '200', '200'],
    ['rest', '404', '502'],
    ['grpc', 'NOT_FOUND', 'UNAVAILABLE'],
    ['connect', '404', '503'],
  ] as const)('a failed call over %s says what the caller saw, and why', async (via, statusOfUnknown, statusOfDead) => {
    expect(await failing('', via, `none-${via}`)).toMatchObject({
      principal: 'key:alice',
      binding: via,
      operation: 'GetTask',
      status: statusOfUnknown,
      error: 'taskNotFound',
      reason: expect.stringContaining('Task not found'),
    });
    expect(await failing('/dead', via, `lost-${via}`)).toMatchObject({
      agent: 'dead',
      binding: via,
      status: statusOfDead,
      error: 'upstreamUnreachable',
      address: '127.0.0.1',
      reason: expect.stringMatching(/./),
    });
  });
});

test('a request that becomes no call is listed with wrong credentials', async () => {
  const { id } = await rpc('/', 'SendMessage', {}, { ...v1, 'x-api-key': 'wrong' });
  const call = await called({ requestId: id });
  expect(call).toMatchObject({ error: 'unauthenticated', binding: 'jsonrpc', address: '127.0.0.1' });
  expect(call.principal ?? '').toBe('');
  expect(call.durationMs).toBeUndefined();
});

test('a request that becomes no call is listed with a body that is no JSON, and with wrong parameters', async () => {
  const headers = { ...json, ...asAlice, ...v1 };
  const malformed = await fetch(`${url}/message:send`, { method: 'POST', headers, body: '{' });
  const one = await called({ requestId: malformed.headers.get('x-request-id') ?? '' });
  expect(one).toMatchObject({ error: 'parse', binding: 'rest', status: '400', principal: 'key:alice' });
  const { id } = await rpc('/', 'SendMessage', {}, v1);
  const other = await called({ requestId: id });
  expect(other).toMatchObject({
    error: 'invalidParams',
    operation: 'SendMessage',
    dialect: 'a2a-1.0',
    status: '200',
  });
  expect(other.reason).toContain('message');
});

test('a request that becomes no call is listed of an agent that does not exist, and of what is no HTTP', async () => {
  const { id, status } = await rpc('/nobody', 'SendMessage', {}, v1);
  expect(await called({ requestId: id })).toMatchObject({ error: 'agentNotFound', status: `${status}` });
  const socket = connectTcp(Number(new URL(url).port), '127.0.0.1', () => socket.end('HELLO\r\n\r\n'));
  await new Promise((resolve) => socket.on('close', resolve).resume());
  expect(await called({ binding: 'other', error: 'invalidRequest' })).toMatchObject({ status: '400' });
});

test('a request that becomes no call is listed over gRPC, with the code that the caller got', async () => {
  const client = await connect(url, { via: 'grpc', headers: { 'x-api-key': 'wrong' } });
  await expect(client.getTask({ id: 'none' })).rejects.toMatchObject({ kind: 'unauthenticated' });
  await client.close();
  expect(await called({ binding: 'grpc', error: 'unauthenticated' })).toMatchObject({
    status: 'UNAUTHENTICATED',
    operation: 'GetTask',
    address: '127.0.0.1',
  });
});

test('a list of calls has pages, from the latest call to the first', async () => {
  for (let at = 0; at < 5; at += 1) await rpc('/', 'GetTask', { id: `page-${at}` }, v1);
  const wanted = { text: 'PAGE-', operation: 'GetTask', pageSize: 2 };
  const seen: CallSummary[] = [];
  for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
    const page: ListCallsResponse = await askAdmin(url, 'ListCalls', { ...wanted, pageToken }, asOperator);
    seen.push(...(page.calls ?? []));
    pageToken = page.nextPageToken || undefined;
  }
  expect(seen.map(({ taskId }) => taskId).toSorted()).toEqual([0, 1, 2, 3, 4].map((at) => `page-${at}`));
  // Times are exact to a millisecond, in which several calls may arrive.
  const times = seen.map(({ time }) => time);
  expect(times).toEqual(times.toSorted().reverse());
});

test('a list of calls has what operators change, and nothing of what they only read', async () => {
  await askAdmin(url, 'SetAgentMode', { name: 'demo', mode: 'AGENT_MODE_ENABLED' }, asOperator);
  await askAdmin(url, 'ListAgents', {}, asOperator);
  const operations = (await list({ principal: 'key:operator' })).map(({ operation }) => operation);
  expect(operations).toContain('SetAgentMode');
  expect(operations).not.toContain('ListAgents');
  expect(operations).not.toContain('ListCalls');
});

test.each([
  ['pageToken', 'x'],
  ['pageToken', `${2n ** 63n}_abcdef01-1`],
  ['after', 'x'],
  ['pageSize', 501],
])('a list of calls refuses a wrong %s and names it', async (field, value) => {
  const error = await list({ [field]: value }).then(undefined, (thrown) => thrown);
  expect(JSON.stringify(error.data)).toContain(`"field":"${field}"`);
});

test('a list of calls stays small and without control characters when a caller is hostile', async () => {
  const evil = `\u202e\u0007<b>${'x'.repeat(100_000)}`;
  const { id } = await rpc('/', 'GetTask', { id: evil }, v1);
  const call = await called({ requestId: id });
  expect(JSON.stringify(call).length).toBeLessThan(2_000);
  for (const control of ['\u0007', '\u202e']) expect(call.reason).not.toContain(control);
});

test('calls are watched as they end, those that match', async () => {
  const end = new AbortController();
  const { stream } = callsOf(url, asOperator);
  const events = stream<CallEvent>('/admin/v1/calls:watch?failed=true&text=watched', { signal: end.signal });
  const first = events.next();
  let seen: CallEvent | undefined;
  void first.then(({ value }) => {
    seen = value?.event;
  });
  // The stream begins with its first event, so that a call before it has begun is not in it.
  while (!seen) {
    await rpc('/', 'GetTask', { id: 'watched' }, v1);
    await rpc('/', 'SendMessage', { message: message('watched') }, v1);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(seen.call).toMatchObject({ taskId: 'watched', error: 'taskNotFound', operation: 'GetTask' });
  end.abort();
});

test('a stream without a call yet resumes from its begin, by the clock that dates calls', async () => {
  const behind = Date.now() - 600_000;
  const ask: AskReplicas = async () => ({ answers: [], missing: ['two'] });
  const watch = new CallWatch(ask, { now: () => behind, peers: { shared: false } });
  const events = watch.watch({}, () => {});
  const { value } = await events.next();
  expect(value).toMatchObject({ seq: behind, event: { missingReplicas: ['two'] } });
  await events.return();
});
