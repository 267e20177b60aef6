import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { artifact, defineAgent, status } from '../../../src/agents/define.ts';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { defaultConfig } from '../../../src/config/index.ts';
import type { Part } from '../../../src/core/model/a2a.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { createStore } from '../../../src/stores/index.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest, freePort } from '../../support/peer.ts';
import { type VaultClient, vaultClient } from '../../support/vault-client.ts';
import { raw as rawHttp } from '../http/serving.ts';

/** Inline bytes at URLs, through a whole gateway: URLs that AgentVault clients get, and files that they fetch. */

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Gives back, as a file, what its message's data part describes: `{ bytes, mediaType, filename }`. */
const maker = defineAgent({
  name: 'Maker',
  description: 'Makes files',
  async *execute({ message, text, task }) {
    const described = message.parts.find(({ data }) => data !== undefined)?.data as
      | { bytes: string; mediaType?: string; filename?: string }
      | undefined;
    if (text === 'status') {
      yield status('TASK_STATE_COMPLETED', [{ raw: base64('said'), mediaType: 'text/plain' }]);
      return;
    }
    if (text === 'replace') {
      yield status('TASK_STATE_WORKING');
      yield artifact({ artifactId: 'a', content: [{ raw: base64('before') }] });
      yield artifact({ artifactId: 'a', content: [{ raw: base64('after') }] });
      return;
    }
    if (text === 'many') {
      const content: Part[] = [{ text: 'two files' }, { raw: base64('one') }, { raw: base64('two') }];
      yield status('TASK_STATE_WORKING');
      yield artifact({ artifactId: 'a', content });
      return;
    }
    const { bytes = '', ...rest } = described ?? {};
    if (!task) yield status('TASK_STATE_WORKING');
    yield artifact({ artifactId: 'a', content: [{ raw: base64(bytes), ...rest }] });
  },
});

interface Running {
  readonly origin: string;
  readonly port: number;
  readonly store: Store;
  readonly client: VaultClient;
  close(): Promise<void>;
}

async function start({ url = 'memory:', port: wanted = 0, publicUrl = '' } = {}): Promise<Running> {
  const config = defaultConfig({ port: wanted, store: url });
  const listen = { ...config.listen, publicUrl: publicUrl || undefined };
  const store = createStore(url, { instance: 'test' });
  const agents = { maker: maker, other: createReferenceAgent() };
  const { gateway, port } = await openGateway({ ...config, listen }, { store, agents });
  const origin = `http://localhost:${port}`;
  const client = vaultClient(`${origin}/maker/as/agentvault-0.2/`);
  return { origin, port, store, client, close: () => gateway.close({ drainMs: 0 }) };
}

/** A gateway of one test's own. */
async function another(options: Parameters<typeof start>[0] = {}): Promise<Running> {
  const one = await start(options);
  afterTest(() => one.close());
  return one;
}

let gateway: Running;
beforeAll(async () => {
  gateway = await start();
});
afterAll(() => gateway.close());

/** The task of a message, when it has ended. */
async function done(message: string | object, { client }: Running = gateway) {
  const id = await client.send(message);
  await client.follow(id);
  return client.get(id);
}

/** The URL of a file with these properties. */
async function made(file: object, where?: Running): Promise<string> {
  const { artifacts } = await done({ role: 'user', parts: [{ type: 'data', content: file }] }, where);
  return artifacts[0].url;
}

/** The answer of a file URL when no file is found there. */
const nothing = { status: 404, type: 'text/plain', text: 'Not found\n' };

async function answerAt(url: string): Promise<typeof nothing> {
  const response = await fetch(url);
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
}

it('inline bytes for AgentVault clients are an artifact by URL, of which nothing is lost', async () => {
  const id = await gateway.client.send({
    role: 'user',
    parts: [{ content: { bytes: 'hello', mediaType: 'text/html' } }],
  });
  const frames = await gateway.client.follow(id);
  const { json, headers } = await gateway.client.call('tasks/get', { id });
  const [shown] = json.result.artifacts;
  expect(shown).toMatchObject({ id: 'a', content: null, mediaType: 'text/html' });
  expect(shown.url).toMatch(/^http:\/\/localhost:\d+\/maker\/files\/[\w-]{100,300}$/);
  expect(headers.get('a2a-gateway-loss') ?? '').not.toContain('parts');
  // The URL is the same each time, so that clients and caches recognize it.
  expect(frames.find(({ event }) => event === 'task_artifact')?.data.artifact).toEqual(shown);
  expect(await (await fetch(shown.url)).text()).toBe('hello');
});

