import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define.ts';
import { status } from '../../src/agents/events.ts';
import { defaultConfig } from '../../src/config/index.ts';
import { api } from '../../src/core/model/a2a.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { api as olderApi } from '../../src/gen/a2a-v0_3/index.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { openGateway } from '../support/gateway.ts';
import { decoded, type HttpCall, RawGrpc, RawHttp } from '../support/raw.ts';
import { frame } from '../transports/grpc/raw.ts';

/** Errors over every binding when the gateway stops, for new callers and for those with an open stream. */

let gateway: Gateway;
let http: RawHttp;
let grpc: RawGrpc;
afterEach(async () => {
  await gateway.close({ drainMs: 0 });
});

/** Resolves when the agent `busy` may go on. */
let rest = Promise.withResolvers<void>();

async function start(): Promise<string> {
  rest = Promise.withResolvers<void>();
  const busy = defineAgent({
    name: 'busy',
    description: 'Works until it is told to end.',
    async *execute() {
      yield status('TASK_STATE_WORKING');
      await rest.promise;
    },
  });
  const opened = await openGateway(defaultConfig({ port: 0, store: 'memory:' }), { agents: { busy } });
  ({ gateway } = opened);
  const { port, url } = opened;
  http = new RawHttp(port);
  grpc = new RawGrpc(`localhost:${port}`);
  return url;
}

const json = { 'content-type': 'application/json' };
const v1 = { ...json, 'a2a-version': '1.0' };
const service = '/lf.a2a.v1.A2AService';
const text = (words: string) => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: words }] } });
const older = (words: string) => ({
  message: { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: words }] },
});
const vault = (words: string) => ({ message: { role: 'user', parts: [{ type: 'text', content: words }] } });
const rpc = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const request = (words: string): Uint8Array => encode(api, 'lf.a2a.v1.SendMessageRequest', text(words));
const olderRequest = (words: string): Uint8Array =>
  encode(olderApi, 'a2a.v1.SendMessageRequest', {
    message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: words }] },
  });
const enveloped = (words: string): Buffer => frame(Buffer.from(JSON.stringify(text(words))));

const calls: readonly (readonly [name: string, call: HttpCall])[] = [
  ['JSON-RPC v1', { headers: v1, body: rpc('SendMessage', text('hello')) }],
  ['JSON-RPC 0.3', { headers: json, body: rpc('message/send', older('hello')) }],
  ['AgentVault', { path: '/as/agentvault-0.2', headers: json, body: rpc('tasks/send', vault('hello')) }],
  ['PHP', { path: '/as/a2a-php-0.3', headers: json, body: rpc('message/send', older('hello')) }],
  ['0.1', { path: '/as/a2a-0.1', headers: json, body: rpc('tasks/send', vault('hello')) }],
  ['HTTP+JSON v1', { path: '/message:send', headers: v1, body: JSON.stringify(text('hello')) }],
  ['HTTP+JSON 0.3', { path: '/v1/message:send', headers: json, body: JSON.stringify(older('hello')) }],
  ['Connect', { path: `${service}/SendMessage`, headers: json, body: JSON.stringify(text('hello')) }],
  ['the agents', { method: 'GET', path: '/agents' }],
  ['readiness', { method: 'GET', path: '/readyz' }],
];

const streams: readonly (readonly [name: string, call: HttpCall])[] = [
  ['JSON-RPC v1', { headers: v1, body: rpc('SendStreamingMessage', text('wait')) }],
  ['JSON-RPC 0.3', { headers: json, body: rpc('message/stream', older('wait')) }],
  ['PHP', { path: '/as/a2a-php-0.3', headers: json, body: rpc('message/stream', older('wait')) }],
  ['HTTP+JSON v1', { path: '/message:stream', headers: v1, body: JSON.stringify(text('wait')) }],
  [
    'Connect',
    {
      path: `${service}/SendStreamingMessage`,
      headers: { 'content-type': 'application/connect+json' },
      body: enveloped('wait'),
    },
  ],
  [
    'gRPC-Web',
    {
      path: `${service}/SendStreamingMessage`,
      headers: { 'content-type': 'application/grpc-web+proto' },
      body: frame(request('wait')),
    },
  ],
];

/** Resolves when so many tasks are under way. */
const underWay = (count: number, base = ''): Promise<void> =>
  expect
    .poll(async () => {
      const answer = await http.send({ method: 'GET', path: `${base}/tasks`, headers: v1 });
      return JSON.parse(answer.body.toString()).totalSize;
    })
    .toBe(count);

