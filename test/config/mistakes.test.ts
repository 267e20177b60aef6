import { describe, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { reservedNames } from '../../src/config/sections/agents.ts';
import { problems, ref, upstream } from './support.ts';

/** Mistakes in each section, with the error message of each. */

type Mistake = [text: string, said: string, env?: Readonly<Record<string, string>>];

const hash = shownHash(hashOf('key'));

const oneDatabase =
  'removed: a gateway has one database. Run a gateway for each database, and call it as an agent of kind upstream';

/** By what the text is a part of: the whole text of a part, what a problem begins with, and the mistakes. */
const parts: Readonly<Record<string, readonly [whole: (text: string) => string, begin: string, mistakes: Mistake[]]>> =
  {
    'a file': [
      (text) => text,
      '',
      [
        ['listen:\n  port: 70000', '2: listen.port: expected an integer from 0 to 65535'],
        [
          'agents:\n  __proto__: { kind: reference }',
          '2: agents.__proto__: __proto__ is not allowed as a key; choose another name',
        ],
        [
          'agents: { a: { kind: mcp, servers: { "__proto__": { command: x } } } }',
          '1: agents.a.servers.__proto__: __proto__ is not allowed as a key; choose another name',
        ],
        [
          'colour: red',
          '1: colour: unknown key; expected one of listen, store, notifications, durability, fullText, retention, auth, limits, cards, preview, defaultAgent, agents, registration, policies, guards, questions, approvals, sunset, calls, outbound, push, shutdown, log, tracing, pages, console, workers, watch',
        ],
        [
          'auth:\n  jwt: { issuer: x, audience: y }',
          '2: auth.jwt.jwksUrl: expected an http or https URL without user and fragment',
        ],
        ['policies: [{ name: p }]', '1: policies.0: expected one of deny, allow and ask'],
        [
          'policies:\n  - { name: p, deny: true }\n  - { name: p, allow: "size < 1" }',
          '3: policies.1.name: there is another policy with this name',
        ],
        [
          'policies: [{ name: p, where: "size < 1", allow: true }]',
          '1: policies.0.allow: these policies cannot refuse a call, because each allow is true: add a policy with a condition, or { allow: false } for all other calls',
        ],
        ['guards: [{ name: g }]', '1: guards.0: expected either url or module, not both'],
        [
          'guards:\n  - { name: g, module: ./g.ts, authentication: { scheme: Bearer, credentials: k } }',
          '2: guards.0.authentication: only with url: a module receives none',
        ],
        [
          'guards:\n  - { name: g, module: ./g.ts, window: 70000 }',
          '2: guards.0.window: expected at most 65536 characters',
        ],
        [
          'guards: [{ name: g, module: ./g.ts, approvers: [nobody] }]',
          '1: guards.0.approvers.of.0: no caller is called "nobody"',
        ],
        [
          'guards: [{ name: g, module: ./g.ts, on: [answer], approvers: [anonymous] }]',
          '1: guards.0.approvers: only with on: request: people are asked only about messages',
        ],
        [
          'guards: [{ name: g, module: ./g.ts, approvers: { of: [anonymous], untl: 1h } }]',
          '1: guards.0.approvers.untl: unknown key; did you mean until?',
        ],
        [
          'guards:\n  - { name: g, module: ./g.ts }\n  - { name: g, module: ./g.ts }',
          '3: guards.1.name: there is another guard with this name',
        ],
        ['agents:\n\ta: { kind: reference }', '2: not valid YAML: Tabs are not allowed as indentation'],
        [
          'agents:\n  a: { kind: modul }',
          '2: agents.a.kind: expected kind: reference, module, upstream or mcp; did you mean module?',
        ],
        ['limits: { streams: 0 }', '1: limits.streams: expected a whole number above zero, or "unlimited"'],
        ['auth: { apiKey: [] }', '1: auth.apiKey: unknown key; did you mean apiKeys?'],
        ['agents:\n  w:\n    kind: mcp\n    servers: {}', '4: agents.w.servers: expected at least one server'],
        [
          'agents:\n  w: {}',
          '2: agents.w.kind: expected an agent: a mapping with kind: reference, module, upstream or mcp',
        ],
        [
          'agents:\n  w:\n    kind: module',
          '2: agents.w.path: expected the path of a JavaScript or TypeScript module, such as ./my-agent.ts',
        ],
        [
          'agents: { v1: { kind: reference } }',
          `1: agents.v1: "v1" is a reserved word, as are the others of ${[...reservedNames].toSorted().join(', ')}; choose another name for this agent`,
        ],
        [
          'agents: { Weather: { kind: reference } }',
          "1: agents.Weather: an agent's name is made of a-z, 0-9 and -, and does not begin with -",
        ],
        ['agents: {}', '1: agents: expected at least one agent'],
        [
          'defaultAgent: x\nagents: { a: { kind: reference } }',
          '1: defaultAgent: there is no agent "x"; expected one of a',
        ],
        [
          'limits:\n  answer: 300',
          '2: limits.answer: expected a duration above zero and below 25 days, such as 300s, 10m or 500ms',
        ],
        [
          'limits: { answer: 60d }',
          '1: limits.answer: expected a duration above zero and below 25 days, such as 300s, 10m or 500ms',
        ],
        ['preview: [a2a-1.0]', '1: preview.0: expected a2a-1.1'],
        ['preview: a2a-1.1', '1: preview: expected a list of a2a-1.1'],
        [
          'agents: { a: { kind: upstream, url: "https://x.example", dialect: a2a-1.1 } }',
          '1: agents.a.dialect: a2a-1.1 is a preview: add preview: [a2a-1.1]',
        ],
        ['retention: { tasks: 0s }', '1: retention.tasks: expected a duration such as 30d or 12h, or "forever"'],
        [
          'store: mysql://root:secret@x',
          '1: store: expected memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE',
        ],
        ['stores: { eu: postgres://h/db }', `1: stores: ${oneDatabase}`],
        ['tenants: { acme: { store: eu } }', `1: tenants: ${oneDatabase}`],
        ['agents: { demo: { kind: reference, store: eu } }', `1: agents.demo.store: ${oneDatabase}`],
        [
          'notifications: nats://a',
          '1: notifications: expected a store in PostgreSQL: only there are other replicas to notify',
        ],
        [
          'store: postgres://a/b\nnotifications: nats://me:s3cret@a/x',
          '2: notifications: expected nats://HOST:4222 or tls://HOST:4222, or several separated by commas',
        ],
        [
          'store: postgres://a/b?pool_mode=transaction',
          'notifications: expected nats://HOST:4222: LISTEN does not work with pool_mode=transaction',
        ],
        ['durability: fsync', '1: durability: expected "process" or "full"'],
        [
          'listen: { cors: [https://a.example/] }',
          '1: listen.cors.0: expected an origin (scheme, host and port only) such as https://console.example.com, or "*" for all',
        ],
        [
          'listen: { publicUrl: "https://a.example/?x=1" }',
          '1: listen.publicUrl: expected an http or https URL without user, query or fragment, such as https://agents.example.com',
        ],
        [
          'listen: { publicUrl: "https://a.example/#" }',
          '1: listen.publicUrl: expected an http or https URL without user, query or fragment, such as https://agents.example.com',
        ],
        ['listen:\n  tls:\n    cert: a.pem', '2: listen.tls.key: expected the path of a PEM file'],
        [
          '- a',
          '1: expected a configuration: a mapping with listen, store, notifications, durability, fullText, retention, auth, limits, cards, preview, defaultAgent, agents, registration, policies, guards, questions, approvals, sunset, calls, outbound, push, shutdown, log, tracing, pages, console, workers, watch',
        ],
        ['store: memory:\nstore: memory:', '2: not valid YAML: Map keys must be unique'],
        ['__proto__: { a: 1 }', '1: __proto__: __proto__ is not allowed as a key; choose another name'],
        [
          upstream(),
          '2: agents.w.url: expected the http or https URL of an agent or of its card, such as https://agents.example.com/weather',
        ],
        [upstream('url: ./x'), '4: agents.w.url: expected the http or https URL of an agent'],
        [upstream('url: grpc://x.example:50051'), '4: agents.w.url: expected the http or https URL of an agent'],
        [upstream('url: https://me:%zz@x.example'), '4: agents.w.url: expected the http'],
        [upstream('url: https://me:a%0ab@x.example'), '4: agents.w.url: expected the http'],
        [
          upstream('url: https://x.example', 'auth:', '  type: oauth'),
          '6: agents.w.auth.type: expected type: apiKey, bearer, basic, oauth2, mtls, forward, exchange or jwtBearer; did you mean oauth2?',
        ],
        [
          upstream(
            'url: https://x.example',
            'auth:',
            '  type: oauth2',
            '  tokenUrl: https://me:hunter2@idp.example/',
            '  clientId: a',
            '  clientSecret: b',
          ),
          '7: agents.w.auth.tokenUrl: expected the http or https URL of a token endpoint, without user and fragment',
        ],
        [
          upstream('url: https://me:hunter2@x.example', 'auth: { type: forward }'),
          '5: agents.w.auth: the URL already contains a user name and a password; remove them from the URL, or remove auth',
        ],
        [
          'agents:\n  tools:\n    kind: mcp\n    servers: { "a b": { command: c } }\n',
          "4: agents.tools.servers.a b: a server's id is made of letters, digits, _, . and -, at most 64",
        ],
        [
          'agents:\n  tools:\n    kind: mcp\n',
          '2: agents.tools.servers: expected servers by their ids, here or in the environment variable MCP_SERVER_MAP',
        ],
        [
          'agents:\n  tools:\n    kind: mcp\n',
          '2: agents.tools.servers: the environment variable MCP_SERVER_MAP is not a JSON object that maps the ids of servers to their base URLs',
          { MCP_SERVER_MAP: '{filesystem' },
        ],
        [
          'agents:\n  tools:\n    kind: mcp\n',
          '2: agents.tools.servers: the environment variable MCP_SERVER_MAP gives "a" no http or https URL',
          { MCP_SERVER_MAP: '{"a":"b"}' },
        ],
        [
          'agents:\n  tools:\n    kind: mcp\n    servers: { s: { command: c } }\n',
          '4: agents.tools.servers: the environment variable MCP_CALL_TIMEOUT is not a number of seconds above zero',
          { MCP_CALL_TIMEOUT: 'soon' },
        ],
        ['cards: { signing: true }', 'cards.signing: expected how cards are signed: a mapping with key, kid, previous'],
        ['cards: { signing: {} }', 'cards.signing.key: expected the path of a PEM or JWK file with a private key'],
        ['cards: { sign: {} }', 'cards.sign: unknown key; expected one of signing'],
        ['cards: { signing: { key: k, kid: "" } }', "cards.signing.kid: expected a key's id"],
        ['tracing: { endpoint: "grpc://collector:4317" }', 'tracing.endpoint:'],
        ['tracing: { endpoint: "http://user:pw@collector" }', 'tracing.endpoint:'],
        ['tracing: { sampleRatio: 0.5 }', 'tracing.endpoint:'],
        ['tracing: { endpoint: "http://collector:4318", sampleRatio: 2 }', 'tracing.sampleRatio:'],
        ['tracing: { endpoint: "http://collector:4318", sampler: all }', 'tracing.sampler:'],
        ['tracing: { endpoint: "http://collector:4318", metrics: 10ms }', 'tracing.metrics:'],
        ['tracing: { endpoint: "http://collector:4318", logs: error }', 'tracing.logs:'],
        ['console: { traces: "https://traces.example.com/" }', 'with {traceId}'],
        ['console: { traces: "javascript:{traceId}" }', 'with {traceId}'],
        ['console: { trace: x }', 'console.trace: unknown key; did you mean traces?'],
        ['console: { content: false }\nfullText: true', 'fullText: the index would store'],
        ['console: maybe', 'true, false or a mapping with traces'],
        ['push: { maxAge: 0s }', 'push.maxAge: expected a duration above zero'],
        ['push: { timeout: 15 }', 'push.timeout: expected a duration above zero'],
        ['push: { retries: 3 }', 'push.retries: unknown key; expected one of maxAge, timeout'],
        ...['http://hooks.internal', '10.1.0.0/40', '*', 'a b', 'x:0'].map(
          (target): Mistake => [
            `outbound: { allow: ["ok.example", "${target}"] }`,
            '1: outbound.allow.1: expected a host such as',
          ],
        ),
        ['log: { level: loud }', 'log.level: expected'],
        ['log: { format: pretty }', 'log.format: expected'],
        [
          'listen: { tls: { cert: a, key: b, clientCa: c } }\nauth: { mtls: { clients: [{ name: carol }] } }',
          '2: auth.mtls.clients.0: requires commonName, altName or fingerprint',
        ],
        [
          'agents:\n  a: { kind: reference, hosts: [x.example] }\n  b:\n    kind: reference\n    hosts:\n      - X.example',
          '6: agents.b.hosts.0: x.example already belongs to a',
        ],
      ],
    ],
    'an upstream': [
      (text) => upstream('url: https://x.example', ...text.split('\n')),
      '5: agents.w.',
      [
        ['dialect: a2a-2.0', 'dialect: expected "auto" or "a2a-1.0" or "a2a-1.1" or "a2a-0.3"'],
        ['transport: websocket', 'transport: expected "auto" or "jsonrpc" or "rest" or "grpc" or "connect"'],
        ['silence: 10', 'silence: expected a duration above zero'],
        ['strict: 1', 'strict: expected true or false'],
        ['quirks: { base64: true }', 'quirks.base64: unknown key; expected one of base64Bytes, laterFields'],
        ['cards: { interfaces: [SOAP] }', 'cards.interfaces.0: expected "JSONRPC" or "HTTP+JSON" or "GRPC"'],
        ['cards: { interfaces: [] }', 'cards.interfaces: expected a list of JSONRPC'],
        ['dialekt: auto', 'dialekt: unknown key; did you mean dialect?'],
        ['hosts: weather.example.com', 'hosts: expected a list of hosts'],
        ['hosts: ["https://x.example"]', 'hosts.0: expected a host such as'],
        ['hosts: ["*.x.example"]', 'hosts.0: expected a host such as'],
        ['hosts: [a.example, A.example]', 'hosts.1: a.example already belongs to w'],
        [
          'auth: { token: x }',
          'auth.type: expected credentials: a mapping with type: apiKey, bearer, basic, oauth2, mtls, forward, exchange or jwtBearer',
        ],
        ['auth: { type: apiKey }', 'auth.key: expected an API key: printable ASCII'],
        ['auth: { type: apiKey, key: 7 }', 'auth.key: expected an API key: printable'],
        [
          `auth: { type: apiKey, key: ${ref('SECRET')} }`,
          'auth.key: expected an API key: printable ASCII characters without line breaks',
        ],
        [
          'auth: { type: apiKey, key: x, header: Content-Length }',
          'auth.header: expected the name of a header such as X-Api-Key',
        ],
        ['auth: { type: apiKey, key: x, heder: X }', 'auth.heder: unknown key; did you mean header?'],
        [
          `auth: { type: basic, username: me, password: ${ref('SECRET')} }`,
          'auth.password: expected a password: a text without line breaks',
        ],
        ['auth: { type: basic, username: "me:you", password: x }', 'auth.username: expected a user name without colon'],
        [
          'auth: { type: oauth2, tokenUrl: https://i.example, clientId: a, clientSecret: b, scopes: [a b] }',
          'auth.scopes.0: expected a list of scopes, each without spaces',
        ],
        ['auth: { type: mtls, cert: a.pem }', 'auth.key: expected the path of a PEM file: its private key'],
        ...[
          '{}',
          '{ jwks: http://a.example/jwks.json }',
          '{ jwks: "https://user:pw@a.example/jwks.json" }',
          '{ jwks: "https://a.example/jwks.json#x" }',
          '{ jwks: ftp://a.example/jwks.json }',
          '{ jwks: "https://" }',
        ].map((trust): Mistake => [`trust: ${trust}`, 'trust.jwks: expected the https URL of a JWK set, or the path']),
      ],
    ],
    'a server of tools': [
      (text) => `agents:\n  tools:\n    kind: mcp\n    servers: { s: ${text} }\n`,
      '4: agents.tools.servers.s',
      [
        ['{}', ': expected either url or command'],
        ['{ url: http://a.b, command: c }', ': expected either url or command'],
        ['{ url: tools }', '.url: expected the http or https URL of a server, such as https://tools.example.com/mcp'],
        ['{ command: run, sampling: model }', '.sampling: there is no agent "model"; expected one of tools'],
        ['{ url: http://a.b, args: [] }', '.args: only for servers with a command'],
        ['{ command: c, auth: { type: forward } }', '.auth: only for servers with a url'],
        [
          '{ url: http://a.b, tools: [x] }',
          '.tools: only for style: method-per-tool; MCP servers list their tools themselves',
        ],
        [
          '{ url: http://a.b, auth: { type: oauth2Discovery, issuer: "http://i", clientId: c } }',
          '.auth: expected either clientSecret or privateKey',
        ],
        [
          '{ url: http://a.b, style: method-per-tool, auth: { type: oauth2Discovery, issuer: "http://i", clientId: c } }',
          '.auth.type: only for MCP servers, which name their authorization server',
        ],
        ['{ url: http://a.b, style: rpc }', '.style: expected "mcp" or "method-per-tool"'],
        ['{ comand: c }', '.comand: unknown key; did you mean command?'],
      ],
    ],
    auth: [
      (text) => `auth: { ${text} }`,
      '1: auth.',
      [
        ['apiKeys: [{ name: a, hash: my secret key }]', 'apiKeys.0.hash: expected a hash that'],
        [`apiKeys: [{ name: a, hash: ${hashOf('x')} }]`, 'apiKeys.0.hash: expected a hash that'],
        [
          `apiKeys: [{ name: a, hash: "${hash}" }, { name: b, hash: "${hash}" }]`,
          'apiKeys.1.hash: the same hash as in apiKeys.0',
        ],
        [
          'jwt: { issuer: x, audience: y, jwksUrl: https://x, algorithms: [HS256] }',
          'jwt.algorithms.0: expected "RS256"',
        ],
        ['jwt: { issuer: x, audience: y, jwksUrl: https://x, algorithms: [none] }', 'jwt.algorithms.0: expected'],
        ['jwt: { issuer: x, jwksUrl: https://x }', 'jwt.audience: expected an audience'],
        ['jwt: { issuer: x, audience: [], jwksUrl: https://x }', 'jwt.audience: expected'],
        ['jwt: { issuer: x, audience: y, jwksUrl: file:///x }', 'jwt.jwksUrl: expected an http'],
        ['jwt: { issuer: "a2a-gateway:1", audience: y, jwksUrl: https://x }', 'jwt.issuer: the prefix'],
        ['jwt: { issuer: x, audience: y, jwksUrl: https://x, clockTolerance: 1h }', 'jwt.clockTolerance'],
        ['apiKeyHeader: Host', 'apiKeyHeader: expected'],
        ['apiKeyHeader: Authorization', 'apiKeyHeader: expected'],
        ['mtls: { others: accept }', 'mtls: requires listen.tls.clientCa'],
        ['failuresPerMinute: 0', 'failuresPerMinute: expected a whole number above zero'],
        [`apiKeys: [{ name: a, hash: "${hash}", scopes: [a b] }]`, 'apiKeys.0.scopes.0: expected'],
      ],
    ],
    'a policy that asks': [
      (text) => `auth: { apiKeys: [{ name: a, hash: "${hash}" }] }\npolicies: [{ name: p, ${text} }]`,
      '2: policies.0',
      [
        ['deny: true, ask: { of: [a] }', ': expected one of deny, allow and ask'],
        ['ask: { of: [] }', '.ask.of: expected at least one caller'],
        ['ask: [a]', '.ask: expected people to ask: a mapping with of'],
        ['ask: { of: [a, nobody] }', '.ask.of.1: no caller is called "nobody"'],
        ['ask: { of: [a], delegate: b }', '.ask.delegate: no caller is called "b"'],
        ['ask: { of: [a], until: 0s }', '.ask.until: expected a duration above zero'],
        ['ask: { of: [a], quorum: 0 }', '.ask.quorum: expected a number above zero'],
        ['ask: { of: [a, "key:a"], quorum: 2 }', '.ask.quorum: expected at most 1: no more people may agree'],
      ],
    ],
    knowledge: [
      (text) => `agents: { a: { kind: reference, knowledge: ${text} } }`,
      '1: agents.a.knowledge',
      [
        ['1', ': expected true, false or a mapping with shapes'],
        ['{ shapse: x }', '.shapse: unknown key; did you mean shapes?'],
        ['{ minCertainty: 2 }', '.minCertainty: expected a number from 0 to 1'],
        ['{ requireProvenance: 1 }', 'requireProvenance: expected true, false or the keys that provenance must have'],
        ['{ sparql: { query: "https://x/q" } }', '.sparql.update: expected'],
        ['{ sparql: { query: "ftp://x/q", update: "https://x/u" } }', '.sparql.query: expected'],
        ['{ protected: { graphs: { x: { reed: [] } } } }', 'protected.graphs.x.reed: unknown key; did you mean read?'],
      ],
    ],
  };

describe.each(Object.entries(parts))(
  'a mistake in %s is told with its line and path',
  (_, [whole, begin, mistakes]) => {
    it.each(mistakes)('a mistake is reported with its line and path: %s', (text, said, env = {}) => {
      const told = problems(whole(text), { env: { SECRET: 'hunter2\n', ...env } });
      expect(told).toEqual([expect.stringContaining(said)]);
      expect(told[0]?.startsWith(`gw.yaml:${begin}`), told[0]).toBe(true);
      expect(told[0]).not.toMatch(/hunter2|my secret key|pw@|root:secret/);
    });
  },
);
