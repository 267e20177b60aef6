import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { defaultConfig } from '../../src/config/index.ts';
import { api } from '../../src/core/model/a2a.ts';
import { newId } from '../../src/core/model/ids.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { api as olderApi } from '../../src/gen/a2a-v0_3/index.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { openGateway } from '../support/gateway.ts';
import { type SharedPostgres, sharedPostgres } from '../support/postgres.ts';
import { startProxy, type TcpProxy } from '../support/proxy.ts';
import { type HttpCall, RawGrpc, RawHttp } from '../support/raw.ts';
import { frame } from '../transports/grpc/raw.ts';

/** Answers over every binding while PostgreSQL is unreachable, and after it is back. */

let server: SharedPostgres;
let proxy: TcpProxy;
let gateway: Gateway;
let http: RawHttp;
let grpc: RawGrpc;
beforeAll(async () => {
  server = await sharedPostgres();
  const url = await server.database();
  const port = Number(new URL(url).port);
  proxy = await startProxy(port);
  const store = `${url.replace(`:${port}`, `:${proxy.port}`)}&query_timeout=500&connectionTimeoutMillis=400`;
  const opened = await openGateway(defaultConfig({ port: 0, store }));
  ({ gateway } = opened);
  const { port: own } = opened;
  http = new RawHttp(own);
  grpc = new RawGrpc(`localhost:${own}`);
});
afterAll(async () => {
  await gateway?.close({ drainMs: 0 });
});

const json = { 'content-type': 'application/json' };
const v1 = { ...json, 'a2a-version': '1.0' };
const service = '/lf.a2a.v1.A2AService';
const hello = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
const older = { message: { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hello' }] } };
const vault = { message: { role: 'user', parts: [{ type: 'text', content: 'hello' }] } };
const google = { message: { role: 'user', parts: [{ type: 'text', text: 'hello' }] } };
const protobuf = { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hello' }] } };
const rpc = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const request = encode(api, 'lf.a2a.v1.SendMessageRequest', hello);
const olderRequest = encode(olderApi, 'a2a.v1.SendMessageRequest', protobuf);

const calls = (): readonly (readonly [name: string, call: HttpCall])[] => [
  ['JSON-RPC v1', { headers: v1, body: rpc('SendMessage', hello) }],
  ['a stream of JSON-RPC v1', { headers: v1, body: rpc('SendStreamingMessage', hello) }],
  ['a list of JSON-RPC v1', { headers: v1, body: rpc('ListTasks', {}) }],
  ['JSON-RPC 0.3', { headers: json, body: rpc('message/send', older) }],
  ['AgentVault', { path: '/as/agentvault-0.2', headers: json, body: rpc('tasks/send', vault) }],
  ['PHP', { path: '/as/a2a-php-0.3', headers: json, body: rpc('message/send', older) }],
  ['0.1', { path: '/as/a2a-0.1', headers: json, body: rpc('tasks/send', { ...google, id: newId() }) }],
  ['HTTP+JSON v1', { path: '/message:send', headers: v1, body: JSON.stringify(hello) }],
  ['a list of HTTP+JSON v1', { method: 'GET', path: '/tasks', headers: v1 }],
  ['HTTP+JSON 0.3', { path: '/v1/message:send', headers: json, body: JSON.stringify(protobuf) }],
  ['Connect', { path: `${service}/SendMessage`, headers: json, body: JSON.stringify(hello) }],
  ['readiness', { method: 'GET', path: '/readyz' }],
];
const web: HttpCall = {
  path: `${service}/SendMessage`,
  headers: { 'content-type': 'application/grpc-web+proto' },
  body: frame(request),
};

async function served(): Promise<void> {
  for (const [name, call] of calls()) {
    const answer = await http.send(call);
    expect([name, Math.floor(answer.status / 100)]).toEqual([name, 2]);
    expect([name, answer.body.toString()]).toEqual([name, expect.not.stringMatching(/"error"/)]);
  }
  expect((await http.send(web)).headers['grpc-status'] ?? '0').toBe('0');
  expect((await grpc.send(`${service}/SendMessage`, request)).status).toBe('OK');
  expect((await grpc.send('/a2a.v1.A2AService/SendMessage', olderRequest)).status).toBe('OK');
}

it.each(['refuse', 'hole'] as const)(
  '503 and UNAVAILABLE, with a time to come again, until it is back (%s)',
  async (mode) => {
    // A busy machine, too, may take longer than the time that queries have.
    await vi.waitFor(served);
    proxy.mode = mode;
    if (mode === 'refuse') proxy.cut();
    // All at once: more of them than there are connections.
    const answers = await Promise.all(calls().map(async ([name, call]) => [name, await http.send(call)] as const));
    for (const [name, answer] of answers) {
      expect([name, answer.status, answer.headers['retry-after']]).toEqual([name, 503, '5']);
      expect([name, answer.body.toString()]).toEqual([name, expect.stringContaining('The store is unavailable: ')]);
    }
    const webAnswer = await http.send(web);
    expect([webAnswer.headers['grpc-status'], webAnswer.headers['retry-after']]).toEqual(['14', '5']);
    for (const [path, body] of [
      [`${service}/SendMessage`, request],
      ['/a2a.v1.A2AService/SendMessage', olderRequest],
    ] as const) {
      const answer = await grpc.send(path, body);
      expect([answer.status, answer.trailers.get('retry-after')]).toEqual(['UNAVAILABLE', ['5']]);
    }
    expect((await http.send({ method: 'GET', path: '/healthz' })).status).toBe(200);
    proxy.mode = 'pass';
    await vi.waitFor(served);
  },
);
