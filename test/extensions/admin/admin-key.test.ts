import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type AdminKeyFile, readAdminKeyFile, targetOfKey, writeAdminKeyFile } from '../../../src/auth/admin-key.ts';
import { newKey } from '../../../src/auth/hash.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import { askAdmin } from '../../support/admin.ts';
import { cli, printed, startCli } from '../../support/cli.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { adminHeaders, openGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';
import { afterTest, listenOn } from '../../support/peer.ts';
import { RawHttp } from '../../support/raw.ts';

/** The key that a gateway makes for its admin service: who gets it, where it is kept, and when it ends. */

const demo = 'agents: { demo: { kind: reference } }\n';

/** A gateway on a SQLite file in a folder of its own, and the lines that it logs. */
async function openOn(folder: string, name = 'gateway.db') {
  const lines: string[] = [];
  const logged: Logger['warn'] = (fields, message) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const made: string[] = [];
  const onAdminKey = (key: string): void => void made.push(key);
  const opened = await openGateway(`store: "sqlite:${join(folder, name)}"\n${demo}`, {
    logger: { ...silent, warn: logged, info: logged, error: logged },
    onAdminKey,
  });
  return { ...opened, lines, made };
}

const mayList = (url: string, headers: Record<string, string>): Promise<boolean> =>
  fetch(`${url}/admin/v1/agents`, { headers }).then(({ status }) => status === 200);

it('the key that a gateway makes is random, is given to the program once, is never logged, and holds every scope', async () => {
  const [one, other] = [await openOn(newFolder()), await openOn(newFolder())];
  expect(one.made).toHaveLength(1);
  expect(one.made).not.toEqual(other.made);
  expect(one.lines.join()).not.toContain(one.made[0]);
  const key = { 'x-api-key': one.made[0] ?? '' };
  expect(await mayList(one.url, key)).toBe(true);
  expect(await mayList(other.url, key)).toBe(false);
  for (const path of ['/metrics', '/tasks', '/agents', '/readyz']) {
    expect([path, (await fetch(`${one.url}${path}`, { headers: key })).status]).toEqual([path, 200]);
  }
});

it('the key that a gateway makes is kept beside the SQLite file for its owner alone, until the gateway stops', async () => {
  const folder = newFolder();
  const { port, made, gateway } = await openOn(folder);
  const file = join(folder, 'admin-key');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readAdminKeyFile(file)).toEqual({
    key: made[0],
    pid: process.pid,
    store: `sqlite:${join(folder, 'gateway.db')}`,
    listen: [`http://127.0.0.1:${port}`, `http://[::1]:${port}`],
  });
  await gateway.close({ drainMs: 0 });
  expect(existsSync(file)).toBe(false);
});

it('the key that a gateway makes replaces that of a gateway that was killed', async () => {
  const folder = newFolder();
  const file = join(folder, 'admin-key');
  const store = `sqlite:${join(folder, 'gateway.db')}`;
  // In a container the process often has the number of the one before.
  for (const pid of [2 ** 22 + 1, process.pid, process.ppid]) {
    writeFileSync(file, JSON.stringify({ key: 'old', pid, store, listen: [] }), { mode: 0o600 });
    const { made, gateway, lines } = await openOn(folder);
    expect([readAdminKeyFile(file)?.key, lines.join()]).toEqual([made[0], expect.not.stringContaining('admin-key')]);
    await gateway.close({ drainMs: 0 });
  }
});

it('the key that a gateway makes stays out of a file of another gateway that runs beside it', async () => {
  const folder = newFolder();
  const first = await openOn(folder);
  const second = await openOn(folder, 'second.db');
  expect(readAdminKeyFile(join(folder, 'admin-key'))?.key).toBe(first.made[0]);
  expect(second.lines.join()).toContain(`in use by another gateway (process ${process.pid}`);
  await second.gateway.close({ drainMs: 0 });
  expect(readAdminKeyFile(join(folder, 'admin-key'))?.key).toBe(first.made[0]);
  expect(await mayList(second.url, adminHeaders(first.url)).catch(() => false)).toBe(false);
});

