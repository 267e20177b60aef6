import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { callsOf } from '../../support/admin.ts';
import { adminHeaders, type Opened, openGateway } from '../../support/gateway.ts';

let gateway: Opened;
let id: string;

beforeAll(async () => {
  gateway = await openGateway('agents: { demo: { kind: reference } }\ndefaultAgent: demo\n');
  ({ id } = await callsOf(gateway.url).send('stream 400 0', { immediately: false }));
});

/** The answer as it is on the wire, which `fetch` would decompress. */
function read(path: string, coding?: string): Promise<{ coding: string | undefined; body: Buffer; length: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof read>>>();
  const headers = { ...adminHeaders(gateway.url), 'a2a-version': '1.0', ...(coding && { 'accept-encoding': coding }) };
  get(`${gateway.url}${path}`, { headers }, async (res) => {
    const body = Buffer.concat(await res.toArray());
    resolve({ coding: res.headers['content-encoding'], body, length: Number(res.headers['content-length']) });
  }).on('error', reject);
  return promise;
}

test('a large answer of the admin service is compressed for callers who accept that', async () => {
  const path = `/admin/v1/tasks/${id}`;
  const plain = await read(path);
  expect(plain.coding).toBeUndefined();
  const packed = await read(path, 'br, gzip;q=0.5');
  expect(packed.coding).toBe('gzip');
  expect(packed.length).toBe(packed.body.length);
  expect(packed.body.length).toBeLessThan(plain.body.length / 5);
  expect(JSON.parse(gunzipSync(packed.body).toString())).toEqual(JSON.parse(plain.body.toString()));
  for (const refused of ['gzip;q=0', 'identity', 'br']) expect((await read(path, refused)).coding).toBeUndefined();
});

test('small answers, streams and answers of agents are never compressed', async () => {
  for (const path of ['/admin/v1/replicas', `/admin/v1/tasks/${id}:follow`, `/tasks/${id}`]) {
    expect([path, (await read(path, 'gzip')).coding]).toEqual([path, undefined]);
  }
});
