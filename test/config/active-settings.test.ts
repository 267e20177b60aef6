import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { configKeys } from '../../scripts/reference/config-keys.ts';
import { activeSettings, masked } from '../../src/config/active-settings.ts';
import { canonicalText } from '../../src/config/fingerprint.ts';
import { configOfSettings, defaultConfig } from '../../src/config/index.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { Config } from '../../src/config/types.ts';
import { Secret } from '../../src/net/secret.ts';

/** The active configuration as operators see it: every setting, and no secret. */

type Settings = Readonly<Record<string, unknown>>;

const read = (settings: Settings): Config =>
  parseConfig(JSON.stringify(settings), { file: '/etc/gw/gateway.yaml', env: {} });

/** A configuration with every setting. @param secret makes the secret of a place */
function everything(secret: (place: string) => string) {
  const query = (place: string): string => `key=${encodeURIComponent(secret(place))}`;
  const grant = { agents: ['demo'], scopes: ['tasks'], tenants: ['t'] };
  const people = { of: ['alice'], until: '2h', otherwise: 'allow', quorum: 1, self: true, delegate: 'alice' };
  const listing = { interfaces: ['JSONRPC'], dialects: { 'a2a-0.3': { interfaces: ['GRPC'] } } };
  const auths = (place: string) => ({
    apiKey: { type: 'apiKey', key: secret(`${place}<apiKey>.key`), header: 'X-Other' },
    bearer: { type: 'bearer', token: secret(`${place}<bearer>.token`) },
    basic: { type: 'basic', username: 'me', password: secret(`${place}<basic>.password`) },
    oauth2: {
      type: 'oauth2',
      tokenUrl: `https://id.example.com/token?${query(`${place}<oauth2>.tokenUrl`)}`,
      clientId: 'me',
      clientSecret: secret(`${place}<oauth2>.clientSecret`),
      scopes: ['a'],
    },
    mtls: { type: 'mtls', cert: '/c.pem', key: '/k.pem', ca: '/ca.pem' },
    forward: { type: 'forward' },
  });
  const perCaller = (place: string) => ({
    tokenUrl: `https://id.example.com/token?${query(`${place}.tokenUrl`)}`,
    clientId: 'me',
    clientSecret: secret(`${place}.clientSecret`),
    audience: 'them',
    resource: 'urn:them',
    scopes: ['a'],
    parameters: { assertion_id: secret(`${place}.parameters.*`) },
    subjectClaim: 'oid',
  });
  const agentAuths = (place: string) => {
    const [exchange, jwtBearer] = [`${place}<exchange>`, `${place}<jwtBearer>`];
    const exchanging = { type: 'exchange', ...perCaller(exchange), subject: 'callerOrActor', subjectTokenType: 'jwt' };
    const { bearer, oauth2 } = auths(`${exchange}.actor`);
    const signing = { privateKey: '/k.pem', keyId: 'k', issuer: 'gw', assertionAudience: 'them' };
    return {
      ...auths(place),
      exchange: { ...exchanging, actor: oauth2 },
      byToken: { ...exchanging, actor: bearer },
      jwtBearer: { type: 'jwtBearer', ...perCaller(jwtBearer), ...signing, subject: 'principal' },
    };
  };
  const discovery = { type: 'oauth2Discovery', issuer: 'https://id.example.com', clientId: 'me' };
  const toolAuths = (place: string) => ({
    ...auths(place),
    secret: { ...discovery, clientSecret: secret(`${place}<oauth2Discovery>.clientSecret`), scopes: ['a'] },
    key: { ...discovery, privateKey: '/k.pem' },
  });
  const module = (place: string) => ({
    config: { nested: [{ password: secret(`${place}.config`) }] },
    env: { TOKEN: secret(`${place}.env`) },
  });
  const knowledge = (place: string, auth: object) => ({
    shapes: '/shapes.ttl',
    rules: '/rules.mjs',
    minCertainty: 0.5,
    requireProvenance: ['source'],
    requireJustification: true,
    import: ['/facts.ttl'],
    protected: {
      graphs: { 'urn:g': { read: ['key:alice'], write: ['key:alice'] } },
      predicates: { 'urn:p*': { read: ['*'], write: ['key:alice'] } },
    },
    sparql: {
      query: `https://db.example.com/q?${query(`${place}.sparql.query`)}`,
      update: `https://db.example.com/u?${query(`${place}.sparql.update`)}`,
      auth,
      defaultGraph: 'urn:default',
      timeout: '20s',
    },
  });
  const questions = (place: string) => ({
    deadline: '2h',
    otherwise: { answer: { n: 1 } },
    remind: '1h',
    for: 'alice',
    webhook: {
      url: `https://chat.example.com/?${query(`${place}.webhook.url`)}`,
      token: secret(`${place}.webhook.token`),
      authentication: { scheme: 'Bearer', credentials: secret(`${place}.webhook.authentication.credentials`) },
      links: '1d',
    },
  });
  const sparqlAuths = (kind: string, own: object): Settings =>
    Object.fromEntries(
      Object.entries(auths(`agents.*<${kind}>.knowledge.sparql.auth`)).map(([type, auth]) => [
        `${kind}-${type.toLowerCase()}`,
        {
          kind,
          ...own,
          cards: listing,
          // Once for each kind: they are read many times.
          ...(type === 'bearer' && { questions: questions(`agents.*<${kind}>.questions`), whileRunning: 'queue' }),
          knowledge: knowledge(`agents.*<${kind}>.knowledge`, auth),
        },
      ]),
    );
  const upstream = (auth: object, at: number) => ({
    kind: 'upstream',
    url: `https://agent.example.com/a?${query('agents.*<upstream>.url')}`,
    dialect: 'a2a-0.3',
    transport: 'rest',
    silence: '5m',
    keep: 'tasks',
    http2: true,
    strict: true,
    card: { name: 'Mine' },
    extensions: { enforce: false },
    quirks: { base64Bytes: true, laterFields: false },
    auth,
    hosts: [`up${at}.example.com`],
    trust: { jwks: `https://keys.example.com/jwks?${query('agents.*<upstream>.trust.jwks')}`, required: false },
  });
  const bounds = { timeout: '10s', answerTimeout: '1h', taskTimeout: '1h', maxResult: '1MiB' };
  const asked = { roots: ['file:///work'], path: true, sampling: 'demo', protocol: '2025-11-25' };
  const common = { ...bounds, ...asked, allow: ['a*'], deny: ['b'] };
  return {
    listen: {
      host: '0.0.0.0',
      port: 8443,
      publicUrl: 'https://agents.example.com',
      cors: ['https://c.example.com'],
      tls: { cert: '/cert.pem', key: '/key.pem', clientCa: '/ca.pem' },
    },
    store: 'postgres://db.example.com/gw',
    notifications: 'nats://nats.example.com:4222',
    durability: 'full',
    retention: { tasks: 'forever', changes: '12h' },
    auth: {
      anonymous: false,
      apiKeys: [{ name: 'alice', hash: `sha256:${'ab'.repeat(32)}`, ...grant }],
      apiKeyHeader: 'X-Own',
      jwt: {
        issuer: 'https://id.example.com',
        audience: ['gw'],
        algorithms: ['ES256'],
        typ: 'at+jwt',
        ...grant,
        jwksUrl: `https://id.example.com/keys?${query('auth.jwt.jwksUrl')}`,
        clockTolerance: '7s',
        scopeClaim: 'x',
        clientScopes: ['openid'],
      },
      tokenEndpoint: { clients: [{ id: 'bot', hash: `sha256:${'cd'.repeat(32)}`, ...grant }], lifetime: '10m' },
      mtls: {
        clients: [
          ...[
            {
              name: 'c',
              commonName: 'c',
              altName: 'DNS:c.example.com',
              authority: 'ef'.repeat(32),
              fingerprint: 'ef'.repeat(32),
              ...grant,
            },
          ],
        ],
        others: 'refuse',
        required: true,
      },
      publicCards: true,
      failuresPerMinute: 'unlimited',
      module: '/auth.mjs',
      timeout: '3s',
      ...module('auth'),
    },
    limits: {
      body: '1MiB',
      headers: '8KiB',
      answer: '10s',
      requestTimeout: '11s',
      slowReader: '12s',
      page: '2MiB',
      requestsPerMinute: 5,
      streams: 6,
      streamsPerTask: 'unlimited',
      buffered: '3MiB',
      state: '1000B',
      root: {
        calls: 3,
        depth: 4,
        time: '5m',
        bytes: '6MiB',
        cost: 0.5,
        reentries: 1,
        gateway: 'gw',
        keys: [secret('limits.root.keys').padEnd(40, '.')],
      },
      connections: 9,
      webhooks: { perTask: 1, perPrincipal: 'unlimited', perMinute: 3 },
    },
    cards: { ...listing, signing: { key: '/sign.pem', kid: 'k', previous: [{ key: '/old.pem', kid: 'o' }] } },
    preview: ['a2a-1.1'],
    defaultAgent: 'demo',
    agents: {
      demo: { kind: 'reference', hosts: ['demo.example.com', 'demo.example.com:8443'] },
      plain: { kind: 'reference', knowledge: true },
      ...sparqlAuths('reference', { hosts: [] }),
      own: { kind: 'module', path: '/own.mjs', ...module('agents.*<module>') },
      ...sparqlAuths('module', { path: '/own.mjs' }),
      ...Object.fromEntries(
        Object.entries(agentAuths('agents.*<upstream>.auth')).map(([type, auth], at) => [
          `up-${type.toLowerCase()}`,
          upstream(auth, at),
        ]),
      ),
      ...sparqlAuths('upstream', { url: 'https://agent.example.com/' }),
      copies: {
        kind: 'upstream',
        url: [`https://a.example.com/?${query('agents.*<upstream>.url[]')}`, 'https://b.example.com/'],
      },
      tools: {
        kind: 'mcp',
        servers: {
          ...Object.fromEntries(
            Object.entries(toolAuths('agents.*<mcp>.servers.*.auth')).map(([type, auth]) => [
              type,
              { url: `https://t.example.com/?${query('agents.*<mcp>.servers.*.url')}`, style: 'mcp', auth, ...common },
            ]),
          ),
          methods: {
            url: 'https://t.example.com/',
            style: 'method-per-tool',
            ...common,
            tools: ['one', { name: 'two', description: 'Two', inputSchema: { type: 'object' } }],
          },
          program: {
            command: 'run',
            args: [secret('agents.*<mcp>.servers.*.args'), 7],
            cwd: '/work',
            ...common,
            env: { TOKEN: secret('agents.*<mcp>.servers.*.env') },
          },
        },
      },
      ...sparqlAuths('mcp', { servers: { s: { url: 'https://t.example.com/' } } }),
    },
    policies: [
      { name: 'first', where: 'agent == "a"', deny: true, reason: 'no', log: 'all', shadow: true },
      { name: 'second', allow: 'size < 9' },
      { name: 'third', ask: people },
    ],
    guards: [
      {
        name: 'judge',
        where: 'agent == "a"',
        on: ['request'],
        url: `https://judge.example.com/?key=${secret('guards[].url')}`,
        authentication: { scheme: 'Bearer', credentials: secret('guards[].authentication.credentials') },
        timeout: '2s',
        onError: 'pass',
        approvers: people,
        window: 100,
        shadow: true,
      },
      { name: 'module', module: './guard.ts' },
    ],
    outbound: { allow: ['10.0.0.0/8'] },
    push: { maxAge: '1h', timeout: '5s' },
    questions: questions('questions'),
    approvals: {
      slack: {
        webhook: `https://hooks.slack.com/services/${encodeURIComponent(secret('approvals.slack.webhook'))}`,
        signingSecret: secret('approvals.slack.signingSecret'),
        users: { U0ALICE: 'alice' },
        team: 'T0HOME',
      },
    },
    calls: { keep: '14d', slow: '30s', most: 5_000 },
    sunset: {
      'a2a-0.3': { since: '2026-12-01', on: '2027-03-01', mode: 'rehearse', link: 'https://example.com/moving' },
    },
    shutdown: { delay: '0s', drain: '1500ms' },
    log: { level: 'debug', requests: true, format: 'json' },
    tracing: {
      endpoint: `https://otel.example.com/?${query('tracing.endpoint')}`,
      headers: { Authorization: secret('tracing.headers') },
      traces: true,
      metrics: '30s',
      logs: true,
      sampleRatio: 0.25,
      serviceName: 'gw',
    },
    pages: false,
    console: {
      traces: 'https://traces.example.com/{traceId}',
      signIn: {
        clientId: 'console',
        clientSecret: secret('console.signIn.clientSecret'),
        scopes: ['admin'],
        parameters: { audience: 'https://gateway.example.com' },
      },
    },
  };
}

