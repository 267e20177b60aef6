import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { api as v1 } from '../../src/core/model/a2a.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { invokeOf } from '../../src/transports/rpc/mount.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { toolsAt } from '../extensions/mcp/client.ts';
import { contextFor } from '../support/core.ts';
import { openGateway } from '../support/gateway.ts';
import { RawGrpc, RawHttp } from '../support/raw.ts';
import { changes, read } from './support.ts';

/** Every count is exact: what a gateway is asked for, and nothing else, is in the next reading. */

let gateway: Gateway;
let origin: string;
let http: RawHttp;
let grpc: RawGrpc;
beforeAll(async () => {
  const yaml =
    'listen: { host: localhost, port: 0 }\nstore: "memory:"\nlimits: { body: 20KiB }\nagents: { demo: { kind: reference } }\n';
  const opened = await openGateway(yaml);
  ({ gateway } = opened);
  const { url, port } = opened;
  origin = url;
  http = new RawHttp(port);
  grpc = new RawGrpc(new URL(url).host);
});
afterAll(async () => {
  await gateway.close({ drainMs: 0 });
});

const json = { 'content-type': 'application/json' };
const message = (text: string, more: object = {}) => ({
  messageId: 'm',
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});
const post = (path: string, body: object | string, headers: Record<string, string> = json) =>
  http.send({
    path,
    headers,
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
const rpc = (method: string, params: object, path = '/', headers: Record<string, string> = {}) =>
  post(path, { jsonrpc: '2.0', id: 1, method, params }, { ...json, ...headers });

/** Changes of the metrics while something is done. */
async function during(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await read(origin);
  await work();
  return changes(before, await read(origin));
}

const requests = (binding: string, dialect: string, operation: string, result = 'ok', agent = 'demo') =>
  `a2a_gateway_requests_total{binding="${binding}",dialect="${dialect}",operation="${operation}",agent="${agent}",result="${result}"}`;
/** An echo of the reference agent: four events of one task. */
const echoed = {
  a2a_gateway_events_total: 4,
  'a2a_gateway_tasks_started_total{agent="demo"}': 1,
  'a2a_gateway_tasks_ended_total{agent="demo",state="completed"}': 1,
};
const sendRequest = v1.operations.find(({ rpc: name }) => name === 'SendMessage')?.request ?? '';
const grpcMessage = (text: string, more: object = {}) => encode(v1, sendRequest, { message: message(text, more) });
const framed = (bytes: Uint8Array, flags = 0): Buffer => {
  const head = Buffer.from([flags, 0, 0, 0, 0]);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
};

it.each<[binding: string, dialect: string, call: () => Promise<unknown>]>([
  ['jsonrpc', 'a2a-1.0', () => rpc('SendMessage', { message: message('hi') })],
  [
    'jsonrpc',
    'a2a-0.3',
    () =>
      rpc('message/send', {
        message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
      }),
  ],
  ['rest', 'a2a-1.0', () => post('/message:send', { message: message('hi') })],
  [
    'rest',
    'a2a-0.3',
    () => post('/v1/message:send', { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }] } }),
  ],
  ['grpc', 'a2a-1.0', () => grpc.send('/lf.a2a.v1.A2AService/SendMessage', grpcMessage('hi'))],
  ['connect', 'a2a-1.0', () => post('/lf.a2a.v1.A2AService/SendMessage', { message: message('hi') })],
  [
    'grpc-web',
    'a2a-1.0',
    () =>
      post('/lf.a2a.v1.A2AService/SendMessage', framed(grpcMessage('hi')), {
        'content-type': 'application/grpc-web+proto',
      }),
  ],
  [
    'local',
    'a2a-1.0',
    () =>
      invokeOf(gateway)({
        operation: 'SendMessage',
        request: { message: message('hi') } as never,
        context: contextFor('demo'),
      }),
  ],
])('a call is counted once, by its binding %s and dialect %s', async (binding, dialect, call) => {
  expect(await during(call)).toEqual({ [requests(binding, dialect, 'SendMessage')]: 1, ...echoed });
});

const open = (binding: string) => `a2a_gateway_streams_open{binding="${binding}"}`;
/** Waits until no stream is open over this binding. */
const ends = async (binding: string): Promise<void> =>
  expect.poll(async () => (await read(origin)).get(open(binding)), { interval: 10 }).toBe(0);

it('a call of a tool is a call over MCP', async () => {
  const { call, client } = await toolsAt(`${origin}/mcp`);
  const counts = await during(async () =>
    expect((await call('demo__echo', { message: 'hi' })).structured.text).toBe('hi'),
  );
  expect(counts).toMatchObject({ [requests('mcp', 'a2a-1.0', 'SendMessage')]: 1, ...echoed });
  expect(Object.keys(counts).filter((key) => key.includes('refused'))).toEqual([]);
  await client.close();
  await ends('mcp');
});

