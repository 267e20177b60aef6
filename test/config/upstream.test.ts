import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bindings } from '../../src/client/bindings.ts';
import { type Config, defaultConfig, loadConfig, type UpstreamConfig } from '../../src/config/index.ts';
import { calledBindings } from '../../src/dialects/kernel/binding-names.ts';
import type { OutboundAuthSettings } from '../../src/net/credentials/outbound-settings.ts';
import { newFolder } from '../support/folders.ts';
import { inProcess } from '../support/in-process.ts';
import { problems, read, ref, upstream } from './support.ts';

const upstreamOf = (config: Config, name = 'w'): UpstreamConfig => {
  const agent = config.agents.get(name);
  if (agent?.kind !== 'upstream') throw new TypeError(`${name} is no upstream`);
  return agent;
};

it('an upstream needs a URL, and no more', () => {
  expect(upstreamOf(read(upstream('url: https://legacy.example.com/agent-card.json')))).toEqual({
    kind: 'upstream',
    url: 'https://legacy.example.com/agent-card.json',
    dialect: 'auto',
    transport: 'auto',
    silence: 600_000,
    http2: false,
    keep: 'tasks',
    path: false,
    strict: false,
    auth: undefined,
  });
});

it('an upstream whose tasks are not kept has no knowledge here', () => {
  const keeps = (keep: string) => upstream('url: https://x.example', `keep: ${keep}`, 'knowledge: {}');
  expect(problems(keeps('none')).join()).toContain(
    'agents.w.knowledge: the gateway stores nothing for this agent: remove knowledge, or keep: none',
  );
  expect(problems(keeps('tasks'))).toEqual([]);
  expect(problems(upstream('url: https://x.example', 'keep: nothing')).join()).toContain('agents.w.keep');
});

it('an upstream takes every key', () => {
  const text = upstream(
    'url: HTTP://Legacy.Example.com:80/a/../b#x',
    'dialect: agentvault-0.2',
    'transport: jsonrpc',
    'silence: 90s',
    'keep: none',
    'http2: true',
    'path: true',
    'strict: true',
    'quirks: { base64Bytes: true, laterFields: false }',
    'cards: { interfaces: [JSONRPC], dialects: { a2a-0.3: { interfaces: [GRPC] } } }',
    'hosts: [Weather.example.com, "w.example.com:8443"]',
    'auth: { type: forward }',
  );
  const config = read(text);
  expect(upstreamOf(config)).toEqual({
    kind: 'upstream',
    url: 'http://legacy.example.com/b',
    dialect: 'agentvault-0.2',
    transport: 'jsonrpc',
    silence: 90_000,
    http2: true,
    keep: 'none',
    path: true,
    strict: true,
    quirks: { base64Bytes: true, laterFields: false },
    cards: { interfaces: ['JSONRPC'], dialects: { 'a2a-0.3': { interfaces: ['GRPC'] } } },
    auth: { type: 'forward' },
  });
  expect([...config.hosts]).toEqual([
    ['weather.example.com', 'w'],
    ['w.example.com:8443', 'w'],
  ]);
});

it('an upstream knows every binding that there is', () => {
  expect([...calledBindings].sort()).toEqual(bindings.map(({ name }) => name).sort());
});