it.each<[string, (file: string, folder: string) => void, string]>([
  ['a file that others can read', (file) => writeFileSync(file, '{}', { mode: 0o644 }), 'mode 644, expected 600'],
  ['a link', (file, folder) => symlinkSync(join(folder, 'target'), file), 'symbolic link'],
  ['a folder', (file) => mkdirSync(file), 'not a file'],
  ['a file of something else', (file) => writeFileSync(file, 'hello', { mode: 0o600 }), 'no gateway wrote it'],
])('the key that a gateway makes is not written over %s, and the log says so', async (_, prepare, reason) => {
  const folder = newFolder();
  const file = join(folder, 'admin-key');
  prepare(file, folder);
  const before = lstatSync(file).mode;
  const { url, made, lines } = await openOn(folder);
  expect(lines.join()).toContain(reason);
  expect(lstatSync(file).mode).toBe(before);
  expect(existsSync(join(folder, 'target'))).toBe(false);
  expect(await mayList(url, { 'x-api-key': made[0] ?? '' })).toBe(true);
});

it.skipIf(process.getuid?.() !== 0)(
  'the key that a gateway makes is not read from a file of another user',
  async () => {
    const file = join(newFolder(), 'admin-key');
    writeFileSync(file, '{}', { mode: 0o600 });
    (await import('node:fs')).chownSync(file, 12345, 12345);
    expect(() => readAdminKeyFile(file)).toThrow('belongs to another user');
    const content = { key: 'a', pid: 1, store: '', listen: [] };
    expect(() => writeAdminKeyFile(file, content)).toThrow('belongs to another user');
  },
);

it('the key that a gateway makes ends when a reload adds a credential with the scope, and another is made when the last one goes', async () => {
  const folder = newFolder();
  const { gateway, url, made } = await openOn(folder);
  const file = join(folder, 'admin-key');
  const settings = {
    listen: { host: 'localhost', port: 0 },
    store: `sqlite:${join(folder, 'gateway.db')}`,
    agents: { demo: { kind: 'reference' as const } },
  };
  const first = { 'x-api-key': made[0] ?? '' };
  const watching = await fetch(`${url}/admin/v1/tasks:watch`, { headers: first });
  const operator = newKey();
  const limited = newKey();
  const keys = [
    { name: 'limited', hash: limited.hash, scopes: ['admin'], agents: ['demo'] },
    { name: 'reader', hash: newKey().hash, scopes: ['admin:read'] },
  ];
  // Neither can do what the key can.
  await gateway.reload({ ...settings, auth: { apiKeys: keys } });
  expect([made.length, await mayList(url, first)]).toEqual([1, true]);
  const apiKeys = [...keys, { name: 'operator', hash: operator.hash, scopes: ['admin'] }];
  await gateway.reload({ ...settings, auth: { apiKeys } });
  expect([await mayList(url, first), await mayList(url, { 'x-api-key': operator.key })]).toEqual([false, true]);
  expect(await watching.text()).toContain('UNAUTHENTICATED');
  expect([made.length, existsSync(file)]).toEqual([1, false]);
  await gateway.reload(settings);
  expect([made.length, await mayList(url, first)]).toEqual([2, false]);
  expect(await mayList(url, { 'x-api-key': made[1] ?? '' })).toBe(true);
  expect(readAdminKeyFile(file)?.key).toBe(made[1]);
});

