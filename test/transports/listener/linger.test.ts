import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hashOf, shownHash } from '../../../src/auth/hash.ts';
import { Http1Server } from '../../../src/transports/listener/http1-server.ts';
import { closeLingering } from '../../../src/transports/listener/linger.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

/** Clients that read an answer only when they have sent their whole request, as many reverse proxies do. */

afterEach(() => void vi.useRealTimers());

const key = 'key-of-alice';
const settings = `
auth: { anonymous: false, apiKeys: [{ name: alice, hash: "${shownHash(hashOf(key))}" }] }
limits: { body: 64KiB }
agents: { demo: { kind: reference } }
`;
const gateway = await openGateway(settings);

const chunk = Buffer.alloc(64 * 1024, 'x');
const chunks = 256;
const size = chunk.length * chunks;
const announced = [`Content-Length: ${size}`];
const chunked = ['Transfer-Encoding: chunked'];

const plain = (port: number): Socket => connect(port, '127.0.0.1');

/** Sends a head, then a body of 16 MiB, and then reads. */
async function sendWhole(port: number, head: readonly string[], open = plain): Promise<string> {
  const socket = open(port);
  let failure: Error | undefined;
  socket.on('error', (error) => {
    failure = error;
  });
  socket.pause();
  const isChunked = head.some((line) => line.startsWith('Transfer-Encoding'));
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  for (let sent = 0; sent < chunks && !failure; sent += 1) {
    if (isChunked) socket.write(`${chunk.length.toString(16)}\r\n`);
    const written = Promise.withResolvers<void>();
    socket.write(chunk, () => written.resolve());
    await written.promise;
    if (isChunked) socket.write('\r\n');
  }
  socket.end(isChunked ? '0\r\n\r\n' : '');
  return text(socket).catch(() => String(failure));
}

const to = (path: string, more: readonly string[], method = 'POST'): string[] => [
  `${method} ${path} HTTP/1.1`,
  'Host: localhost',
  'Content-Type: application/json',
  ...more,
];
const asAlice = (path: string, more: readonly string[]): string[] => to(path, [`X-Api-Key: ${key}`, ...more]);

const refusals: readonly (readonly [title: string, status: number, head: readonly string[]])[] = [
  ['a JSON-RPC call that is announced too large', 413, asAlice('/', announced)],
  ['a JSON-RPC call that grows too large', 413, asAlice('/', chunked)],
  ['a call over HTTP+JSON that is announced too large', 413, asAlice('/v1/message:send', announced)],
  ['a call over HTTP+JSON that grows too large', 413, asAlice('/v1/message:send', chunked)],
  ['a call over Connect that grows too large', 429, asAlice('/lf.a2a.v1.A2AService/SendMessage', chunked)],
  ['a message of MCP that grows too large', 413, asAlice('/mcp', chunked)],
  ['a call without credentials', 401, to('/', announced)],
  ['a call without credentials and without a length', 401, to('/', chunked)],
  ['a method that no path has', 404, to('/nowhere', announced, 'PUT')],
  ['headers that are too large', 431, to('/', [`X: ${'y'.repeat(20_000)}`, ...announced])],
  ['a transfer coding that is not supported', 501, to('/', ['Transfer-Encoding: gzip, chunked'])],
  ['two hosts', 400, to('/', ['Host: other', ...announced])],
  ['text that is not HTTP', 400, ['POST / and more HTTP/9', ...announced]],
];