it('inline bytes for AgentVault clients are a file part in messages', async () => {
  const task = await done('status');
  const part = { type: 'file', url: expect.any(String), mediaType: 'text/plain', filename: null };
  expect(task.messages.at(-1)).toMatchObject({ role: 'assistant', parts: [part] });
  expect(await (await fetch(task.messages.at(-1).parts[0].url)).text()).toBe('said');
});

it('inline bytes for AgentVault clients are found beside other parts', async () => {
  const { artifacts } = await done('many');
  const [text, ...files] = Object.values(artifacts[0].content)[0] as Part[];
  expect(text).toEqual({ text: 'two files' });
  const texts = await Promise.all(files.map(async ({ url = '' }) => (await fetch(url)).text()));
  expect(texts).toEqual(['one', 'two']);
});

it('inline bytes for AgentVault clients that another dialect sent are found too', async () => {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ raw: base64('from v1'), filename: 'v1.txt' }] };
  const response = await fetch(`${gateway.origin}/maker/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ message }),
  });
  const { task } = (await response.json()) as { task: { id: string } };
  const { messages } = await gateway.client.get(task.id);
  expect(messages[0].parts[0]).toMatchObject({ type: 'file', filename: 'v1.txt' });
  expect(await (await fetch(messages[0].parts[0].url)).text()).toBe('from v1');
});

it('inline bytes for AgentVault clients live as long as the task', async () => {
  const own = await another();
  const url = await made({ bytes: 'short-lived' }, own);
  expect((await fetch(url)).status).toBe(200);
  expect(await own.store.expire(Date.now() + 60_000, 10)).toBe(1);
  expect(await answerAt(url)).toEqual(nothing);
});

it('inline bytes for AgentVault clients are served from the log when the artifact was replaced', async () => {
  const id = await gateway.client.send('replace');
  const frames = await gateway.client.follow(id);
  const urls = frames.filter(({ event }) => event === 'task_artifact').map(({ data }) => data.artifact.url);
  expect(await Promise.all(urls.map(async (url) => (await fetch(url)).text()))).toEqual(['before', 'after']);
});

it('inline bytes for AgentVault clients have URLs that outlive the process', async () => {
  const folder = newFolder();
  const store = `sqlite:${join(folder, 'gateway.db')}`;
  const first = await start({ url: store, port: await freePort() });
  const url = await made({ bytes: 'kept' }, first);
  await first.close();
  const second = await another({ url: store, port: first.port });
  expect(await (await fetch(url)).text()).toBe('kept');
  expect(await answerAt(url.replace(String(first.port), String(gateway.port)))).toEqual(nothing);
  expect(second.port).toBe(first.port);
});

it('inline bytes for AgentVault clients are advertised under the public URL', async () => {
  const own = await another({ publicUrl: 'https://agents.example.com/a2a' });
  expect(await made({ bytes: 'x' }, own)).toMatch(/^https:\/\/agents\.example\.com\/a2a\/maker\/files\/[\w-]+$/);
});

it('a file is answered as an attachment that a browser will not run', async () => {
  const url = await made({ bytes: '<script>alert(1)</script>', mediaType: 'text/html', filename: 'a.html' });
  const { status: code, headers } = await fetch(url);
  expect(code).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/html',
    'content-length': '25',
    'content-disposition': 'attachment; filename="a.html"',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, no-cache',
  });
});

it('a file is answered to HEAD without its bytes, and not again to who has it', async () => {
  const url = await made({ bytes: 'hello' });
  const head = await fetch(url, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5', '']);
  const etag = head.headers.get('etag') ?? '';
  const again = await fetch(url, { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect((await fetch(await made({ bytes: 'hello', filename: 'b' }))).headers.get('etag')).not.toBe(etag);
});

it.each([
  ['report.pdf', 'attachment; filename="report.pdf"'],
  ['../../etc/pass"wd', 'attachment; filename="pass_wd"; filename*=UTF-8\'\'pass%22wd'],
  ['C:\\temp\\a b.txt', 'attachment; filename="a b.txt"'],
  ['Übersicht (1).txt', 'attachment; filename="_bersicht (1).txt"; filename*=UTF-8\'\'%C3%9Cbersicht%20%281%29.txt'],
  ['exe\u202etxt.scr\r\nSet-Cookie: a=b', 'attachment; filename="exetxt.scrSet-Cookie: a=b"'],
  ['..', 'attachment'],
  ['', 'attachment'],
  ['x'.repeat(1_000), `attachment; filename="${'x'.repeat(200)}"`],
])('a file is answered under a safe name: %j', async (filename, expected) => {
  const { headers } = await fetch(await made({ bytes: 'x', filename }));
  expect(headers.get('content-disposition')).toBe(expected);
});

it.each([
  ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
  ['image/svg+xml', 'image/svg+xml'],
  [undefined, 'application/octet-stream'],
  ['', 'application/octet-stream'],
  ['text', 'application/octet-stream'],
  ['text/html\r\nX-Evil: 1', 'application/octet-stream'],
  ['text/ht ml', 'application/octet-stream'],
])('a file is answered with a media type that is one: %j', async (mediaType, expected) => {
  const { headers } = await fetch(await made({ bytes: 'x', ...(mediaType !== undefined && { mediaType }) }));
  expect(headers.get('content-type')).toBe(expected);
  expect(headers.get('x-evil')).toBeNull();
});

it('a file is answered to any client with the URL, without credentials', async () => {
  const url = new URL(await made({ bytes: 'open' }));
  const foreign = 'Host: agents.example.com\r\nOrigin: https://evil.example\r\nX-Forwarded-For: 192.0.2.1';
  const answer = await rawHttp(gateway.port, `GET ${url.pathname} HTTP/1.1\r\n${foreign}\r\nConnection: close\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nopen$/);
});

