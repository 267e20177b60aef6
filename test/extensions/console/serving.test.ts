import { once } from 'node:events';
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../../src/auth/hash.ts';
import { previews } from '../../../src/dialects/registry.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { createConsolePage } from '../../../src/transports/pages/console.ts';
import { builtConsole, consoleDeadline } from '../../support/console.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { serve } from '../../support/peer.ts';

let gateway: Opened;

beforeAll(async () => {
  await builtConsole();
  gateway = await openGateway(`
auth:
  anonymous: false
  apiKeyHeader: X-Console-Key
  apiKeys: [{ name: alice, hash: "${shownHash(hashOf('secret of alice'))}", scopes: [admin] }]
console: { traces: "https://traces.example.com/{traceId}" }
agents: { private-agent: { kind: reference } }
`);
}, consoleDeadline);

afterAll(() => gateway?.close());

const get = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${gateway.url}/console/${path}`, { redirect: 'manual', ...init });

/** The bytes as they were sent: `fetch` decompresses. */
async function raw(path: string, encoding: string): Promise<{ encoding: string | undefined; body: Buffer }> {
  const req = request(`${gateway.url}/console/${path}`, { headers: { 'accept-encoding': encoding } }).end();
  const [res] = await once(req, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of res) chunks.push(chunk);
  return { encoding: res.headers['content-encoding'], body: Buffer.concat(chunks) };
}

const assetsOf = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path = '']) => path);

it('the console over HTTP has a strict policy on every answer, and sets no cookie', async () => {
  for (const path of ['', 'settings.json', 'nothing', ...assetsOf(await (await get('')).text())]) {
    const { headers } = await get(path);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    // Of bytes in the page, images alone are shown.
    expect(policy).toContain("img-src 'self' blob:;");
    expect(policy?.replace(' blob:', '')).not.toMatch(/unsafe|\*|https?:|data:|blob:/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});

it('the console over HTTP has no script and no style in its page', async () => {
  const html = await (await get('')).text();
  expect(html).not.toMatch(/<style|<script(?![^>]* src=)| style=| on\w+=/);
  expect(assetsOf(html).length).toBeGreaterThanOrEqual(3);
  expect(html).not.toMatch(/(?:src|href)="(?!\.\/)/);
});

it('the console over HTTP lets clients cache files whose names change with their content, but not the page', async () => {
  const page = await get('');
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const [script = ''] = assetsOf(await page.text()).filter((path) => path.endsWith('.js'));
  const file = await get(script);
  expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  const etag = page.headers.get('etag') ?? '';
  expect((await get('', { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect((await get('', { headers: { 'if-none-match': '"another"' } })).status).toBe(200);
});

it('the console over HTTP sends brotli to clients that accept it, gzip to others that accept that, and plain files to all others', async () => {
  const [script = ''] = assetsOf(await (await get('')).text()).filter((path) => path.endsWith('.js'));
  const plain = await raw(script, 'deflate');
  expect(plain.encoding).toBeUndefined();
  for (const accept of ['gzip, deflate', 'gzip, br;q=0.0', 'br;q=0, GZIP']) {
    const small = await raw(script, accept);
    expect(small.encoding).toBe('gzip');
    expect(small.body.length).toBeLessThan(plain.body.length / 2);
    expect(gunzipSync(small.body).equals(plain.body)).toBe(true);
  }
  for (const accept of ['br', 'gzip, deflate, br', 'br;q=0.5, gzip', 'gzip,BR']) {
    const small = await raw(script, accept);
    expect(small.encoding).toBe('br');
    expect(small.body.length).toBeLessThan(plain.body.length / 2);
    expect(brotliDecompressSync(small.body).equals(plain.body)).toBe(true);
  }
  for (const accept of ['', 'br;q=0', 'gzip;q=0, br;q=0.0', 'brotli', 'x-br']) {
    expect((await raw(script, accept)).encoding).toBeUndefined();
  }
});

it('the console over HTTP answers HEAD without a body, and refuses what changes something', async () => {
  const head = await get('', { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
  expect(await head.text()).toBe('');
  const post = await get('', { method: 'POST', body: '{}' });
  expect(post.status).toBe(405);
  expect(post.headers.get('allow')).toBe('GET, HEAD');
});

it('the console over HTTP leads from its path without a slash to that with one, wherever it is mounted', async () => {
  const answer = await fetch(`${gateway.url}/console?x`, { redirect: 'manual' });
  expect(answer.status).toBe(308);
  expect(answer.headers.get('location')).toBe('./console/');
});

it.each([
  'nothing',
  'assets/nothing.js',
  '../package.json',
  '%2e%2e/package.json',
  'assets/',
  '.sources',
  'index.html.br',
])('the console over HTTP has no file at %s', async (path) => {
  const req = request({ host: 'localhost', port: gateway.port, path: `/console/${path}` }).end();
  const [res] = await once(req, 'response');
  res.resume();
  expect(res.statusCode).toBe(404);
});

it('the console over HTTP says before there is a credential only how to authenticate', async () => {
  const settings = await (await get('settings.json')).json();
  expect(settings).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    build: expect.stringMatching(/^[\w-]{20,}$/),
    apiKeyHeader: 'X-Console-Key',
    bearer: false,
    madeKey: false,
    previews: [...previews],
    keepsCalls: true,
    traces: 'https://traces.example.com/{traceId}',
  });
  expect(JSON.stringify(settings)).not.toMatch(/alice|private-agent/);
});

it('the console over HTTP shows browsers at the root where the console is', async () => {
  const open = await openGateway('agents: { demo: { kind: reference } }');
  const html = await (await fetch(open.url, { headers: { accept: 'text/html' } })).text();
  await open.close();
  expect(html).toContain('href="./console/"');
  const closed = await fetch(gateway.url, { headers: { accept: 'text/html' } });
  expect(closed.status).toBe(401);
  expect(await closed.text()).not.toContain('private-agent');
});

it.each([
  ['console: false', 404, 200],
  ['pages: false', 404, 404],
  ['pages: false\nconsole: true', 200, 404],
])('the console that is not wanted is not served with %s', async (settings, status, health) => {
  const other = await openGateway(`${settings}\nagents: { demo: { kind: reference } }`);
  const statusOf = async (path: string): Promise<number> => (await fetch(other.url + path)).status;
  expect(await statusOf('/console/')).toBe(status);
  expect(await statusOf('/console/settings.json')).toBe(status);
  expect(await statusOf('/healthz')).toBe(health);
  if (status === 404) {
    const html = await (await fetch(other.url, { headers: { accept: 'text/html' } })).text();
    expect(html).not.toContain('console/');
  }
  await other.close();
});

it('the console that is not wanted goes and comes with a reload of the configuration', async () => {
  const other = await openGateway('agents: { demo: { kind: reference } }');
  const status = async (): Promise<number> => (await fetch(`${other.url}/console/`)).status;
  expect(await status()).toBe(200);
  const settings = { listen: { port: 0 }, store: 'memory:', agents: { demo: { kind: 'reference' as const } } };
  await other.gateway.reload({ ...settings, console: false });
  expect(await status()).toBe(404);
  await other.gateway.reload(settings);
  expect(await status()).toBe(200);
  await other.close();
});

it('the console says how to build the console where it was not built', async () => {
  const page = createConsolePage({ files: () => undefined, settings: () => ({}) });
  const answer = await fetch(`${await serve(page)}/console/`);
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain('npm run console');
});

it('the console works below a path of an Express app', async () => {
  const embedded = createGateway({ store: 'memory:', agents: { demo: { kind: 'reference' } } });
  await embedded.start();
  const app = express();
  app.use('/deep/gateway', embedded.middleware);
  app.get('/console/', (_, res) => void res.send('a page of the app'));
  const base = await serve(app);
  const redirected = await fetch(`${base}/deep/gateway/console`);
  expect(redirected.url).toBe(`${base}/deep/gateway/console/`);
  for (const path of assetsOf(await redirected.text())) {
    expect((await fetch(`${base}/deep/gateway/console/${path}`)).status).toBe(200);
  }
  expect(await (await fetch(`${base}/console/`)).text()).toBe('a page of the app');
  await embedded.close({ drainMs: 0 });
});