describe.each([
  ['keeps its connection', []],
  ['closes its connection after the answer', ['Connection: close']],
] as const)('a client that sends its whole request before it reads, and %s,', (_, more) => {
  it.each(refusals)('reads the refusal of %s', async (_title, status, head) => {
    expect(await sendWhole(gateway.port, [...head, ...more])).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});

const file = (name: string): string => fileURLToPath(new URL(`../../support/tls/${name}`, import.meta.url));

it.each(refusals)(
  'a client over TLS that sends its whole request before it reads, reads the refusal of %s',
  async (_, status, head) => {
    const secure = await openGateway(`
listen: { host: localhost, port: 0, tls: { cert: "${file('server.pem')}", key: "${file('server.key')}" } }
${settings}`);
    const open = (port: number): Socket => connectTls({ port, host: 'localhost', ca: readFileSync(file('ca.pem')) });
    const answer = await sendWhole(secure.port, [...head, 'Connection: close'], open);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  },
);

/** Port of a server of HTTP/1.1 that refuses each call without reading it. */
const refusing = (use: (server: Http1Server) => void): Promise<number> =>
  serving((_req, res) => void res.writeHead(403).end('no'), { use });

/** Port of a server of HTTP/1.1. */
async function serving(
  onRequest: RequestListener,
  {
    use,
    onSocket,
  }: { readonly use?: (server: Http1Server) => void; readonly onSocket?: (socket: Socket) => void } = {},
): Promise<number> {
  const http = new Http1Server({ onRequest });
  http.start();
  const server = createServer({ allowHalfOpen: true }, http.serve).listen(0, '127.0.0.1');
  if (onSocket) server.on('connection', onSocket);
  await once(server, 'listening');
  afterTest(() => {
    http.closeAll();
    http.close();
    server.close();
  });
  use?.(http);
  return (server.address() as { readonly port: number }).port;
}

it.each([
  ['disables keep-alive', (server: Http1Server) => server.disableKeepAlive()],
  ['closes idle connections', (server: Http1Server) => server.closeWhenIdle()],
])('a server that %s lets clients finish sending, so that they read its answer', async (_, use) => {
  expect(await sendWhole(await refusing(use), to('/', announced))).toMatch(/^HTTP\/1\.1 403 .*\r\nno\r\n/s);
});

it('requests behind a refused one are not served', async () => {
  const second = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc';
  const port = await refusing(() => {});
  const socket = connect(port, '127.0.0.1');
  socket.end(`POST / HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 3\r\n\r\nabc${second}`);
  expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
});

it.each([
  ['is no valid chunk', 'Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n', 'ZZZ\r\n\r\n'],
  ['never comes, without a length', 'Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n', ''],
  ['never comes', 'Content-Length: 3\r\n\r\na', ''],
])('a request that is answered before its end has no second answer where the rest %s', async (_, begin, rest) => {
  const socket = connect(await refusing(() => {}), '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${begin}`);
  const [first]: Buffer[] = await once(socket, 'data');
  socket.end(rest);
  expect(`${first}${await text(socket)}`.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403']);
});

it('a client that sends requests without end behind a refused one is cut off', async () => {
  const accepted = Promise.withResolvers<Socket>();
  const port = await serving(() => {}, { onSocket: accepted.resolve });
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {}).resume();
  const served = await accepted.promise;
  const withoutHost = 'GET / HTTP/1.1\r\n\r\n';
  for (let sent = 0; sent < 200 && !served.destroyed; sent += 1) {
    socket.write(withoutHost);
    while (!served.destroyed && served.bytesRead < socket.bytesWritten)
      await new Promise((resolve) => setImmediate(resolve));
  }
  expect(served.destroyed).toBe(true);
});

describe.each([
  ['text that is not HTTP', 'garbage without end\r\n\r\n'],
  ['a request with two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['headers that are too large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`],
  ['a second request, and text that is not HTTP', 'GET /second HTTP/1.1\r\nHost: a\r\n\r\ngarbage\r\n\r\n'],
])('behind a request that runs, %s', (_, later) => {
  it.each([
    ['before its answer has begun', false],
    ['when its answer has begun', true],
  ])('does not take the place of its answer, %s', async (_title, isBegun) => {
    const served: (string | undefined)[] = [];
    const running = Promise.withResolvers<ServerResponse>();
    const port = await serving((req, res) => {
      served.push(req.url);
      if (isBegun) res.writeHead(200).write('begun, ');
      running.resolve(res);
    });
    const socket = connect(port, '127.0.0.1');
    const answer = text(socket);
    socket.write(`GET /slow HTTP/1.1\r\nHost: a\r\n\r\n${later}`);
    const res = await running.promise;
    // What came later has been read.
    while (res.socket && res.socket.bytesRead < socket.bytesWritten)
      await new Promise((resolve) => setImmediate(resolve));
    res.end('done');
    expect(await answer).toMatch(/^HTTP\/1\.1 200 OK\r\n(?!.*HTTP\/1\.1).*done/s);
    expect(served).toEqual(['/slow']);
  });
});

/** Both ends of a connection, of which the server's is an HTTP server's. */
async function connected(): Promise<{ readonly client: Socket; readonly served: Socket }> {
  const server = createHttpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect({ port: (server.address() as { readonly port: number }).port, allowHalfOpen: true });
  const [served] = (await once(server, 'connection')) as [Socket];
  afterTest(() => {
    client.destroy();
    server.close();
  });
  return { client, served };
}

it('a client that goes on sending after its answer is cut off after half a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { client, served } = await connected();
  client.on('error', () => {}).write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n');
  closeLingering(served);
  vi.advanceTimersByTime(29_999);
  expect(served.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(served.destroyed).toBe(true);
});

it('a connection that lingers ends when its client ends it, and leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { client, served } = await connected();
  closeLingering(served);
  const closed = once(served, 'close');
  client.resume().end();
  await closed;
  expect(vi.getTimerCount()).toBe(0);
});

it('a connection that lingers ends after five seconds without a byte', async () => {
  const { served } = await connected();
  closeLingering(served);
  expect(served.timeout).toBe(5_000);
  served.emit('timeout');
  expect(served.destroyed).toBe(true);
});

it('a connection that is to linger a second time has one timer and one limit', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { client, served } = await connected();
  client.on('error', () => {}).resume();
  closeLingering(served);
  const listeners = served.listenerCount('close');
  vi.advanceTimersByTime(20_000);
  closeLingering(served);
  expect([vi.getTimerCount(), served.listenerCount('close')]).toEqual([1, listeners]);
  vi.advanceTimersByTime(10_000);
  expect([served.destroyed, vi.getTimerCount()]).toEqual([true, 0]);
});

it('a connection that has been destroyed does not linger', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { served } = await connected();
  served.destroy();
  closeLingering(served);
  expect(vi.getTimerCount()).toBe(0);
});
