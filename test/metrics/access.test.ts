import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { anonymous } from '../../src/auth/anonymous.ts';
import { newKey } from '../../src/auth/hash.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { invokeOf } from '../../src/transports/rpc/mount.ts';
import { contextFor } from '../support/core.ts';
import { openGateway } from '../support/gateway.ts';
import { type HttpAnswer, RawHttp } from '../support/raw.ts';
import { changes, samplesOf } from './support.ts';

/** Permission to read the metrics, and the format of the metrics. */

const [prometheus, alice] = [newKey(), newKey()];
const auth = `
auth:
  apiKeys:
    - { name: prometheus, hash: "${prometheus.hash}", scopes: [metrics] }
    - { name: alice, hash: "${alice.hash}" }
`;

interface Running {
  readonly gateway: Gateway;
  get(headers?: Record<string, string>, method?: string): Promise<HttpAnswer>;
  readonly http: RawHttp;
  readonly port: number;
}

const open: Running[] = [];
async function start(yaml: string): Promise<Running> {
  const text = `listen: { port: 0${yaml}\nstore: "memory:"\nagents: { demo: { kind: reference } }\n`;
  const { gateway, port } = await openGateway(text);
  const http = new RawHttp(port);
  const get: Running['get'] = (headers = {}, method = 'GET') =>
    http.send({ method, path: '/metrics', headers: { host: `localhost:${port}`, ...headers } });
  const running = { gateway, get, http, port };
  open.push(running);
  return running;
}

async function closeAll(): Promise<void> {
  for (const { http, gateway } of open.splice(0)) {
    http.close();
    await gateway.close({ drainMs: 0 });
  }
}

describe('on a listener of this machine', () => {
  let local: Running;
  beforeAll(async () => {
    local = await start(` }${auth}`);
  });
  afterAll(closeAll);

  it('local callers read the metrics without credentials', async () => {
    const { status, headers, body } = await local.get();
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'Accept',
    });
    expect(body.toString()).toContain('\na2a_gateway_store_up 1\n');
    expect(body.toString()).not.toContain('# EOF');
  });

  it('HEAD has the same headers and no body', async () => {
    const { status, headers, body } = await local.get({}, 'HEAD');
    expect([status, body.length]).toEqual([200, 0]);
    expect(Number(headers['content-length'])).toBeGreaterThan(1_000);
  });

  it('the metrics cannot be written', async () => {
    const { status, headers } = await local.get({}, 'POST');
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it.each([
    ['application/openmetrics-text', true],
    ['application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1', true],
    ['text/plain;version=0.0.4;q=0.9,application/openmetrics-text;q=0.5', false],
    ['application/openmetrics-text;q=0', false],
    ['text/html, */*', false],
  ])('the metrics have the format for Accept: %s', async (accept, isOpen) => {
    const { headers, body } = await local.get({ accept });
    const type = isOpen ? 'application/openmetrics-text; version=1.0.0; charset=utf-8' : 'text/plain; version=0.0.4';
    expect(headers['content-type']).toContain(type);
    expect(body.toString().endsWith('\n# EOF\n')).toBe(isOpen);
  });

  it.each([
    ['x-forwarded-for', '203.0.113.9'],
    ['forwarded', 'for=203.0.113.9'],
    ['via', '1.1 proxy'],
    ['x-real-ip', '203.0.113.9'],
    ['host', 'gateway.example.com'],
    ['origin', 'https://evil.example.com'],
    ['sec-fetch-site', 'cross-site'],
  ])('a request with %s: %s does not count as local', async (name, value) => {
    expect((await local.get({ [name]: value })).status).toBe(401);
    expect((await local.get({ [name]: value, 'x-api-key': prometheus.key })).status).toBe(200);
    expect((await local.get({ [name]: value, 'x-api-key': alice.key })).status).toBe(403);
  });

  it('wrong credentials of a caller that is not local are refused, counted and challenged', async () => {
    const before = samplesOf((await local.get()).body.toString());
    const { status, headers } = await local.get({ via: '1.1 proxy', 'x-api-key': 'wrong' });
    expect([status, headers['cache-control']]).toEqual([401, 'no-store']);
    expect(headers['www-authenticate']).toContain('ApiKey');
    expect(changes(before, samplesOf((await local.get()).body.toString()))).toEqual({
      'a2a_gateway_security_events_total{event="authentication.failed"}': 1,
    });
  });
});

