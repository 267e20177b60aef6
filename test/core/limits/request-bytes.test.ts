import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { api } from '../../../src/core/model/a2a.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { newFolder } from '../../support/folders.ts';
import { enveloped, Flooded, type FloodRequest, type Outcome, overGrpc } from './floods.ts';

/**
 * Large requests from many callers at once, on every binding: each is served, or gets 503 before its body is read; a
 * process with a small heap lives, and a request of the same size is served afterwards.
 */

const mebibyte = 1_048_576;
const heap = 256;
const buffered = 40;
const calls = 14;
const size = 3 * mebibyte;

const folder = newFolder();
let gateway: Flooded;
beforeAll(async () => {
  gateway = await Flooded.start(
    `sqlite:${join(folder, 'a.db')}`,
    `limits: { buffered: ${buffered}MiB, values: unlimited }`,
    heap,
  );
});
afterAll(async () => {
  await gateway.stop();
});

const text = 'x'.repeat(size);
const request = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } };
const json = { 'content-type': 'application/json' };
const v1 = { ...json, 'a2a-version': '1.0' };
const rpc = (
  method: string,
  params: object,
  headers: Readonly<Record<string, string>> = v1,
  path = '/',
): FloodRequest => ({
  path,
  headers,
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
});
const [sendMessage] = api.operations.filter(({ name }) => name === 'SendMessage');
const grpcPath = sendMessage?.grpcPath ?? '';
const message = encode(api, 'lf.a2a.v1.SendMessageRequest', request);
const many = JSON.parse(`[${'[],'.repeat(size / 3)}[]]`);

const bindings: readonly (readonly [string, FloodRequest])[] = [
  ['JSON-RPC', rpc('SendMessage', request)],
  ['HTTP+JSON', { path: '/message:send', headers: v1, body: JSON.stringify(request) }],
  ['Connect', { path: grpcPath, headers: { ...json, 'connect-protocol-version': '1' }, body: JSON.stringify(request) }],
];
const overHttp2: ReadonlySet<string> = new Set(['JSON-RPC']);
const mcp = rpc(
  'tools/call',
  { name: 'send_message', arguments: { agent: 'demo', message: text } },
  { ...json, accept: 'application/json, text/event-stream' },
  '/demo/mcp',
);
const values = { message: { ...request.message, parts: [{ data: many }] } };

/** Some are served, as many as there is room for, and the others are refused. */
function expectBounded({ 200: served = 0, 503: refused = 0, ...others }: Outcome): void {
  expect(others).toEqual({});
  expect(served).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
  expect(served + refused).toBe(calls);
}

describe('a gateway with a small heap survives a flood of large requests', () => {
  afterEach(async () => {
    gateway.hangUp();
    expect((await gateway.send({ method: 'GET', path: '/healthz' })).status).toBe(200);
    // All room was given back.
    const whole = rpc('SendMessage', request);
    await expect.poll(async () => (await gateway.send(whole)).status).toBe(200);
    expect(gateway.isAlive).toBe(true);
    expect(gateway.peak ?? 0).toBeLessThan((heap + 2 * buffered + 128) * mebibyte);
  });

  it.each([...bindings, ['MCP', mcp] as const])(
    'a gateway with a small heap survives a flood of large requests over %s',
    async (_, request) => {
      expectBounded(await gateway.flood(request, { connections: calls }));
    },
  );

  it.each(bindings.filter(([name]) => overHttp2.has(name)))(
    'a gateway with a small heap survives a flood of large requests over %s in HTTP/2',
    async (_, request) => {
      expectBounded(await gateway.floodHttp2(request, { streams: calls }));
    },
  );

  it('a gateway with a small heap survives a flood of large requests over gRPC-Web, which sends errors with status 200', async () => {
    const request = {
      path: grpcPath,
      headers: { 'content-type': 'application/grpc-web+proto' },
      body: enveloped(message),
    };
    expect(await gateway.flood(request, { connections: calls })).toEqual({ 200: calls });
  });

  it('a gateway with a small heap survives a flood of large requests over gRPC', async () => {
    // Its messages have no length in the headers, and one may be over before the next one arrives.
    const request = overGrpc(grpcPath, message);
    const { 0: served = 0, 14: refused = 0 } = await gateway.floodHttp2(request, { streams: calls });
    expect(served).toBeGreaterThan(0);
    expect(served + refused).toBe(calls);
  });

  it('a gateway with a small heap survives a flood of large requests with many small values, which take more memory than their text', async () => {
    // Requests that fit into memory are refused as too large for a task.
    const { 413: tooLarge = 0, ...others } = await gateway.flood(rpc('SendMessage', values), { connections: calls });
    expectBounded({ ...others, 200: tooLarge });
  });

  it('a gateway with a small heap survives a flood of large requests from clients that do not read the answers', async () => {
    expectBounded(await gateway.flood(rpc('SendMessage', request), { connections: calls, reads: false }));
  });

  it('a gateway with a small heap survives a flood of large requests that break off in the middle', async () => {
    await gateway.breakOff(rpc('SendMessage', request), calls);
  });
});
