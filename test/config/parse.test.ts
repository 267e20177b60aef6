import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problems, read, ref } from './support.ts';

it('a configuration has the defaults where it says nothing', () => {
  for (const text of ['', '# nothing\n', '{}']) {
    expect(read(text)).toMatchObject({
      file: '/etc/gw/gw.yaml',
      listen: { host: 'localhost', port: 8080, cors: [] },
      store: 'sqlite:/etc/gw/data/gateway.db',
      retention: { tasks: 2_592_000_000 },
      auth: { apiKeys: [], anonymous: 'local', publicCards: false },
      limits: { body: 10_485_760, answer: 300_000, streams: Number.POSITIVE_INFINITY, webhooks: { perTask: 20 } },
      tracing: undefined,
      pages: true,
      console: true,
      cards: { signing: undefined },
      defaultAgent: 'demo',
      agents: new Map([['demo', { kind: 'reference' }]]),
      hosts: new Map(),
    });
  }
});

it('a configuration has paths that are absolute, milliseconds and bytes', () => {
  const config = read(`
listen:
  host: 0.0.0.0
  port: 9000
  publicUrl: https://agents.example.com/gw/
  cors: [https://console.example.com, 'http://localhost:3000']
  tls: { cert: server.pem, key: keys/server.key, clientCa: /ca/clients.pem }
store: postgres://user:pw@db/gateway
durability: full
retention: { tasks: forever, changes: 7d }
auth: { anonymous: true }
limits: { body: 512KiB, answer: 10m, streams: 5 }
preview: [a2a-1.1]
defaultAgent: mine
agents:
  demo: { kind: reference }
  mine:
    kind: module
    path: ./my-agent.ts
`);
  expect(config).toMatchObject({
    file: '/etc/gw/gw.yaml',
    listen: {
      host: '0.0.0.0',
      port: 9000,
      publicUrl: 'https://agents.example.com/gw',
      cors: ['https://console.example.com', 'http://localhost:3000'],
      tls: { cert: '/etc/gw/server.pem', key: '/etc/gw/keys/server.key', clientCa: '/ca/clients.pem' },
    },
    store: 'postgres://user:pw@db/gateway',
    durability: 'full',
    retention: { tasks: Number.POSITIVE_INFINITY, changes: 604_800_000 },
    preview: ['a2a-1.1'],
    auth: {
      anonymous: 'anyone',
      mtls: { clients: [], others: 'accept', required: true },
      publicCards: true,
    },
    limits: {
      body: 524_288,
      answer: 600_000,
      requestsPerMinute: 600,
      streams: 5,
      streamsPerTask: 100,
    },
    defaultAgent: 'mine',
    agents: new Map<string, unknown>([
      ['demo', { kind: 'reference' }],
      ['mine', { kind: 'module', path: '/etc/gw/my-agent.ts' }],
    ]),
  });
});

it('a configuration takes the memory store with and without its colon, which YAML would stumble over', () => {
  for (const text of [
    'store: memory',
    'store: memory:',
    'store: memory: # lost',
    '{ store: memory: }',
    'store: "memory:"',
  ]) {
    expect(read(text).store).toBe('memory:');
  }
});

it('a configuration allows every origin where it says so', () => {
  expect(read('listen: { cors: ["*"] }').listen.cors).toEqual(['*']);
});

it('a configuration names no default agent when there are several', () => {
  expect(read('agents: { a: { kind: reference }, b: { kind: reference } }').defaultAgent).toBeUndefined();
  expect(read('agents: { a: { kind: reference } }').defaultAgent).toBe('a');
});

it('a configuration lets the command line win, with its own relative paths', () => {
  const config = read('listen: { port: 1 }\nstore: memory:', {
    cwd: '/home/me',
    overrides: { host: '::1', port: 0, store: 'sqlite:here.db' },
  });
  expect([config.listen.host, config.listen.port, config.store]).toEqual(['::1', 0, 'sqlite:/home/me/here.db']);
});

it.each([
  ['', 'local'],
  ['auth: { anonymous: true }', 'local'],
  ['auth: { anonymous: false }', 'none'],
  ['listen: { publicUrl: http://x.example }', 'none'],
  ['{ listen: { publicUrl: http://x.example }, auth: { anonymous: true } }', 'anyone'],
  ['{ listen: { host: "::", publicUrl: http://x.example }, auth: { anonymous: true } }', 'anyone'],
  ['listen: { host: 127.0.0.2 }', 'local'],
])('a configuration knows from "%s" that anonymous access is for: %s', (text, access) => {
  expect(read(text).auth.anonymous).toBe(access);
});