/** A request of which the first line is sent. Returns what sends the rest, and resolves with the answer. */
async function begin(port: number, { method = 'POST', path = '/', headers = {}, body = '' }: HttpCall) {
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect');
  socket.write(`${method} ${path} HTTP/1.1\r\n`);
  const content = Buffer.from(body);
  return async () => {
    const fields = Object.entries({ host: 'localhost', 'content-length': content.length, ...headers });
    socket.write(`${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    socket.write(content);
    const [head = ''] = (await buffer(socket)).toString('latin1').split('\r\n\r\n');
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1];
    return { status: Number(head.split(' ')[1]), field };
  };
}

it('a gateway that stops serves new calls for the delay, then refuses connections, and serves what is on its way', async () => {
  const url = await start();
  const port = Number(new URL(url).port);
  const call: HttpCall = { path: '/message:send', headers: v1, body: JSON.stringify(text('hello')) };
  const kept = await begin(port, call);
  const busy = http.send({ path: '/busy', headers: v1, body: rpc('SendMessage', text('hello')) });
  await underWay(1, '/busy');
  const closed = gateway.close({ delayMs: 50, drainMs: 20_000 });
  // Nginx and other balancers without health checks try the next replica only where a connection is refused.
  await expect
    .poll(() =>
      http.send(call).then(
        ({ status }) => status,
        ({ code }: NodeJS.ErrnoException) => code,
      ),
    )
    .toBe('ECONNREFUSED');
  expect((await kept()).status).toBe(200);
  rest.resolve();
  expect((await busy).status).toBe(200);
  await closed;
});

it('a gateway that stops refuses new work over every binding on connections that are kept, and says when to come again', async () => {
  const port = Number(new URL(await start()).port);
  // This call keeps the gateway busy, and its connections open.
  const busy = http.send({ path: '/busy', headers: v1, body: rpc('SendMessage', text('hello')) });
  await grpc.send(`${service}/SendMessage`, request('say hello'));
  await underWay(1, '/busy');
  const web = {
    path: `${service}/SendMessage`,
    headers: { 'content-type': 'application/grpc-web+proto' },
    body: frame(request('hello')),
  };
  const begun = await Promise.all(calls.map(async ([name, call]) => [name, await begin(port, call)] as const));
  const begunWeb = await begin(port, web);
  const closed = gateway.close({ delayMs: 0, drainMs: 20_000 });
  for (const [name, finish] of begun) {
    const answer = await finish();
    expect([name, answer.status, answer.field('retry-after')]).toEqual([name, 503, '5']);
  }
  const answer = await begunWeb();
  expect([answer.field('grpc-status'), answer.field('retry-after')]).toEqual(['14', '5']);
  // Its client was asked to connect elsewhere.
  for (const [path, body] of [
    [`${service}/SendMessage`, request('hello')],
    ['/a2a.v1.A2AService/SendMessage', olderRequest('hello')],
    ['/grpc.health.v1.Health/Check', new Uint8Array()],
  ] as const) {
    expect([path, (await grpc.send(path, body)).status]).toEqual([path, 'UNAVAILABLE']);
  }
  rest.resolve();
  // The call that was under way has been completed.
  expect(JSON.parse((await busy).body.toString()).result.task.status.state).toBe('TASK_STATE_COMPLETED');
  await closed;
});

it('a gateway that stops names the task to resume in every stream, and to callers that wait for an answer', async () => {
  await start();
  const listening = streams.map(async ([name, call]) => [name, await http.send(call)] as const);
  const older = grpc.send('/a2a.v1.A2AService/SendStreamingMessage', olderRequest('wait'));
  const call = grpc.send(`${service}/SendStreamingMessage`, request('wait'));
  const blocked = http.send({ path: '/message:send', headers: v1, body: JSON.stringify(text('wait')) });
  await underWay(streams.length + 3);
  await gateway.close({ drainMs: 100 });
  const { status, headers, body } = await blocked;
  expect([status, headers['retry-after']]).toEqual([503, '5']);
  expect(JSON.parse(body.toString()).error.details[0].metadata.taskId).toMatch(/^[0-9a-f-]{36}$/);
  for (const each of listening) {
    const [name, answer] = await each;
    const said = answer.body.toString();
    expect([name, answer.status]).toEqual([name, 200]);
    expect([name, said]).toEqual([name, expect.stringContaining('The gateway is stopping')]);
  }
  for (const answer of [await call, await older]) {
    expect(answer.status).toBe('UNAVAILABLE');
    expect(answer.message).toContain('The gateway is stopping');
    expect(answer.trailers.get('retry-after')).toEqual(['5']);
  }
  const [details] = (await call).trailers.get('grpc-status-details-bin') as Buffer[];
  expect(JSON.stringify(decoded('google.rpc.Status', details as Buffer))).toContain('taskId');
});

it('a gateway that stops does not wait for a client that only listens to a task that waits for input', async () => {
  const url = await start();
  const asked = await http.send({ path: '/message:send', headers: v1, body: JSON.stringify(text('ask')) });
  const { id } = JSON.parse(asked.body.toString()).task;
  const listening = await fetch(`${url}/tasks/${id}:subscribe`, { method: 'POST', headers: v1 });
  await gateway.close({ drainMs: 600_000 });
  expect(await listening.text()).toContain('The gateway is stopping');
});