describe('without anonymous access', () => {
  afterEach(closeAll);

  it('no caller reads the metrics without the scope if anonymous access is off, not even on this machine', async () => {
    const { get } = await start(` }${auth.replace('auth:\n', 'auth:\n  anonymous: false\n')}`);
    expect((await get()).status).toBe(401);
    expect((await get({ 'x-api-key': alice.key })).status).toBe(403);
    expect((await get({ 'x-api-key': prometheus.key })).status).toBe(200);
  });
});

describe('behind a public URL', () => {
  afterEach(closeAll);

  it('behind a public URL no caller counts as local, since a proxy on this machine need not identify itself', async () => {
    const { get } = await start(`, publicUrl: "https://agents.example.com" }${auth}`);
    const refused = await get();
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toContain('ApiKey');
    expect((await get({ 'x-api-key': alice.key })).status).toBe(403);
    expect((await get({ 'x-api-key': prometheus.key })).status).toBe(200);
  });

  it('behind a public URL anonymous callers are asked who they are', async () => {
    const { get } = await start(', publicUrl: "https://agents.example.com" }\nauth: { anonymous: true }');
    expect((await get()).status).toBe(401);
  });
});

describe('a gateway that takes no new work', () => {
  afterEach(closeAll);

  it('a gateway that takes no new work still answers a request for its metrics that was on its way', async () => {
    const { gateway, http, port } = await start(' }');
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'wait' }] };
    const body = JSON.stringify({ message, configuration: { returnImmediately: true } });
    const send = () => http.send({ path: '/message:send', headers: { 'content-type': 'application/json' }, body });
    const { id } = JSON.parse((await send()).body.toString()).task;
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /metrics HTTP/1.1\r\n');
    const closing = gateway.close({ drainMs: 10_000 });
    const isRefused = () =>
      send().then(
        () => false,
        ({ code }: NodeJS.ErrnoException) => code === 'ECONNREFUSED',
      );
    await expect.poll(isRefused, { interval: 10 }).toBe(true);
    socket.write(`Host: localhost:${port}\r\n\r\n`);
    expect(await text(socket)).toContain('a2a_gateway_');
    await invokeOf(gateway)({
      operation: 'CancelTask',
      request: { id },
      context: { ...contextFor('demo'), principal: anonymous },
    });
    await closing;
  });
});

describe('requests beyond a limit', () => {
  afterEach(closeAll);

  it('requests beyond a limit are counted, and readings of the metrics are not among them', async () => {
    const { get, http } = await start(' }\nlimits: { requestsPerMinute: 2 }');
    const before = samplesOf((await get()).body.toString());
    const list = () => http.send({ method: 'GET', path: '/tasks', headers: { host: 'localhost' } });
    const statuses = [await list(), await list(), await list(), await list()].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect(changes(before, samplesOf((await get()).body.toString()))).toEqual({
      'a2a_gateway_requests_total{binding="rest",dialect="a2a-1.0",operation="ListTasks",agent="demo",result="ok"}': 2,
      'a2a_gateway_requests_refused_total{binding="rest",kind="tooManyRequests"}': 2,
      'a2a_gateway_security_events_total{event="limit.exceeded"}': 1,
    });
  });
});

describe('readers that do not read', () => {
  afterEach(closeAll);

  it('readers that do not read are counted when they are cut off, and their streams are closed', async () => {
    const { get, port } = await start(' }\nlimits: { slowReader: 200ms }');
    const parts = [{ text: 'x'.repeat(4_000_000) }];
    const body = JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts } });
    const headers = `host: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => {});
    socket.pause();
    socket.write(`POST /message:stream HTTP/1.1\r\n${headers}\r\n\r\n${body}`);
    const count = async (name: string) => samplesOf((await get()).body.toString()).get(name);
    await expect.poll(() => count('a2a_gateway_slow_readers_total'), { interval: 50 }).toBe(1);
    await expect.poll(() => count('a2a_gateway_streams_open{binding="rest"}')).toBe(0);
    socket.destroy();
  });
});