/** The values at a path of a key, such as `agents.*<module>.env`. */
function valuesAt(value: unknown, path: string): unknown[] {
  const [, token, rest = ''] = /^\.?(\[\]|<[^>]+>|\*|[^.[<]+)(.*)$/.exec(path) ?? [];
  if (token === undefined) return value === undefined ? [] : [value];
  if (token === '[]') return Array.isArray(value) ? value.flatMap((each) => valuesAt(each, rest)) : [];
  if (typeof value !== 'object' || value === null) return [];
  const { kind, type } = value as { kind?: string; type?: string };
  if (token.startsWith('<')) return token === `<${kind ?? type}>` ? valuesAt(value, rest) : [];
  const below = token === '*' ? Object.values(value) : [(value as Settings)[token]];
  return below.flatMap((each) => valuesAt(each, rest));
}

/** Keys whose values the schema takes for secrets. */
const secretKeys = configKeys().filter(({ schema }) => {
  const samples = ['sample', { A: 'sample' }].map((sample) => z.safeParse(schema, sample));
  return samples.some(({ success, data }) => {
    if (!success) return false;
    const values = data instanceof Map ? [...data.values()] : [data, ...Object.values((data ?? {}) as object)];
    return values.some((each) => each instanceof Secret);
  });
});

it('the settings of an active configuration are, with their secrets, the configuration itself', () => {
  const config = read(everything((place) => `secret of ${place}`));
  const again = read(activeSettings(config, (secret) => secret));
  expect(canonicalText(again)).toBe(canonicalText(config));
  expect(activeSettings(again)).toEqual(activeSettings(config));
});

it('the settings of an active configuration have every key of a configuration file', () => {
  const settings = activeSettings(read(everything(() => 'secret')));
  const missing = configKeys().flatMap(({ path }) => (valuesAt(settings, path).length > 0 ? [] : [path]));
  expect(missing).toEqual([]);
});

it('the settings of an active configuration have the defaults', () => {
  const settings = activeSettings(read({ agents: { demo: { kind: 'reference' } } }));
  expect(settings).toMatchObject({
    listen: { host: 'localhost', port: 8080, cors: [] },
    store: 'sqlite:/etc/gw/data/gateway.db',
    durability: 'process',
    retention: { tasks: '30d', changes: '30d' },
    pages: true,
    console: true,
    limits: { body: '10MiB', answer: '5m', requestsPerMinute: 'unlimited' },
    agents: { demo: { kind: 'reference', knowledge: false } },
  });
  expect(settings).not.toHaveProperty('tracing');
  expect(read(activeSettings(defaultConfig({ port: 9000 })))).toMatchObject({ listen: { port: 9000 } });
});

it('the settings of an active configuration leave out objects of the program', () => {
  const agent = { card: { name: 'Mine' }, execute: () => [] };
  const config = configOfSettings({
    auth: { anonymous: false, authenticate: () => undefined, timeout: '2s' },
    agents: { mine: { kind: 'code', agent, hosts: ['mine.example.com'] } },
  });
  const settings = activeSettings(config);
  expect(settings.agents).toEqual({ mine: { kind: 'code', hosts: ['mine.example.com'], knowledge: false } });
  expect(settings.auth).toMatchObject({ anonymous: false, timeout: '2s' });
  expect(settings.auth).not.toHaveProperty('authenticate');
});

it('the settings of an active configuration are plain JSON', () => {
  const settings = activeSettings(read(everything(() => 'secret')));
  expect(JSON.parse(JSON.stringify(settings))).toEqual(settings);
});

it('the settings of an active configuration mask each secret of the schema', () => {
  expect(secretKeys.map(({ path }) => path)).toContain('agents.*<upstream>.auth<oauth2>.clientSecret');
  const settings = activeSettings(read(everything((place) => `secret of ${place}`)));
  for (const { path } of secretKeys) {
    for (const value of valuesAt(settings, path)) {
      const shown = typeof value === 'object' ? Object.values(value as object) : [value];
      expect([path, ...shown]).toEqual([path, ...shown.map(() => masked)]);
    }
  }
});

it('the settings of an active configuration never show what is in a secret place, whatever it is', () => {
  const texts = fc.stringMatching(/^[a-zA-Z0-9+/=_-]{8,40}$/);
  fc.assert(
    fc.property(texts, (mark) => {
      const places = new Set<string>();
      const secret = (place: string): string => {
        places.add(place);
        return `S3CR3T-${mark}-${places.size}`;
      };
      const shown = JSON.stringify(activeSettings(read(everything(secret))));
      // Wherever it stands, also encoded in a URL.
      expect(shown).not.toContain('S3CR3T');
      expect(shown).not.toContain('abababab');
      expect(shown).not.toContain('cdcdcdcd');
      expect(places.size).toBeGreaterThan(20);
      expect(secretKeys.filter(({ path }) => !places.has(path))).toEqual([]);
    }),
    { numRuns: 6 },
  );
});

it.each([
  ['postgres://me:S3CR3T@db.example.com/gw', 'db.example.com'],
  ['postgres://me@db.example.com/gw?password=S3CR3T', 'db.example.com'],
])('the settings of an active configuration have no password of a store: %s', (store, shown) => {
  const settings = activeSettings(read({ store, agents: { demo: { kind: 'reference' } } }));
  expect(settings.store).toContain(shown);
  expect(settings.store).not.toContain('S3CR3T');
});

it('the settings of an active configuration have no user, password or token of notifications', () => {
  const notifications = 'nats://me:S3CR3T@a:4222,nats://me:S3CR3T@b';
  expect(activeSettings(read({ store: 'postgres://a/b', notifications })).notifications).toBe('nats://a:4222,nats://b');
});

it.each([
  ['upstream', { kind: 'upstream', url: 'https://me:S3CR3T@agent.example.com/' }],
  ['tools', { kind: 'mcp', servers: { s: { url: 'https://me:S3CR3T@agent.example.com/' } } }],
  ['nameless', { kind: 'upstream', url: 'https://:S3CR3T@agent.example.com/' }],
  ['only-name', { kind: 'upstream', url: 'https://me@agent.example.com/' }],
])('the settings of an active configuration have no password of a URL: %s', (name, agent) => {
  const settings = JSON.stringify(activeSettings(read({ agents: { [name]: agent } })));
  expect(settings).toContain('"password":"***"');
  expect(settings).not.toContain('S3CR3T');
});
