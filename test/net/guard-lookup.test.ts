import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createUrlGuard, type UrlGuardOptions, UrlRefused } from '../../src/net/guard.ts';
import { createHttpClient, type HttpClient } from '../../src/net/http-client.ts';
import { serveNames, type Zone } from '../support/dns.ts';
import { afterTest } from '../support/peer.ts';

/** Guards over a real name server: what a name is resolved to is judged, and is what is connected to. */

/** A server that counts who comes. */
async function counting(address = '127.0.0.1') {
  let visits = 0;
  const server = createServer((_, res) => {
    visits++;
    res.end(address);
  });
  server.listen(0, address);
  await once(server, 'listening');
  afterTest(() => server.close());
  afterTest(() => server.closeAllConnections());
  return { port: (server.address() as AddressInfo).port, visits: () => visits };
}

async function guarded(zone: Zone, options: UrlGuardOptions = {}) {
  const names = await serveNames(zone);
  const guard = createUrlGuard({ resolve: names.lookup, ...options });
  return { names, guard };
}

function pool(guard: ReturnType<typeof createUrlGuard>): HttpClient {
  const http = createHttpClient({ guard });
  afterTest(() => http.close());
  return http;
}

const get = (http: HttpClient, url: string) =>
  http.request({ method: 'GET', url: new URL(url), headers: {}, signal: new AbortController().signal, timeout: 5_000 });

const resolved = (lookup: LookupFunction, name: string, all: boolean): Promise<unknown> =>
  new Promise((resolve, reject) =>
    lookup(name, { all }, (error, address, family) =>
      error ? reject(error) : resolve(all ? address : [address, family]),
    ),
  );

const inner: readonly (readonly string[])[] = [
  ['127.0.0.1'],
  ['10.0.0.1'],
  ['169.254.169.254'],
  ['0.0.0.0'],
  ['::1'],
  ['fd00::1'],
  ['fe80::1'],
  ['::ffff:10.0.0.1'],
  ['64:ff9b::a00:1'],
  ['2002:a00:1::'],
  ['93.184.216.34', '10.0.0.1'],
  ['10.0.0.1', '93.184.216.34'],
  ['2606:4700::1111', '127.0.0.1'],
  ['93.184.216.34', '::1'],
];

test.each(inner.map((addresses) => [addresses.join(' and '), addresses] as const))(
  'a name that resolves to %s is refused',
  async (_, addresses) => {
    const { guard } = await guarded({ 'x.example': () => addresses });
    for (const all of [true, false]) {
      await expect(resolved(guard.lookupAt(80), 'x.example', all)).rejects.toBeInstanceOf(UrlRefused);
    }
  },
);

test('a name passes when all its addresses are public, in the form that was asked for', async () => {
  const { guard } = await guarded({ 'x.example': () => ['93.184.216.34', '2606:4700::1111'] });
  expect(await resolved(guard.lookupAt(80), 'x.example', true)).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]);
  expect(await resolved(guard.lookupAt(80), 'x.example', false)).toEqual(['93.184.216.34', 4]);
  await expect(resolved(guard.lookupAt(80), 'none.example', true)).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('a lookup fails as the system does, which gives no list with its error', async () => {
  const lookup = createUrlGuard().lookupAt(80);
  for (const all of [true, false]) {
    await expect(resolved(lookup, 'a2a-gateway-test.example.invalid', all)).rejects.toHaveProperty('code');
  }
});

test('a name that is refused itself is not looked up', async () => {
  const { guard, names } = await guarded({
    localhost: () => ['93.184.216.34'],
    'db.internal': () => ['93.184.216.34'],
  });
  for (const name of ['localhost', 'db.internal', 'LOCALHOST.']) {
    await expect(resolved(guard.lookupAt(80), name, true)).rejects.toBeInstanceOf(UrlRefused);
  }
  expect([names.queryCount('localhost'), names.queryCount('db.internal')]).toEqual([0, 0]);
});

test('addresses in the place of names are judged, too', async () => {
  const guard = createUrlGuard();
  await expect(resolved(guard.lookupAt(80), '127.0.0.1', true)).rejects.toBeInstanceOf(UrlRefused);
  await expect(resolved(guard.lookupAt(80), '::1', false)).rejects.toBeInstanceOf(UrlRefused);
  expect(await resolved(guard.lookupAt(80), '8.8.8.8', false)).toEqual(['8.8.8.8', 4]);
});

