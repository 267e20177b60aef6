import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { printed, startCli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { inProcess } from '../support/in-process.ts';

const folder = newFolder();

it('keys new prints a key and its line, and nothing else to stdout', async () => {
  const { code, stdout, stderr } = await inProcess(['keys', 'new', 'alice']);
  expect(code).toBe(0);
  const [key = '', line = '', end] = stdout.split('\n');
  expect(key).toMatch(/^a2a_[\w-]{43}$/);
  expect(line).toMatch(/^- \{ name: alice, hash: "sha256:[\w-]{43}" \}$/);
  expect(end).toBe('');
  expect(stderr).not.toContain(key);
});

it('keys new prints one JSON document with --json, and nothing to stderr', async () => {
  const { code, stdout, stderr } = await inProcess(['keys', 'new', 'a: "b"', '--json']);
  expect([code, stderr]).toEqual([0, '']);
  const hash = expect.stringMatching(/^sha256:/);
  expect(JSON.parse(stdout)).toEqual({ name: 'a: "b"', key: expect.stringMatching(/^a2a_/), hash });
});

it('keys new names keys itself, and writes any name so that YAML reads it', async () => {
  expect((await inProcess(['keys', 'new'])).stdout).toMatch(/name: key-[\da-f]{6},/);
  expect((await inProcess(['keys', 'new', 'a: "b"'])).stdout).toContain('name: "a: \\"b\\"",');
  expect((await inProcess(['keys', 'new', 'true'])).stdout).toContain('name: "true",');
  expect((await inProcess(['keys', 'new', 'a\nb'])).code).toBe(2);
});

it('a key lets the command in over every binding, and shows nowhere', async () => {
  const [key = '', line = ''] = (await inProcess(['keys', 'new', 'alice'])).stdout.split('\n');
  const file = join(folder, 'gateway.yaml');
  const secret = line.replace('name:', 'id:').replace(/^- /, '').replace('}', ', scopes: [tasks, metricks] }');
  writeFileSync(
    file,
    `listen: { port: 0 }\nstore: "memory:"\nauth:\n  anonymous: false\n  apiKeys:\n    ${line}\n  tokenEndpoint: { clients: [${secret}] }\n`,
  );
  const checked = await inProcess(['config', 'check', file]);
  expect(checked.code).toBe(0);
  expect(checked.stdout).toMatch(/^anonymous {3}off\napi keys {4}alice\nclients {5}alice \(scopes tasks metricks\)/m);
  expect(checked.stderr).toBe(
    'warning: client alice: unknown scope "metricks"; expected tasks, tasks:read, knowledge, knowledge:read, admin, admin:read, agents, metrics, questions\n',
  );
  expect(checked.stdout).not.toContain('sha256');

  const child = startCli(['serve', '--config', file]);
  const said = await printed(child, /to stop\.\n/);
  const url = /listening on (\S+)/.exec(said)?.[1] ?? '';
  for (const via of ['jsonrpc', 'rest', 'grpc', 'connect']) {
    const { code, stdout } = await inProcess(['send', url, 'say hello', '--via', via, '--api-key', key]);
    expect([via, code, stdout]).toEqual([via, 0, 'hello\n']);
  }
  const form = { grant_type: 'client_credentials', client_id: 'alice', client_secret: key };
  const granted = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  expect((await inProcess(['send', url, 'say hello', '--via', 'grpc', '--bearer', token])).stdout).toBe('hello\n');
  const refused = await inProcess(['send', url, 'say hello', '--api-key', 'a2a_wrong']);
  expect([refused.code, refused.stderr]).toEqual([1, 'error: The API key is not valid; use --api-key or --bearer\n']);
  expect(said).not.toContain('sha256');
});