it.each<[kind: string, label: string, call: () => Promise<unknown>]>([
  ['taskNotFound', requests('jsonrpc', 'a2a-1.0', 'GetTask', 'taskNotFound'), () => rpc('GetTask', { id: 'none' })],
  [
    'taskNotFound',
    requests('jsonrpc', 'a2a-0.2', 'GetTask', 'taskNotFound'),
    () => rpc('tasks/get', { id: 'none' }, '/as/a2a-0.2'),
  ],
  ['taskNotFound', requests('rest', 'a2a-1.0', 'CancelTask', 'taskNotFound'), () => post('/tasks/none:cancel', {})],
  [
    'invalidParams',
    requests('rest', 'a2a-1.0', 'ListTasks', 'invalidParams'),
    () => http.send({ method: 'GET', path: '/tasks?pageSize=1000' }),
  ],
  [
    'taskNotFound',
    requests('rest', 'a2a-1.0', 'SubscribeToTask', 'taskNotFound'),
    () => http.send({ method: 'GET', path: '/tasks/none:subscribe' }),
  ],
])('errors are counted by their kind: %s: %s', async (_, label, call) => {
  expect(await during(call)).toEqual({ [label]: 1 });
});

const refused = (binding: string, kind: string) =>
  `a2a_gateway_requests_refused_total{binding="${binding}",kind="${kind}"}`;

it.each<[binding: string, kind: string, call: () => Promise<unknown>]>([
  ['jsonrpc', 'parse', () => post('/', '{')],
  ['jsonrpc', 'invalidRequest', () => post('/', '[]')],
  ['jsonrpc', 'methodNotFound', () => rpc('nothing/known', {})],
  ['jsonrpc', 'invalidParams', () => rpc('SendMessage', {})],
  ['jsonrpc', 'payloadTooLarge', () => rpc('SendMessage', { message: message('x'.repeat(30_000)) })],
  [
    'jsonrpc',
    'versionNotSupported',
    () => rpc('SendMessage', { message: message('hi') }, '/', { 'a2a-version': '7.0' }),
  ],
  ['jsonrpc', 'agentNotFound', () => rpc('SendMessage', { message: message('hi') }, '/nobody')],
  ['rest', 'parse', () => post('/message:send', '{')],
  ['rest', 'invalidParams', () => post('/message:send', {})],
  [
    'rest',
    'contentTypeNotSupported',
    () => post('/message:send', 'hi', { 'content-type': 'application/graphql+proto' }),
  ],
  ['rest', 'verbNotAllowed', () => http.send({ method: 'DELETE', path: '/message:send' })],
  ['connect', 'parse', () => post('/lf.a2a.v1.A2AService/SendMessage', '{')],
  ['connect', 'methodNotFound', () => post('/lf.a2a.v1.A2AService/Nothing', {})],
  ['connect', 'verbNotAllowed', () => http.send({ method: 'GET', path: '/lf.a2a.v1.A2AService/SendMessage' })],
  [
    'grpc-web',
    'invalidParams',
    () =>
      post('/lf.a2a.v1.A2AService/SendMessage', framed(new Uint8Array()), {
        'content-type': 'application/grpc-web+proto',
      }),
  ],
  ['grpc', 'invalidParams', () => grpc.send('/lf.a2a.v1.A2AService/SendMessage', new Uint8Array())],
  ['grpc', 'methodNotFound', () => grpc.send('/lf.a2a.v1.A2AService/Nothing', new Uint8Array())],
  ['grpc', 'payloadTooLarge', () => grpc.send('/lf.a2a.v1.A2AService/SendMessage', grpcMessage('x'.repeat(30_000)))],
  ['mcp', 'parse', () => post('/mcp', '{')],
  ['other', 'routeNotFound', () => http.send({ method: 'GET', path: '/nothing' })],
  ['other', 'invalidRequest', () => notHttp(new URL(origin).port)],
])('a request that is refused before it is a call is counted once: %s %s', async (binding, kind, call) => {
  expect(await during(call)).toEqual({ [refused(binding, kind)]: 1 });
});

/** Sends what is no request, and waits for its connection to be closed. */
async function notHttp(port: string): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  socket.resume();
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nhost b\r\n\r\n');
  await once(socket, 'close');
}