it.each<[text: string, plain: (auth: OutboundAuthSettings) => unknown, expected: unknown]>([
  [
    `{ type: apiKey, key: ${ref('SECRET')} }`,
    (auth) => auth.type === 'apiKey' && [auth.key.reveal(), auth.header],
    ['hunter2', undefined],
  ],
  [
    `{ type: apiKey, key: "${ref('SECRET')}.1", header: X-Service-Key }`,
    (auth) => auth.type === 'apiKey' && [auth.key.reveal(), auth.header],
    ['hunter2.1', 'X-Service-Key'],
  ],
  [`{ type: bearer, token: ${ref('SECRET')} }`, (auth) => auth.type === 'bearer' && auth.token.reveal(), 'hunter2'],
  [
    `{ type: basic, username: me, password: "${ref('SECRET')} ü" }`,
    (auth) => auth.type === 'basic' && [auth.username, auth.password.reveal()],
    ['me', 'hunter2 ü'],
  ],
  [
    `{ type: oauth2, tokenUrl: "https://idp.example/token?x=1", clientId: gw, clientSecret: ${ref('SECRET')} }`,
    (auth) => auth.type === 'oauth2' && [auth.tokenUrl, auth.clientId, auth.clientSecret.reveal(), auth.scopes],
    ['https://idp.example/token?x=1', 'gw', 'hunter2', []],
  ],
  [
    `{ type: oauth2, tokenUrl: https://idp.example/t, clientId: gw, clientSecret: ${ref('SECRET')}, scopes: [a, b:c] }`,
    (auth) => auth.type === 'oauth2' && auth.scopes,
    ['a', 'b:c'],
  ],
  [
    '{ type: mtls, cert: client.pem, key: keys/client.key }',
    (auth) => auth,
    { type: 'mtls', cert: '/etc/gw/client.pem', key: '/etc/gw/keys/client.key' },
  ],
  [
    '{ type: mtls, cert: /c.pem, key: /c.key, ca: ca.pem }',
    (auth) => auth,
    { type: 'mtls', cert: '/c.pem', key: '/c.key', ca: '/etc/gw/ca.pem' },
  ],
])('an upstream is shown %s', (auth, plain, expected) => {
  const config = read(upstream('url: https://x.example', `auth: ${auth}`), { env: { SECRET: 'hunter2' } });
  const settings = upstreamOf(config).auth;
  expect(settings && plain(settings)).toEqual(expected);
  expect(inspect(config, { depth: 9, showHidden: true })).not.toContain('hunter2');
  expect(JSON.stringify([...config.agents])).not.toContain('hunter2');
});

it('an upstream takes a name and a password out of its URL', () => {
  const config = read(upstream(`url: https://me%40home:${ref('PW')}@x.example/card.json`), { env: { PW: 'p%20w' } });
  const { url, auth } = upstreamOf(config);
  expect(url).toBe('https://x.example/card.json');
  expect(auth?.type === 'basic' && [auth.username, auth.password.reveal()]).toEqual(['me@home', 'p w']);
});

it('the copies of an upstream are a list of URLs', () => {
  const list = 'url: [https://a.example, https://b.example/x]';
  const { url, auth } = upstreamOf(read(upstream(list, 'auth: { type: forward }')));
  expect([url, auth?.type]).toEqual([['https://a.example/', 'https://b.example/x'], 'forward']);
});

it('the copies of an upstream are all shown by `config check`, without what may be secret', async () => {
  const file = join(newFolder(), 'gateway.yaml');
  const url = 'url: [http://a.example/x?key=hunter2, http://b.example]';
  await writeFile(file, upstream(url, 'auth: { type: bearer, token: hunter2 }'));
  const { code, stdout, stderr } = await inProcess(['config', 'check', file]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('upstream http://a.example/x?…, http://b.example/')]);
  for (const host of ['a.example', 'b.example'])
    expect(stdout + stderr).toMatch(new RegExp(`encrypt.*${host}|${host}.*encrypt`));
  expect(stdout + stderr).not.toContain('hunter2');
});

