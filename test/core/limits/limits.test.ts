import { expect, it } from 'vitest';
import { api } from '../../../src/core/model/a2a.ts';
import { api as olderApi } from '../../../src/gen/a2a-v0_3/index.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { type Running, startGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';
import { grpcError, type HttpCall, RawGrpc, RawHttp, restError, rpcError } from '../../support/raw.ts';

/** The errors for callers over their limit of requests or streams, on every binding. */

let gateway: Running;
let http: RawHttp;
let grpc: RawGrpc;
async function start(limits: string): Promise<void> {
  gateway = await startGateway({ settings: `limits: { ${limits} }` });
  http = new RawHttp(gateway.port);
  grpc = new RawGrpc(gateway.target);
}

const v1 = { 'content-type': 'application/json', 'a2a-version': '1.0' };
const service = '/lf.a2a.v1.A2AService';
const text = (words: string) => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: words }] } });
const rpc = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const enveloped = (message: Uint8Array): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
};
const hello = text('say hello');
const older = { message: { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'say hello' }] } };
const sendV1 = encode(api, 'lf.a2a.v1.SendMessageRequest', hello);

/** A request that every binding answers with 429, and one for each that has a form of its own. */
const pages: Readonly<Record<string, HttpCall>> = {
  'JSON-RPC v1': { headers: v1, body: rpc('SendMessage', hello) },
  'JSON-RPC 0.3': { headers: { 'content-type': 'application/json' }, body: rpc('message/send', older) },
  AgentVault: {
    path: '/as/agentvault-0.2',
    headers: { 'content-type': 'application/json' },
    body: rpc('tasks/send', { message: { role: 'user', parts: [{ type: 'text', content: 'say hello' }] } }),
  },
  PHP: {
    path: '/as/a2a-php-0.3',
    headers: { 'content-type': 'application/json' },
    body: rpc('message/send', older),
  },
  'HTTP+JSON v1': { path: '/message:send', headers: v1, body: JSON.stringify(hello) },
  'HTTP+JSON 0.3': {
    path: '/v1/message:send',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'say hello' }] } }),
  },
  Connect: {
    path: `${service}/SendMessage`,
    headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' },
    body: JSON.stringify(hello),
  },
  'a card': { method: 'GET', path: '/.well-known/agent-card.json' },
  'the agents': { method: 'GET', path: '/agents' },
  'no agent': { path: '/nobody', headers: v1, body: rpc('SendMessage', hello) },
  'no path': { method: 'GET', path: '/nothing/here' },
};

it('requests over the rate limit are refused with Retry-After in the form of each binding', async () => {
  await start('requestsPerMinute: 3');
  for (let i = 0; i < 3; i++) {
    expect((await http.send({ headers: v1, body: rpc('SendMessage', hello) })).status).toBe(200);
  }
  for (const [name, call] of Object.entries(pages)) {
    if (name === 'no path') continue;
    const answer = await http.send(call);
    expect([name, answer.status]).toEqual([name, 429]);
    const wait = Number(answer.headers['retry-after']);
    expect(wait).toBeGreaterThanOrEqual(1);
    expect(wait).toBeLessThanOrEqual(20);
    expect(answer.body.length).toBeGreaterThan(0);
  }
  const jsonRpc = await http.send(pages['JSON-RPC v1'] as HttpCall);
  expect(rpcError(jsonRpc)).toMatchObject({ code: -32000, reason: 'TOO_MANY_REQUESTS' });
  const rest = await http.send(pages['HTTP+JSON v1'] as HttpCall);
  expect(restError(rest)).toMatchObject({ status: 429, reason: 'TOO_MANY_REQUESTS' });
  const connect = await http.send(pages.Connect as HttpCall);
  expect(JSON.parse(connect.body.toString())).toMatchObject({ code: 'resource_exhausted' });

  const call = await grpc.send(`${service}/SendMessage`, sendV1);
  expect(grpcError(call)).toMatchObject({ status: 'RESOURCE_EXHAUSTED', reason: 'TOO_MANY_REQUESTS' });
  expect(Number(call.trailers.get('retry-after')[0])).toBeGreaterThanOrEqual(1);
  const oldCall = await grpc.send(
    '/a2a.v1.A2AService/SendMessage',
    encode(olderApi as never, 'a2a.v1.SendMessageRequest', {
      message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'say hello' }] },
    }),
  );
  expect(oldCall.status).toBe('RESOURCE_EXHAUSTED');
  const web = await http.send({
    path: `${service}/SendMessage`,
    headers: { 'content-type': 'application/grpc-web+proto' },
    body: enveloped(sendV1),
  });
  expect([web.status, web.headers['grpc-status']]).toEqual([200, '8']);
  expect(Number(web.headers['retry-after'])).toBeGreaterThanOrEqual(1);
});

