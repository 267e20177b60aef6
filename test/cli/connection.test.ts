import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { type Opened, openGateway } from '../support/gateway.ts';
import { inProcess, type Outcome } from '../support/in-process.ts';
import { serve } from '../support/peer.ts';

const vias = ['jsonrpc', 'rest', 'grpc', 'connect'] as const;
const file = (name: string): string => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));
const key = 'k-of-the-team-1';
const hash = `sha256:${createHash('sha256').update(key).digest('hex')}`;
const agents = 'agents: { demo: { kind: reference }, two: { kind: reference } }\ndefaultAgent: demo\n';

const folder = newFolder();
let plain: Opened;
let secured: Opened;

beforeAll(async () => {
  plain = await openGateway(
    `auth: { anonymous: true, apiKeyHeader: X-Team-Key, apiKeys: [{ name: team, hash: "${hash}" }] }\n${agents}`,
  );
  const tls = `{ cert: ${file('server.pem')}, key: ${file('server.key')}, clientCa: ${file('ca.pem')} }`;
  secured = await openGateway(
    `listen: { host: localhost, port: 0, tls: ${tls} }\n` +
      `auth: { anonymous: false, mtls: { others: accept } }\n${agents}`,
  );
});

const run = (...args: string[]): Promise<Outcome> => inProcess(args);

