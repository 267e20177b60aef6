import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindings } from '../../src/client/bindings.ts';
import {
  type Config,
  ConfigError,
  defaultConfig,
  formatProblem,
  loadConfig,
  type UpstreamConfig,
} from '../../src/config/index.ts';
import { type ParseOptions, parseConfig } from '../../src/config/parse.ts';
import { upstreamTransports } from '../../src/config/sections/upstream.ts';
import type { OutboundAuthSettings } from '../../src/net/outbound-settings.ts';
import { inProcess } from '../support/in-process.ts';

const read = (text: string, options: Partial<ParseOptions> = {}): Config =>
  parseConfig(text, { file: '/etc/gw/gw.yaml', env: {}, ...options });

function problems(text: string): string[] {
  try {
    read(text, { file: 'gw.yaml', env: { SECRET: 'hunter2\n' } });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(formatProblem);
    throw error;
  }
  return [];
}

const upstreamOf = (config: Config, name = 'w'): UpstreamConfig => {
  const agent = config.agents.get(name);
  if (agent?.kind !== 'upstream') throw new TypeError(`${name} is no upstream`);
  return agent;
};

/** An upstream of these lines, below `agents.w`. */
const upstream = (...lines: string[]): string =>
  ['agents:', '  w:', '    kind: upstream', ...lines.map((line) => `    ${line}`)].join('\n');

const ref = (name: string): string => `\${${name}}`;