it.each<[binding: string, dialect: string, call: () => Promise<unknown>]>([
  ['jsonrpc', 'a2a-1.0', () => rpc('SendStreamingMessage', { message: message('stream 3 1') })],
  [
    'jsonrpc',
    'a2a-0.1',
    () =>
      rpc(
        'tasks/sendSubscribe',
        { id: 'mine', message: { role: 'user', parts: [{ type: 'text', text: 'stream 3 1' }] } },
        '/as/a2a-0.1',
      ),
  ],
  ['rest', 'a2a-1.0', () => post('/message:stream', { message: message('stream 3 1') })],
  ['grpc', 'a2a-1.0', () => grpc.send('/lf.a2a.v1.A2AService/SendStreamingMessage', grpcMessage('stream 3 1'))],
  [
    'connect',
    'a2a-1.0',
    () =>
      post(
        '/lf.a2a.v1.A2AService/SendStreamingMessage',
        framed(Buffer.from(JSON.stringify({ message: message('stream 3 1') }))),
        { 'content-type': 'application/connect+json' },
      ),
  ],
  [
    'grpc-web',
    'a2a-1.0',
    () =>
      post('/lf.a2a.v1.A2AService/SendStreamingMessage', framed(grpcMessage('stream 3 1')), {
        'content-type': 'application/grpc-web+proto',
      }),
  ],
])('streams over %s in %s are counted with their events', async (binding, dialect, call) => {
  const counts = await during(async () => {
    await call();
    await ends(binding);
  });
  expect(counts).toEqual({
    ...echoed,
    [requests(binding, dialect, 'SendStreamingMessage')]: 1,
    [`a2a_gateway_streams_total{binding="${binding}"}`]: 1,
    // The task, that it works, three chunks, the end.
    [`a2a_gateway_stream_events_total{binding="${binding}"}`]: 6,
    a2a_gateway_events_total: 6,
  });
});

it('streams are counted as open while a client listens, and as resumed when a client resumes them', async () => {
  const started = await post('/message:send', {
    message: message('wait'),
    configuration: { returnImmediately: true },
  });
  const { id } = JSON.parse(started.body.toString()).task;
  const gone = new AbortController();
  const before = await read(origin);
  const first = await fetch(`${origin}/tasks/${id}:subscribe`, { signal: gone.signal });
  await first.body?.getReader().read();
  expect(changes(before, await read(origin))).toEqual({
    [requests('rest', 'a2a-1.0', 'SubscribeToTask')]: 1,
    [open('rest')]: 1,
    'a2a_gateway_streams_total{binding="rest"}': 1,
    'a2a_gateway_stream_events_total{binding="rest"}': 1,
  });
  gone.abort();
  await ends('rest');
  const again = await during(async () => {
    const resumed = fetch(`${origin}/tasks/${id}:subscribe`, { headers: { 'last-event-id': '1' } });
    await (await resumed).body?.getReader().read();
    await post(`/tasks/${id}:cancel`, {});
    await ends('rest');
  });
  expect(again).toEqual({
    [requests('rest', 'a2a-1.0', 'SubscribeToTask')]: 1,
    [requests('rest', 'a2a-1.0', 'CancelTask')]: 1,
    'a2a_gateway_streams_total{binding="rest"}': 1,
    'a2a_gateway_streams_resumed_total{binding="rest"}': 1,
    'a2a_gateway_stream_events_total{binding="rest"}': 2,
    'a2a_gateway_tasks_ended_total{agent="demo",state="canceled"}': 1,
    a2a_gateway_tasks_live: -1,
    a2a_gateway_events_total: 1,
  });
});

it('losses are counted by dialect and direction, in answers and in streams', async () => {
  const odd = { parts: [{ text: 'hi', mediaType: 'text/markdown' }] };
  const sent = await post('/message:send', { message: message('', odd) });
  const { id } = JSON.parse(sent.body.toString()).task;
  const answered = await during(() => rpc('tasks/get', { id }, '/as/a2a-0.3'));
  const lost = (dialect: string) => `a2a_gateway_losses_total{dialect="${dialect}",direction="answer",agent="demo"}`;
  // Of the history, and of the artifact.
  expect(answered).toEqual({ [requests('jsonrpc', 'a2a-0.3', 'GetTask')]: 1, [lost('a2a-0.3')]: 2 });
  const own = await during(() => rpc('GetTask', { id }));
  expect(own).toEqual({ [requests('jsonrpc', 'a2a-1.0', 'GetTask')]: 1 });
});

it('what is not known is other, however much of it there is', async () => {
  await invokeOf(gateway)({ operation: 'GetTask', request: { id: 'x' }, context: contextFor('nobody') }).catch(
    () => {},
  );
  const size = (await read(origin)).size;
  const counts = await during(async () => {
    for (let i = 0; i < 10_000; i++) {
      const odd = { operation: `Odd${i}` as 'GetTask', request: { id: 'x' } };
      await invokeOf(gateway)({ ...odd, context: contextFor(`agent-${i}`, { dialect: `odd-${i}` }) }).catch(() => {});
    }
    for (let i = 0; i < 50; i++) await rpc(`odd/${i}`, {}, `/odd-${i}`, { 'a2a-version': `${i}.7` });
  });
  expect(counts).toEqual({
    [requests('local', 'other', 'other', 'permissionDenied', 'other')]: 10_000,
    [refused('jsonrpc', 'agentNotFound')]: 50,
    'a2a_gateway_security_events_total{event="authorization.denied"}': 10_000,
  });
  expect((await read(origin)).size - size).toBeLessThan(40);
});