it('requests over the rate limit are refused before their body is read', async () => {
  await start('requestsPerMinute: 1');
  await http.send({ headers: v1, body: rpc('SendMessage', hello) });
  // A body that never comes.
  const unsent = { ...v1, 'content-length': '1000' };
  expect((await http.send({ path: '/message:send', headers: unsent, body: '{' })).status).toBe(429);
});

it('requests over the rate limit do not include requests for health pages', async () => {
  await start('requestsPerMinute: 1');
  for (let i = 0; i < 5; i++) {
    expect((await http.send({ method: 'GET', path: '/healthz' })).status).toBe(200);
    expect((await http.send({ method: 'GET', path: '/readyz' })).status).toBe(200);
  }
  expect((await http.send({ headers: v1, body: rpc('SendMessage', hello) })).status).toBe(200);
});

it('streams over the limit are refused on every binding until other clients leave', async () => {
  await start('streams: 2');
  const leave = new AbortController();
  const stream = (signal: AbortSignal): Promise<Response> =>
    fetch(`${gateway.origin}/message:stream`, {
      method: 'POST',
      headers: v1,
      body: JSON.stringify(text('wait')),
      signal,
    });
  const first = await stream(leave.signal);
  const second = await stream(AbortSignal.timeout(paced(20_000)));
  expect([first.status, second.status]).toEqual([200, 200]);

  const rest = await http.send({ path: '/message:stream', headers: v1, body: JSON.stringify(text('wait')) });
  expect(restError(rest)).toMatchObject({ status: 429, reason: 'TOO_MANY_REQUESTS' });
  expect(Number(rest.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  const jsonRpc = await http.send({ headers: v1, body: rpc('SendStreamingMessage', text('wait')) });
  expect(jsonRpc.status).toBe(429);
  expect(rpcError(jsonRpc)).toMatchObject({ code: -32000, reason: 'TOO_MANY_REQUESTS' });
  const wait = encode(api, 'lf.a2a.v1.SendMessageRequest', text('wait'));
  const call = await grpc.send(`${service}/SendStreamingMessage`, wait);
  expect(grpcError(call)).toMatchObject({ status: 'RESOURCE_EXHAUSTED', reason: 'TOO_MANY_REQUESTS' });
  const connect = await http.send({
    path: `${service}/SendStreamingMessage`,
    headers: { 'content-type': 'application/connect+json', 'connect-protocol-version': '1' },
    body: enveloped(Buffer.from(JSON.stringify(text('wait')))),
  });
  expect(connect.body.toString()).toContain('resource_exhausted');
  // A call that does not stream is served.
  expect((await http.send({ headers: v1, body: rpc('SendMessage', hello) })).status).toBe(200);
  // Nothing was begun for those who were refused.
  const tasks = await http.send({ method: 'GET', path: '/tasks', headers: v1 });
  expect(JSON.parse(tasks.body.toString()).totalSize).toBe(2);

  leave.abort();
  await expect.poll(async () => (await stream(AbortSignal.timeout(paced(20_000)))).status).toBe(200);
});

it('streams over the limit are counted for one caller when they have idempotency keys', async () => {
  await start('streams: 1');
  const open = async (): Promise<AbortController | undefined> => {
    const leave = new AbortController();
    const response = await fetch(`${gateway.origin}/message:stream`, {
      method: 'POST',
      headers: { ...v1, 'idempotency-key': crypto.randomUUID() },
      body: JSON.stringify(text('wait')),
      signal: leave.signal,
    });
    return response.status === 200 ? leave : undefined;
  };
  for (let i = 0; i < 3; i++) {
    const opened: (AbortController | undefined)[] = [];
    await expect.poll(async () => opened.unshift(await open()) > 0 && opened[0] !== undefined).toBe(true);
    expect(await open()).toBeUndefined();
    opened[0]?.abort();
  }
});