it.each<[settings: string, problem: string]>([
  ['url: []', 'w.url: expected at least one URL'],
  ['url: 7', 'w.url: expected the http or https URL of an agent'],
  ['url: [https://a.example, ftp://b.example]', 'w.url.1: expected the http or https URL of an agent'],
  ['url: [https://a.example, { url: "https://b.example", share: 5 }]', 'shares were removed: configure the version'],
  ['url: [https://a.example, https://A.example:443/]', 'w.url.1: this is the same copy as 0'],
  ['url: ["https://a.example/x?key=1", "https://a.example/x?key=2"]', 'w.url.1: this is the same copy as 0'],
  [
    'url: [https://a.example, "https://me:pw@b.example"]',
    'w.url.1: a URL in a list must not contain a user name and a password',
  ],
  [
    'url: [https://a.example, "http://b.example"]\n    auth: { type: mtls, cert: a.pem, key: a.key }',
    'w.auth.type: a client certificate needs an https URL',
  ],
  ['url: [https://a.example]\n    keep: none', 'w.url: a list of copies needs keep: tasks'],
  [
    'url: https://a.example\n    eachAddress: true',
    'w.eachAddress: removed: the copies of an agent are those listed in url',
  ],
])('the copies of an upstream are refused: %s', (settings, problem) => {
  const found = problems(upstream(settings));
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(problem);
});

it('hosts are for every kind of agent', () => {
  const { hosts, agents } = read(`agents:
  a: { kind: reference, hosts: [a.example, "[::1]:80", "BÜCHER.example.", 10.0.0.1] }
  b: { kind: module, path: ./b.ts, hosts: ["a.example:8080"] }`);
  expect([...hosts]).toEqual([
    ['a.example', 'a'],
    ['[::1]:80', 'a'],
    ['xn--bcher-kva.example', 'a'],
    ['10.0.0.1', 'a'],
    ['a.example:8080', 'b'],
  ]);
  expect(agents.get('a')).toEqual({ kind: 'reference' });
});

it.each(['a.example:0', 'a.example:65536', 'a.example:', ':80', 'a b', 'a/b', 'me@a', '[::1', 'a?b', 'a,b', ''])(
  'hosts are refused when they are none: "%s"',
  (host) => {
    expect(problems(`agents: { a: { kind: reference, hosts: ["${host}"] } }`)).toHaveLength(1);
  },
);

describe('files and flags', () => {
  const folder = newFolder();

  it('files and flags says which certificate is missing, and where it is named', async () => {
    const file = join(folder, 'mtls.yaml');
    await writeFile(join(folder, 'c.pem'), '');
    await writeFile(
      file,
      upstream('url: https://x.example', 'auth:', '  type: mtls', '  cert: c.pem', '  key: gone.key'),
    );
    await expect(loadConfig(file)).rejects.toThrow(
      /mtls\.yaml:8: agents\.w\.auth\.key: cannot read .*gone\.key \(no such file; /,
    );
  });

  it('files and flags serves one upstream without a file', () => {
    const config = defaultConfig({ upstream: 'https://me:pw@legacy.example.com/agent-card.json', port: 0 });
    const { url, auth } = upstreamOf(config, 'upstream');
    expect([config.defaultAgent, url, auth?.type, config.listen.port]).toEqual([
      'upstream',
      'https://legacy.example.com/agent-card.json',
      'basic',
      0,
    ]);
    expect(() => defaultConfig({ upstream: 'ftp://x' })).toThrow(/^--upstream: expected the http or https URL/);
  });

  it('files and flags prints what would be served, and no secret', async () => {
    const file = join(folder, 'check.yaml');
    await writeFile(
      file,
      `agents:
  w:
    kind: upstream
    url: http://me:hunter2@legacy.example.com/agent-card.json?key=hunter2
    hosts: [w.example.com]
    strict: true
  x:
    kind: upstream
    url: https://x.example
    dialect: a2a-0.3
    transport: rest
    auth: { type: bearer, token: hunter2 }
`,
    );
    const { code, stdout, stderr } = await inProcess(['config', 'check', file]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      '  w: upstream http://legacy.example.com/agent-card.json?… (dialect auto, transport auto, auth basic, silence 10m, strict), at /w and w.example.com\n' +
        '  x: upstream https://x.example/ (dialect a2a-0.3, transport rest, auth bearer, silence 10m), at /x\n',
    );
    expect(stderr).toContain('agent w: credentials are sent unencrypted to http://legacy.example.com/agent-card.json');
    expect(stdout + stderr).not.toContain('hunter2');
  });
});