test('allowed names may resolve to private addresses, but to no metadata service', async () => {
  const zone: Zone = {
    'hooks.internal': () => ['10.0.0.1'],
    'a.corp.example': () => ['127.0.0.1'],
    'm.corp.example': () => ['169.254.169.254'],
    'k.corp.example': () => ['10.0.0.1', 'fd00:ec2::254'],
    'w.example': () => ['10.1.2.3'],
    'v.example': () => ['10.2.0.1'],
  };
  const { guard } = await guarded(zone, { allow: ['hooks.internal:8443', '*.corp.example', '10.1.0.0/16'] });
  const at = (port: number, name: string) => resolved(guard.lookupAt(port), name, true);
  await expect(at(8443, 'hooks.internal')).resolves.toBeDefined();
  await expect(at(8080, 'hooks.internal')).rejects.toThrow(
    'hooks.internal is refused: it is allowed on other ports only',
  );
  await expect(at(80, 'a.corp.example')).resolves.toBeDefined();
  await expect(at(80, 'm.corp.example')).rejects.toThrow(/link-local/);
  await expect(at(80, 'k.corp.example')).rejects.toThrow(/metadata/);
  await expect(at(80, 'w.example')).resolves.toBeDefined();
  await expect(at(80, 'v.example')).rejects.toThrow('v.example is refused: it resolves to a private address');
});

test('requests to a name that leads to this machine never arrive', async () => {
  const server = await counting();
  const told: string[] = [];
  const { guard } = await guarded({ 'x.example': () => ['127.0.0.1'] }, { onRefused: (target) => told.push(target) });
  const failed = await get(pool(guard), `http://x.example:${server.port}/`).catch((error: unknown) => error);
  expect(failed).toMatchObject({
    kind: 'upstreamUnreachable',
    message: 'x.example is refused: it resolves to a loopback address',
    cause: expect.any(UrlRefused),
  });
  expect([server.visits(), told]).toEqual([0, ['x.example']]);
});

test.each(['http://127.0.0.1', 'http://[::ffff:127.0.0.1]', 'http://0x7f.1', 'http://localhost'])(
  'requests to %s never arrive, although no name is resolved',
  async (origin) => {
    const server = await counting();
    const failed = await get(pool(createUrlGuard()), `${origin}:${server.port}/`).catch((error: unknown) => error);
    expect(failed).toMatchObject({ kind: 'upstreamUnreachable', cause: expect.any(UrlRefused) });
    expect(server.visits()).toBe(0);
  },
);

test('requests go to the address that was checked, although the name has another by now', async () => {
  const [mine, theirs] = [await counting('127.0.0.2'), await counting('127.0.0.1')];
  // A second lookup of the name would return the other address.
  const zone: Zone = { 'rebind.example': (asked) => (asked === 0 ? ['127.0.0.2'] : ['127.0.0.1']) };
  const { guard, names } = await guarded(zone, { allow: ['127.0.0.2'] });
  const http = pool(guard);
  const first = await get(http, `http://rebind.example:${mine.port}/`);
  expect(String(await first.read(100))).toBe('127.0.0.2');
  expect(names.queryCount('rebind.example')).toBe(1);
  // On the connection that is there, nothing is resolved anew. It is taken up from the next turn of the loop on.
  await setImmediate();
  await (await get(http, `http://rebind.example:${mine.port}/`)).read(100);
  expect(names.queryCount('rebind.example')).toBe(1);
  await expect(get(http, `http://rebind.example:${theirs.port}/`)).rejects.toThrow(/refused/);
  expect([mine.visits(), theirs.visits()]).toEqual([2, 0]);
});

test('requests ask no proxy that the environment names', async () => {
  const [proxy, server] = [await counting(), await counting()];
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
  for (const name of names) vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  const answer = await get(pool(createUrlGuard({ loopback: true })), `http://127.0.0.1:${server.port}/`);
  await answer.read(100);
  expect([proxy.visits(), server.visits()]).toEqual([0, 1]);
});

test('requests to an address that the operator wrote down are not judged, on that port alone', async () => {
  const server = await counting();
  const zone: Zone = { 'agent.internal': () => ['127.0.0.1'] };
  const { guard } = await guarded(zone);
  const origin = `http://agent.internal:${server.port}`;
  const http = pool(guard.trusting(`${origin}/card.json`));
  expect((await get(http, `${origin}/a2a`)).status).toBe(200);
  await expect(get(http, `http://agent.internal:${server.port + 1}/`)).rejects.toThrow(/refused/);
});
