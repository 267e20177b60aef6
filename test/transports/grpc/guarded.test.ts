import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import * as grpc from '@grpc/grpc-js';
import { expect, test, vi } from 'vitest';
import { createUrlGuard } from '../../../src/net/guard.ts';
import { createGrpcClient, type GrpcClientOptions } from '../../../src/transports/grpc/client.ts';
import { serveNames, type Zone } from '../../support/dns.ts';
import { afterTest, freePort, listenOn } from '../../support/peer.ts';
import { context, dialect } from '../rpc-support.ts';

/** The client connects only to addresses that were judged, and asks no proxy. */

const pem = (name: string): Buffer => readFileSync(new URL(`../../support/tls/${name}`, import.meta.url));

/** A server that knows no task, and keeps the authority of everyone who asks for one. */
async function serveGrpc(address = '127.0.0.1:0', credentials = grpc.ServerCredentials.createInsecure()) {
  const lookups: string[] = [];
  const server = new grpc.Server();
  const same = (bytes: Buffer): Buffer => bytes;
  const codecs = {
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
  const path = '/lf.a2a.v1.A2AService/GetTask';
  server.addService(
    { GetTask: { path, requestStream: false, responseStream: false, ...codecs } },
    {
      GetTask: (call: grpc.ServerUnaryCall<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>) => {
        lookups.push(call.getHost());
        done({ code: grpc.status.NOT_FOUND, details: 'no such task' });
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(address, credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  afterTest(() => server.forceShutdown());
  return { port, lookups, close: () => server.forceShutdown() };
}

async function guarded(zone: Zone, allow: readonly string[] = []) {
  const names = await serveNames(zone);
  return { names, guard: createUrlGuard({ resolve: names.lookup, allow }) };
}

function ask(options: Omit<GrpcClientOptions, 'dialect'>): () => Promise<unknown> {
  const client = createGrpcClient({ dialect, timeout: 5_000, ...options });
  afterTest(() => client.close());
  return () => client.invoke({ operation: 'GetTask', request: { id: 't1' }, context: context() });
}

/** The server's answer. */
const answered = { kind: 'taskNotFound' };

test.each([
  ['a name of this machine', ['127.0.0.1'], 'a loopback address'],
  ['a name with a public and a private address', ['93.184.216.34', '10.0.0.1'], 'a private address'],
] as const)('a guarded gRPC client does not call %s', async (_, addresses, what) => {
  const server = await serveGrpc();
  const { guard } = await guarded({ 'x.example': () => addresses });
  await expect(ask({ url: `http://x.example:${server.port}`, guard })()).rejects.toMatchObject({
    kind: 'upstreamUnreachable',
    message: expect.stringContaining(`x.example is refused: it resolves to ${what}`),
  });
  expect(server.lookups).toEqual([]);
});

test.each(['127.0.0.1', 'localhost'])('a guarded gRPC client does not call %s', async (host) => {
  const server = await serveGrpc();
  const { guard } = await guarded({});
  await expect(ask({ url: `http://${host}:${server.port}`, guard })()).rejects.toThrow(/is refused/);
  expect(server.lookups).toEqual([]);
});

test('a guarded gRPC client connects to the address that was judged, and says the name', async () => {
  const port = await freePort();
  const [mine, theirs] = [await serveGrpc(`127.0.0.2:${port}`), await serveGrpc(`127.0.0.1:${port}`)];
  const zone: Zone = { 'rebind.example': (times) => [times === 0 ? '127.0.0.2' : '127.0.0.1'] };
  const { guard, names } = await guarded(zone, ['127.0.0.2']);
  const call = ask({ url: `http://rebind.example:${mine.port}`, guard });
  await expect(call()).rejects.toMatchObject(answered);
  await expect(call()).rejects.toMatchObject(answered);
  expect(names.queryCount('rebind.example')).toBe(1);
  expect(mine.lookups).toEqual(Array(2).fill(`rebind.example:${mine.port}`));
  // When the connection is gone, the name is looked up and judged anew; calls then do not go to a refused address.
  mine.close();
  const failing = () => call().catch(() => names.queryCount('rebind.example'));
  await expect.poll(failing).toBeGreaterThan(1);
  await expect(call()).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
  expect(theirs.lookups).toEqual([]);
});

test('a guarded gRPC client follows a name that has moved to where it may', async () => {
  const first = await serveGrpc('127.0.0.2:0');
  let address = '127.0.0.2';
  const { guard } = await guarded({ 'move.example': () => [address] }, ['127.0.0.2', '127.0.0.3']);
  const call = ask({ url: `http://move.example:${first.port}`, guard });
  await expect(call()).rejects.toMatchObject(answered);
  await serveGrpc(`127.0.0.3:${first.port}`);
  address = '127.0.0.3';
  first.close();
  const kind = () => call().catch((error: { kind: string }) => error.kind);
  await expect.poll(kind).toBe(answered.kind);
});

test('a guarded gRPC client does not spin where every connection is reset', async () => {
  let visits = 0;
  const server = createServer((socket) => {
    visits++;
    socket.resetAndDestroy();
  });
  const { port } = await listenOn(server);
  for (const host of ['x.example', '127.0.0.1']) {
    const { guard, names } = await guarded({ 'x.example': () => ['127.0.0.1'] }, ['127.0.0.1']);
    await expect(ask({ url: `http://${host}:${port}`, guard })()).rejects.toMatchObject({
      kind: 'upstreamUnreachable',
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(names.queryCount('x.example')).toBeLessThan(4);
  }
  expect(visits).toBeLessThan(8);
});

test('a guarded gRPC client holds the certificate against the name', async () => {
  const pair = { private_key: pem('server.key'), cert_chain: pem('server.pem') };
  const server = await serveGrpc('127.0.0.1:0', grpc.ServerCredentials.createSsl(null, [pair]));
  const zone: Zone = { localhost: () => ['127.0.0.1'], 'x.example': () => ['127.0.0.1'] };
  const { guard } = await guarded(zone, ['localhost', 'x.example']);
  const tls = { ca: pem('ca.pem') };
  await expect(ask({ url: `https://localhost:${server.port}`, tls, guard })()).rejects.toMatchObject(answered);
  await expect(ask({ url: `https://x.example:${server.port}`, tls, guard })()).rejects.toThrow(/cannot reach/);
});

test('a guarded gRPC client goes to an address of IPv6', async () => {
  const server = await serveGrpc('[::1]:0');
  const url = `http://[::1]:${server.port}`;
  await expect(ask({ url, guard: createUrlGuard({ loopback: true }) })()).rejects.toMatchObject(answered);
  await expect(ask({ url, guard: createUrlGuard() })()).rejects.toThrow(/refused/);
});

test('a guarded gRPC client ignores proxies that the environment names', async () => {
  let visits = 0;
  const proxy = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  const { port } = await listenOn(proxy);
  const server = await serveGrpc();
  for (const name of ['grpc_proxy', 'http_proxy', 'https_proxy']) vi.stubEnv(name, `http://127.0.0.1:${port}`);
  const url = `http://127.0.0.1:${server.port}`;
  await expect(ask({ url, guard: createUrlGuard({ loopback: true }) })()).rejects.toMatchObject(answered);
  await expect(ask({ url })()).rejects.toMatchObject(answered);
  expect(visits).toBe(0);
});