it('the key that a gateway makes is not passed on, and other keys in the same header still are', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((socket) => {
    socket.on('data', (bytes) => {
      seen.push(/^x-api-key: (.*)$/im.exec(bytes.toString('latin1'))?.[1]?.trim());
      socket.end('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n');
    });
  });
  const { port } = await listenOn(server);
  const { url } = await openGateway(
    `agents: { up: { kind: upstream, url: "http://127.0.0.1:${port}", dialect: a2a-1.0, transport: jsonrpc, auth: { type: forward } } }`,
  );
  const send = (key: string): Promise<unknown> =>
    fetch(`${url}/up/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'a' }] } }),
    });
  await send('for-the-agent');
  const { 'x-api-key': own = '' } = adminHeaders(url);
  await send(own);
  expect(seen).toContain('for-the-agent');
  expect(seen).not.toContain(own);
});

describe('A2A_GATEWAY_ADMIN_KEY', () => {
  const serve = (env: Record<string, string>, ...more: string[]) =>
    startCli(['serve', '--port', '0', '--store', 'memory:', ...more], { env });
  afterEach(() => delete process.env.A2A_GATEWAY_ADMIN_KEY);

  it('A2A_GATEWAY_ADMIN_KEY is the key in place of a random one, is not printed, and the command uses it on this machine alone', async () => {
    const env = { A2A_GATEWAY_ADMIN_KEY: 'chosen-by-the-operator' };
    const text = await printed(serve(env), /Ctrl-C/);
    const [, url = ''] = /Console: (.*)\/console\/$/m.exec(text) ?? [];
    expect(text).not.toContain(env.A2A_GATEWAY_ADMIN_KEY);
    expect(await mayList(url, { authorization: 'Bearer chosen-by-the-operator' })).toBe(true);
    expect(await cli(['admin', 'list-agents', url], { env })).toMatchObject({ code: 0 });
    expect(await cli(['admin', 'list-agents', url])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('scope'),
    });
  });

  it('A2A_GATEWAY_ADMIN_KEY ends the start when no header could carry it', async () => {
    const { code, stderr } = await cli(['serve', '--port', '0', '--store', 'memory:'], {
      env: { A2A_GATEWAY_ADMIN_KEY: 'two words' },
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('A2A_GATEWAY_ADMIN_KEY: expected visible ASCII')]);
  });

  it.each([
    ['nineteen-characters', 1],
    ['twenty--characters--', 0],
  ])('A2A_GATEWAY_ADMIN_KEY gets %s: warnings about its length: %d', async (key, expected) => {
    process.env.A2A_GATEWAY_ADMIN_KEY = key;
    const warnings: string[] = [];
    const warn: Logger['warn'] = (_, message) => void warnings.push(message);
    const { url, close } = await openGateway(demo, { logger: { ...silent, warn } });
    afterTest(close);
    expect(await mayList(url, { 'x-api-key': key })).toBe(true);
    expect(warnings.filter((text) => text.includes('can be guessed'))).toHaveLength(expected);
    expect(warnings.join()).not.toContain(key);
  });

  it('A2A_GATEWAY_ADMIN_KEY is not used, with a line in the log, where a credential has the scope', async () => {
    process.env.A2A_GATEWAY_ADMIN_KEY = 'chosen-by-the-operator';
    const { key, hash } = newKey();
    const warnings: string[] = [];
    const warn: Logger['warn'] = (_, message) => void warnings.push(message);
    const { url, close } = await openGateway(
      `auth: { apiKeys: [{ name: operator, hash: "${hash}", scopes: [admin] }] }\n${demo}`,
      { logger: { ...silent, warn } },
    );
    afterTest(close);
    expect(await mayList(url, { 'x-api-key': 'chosen-by-the-operator' })).toBe(false);
    expect(await mayList(url, { 'x-api-key': key })).toBe(true);
    expect(warnings.join()).toContain('A2A_GATEWAY_ADMIN_KEY is not used');
  });
});

it('a2a-gateway admin finds the key of the gateway of its folder, of a configuration or of a store, and its address', {
  timeout: paced(180_000),
}, async () => {
  const [folder, elsewhere] = [newFolder(), newFolder()];
  writeFileSync(join(folder, 'gateway.yaml'), demo);
  const text = await printed(startCli(['serve', '--port', '0', '--config', 'gateway.yaml'], { cwd: folder }), /Ctrl-C/);
  const [, url = '', key = ''] = /Console: (.*)\/console\/#key=(\S+)/.exec(text) ?? [];
  expect(text.split(key)).toHaveLength(2);
  const config = join(folder, 'gateway.yaml');
  for (const [cwd, args] of [
    [folder, []],
    [folder, [url]],
    [elsewhere, ['--config', config, url]],
    [elsewhere, ['--store', `sqlite:${folder}/data/gateway.db`]],
  ] as const) {
    const { code, stderr } = await cli(['admin', 'list-agents', ...args], { cwd });
    expect([args, code, stderr]).toEqual([args, 0, '']);
  }
  expect(await cli(['push', 'list'], { cwd: folder })).toMatchObject({ code: 0 });
  expect(await cli(['admin', 'list-agents', url], { cwd: elsewhere })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--config'),
  });
  chmodSync(join(folder, 'data', 'admin-key'), 0o644);
  expect(await cli(['admin', 'list-agents'], { cwd: folder })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('other users can access it (mode 644'),
  });
});

it('a2a-gateway admin sends the key to no target but the gateway that made it', {
  timeout: paced(90_000),
}, async () => {
  const folder = newFolder();
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', (bytes) => {
      received.push(bytes.toString('latin1'));
      socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n');
    });
  });
  const { port: thief } = await listenOn(server);
  mkdirSync(join(folder, 'data'));
  const file = join(folder, 'data', 'admin-key');
  const write = (content: Partial<AdminKeyFile>): void => {
    rmSync(file, { force: true });
    const complete = { key: 'secret-key', pid: process.pid, store: '', listen: [], ...content };
    writeFileSync(file, JSON.stringify(complete), { mode: 0o600 });
  };
  const run = (target: string) => cli(['admin', 'list-agents', target], { cwd: folder });
  // Another port of this machine.
  write({ listen: [`http://127.0.0.1:${thief + 1}`, `http://[::1]:${thief + 1}`] });
  expect(await run(`http://127.0.0.1:${thief}`)).toMatchObject({ stderr: expect.stringContaining('is for http') });
  // The port of a gateway that has ended.
  write({ listen: [`http://127.0.0.1:${thief}`, `http://[::1]:${thief}`], pid: 2 ** 22 + 1 });
  expect(await run(`http://127.0.0.1:${thief}`)).toMatchObject({ stderr: expect.stringContaining('no longer runs') });
  expect(received.length).toBeGreaterThan(1);
  expect(received.join()).not.toContain('secret-key');
  write({ listen: [`http://127.0.0.1:${thief}`] });
  await run(`http://127.0.0.1:${thief}`);
  expect(received.join()).toContain('secret-key');
});

