import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError, formatProblem } from '../../src/config/index.ts';
import { type ParseOptions, parseConfig } from '../../src/config/parse.ts';

const read = (text: string, options: Partial<ParseOptions> = {}) =>
  parseConfig(text, { file: '/etc/gw/gateway.yaml', env: {}, ...options });

/** Every problem of a text, a line each. */
function problems(text: string, options: Partial<ParseOptions> = {}): string[] {
  try {
    read(text, { file: 'gw.yaml', ...options });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(formatProblem);
    throw error;
  }
  return [];
}

describe('a configuration', () => {
  it('has the defaults where it says nothing', () => {
    for (const text of ['', '# nothing\n', '{}']) {
      expect(read(text)).toMatchObject({
        file: '/etc/gw/gateway.yaml',
        listen: { host: 'localhost', port: 8080, cors: [] },
        store: 'sqlite:/etc/gw/data/gateway.db',
        retention: { tasks: 2_592_000_000 },
        auth: { apiKeys: [], anonymous: 'local', publicCards: false },
        limits: { body: 10_485_760, answer: 300_000, streams: Number.POSITIVE_INFINITY, webhooks: { perTask: 20 } },
        ...{ tracing: undefined, pages: true, console: true, cards: { signing: undefined } },
        defaultAgent: 'demo',
        agents: new Map([['demo', { kind: 'reference' }]]),
        hosts: new Map(),
      });
    }
  });

  it('has paths that are absolute, milliseconds and bytes', () => {
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
      file: '/etc/gw/gateway.yaml',
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

  it('takes the memory store with and without its colon, which YAML would stumble over', () => {
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

  it('allows every origin where it says so', () => {
    expect(read('listen: { cors: ["*"] }').listen.cors).toEqual(['*']);
  });

  it('names no default agent when there are several', () => {
    expect(read('agents: { a: { kind: reference }, b: { kind: reference } }').defaultAgent).toBeUndefined();
    expect(read('agents: { a: { kind: reference } }').defaultAgent).toBe('a');
  });

  it('lets the command line win, with its own relative paths', () => {
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
  ])('knows from "%s" that anonymous access is for: %s', (text, access) => {
    expect(read(text).auth.anonymous).toBe(access);
  });
});

/** A reference to an environment variable. */
const ref = (name: string) => `\${${name}}`;

describe('environment variables', () => {
  const env = { HOST: '127.0.0.1', PORT: '9090', DB: 'db.example', PW: 'p: {w} #x', YES: 'true', EMPTY: '' };

  it('stand for values, whole or in part, in block and in flow collections', () => {
    const config = read(
      `listen: { host: ${ref('HOST')}, port: ${ref('PORT')} }\nstore: "postgres://u:${ref('PW')}@${ref('DB')}/x${ref('EMPTY')}"\nauth:\n  anonymous: ${ref('YES')}\n# ${ref('NONE')}`,
      { env },
    );
    expect(config.listen).toMatchObject({ host: '127.0.0.1', port: 9090 });
    expect(config.store).toBe('postgres://u:p: {w} #x@db.example/x');
  });

  it('are text, never YAML', () => {
    const said = problems(`listen: ${ref('X')}`, { env: { X: '{ port: 1 }' } });
    expect(said).toEqual([
      'gw.yaml:1: listen: expected where to listen: a mapping with host, port, publicUrl, cors, tls',
    ]);
  });

  it('can be written about with a doubled dollar sign', () => {
    expect(read(`store: sqlite:/x/$${ref('HOST')}.db`, { env }).store).toBe(`sqlite:/x/${ref('HOST')}.db`);
  });

  it('are named with their place when they are not set', () => {
    expect(
      problems(`store: memory:\nlisten:\n  cors:\n    - https://a.example\n    - "https://${ref('NO_ONE')}"`, { env }),
    ).toEqual(['gw.yaml:5: listen.cors.1: the environment variable NO_ONE is not set']);
  });
});

describe('a mistake', () => {
  it.each<[name: string, text: string, said: string]>([
    ['a port out of range', 'listen:\n  port: 70000', 'gw.yaml:2: listen.port: expected an integer from 0 to 65535'],
    ['a port in words', 'listen: { port: http }', 'gw.yaml:1: listen.port: expected an integer from 0 to 65535'],
    [
      'an agent called __proto__',
      'agents:\n  __proto__: { kind: reference }',
      'gw.yaml:2: agents.__proto__: __proto__ is not allowed as a key; choose another name',
    ],
    [
      'a tool server called __proto__',
      'agents: { a: { kind: mcp, servers: { "__proto__": { command: x } } } }',
      'gw.yaml:1: agents.a.servers.__proto__: __proto__ is not allowed as a key; choose another name',
    ],
    ['a misspelt key', '\nlisten:\n  prot: 1', 'gw.yaml:3: listen.prot: unknown key; did you mean port?'],
    [
      'a key like none',
      'colour: red',
      'gw.yaml:1: colour: unknown key; expected one of listen, store, durability, fullText, retention, auth, limits, cards, preview, defaultAgent, agents, outbound, push, questions, shutdown, log, tracing, pages, console, workers',
    ],
    [
      'a way in without what it needs',
      'auth:\n  jwt: { issuer: x, audience: y }',
      'gw.yaml:2: auth.jwt.jwksUrl: expected an http or https URL without user and fragment',
    ],
    [
      'a limit of nothing',
      'limits: { streams: 0 }',
      'gw.yaml:1: limits.streams: expected a whole number above zero, or "unlimited"',
    ],
    ['a key, misspelt', 'auth: { apiKey: [] }', 'gw.yaml:1: auth.apiKey: unknown key; did you mean apiKeys?'],
    [
      'an agent of no tools',
      'agents:\n  w:\n    kind: mcp\n    servers: {}',
      'gw.yaml:4: agents.w.servers: expected at least one server',
    ],
    [
      'a misspelt kind',
      'agents: { w: { kind: referense } }',
      'gw.yaml:1: agents.w.kind: expected kind: reference, module, upstream or mcp; did you mean reference?',
    ],
    [
      'an agent without a kind',
      'agents:\n  w: {}',
      'gw.yaml:2: agents.w.kind: expected an agent: a mapping with kind: reference, module, upstream or mcp',
    ],
    [
      'a module without a path',
      'agents:\n  w:\n    kind: module',
      'gw.yaml:2: agents.w.path: expected the path of a JavaScript or TypeScript module, such as ./my-agent.ts',
    ],
    [
      'a reserved name',
      'agents: { v1: { kind: reference } }',
      'gw.yaml:1: agents.v1: "v1" is a reserved word; choose another name for this agent',
    ],
    [
      'a name with capitals',
      'agents: { Weather: { kind: reference } }',
      "gw.yaml:1: agents.Weather: an agent's name is made of a-z, 0-9 and -, and does not begin with -",
    ],
    ['no agents', 'agents: {}', 'gw.yaml:1: agents: expected at least one agent'],
    [
      'an unknown default',
      'defaultAgent: x\nagents: { a: { kind: reference } }',
      'gw.yaml:1: defaultAgent: there is no agent "x"; expected one of a',
    ],
    [
      'a size without sense',
      'limits:\n  body: ten',
      'gw.yaml:2: limits.body: expected a size above zero, such as 10MiB, 512KiB or a number of bytes',
    ],
    [
      'a duration without a unit',
      'limits:\n  answer: 300',
      'gw.yaml:2: limits.answer: expected a duration above zero and below 25 days, such as 300s, 10m or 500ms',
    ],
    [
      'a duration beyond a timer',
      'limits: { answer: 60d }',
      'gw.yaml:1: limits.answer: expected a duration above zero and below 25 days, such as 300s, 10m or 500ms',
    ],
    ['an unknown preview', 'preview: [a2a-1.0]', 'gw.yaml:1: preview.0: expected a2a-1.1'],
    ['previews that are no list', 'preview: a2a-1.1', 'gw.yaml:1: preview: expected a list of a2a-1.1'],
    [
      'an agent in a preview that is off',
      'agents: { a: { kind: upstream, url: "https://x.example", dialect: a2a-1.1 } }',
      'gw.yaml:1: agents.a.dialect: a2a-1.1 is a preview: add preview: [a2a-1.1]',
    ],
    [
      'a retention of nothing',
      'retention: { tasks: 0s }',
      'gw.yaml:1: retention.tasks: expected a duration such as 30d or 12h, or "forever"',
    ],
    [
      'another database',
      'store: mysql://root:secret@x',
      'gw.yaml:1: store: expected memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE',
    ],
    ['a durability', 'durability: fsync', 'gw.yaml:1: durability: expected "process" or "full"'],
    [
      'an origin with a path',
      'listen: { cors: [https://a.example/] }',
      'gw.yaml:1: listen.cors.0: expected an origin (scheme, host and port only) such as https://console.example.com, or "*" for all',
    ],
    [
      'a public URL with a query',
      'listen: { publicUrl: "https://a.example/?x=1" }',
      'gw.yaml:1: listen.publicUrl: expected an http or https URL without user, query or fragment, such as https://agents.example.com',
    ],
    [
      'a public URL with an empty fragment',
      'listen: { publicUrl: "https://a.example/#" }',
      'gw.yaml:1: listen.publicUrl: expected an http or https URL without user, query or fragment, such as https://agents.example.com',
    ],
    ['half of TLS', 'listen:\n  tls:\n    cert: a.pem', 'gw.yaml:2: listen.tls.key: expected the path of a PEM file'],
    [
      'a list',
      '- a',
      'gw.yaml:1: expected a configuration: a mapping with listen, store, durability, fullText, retention, auth, limits, cards, preview, defaultAgent, agents, outbound, push, questions, shutdown, log, tracing, pages, console, workers',
    ],
    ['a key twice', 'store: memory:\nstore: memory:', 'gw.yaml:2: not valid YAML: Map keys must be unique'],
    [
      'a prototype',
      '__proto__: { a: 1 }',
      'gw.yaml:1: __proto__: __proto__ is not allowed as a key; choose another name',
    ],
  ])('is told with its line and path: %s', (_, text, said) => {
    expect(problems(text)).toEqual([said]);
  });

  it('is not the only one reported', () => {
    expect(problems('limits: { body: x }\nlisten:\n  prot: 1\n  hots: a\nstore: 5')).toEqual([
      'gw.yaml:1: limits.body: expected a size above zero, such as 10MiB, 512KiB or a number of bytes',
      'gw.yaml:3: listen.prot: unknown key; did you mean port?',
      'gw.yaml:4: listen.hots: unknown key; did you mean host?',
      'gw.yaml:5: store: expected memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE',
    ]);
  });

  it('off loopback needs a public URL and a decision about who gets in', () => {
    expect(problems('listen:\n  host: 0.0.0.0')).toEqual([
      'gw.yaml:1: listen.publicUrl: required when listening on 0.0.0.0: the URL that cards advertise, such as https://agents.example.com',
      'gw.yaml:1: auth.anonymous: listening on 0.0.0.0 without authentication would admit every caller that can reach it; listen on localhost, configure authentication, or set anonymous: true to allow it',
    ]);
    expect(problems('listen: { publicUrl: http://x.example }', { overrides: { host: '10.0.0.1' } })).toHaveLength(1);
  });

  it('is a text that is nested too deeply, with the line where it is', () => {
    const tooDeep = 'it is nested too deeply: a configuration may have 100 levels of mappings and lists';
    const flow = (levels: number): string => `agents:\n  mine: ${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(problems(flow(101))).toEqual([`gw.yaml:2: ${tooDeep}`]);
    expect(problems(flow(100_000))).toEqual([expect.stringContaining(tooDeep)]);
    const block = Array.from({ length: 2_000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
    expect(problems(block)).toEqual([expect.stringContaining(tooDeep)]);
  });

  it('never repeats a value that may be a secret', () => {
    const said = problems(`store: ${ref('S')}\ndurability: ${ref('S')}\nlimits: { body: "${ref('S')}" }`, {
      env: { S: 'hunter2' },
    });
    expect(said).toHaveLength(3);
    expect(said.join()).not.toContain('hunter2');
  });

  it('is a ConfigError whatever the text is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        problems(text);
      }),
    );
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'.replace(/./g, (c) => `${c}: &${c} [${`*${String.fromCharCode(c.charCodeAt(0) - 1)},`.repeat(9)}]\n`)}`;
    expect(problems(bomb)).toHaveLength(1);
  });
});