describe('an upstream', () => {
  it('needs a URL, and no more', () => {
    expect(upstreamOf(read(upstream('url: https://legacy.example.com/agent-card.json')))).toEqual({
      kind: 'upstream',
      url: 'https://legacy.example.com/agent-card.json',
      dialect: 'auto',
      transport: 'auto',
      silence: 600_000,
      http2: false,
      keep: 'tasks',
      strict: false,
      auth: undefined,
    });
  });

  it('whose tasks are not kept has no knowledge here', () => {
    const keeps = (keep: string) => upstream('url: https://x.example', `keep: ${keep}`, 'knowledge: {}');
    expect(problems(keeps('none')).join()).toContain(
      'agents.w.knowledge: the gateway keeps nothing of this agent: remove knowledge, or keep: none',
    );
    expect(problems(keeps('tasks'))).toEqual([]);
    expect(problems(upstream('url: https://x.example', 'keep: nothing')).join()).toContain('agents.w.keep');
  });

  it('takes every key', () => {
    const text = upstream(
      'url: HTTP://Legacy.Example.com:80/a/../b#x',
      'dialect: agentvault-0.2',
      'transport: jsonrpc',
      'silence: 90s',
      'keep: none',
      'http2: true',
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

  it('knows every binding that there is', () => {
    expect([...upstreamTransports].sort()).toEqual(bindings.map(({ name }) => name).sort());
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
  ])('is shown %s', (auth, plain, expected) => {
    const config = read(upstream('url: https://x.example', `auth: ${auth}`), { env: { SECRET: 'hunter2' } });
    const settings = upstreamOf(config).auth;
    expect(settings && plain(settings)).toEqual(expected);
    expect(inspect(config, { depth: 9, showHidden: true })).not.toContain('hunter2');
    expect(JSON.stringify([...config.agents])).not.toContain('hunter2');
  });

  it('takes a name and a password out of its URL', () => {
    const config = read(upstream(`url: https://me%40home:${ref('PW')}@x.example/card.json`), { env: { PW: 'p%20w' } });
    const { url, auth } = upstreamOf(config);
    expect(url).toBe('https://x.example/card.json');
    expect(auth?.type === 'basic' && [auth.username, auth.password.reveal()]).toEqual(['me@home', 'p w']);
  });
});

describe('a mistake in an upstream', () => {
  const url = 'url: https://x.example';
  it.each<[name: string, lines: string[], said: string]>([
    [
      'no URL',
      [],
      '2: agents.w.url: expected the http or https URL of an agent or of its card, such as https://agents.example.com/weather',
    ],
    ['a path', ['url: ./x'], '4: agents.w.url: expected the http or https URL of an agent'],
    ['another scheme', ['url: grpc://x.example:50051'], '4: agents.w.url: expected the http or https URL of an agent'],
    ['a half-encoded password', ['url: https://me:%zz@x.example'], '4: agents.w.url: expected the http'],
    ['a line break in a password', ['url: https://me:a%0ab@x.example'], '4: agents.w.url: expected the http'],
    [
      'an unknown dialect',
      [url, 'dialect: a2a-2.0'],
      '5: agents.w.dialect: expected "auto" or "a2a-1.0" or "a2a-1.1" or "a2a-0.3"',
    ],
    [
      'an unknown binding',
      [url, 'transport: websocket'],
      '5: agents.w.transport: expected "auto" or "jsonrpc" or "rest" or "grpc" or "connect"',
    ],
    ['silence in numbers', [url, 'silence: 10'], '5: agents.w.silence: expected a duration above zero'],
    ['a switch', [url, 'strict: 1'], '5: agents.w.strict: expected true or false'],
    [
      'a quirk',
      [url, 'quirks: { base64: true }'],
      '5: agents.w.quirks.base64: unknown key; expected one of base64Bytes, laterFields',
    ],
    [
      'an interface',
      [url, 'cards: { interfaces: [SOAP] }'],
      '5: agents.w.cards.interfaces.0: expected "JSONRPC" or "HTTP+JSON" or "GRPC"',
    ],
    ['no interface', [url, 'cards: { interfaces: [] }'], '5: agents.w.cards.interfaces: expected a list of JSONRPC'],
    ['a misspelt key', [url, 'dialekt: auto'], '5: agents.w.dialekt: unknown key; did you mean dialect?'],
    ['a host', [url, 'hosts: weather.example.com'], '5: agents.w.hosts: expected a list of hosts'],
    ['a URL as host', [url, 'hosts: ["https://x.example"]'], '5: agents.w.hosts.0: expected a host such as'],
    ['a wildcard', [url, 'hosts: ["*.x.example"]'], '5: agents.w.hosts.0: expected a host such as'],
    ['a host twice', [url, 'hosts: [a.example, A.example]'], '5: agents.w.hosts.1: a.example already belongs to w'],
    [
      'credentials without a type',
      [url, 'auth: { token: x }'],
      '5: agents.w.auth.type: expected credentials: a mapping with type: apiKey, bearer, basic, oauth2, mtls or forward',
    ],
    [
      'credentials of another type',
      [url, 'auth:', '  type: oauth'],
      '6: agents.w.auth.type: expected type: apiKey, bearer, basic, oauth2, mtls or forward; did you mean oauth2?',
    ],
    ['no key', [url, 'auth: { type: apiKey }'], '5: agents.w.auth.key: expected an API key: printable ASCII'],
    [
      'a key in numbers',
      [url, 'auth: { type: apiKey, key: 7 }'],
      '5: agents.w.auth.key: expected an API key: printable',
    ],
    [
      'a key with a line break',
      [url, `auth: { type: apiKey, key: ${ref('SECRET')} }`],
      '5: agents.w.auth.key: expected an API key: printable ASCII characters without line breaks',
    ],
    [
      'a header that is taken',
      [url, 'auth: { type: apiKey, key: x, header: Content-Length }'],
      '5: agents.w.auth.header: expected the name of a header such as X-Api-Key',
    ],
    [
      "a key's key",
      [url, 'auth: { type: apiKey, key: x, heder: X }'],
      '5: agents.w.auth.heder: unknown key; did you mean header?',
    ],
    [
      'a password with a line break',
      [url, `auth: { type: basic, username: me, password: ${ref('SECRET')} }`],
      '5: agents.w.auth.password: expected a password: a text without line breaks',
    ],
    [
      'a name with a colon',
      [url, 'auth: { type: basic, username: "me:you", password: x }'],
      '5: agents.w.auth.username: expected a user name without colon',
    ],
    [
      'a token endpoint that holds a password',
      [
        url,
        'auth:',
        '  type: oauth2',
        '  tokenUrl: https://me:hunter2@idp.example/',
        '  clientId: a',
        '  clientSecret: b',
      ],
      '7: agents.w.auth.tokenUrl: expected the http or https URL of a token endpoint, without user and fragment',
    ],
    [
      'scopes in one text',
      [url, 'auth: { type: oauth2, tokenUrl: https://i.example, clientId: a, clientSecret: b, scopes: [a b] }'],
      '5: agents.w.auth.scopes.0: expected a list of scopes, each without spaces',
    ],
    [
      'half a certificate',
      [url, 'auth: { type: mtls, cert: a.pem }'],
      '5: agents.w.auth.key: expected the path of a PEM file: its private key',
    ],
    [
      'a client certificate without TLS',
      ['url: http://x.example', 'auth: { type: mtls, cert: a.pem, key: b.pem }'],
      '5: agents.w.auth.type: a client certificate needs an https URL',
    ],
    [
      'credentials twice',
      ['url: https://me:hunter2@x.example', 'auth: { type: forward }'],
      '5: agents.w.auth: the URL already holds a name and a password; remove them from the URL, or remove auth',
    ],
  ])('is told with its line and path: %s', (_, lines, said) => {
    const told = problems(upstream(...lines));
    expect(told).toHaveLength(1);
    expect(told[0]?.startsWith(`gw.yaml:${said}`), told[0]).toBe(true);
    expect(told[0]).not.toContain('hunter2');
  });
});

describe('hosts', () => {
  it('are for every kind of agent', () => {
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

  it('belong to one agent each', () => {
    expect(
      problems(
        'agents:\n  a: { kind: reference, hosts: [x.example] }\n  b:\n    kind: reference\n    hosts:\n      - X.example',
      ),
    ).toEqual(['gw.yaml:6: agents.b.hosts.0: x.example already belongs to a']);
  });

  it.each(['a.example:0', 'a.example:65536', 'a.example:', ':80', 'a b', 'a/b', 'me@a', '[::1', 'a?b', 'a,b', ''])(
    'are refused when they are none: "%s"',
    (host) => {
      expect(problems(`agents: { a: { kind: reference, hosts: ["${host}"] } }`)).toHaveLength(1);
    },
  );
});

describe('files and flags', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'a2a-config-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('says which certificate is missing, and where it is named', async () => {
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

  it('serves one upstream without a file', () => {
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

  it('prints what would be served, and no secret', async () => {
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