describe('environment variables', () => {
  const env = { HOST: '127.0.0.1', PORT: '9090', DB: 'db.example', PW: 'p: {w} #x', YES: 'true', EMPTY: '' };

  it('environment variables stand for values, whole or in part, in block and in flow collections', () => {
    const config = read(
      `listen: { host: ${ref('HOST')}, port: ${ref('PORT')} }\nstore: "postgres://u:${ref('PW')}@${ref('DB')}/x${ref('EMPTY')}"\nauth:\n  anonymous: ${ref('YES')}\n# ${ref('NONE')}`,
      { env },
    );
    expect(config.listen).toMatchObject({ host: '127.0.0.1', port: 9090 });
    expect(config.store).toBe('postgres://u:p: {w} #x@db.example/x');
  });

  it('environment variables are text, never YAML', () => {
    const said = problems(`listen: ${ref('X')}`, { env: { X: '{ port: 1 }' } });
    expect(said).toEqual([
      'gw.yaml:1: listen: expected where to listen: a mapping with host, port, publicUrl, cors, whileStarting, tls',
    ]);
  });

  it('environment variables can be written about with a doubled dollar sign', () => {
    expect(read(`store: sqlite:/x/$${ref('HOST')}.db`, { env }).store).toBe(`sqlite:/x/${ref('HOST')}.db`);
  });

  it('environment variables are named with their place when they are not set', () => {
    expect(
      problems(`store: memory:\nlisten:\n  cors:\n    - https://a.example\n    - "https://${ref('NO_ONE')}"`, { env }),
    ).toEqual(['gw.yaml:5: listen.cors.1: the environment variable NO_ONE is not set']);
  });
});

it('all mistakes of a configuration are reported', () => {
  expect(problems('limits: { body: x }\nlisten:\n  prot: 1\n  hots: a\nstore: 5')).toEqual([
    'gw.yaml:1: limits.body: expected a size above zero, such as 10MiB, 512KiB or a number of bytes',
    'gw.yaml:3: listen.prot: unknown key; did you mean port?',
    'gw.yaml:4: listen.hots: unknown key; did you mean host?',
    'gw.yaml:5: store: expected memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE',
  ]);
});

it('a listener off loopback needs a public URL and a decision about anonymous access', () => {
  expect(problems('listen:\n  host: 0.0.0.0')).toEqual([
    'gw.yaml:1: listen.publicUrl: required when listening on 0.0.0.0: the URL that cards advertise, such as https://agents.example.com',
    'gw.yaml:1: auth.anonymous: listening on 0.0.0.0 without authentication would admit every caller that can reach it; listen on localhost, configure authentication, or set anonymous: true to allow it',
  ]);
  expect(problems('listen: { publicUrl: http://x.example }', { overrides: { host: '10.0.0.1' } })).toHaveLength(1);
});

it('a text that is nested too deeply is a mistake, with the line where it is', () => {
  const tooDeep = 'it is nested too deeply: a configuration may have 100 levels of mappings and lists';
  const flow = (levels: number): string => `agents:\n  mine: ${'['.repeat(levels)}${']'.repeat(levels)}`;
  expect(problems(flow(101))).toEqual([`gw.yaml:2: ${tooDeep}`]);
  expect(problems(flow(100_000))).toEqual([expect.stringContaining(tooDeep)]);
  const block = Array.from({ length: 2_000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
  expect(problems(block)).toEqual([expect.stringContaining(tooDeep)]);
});

it('the report of a mistake never repeats a value that may be a secret', () => {
  const said = problems(`store: ${ref('S')}\ndurability: ${ref('S')}\nlimits: { body: "${ref('S')}" }`, {
    env: { S: 'hunter2' },
  });
  expect(said).toHaveLength(3);
  expect(said.join()).not.toContain('hunter2');
});

it('a mistake is a ConfigError whatever the text is', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      problems(text);
    }),
  );
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'.replace(/./g, (c) => `${c}: &${c} [${`*${String.fromCharCode(c.charCodeAt(0) - 1)},`.repeat(9)}]\n`)}`;
  expect(problems(bomb)).toHaveLength(1);
});