describe.each(vias)('over %s', (via) => {
  it(`over ${via} sends headers, as metadata too`, async () => {
    const { stdout } = await run('send', plain.url, 'hello', '--json', '--via', via, '-H', `X-Team-Key: ${key}`);
    const { id } = JSON.parse(stdout).task;
    const without = await run('task', 'get', plain.url, id, '--via', via);
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining(id)]);
    const other = await run('task', 'get', plain.url, id, '--via', via, '--header', 'X-Team-Key: wrong');
    expect(other.stderr).toMatch(/^error: .*use --api-key or --bearer\n$/);
    expect((await run('task', 'get', plain.url, id, '--via', via, '-H', `x-team-key:${key}`)).code).toBe(0);
  });

  it(`over ${via} calls for a tenant`, async () => {
    const agent = `${plain.url}/two`;
    const flags = ['--via', via, '--tenant', 'acme'];
    const { stdout } = await run('send', agent, 'hello', '--json', ...flags);
    const { id } = JSON.parse(stdout).task;
    const inTenant = await run('task', 'get', agent, id, ...flags);
    expect([inTenant.code, inTenant.stderr]).toEqual([0, '']);
    expect((await run('task', 'get', agent, id, '--via', via)).code).toBe(1);
  });

  it.runIf(via === 'grpc' || via === 'connect')(
    `over ${via} calls the default agent for a tenant that is named with it`,
    async () => {
      const { stdout } = await run('send', plain.url, 'hello', '--json', '--via', via, '--tenant', 'demo/acme');
      const { id } = JSON.parse(stdout).task;
      expect((await run('task', 'get', `${plain.url}/demo`, id, '--tenant', 'acme')).code).toBe(0);
      expect((await run('task', 'get', plain.url, id)).code).toBe(1);
    },
  );

  it(`over ${via} gives up after --timeout`, async () => {
    const { code, stderr } = await run('send', plain.url, 'slow 5000', '--via', via, '--timeout', '300ms');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: .* within 300 ms|time|deadline/i)]);
  });

  it(`over ${via} verifies the certificate of the server`, async () => {
    const flags = ['--via', via, '--cert', file('client.pem'), '--key', file('client.key')];
    const refused = await run('send', secured.url, 'say hi', ...flags);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/its certificate was issued by an unknown authority; use --cacert .*\n$/),
    ]);
    const trusting = await run('send', secured.url, 'say hi', ...flags, '--cacert', file('ca.pem'));
    expect(trusting).toEqual({ code: 0, stdout: 'hi\n', stderr: '' });
    expect((await run('send', secured.url, 'say hi', ...flags, '--insecure')).code).toBe(0);
  });

  it(`over ${via} shows the client certificate`, async () => {
    const trust = ['--via', via, '--cacert', file('ca.pem')];
    expect((await run('send', secured.url, 'say hi', ...trust)).stderr).toMatch(/^error: .*\n$/);
    const both = join(folder, 'both.pem');
    const [cert, own] = await Promise.all(
      ['client.pem', 'client.key'].map(async (name) => (await import('node:fs')).readFileSync(file(name), 'utf8')),
    );
    await writeFile(both, `${cert}${own}`);
    expect((await run('send', secured.url, 'say hi', ...trust, '--cert', both)).stdout).toBe('hi\n');
  });

  it(`over ${via} shows the wire with -v, without credentials`, async () => {
    const text = 'stream 2';
    const tokens = ['--bearer', 'the-token-77', '-H', 'Cookie: id=the-token-77'];
    const { stderr } = await run('send', plain.url, 'say the-token-77', '-v', '--via', via, ...tokens);
    expect(stderr).not.toContain('the-token-77');
    expect(stderr).toContain('> authorization: Bearer [secret]\n');
    expect(stderr).toContain('> cookie: [secret]\n');
    const shown = await run('send', plain.url, text, '--stream', '-v', '--via', via, '--api-key', key);
    expect([shown.code, shown.stdout]).toEqual([0, 'chunk 1\nchunk 2\n']);
    const lines = shown.stderr.split('\n');
    expect(lines.filter((line) => line !== '' && !/^[<>*]/.test(line))).toEqual([]);
    expect(shown.stderr).not.toContain(key);
    expect(shown.stderr).toMatch(/^\* Connected to localhost \(.*\) port \d+$/m);
    const version = via === 'grpc' ? 'HTTP/2' : 'HTTP/1.1';
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^> POST /\\S* ${version}$`)));
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^< ${version} 200`)));
    expect(lines).toContain('> x-team-key: [secret]');
    expect(lines).toContainEqual(expect.stringMatching(/^> \{.*"text":"stream 2"/));
    for (const chunk of ['chunk 1', 'chunk 2']) {
      expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^< (data: )?\\{.*"text":"${chunk}"`)));
    }
    if (via === 'grpc') expect(lines).toContain('< grpc-status: 0');
  });
});

it.each([
  [['--header', 'no colon'], /^error: --header: expected NAME:VALUE\n$/],
  [['-H', 'X-A: line\nbreak'], /^error: --header: expected NAME:VALUE\n$/],
  [['--timeout', '10'], /^error: --timeout: expected a duration such as 30s or 500ms\n$/],
  [['--timeout', '0s'], /^error: --timeout: expected a duration/],
  [['--key', 'client.key'], /^error: --key: needs --cert, the certificate of the key\n$/],
  [['--cacert', 'no-such.pem'], /^error: --cacert: cannot read no-such\.pem \(no such file\)\n$/],
  [['--cacert', file('client.key')], /^error: --cacert: .*client\.key holds no certificates in PEM\n$/],
  [
    ['--cert', file('client.pem')],
    /^error: --cert: .*client\.pem alone cannot be used: expected a certificate and its key/,
  ],
  [['--cert', file('client.pem'), '--key', file('server.key')], /^error: --cert: .* and .*server\.key cannot be used/],
])('the options %j end with 2', async (flags, said) => {
  const { code, stderr } = await run('card', 'localhost:1', ...flags);
  expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
});

it('options of connections bound calls of tools', async () => {
  const args = ['--args', '{"message":"slow 5000"}', '--timeout', '300ms'];
  const { code, stderr } = await run('tools', `${plain.url}/two`, 'echo', ...args);
  // The call has reached the server or the tool, which did not answer.
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: .*(timed out|timeout|did not answer within)/i)]);
});

it('options of connections are repeated in the commands that the output proposes', async () => {
  const { stderr } = await run(
    'send',
    secured.url,
    'ask',
    '-k',
    '--cert',
    file('client.pem'),
    '--key',
    file('client.key'),
    '--tenant',
    'a b',
  );
  const command = /answer with: a2a-gateway (.*)\n$/.exec(stderr)?.[1] ?? '';
  expect(command).toMatch(/ --tenant 'a b' --cert \S+client\.pem --key \S+client\.key --insecure$/);
});

it('options of connections reach the other commands with a target', async () => {
  const seen: unknown[] = [];
  const url = await serve((req, res) => {
    seen.push(req.headers['x-team']);
    res.writeHead(404).end();
  });
  for (const args of [
    ['card', url],
    ['doctor', url, '--via', 'jsonrpc', '--as', 'a2a-1.0'],
    ['tools', url],
    ['task', 'list', url],
  ]) {
    seen.length = 0;
    await run(...args, '-H', 'X-Team: a', '-H', 'x-team: b');
    expect(new Set(seen)).toEqual(new Set(['a, b']));
  }
  const own = ['--cacert', file('ca.pem'), '--cert', file('client.pem'), '--key', file('client.key')];
  expect((await run('tools', secured.url, ...own)).stdout).toContain('send_message');
});