it.each([
  ['http://localhost:8080', ['http://127.0.0.1:8080', 'http://[::1]:8080'], 'http://localhost:8080'],
  ['http://localhost:8080', ['http://127.0.0.1:8080'], 'http://127.0.0.1:8080'],
  ['http://localhost', ['http://127.0.0.1', 'http://[::1]'], 'http://localhost'],
  ['https://localhost:8080', ['https://127.0.0.1:8080'], undefined],
  ['https://localhost:8080', ['http://127.0.0.1:8080', 'http://[::1]:8080'], undefined],
  ['http://127.0.0.1:8080', ['http://[::1]:8080'], undefined],
  ['http://127.0.0.1:8081', ['http://127.0.0.1:8080'], undefined],
  ['http://localhost.evil.example:8080', ['http://127.0.0.1:8080', 'http://[::1]:8080'], undefined],
  ['http://evil.example:8080', ['http://127.0.0.1:8080', 'http://[::1]:8080'], undefined],
])('a2a-gateway admin at %s, of a gateway at %j, sends the key to %s', (target, listen, expected) => {
  expect(targetOfKey({ key: '', pid: 1, store: '', listen }, new URL(target))).toBe(expected);
});

it('a forwarder that leaves no mark, such as socat or ssh -L gets strangers nothing of the admin service, and of the console its files alone', async () => {
  const { port, url } = await openGateway(demo);
  const forwarder = createServer((socket) => {
    const inner = connect(port, '127.0.0.1');
    inner.on('error', () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  });
  const http = new RawHttp((await listenOn(forwarder)).port);
  const ask = (path: string, headers = {}) =>
    http.send({ method: 'GET', path, headers: { host: `localhost:${port}`, ...headers } });
  // A local caller by all that can be seen.
  expect((await ask('/tasks')).status).toBe(200);
  for (const path of ['/admin/v1/agents', '/admin/v1/tasks', '/admin/v1/config', '/admin/v1/callers']) {
    const { status, body } = await ask(path);
    expect([path, status]).toEqual([path, 401]);
    expect(body.toString()).not.toContain('reference');
  }
  const { 'x-api-key': key = '' } = adminHeaders(url);
  const { body } = await ask('/console/settings.json');
  expect(body.toString()).not.toContain(key);
  expect((await ask('/admin/v1/agents', { 'x-api-key': key })).status).toBe(200);
  expect((await askAdmin(url, 'ListAgents', {})).agents).toHaveLength(1);
});

it('the file is removed only by the gateway that wrote it', () => {
  const file = join(newFolder(), 'admin-key');
  const content = { key: 'one', pid: process.pid, store: 's', listen: [] };
  const remove = writeAdminKeyFile(file, content);
  rmSync(file);
  writeFileSync(file, JSON.stringify({ ...content, key: 'other' }), { mode: 0o600 });
  remove();
  expect(readFileSync(file, 'utf8')).toContain('other');
});