it('a file is answered below the pinned path of every dialect too', async () => {
  const url = await made({ bytes: 'pinned' });
  for (const name of ['agentvault-0.2', 'a2a-1.0']) {
    expect(await (await fetch(url.replace('/maker/', `/maker/as/${name}/`))).text()).toBe('pinned');
  }
});

it('a file is answered at the root for the default agent', async () => {
  const client = vaultClient(`${gateway.origin}/`);
  const id = await client.send('file');
  await client.follow(id);
  const { url } = (await client.get(id)).artifacts[0];
  const atRoot = url.replace('/demo/', '/');
  expect(atRoot).not.toBe(url);
  const bytes = Buffer.from(await (await fetch(atRoot)).arrayBuffer());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  // Other names there are left to the server that mounts the gateway.
  expect((await answerAt(`${gateway.origin}/files/report.pdf`)).type).not.toBe('text/plain');
});

it('no file is found, and nothing is disclosed, by a token that was changed, cut, lengthened or made up', async () => {
  const url = await made({ bytes: 'secret' });
  const token = url.slice(url.lastIndexOf('/') + 1);
  const at = (other: string) => `${url.slice(0, -token.length)}${other}`;
  const changed = [0, 10, 40, token.length - 30, token.length - 2].map(
    (n) => token.slice(0, n) + (token[n] === 'A' ? 'B' : 'A') + token.slice(n + 1),
  );
  const others = [token.slice(0, -1), `${token}A`, `${token}=`, `${token}/x`, 'x', '%00', 'A'.repeat(9_000)];
  for (const other of [...changed, ...others]) expect(await answerAt(at(other))).toEqual(nothing);
});

it("no file is found, and nothing is disclosed, by another agent's token", async () => {
  const url = await made({ bytes: 'secret' });
  expect(await answerAt(url.replace('/maker/', '/other/'))).toEqual(nothing);
  expect(await answerAt(url.replace('/maker/', '/'))).toEqual(nothing);
});

it('no file is found, and nothing is disclosed, by other verbs', async () => {
  const url = await made({ bytes: 'x' });
  for (const method of ['POST', 'PUT', 'DELETE']) {
    for (const target of [url, `${url}A`]) {
      const response = await fetch(target, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  }
});
