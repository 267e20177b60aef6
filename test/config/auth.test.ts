import { describe, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { ConfigError, formatProblem } from '../../src/config/index.ts';
import { parseConfig } from '../../src/config/parse.ts';

const read = (text: string) => parseConfig(text, { file: 'gw.yaml', env: {} });
const hash = shownHash(hashOf('key'));

function problems(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(formatProblem);
    throw error;
  }
  return [];
}

describe('who gets in', () => {
  it('is read with every way that there is', () => {
    const { auth } = read(`
listen:
  host: 0.0.0.0
  publicUrl: https://agents.example.com
  tls: { cert: s.pem, key: s.key, clientCa: c.pem }
auth:
  apiKeyHeader: X-Gateway-Key
  apiKeys:
    - { name: alice, hash: "${hash}", agents: [weather], scopes: [tasks] }
  jwt:
    issuer: https://idp.example.com
    audience: a2a
    jwksUrl: https://idp.example.com/jwks.json
    algorithms: [ES256]
    clockTolerance: 0s
    scopeClaim: permissions
  tokenEndpoint:
    lifetime: 10m
    clients: [{ id: bob, hash: "${shownHash(hashOf('secret'))}" }]
  mtls:
    clients: [{ name: carol, commonName: carol, fingerprint: "${'AB:'.repeat(31)}CD" }]
    required: false
  publicCards: false
  failuresPerMinute: unlimited
`);
    const all = { agents: undefined, scopes: undefined };
    expect(auth).toEqual({
      anonymous: 'none',
      apiKeyHeader: 'X-Gateway-Key',
      apiKeys: [{ name: 'alice', hash: hashOf('key'), agents: ['weather'], scopes: ['tasks'] }],
      jwt: {
        issuer: 'https://idp.example.com',
        audience: ['a2a'],
        jwksUrl: 'https://idp.example.com/jwks.json',
        algorithms: ['ES256'],
        clockTolerance: 0,
        scopeClaim: 'permissions',
        ...all,
      },
      tokenEndpoint: { lifetime: 600_000, clients: [{ id: 'bob', hash: hashOf('secret'), ...all }] },
      mtls: {
        clients: [
          {
            name: 'carol',
            commonName: 'carol',
            altName: undefined,
            fingerprint: `${'ab'.repeat(31)}cd`,
            ...all,
          },
        ],
        others: 'refuse',
        required: false,
      },
      publicCards: false,
      failuresPerMinute: Number.POSITIVE_INFINITY,
    });
  });

  it('needs nothing else off loopback, once there is a way to show who one is', () => {
    const listen = 'listen: { host: 0.0.0.0, publicUrl: https://x.example }\n';
    expect(read(`${listen}auth: { apiKeys: [{ name: a, hash: "${hash}" }] }`).auth).toMatchObject({
      anonymous: 'none',
      publicCards: true,
    });
    expect(problems(`${listen}auth: { apiKeys: [] }`)).toHaveLength(1);
    expect(problems(`${listen}auth: { tokenEndpoint: { clients: [] } }`)).toEqual([]);
  });

  it('is anonymous on loopback all the same, unless it is forbidden', () => {
    const keys = `apiKeys: [{ name: a, hash: "${hash}" }]`;
    expect(read(`auth: { ${keys} }`).auth.anonymous).toBe('local');
    expect(read(`auth: { ${keys}, anonymous: false }`).auth.anonymous).toBe('none');
  });

  it('has public cards where callers can authenticate or have to, unless that is forbidden', () => {
    expect(read('auth: {}').auth.publicCards).toBe(false);
    expect(read('auth: { anonymous: false }').auth.publicCards).toBe(true);
    expect(read('auth: { anonymous: false, publicCards: false }').auth.publicCards).toBe(false);
  });

  it.each([
    [
      'a key instead of its hash',
      'apiKeys: [{ name: a, hash: my secret key }]',
      'auth.apiKeys.0.hash: expected a hash as',
    ],
    ['a bare hash', `apiKeys: [{ name: a, hash: ${hashOf('x')} }]`, 'auth.apiKeys.0.hash: expected a hash as'],
    [
      'a key twice',
      `apiKeys: [{ name: a, hash: "${hash}" }, { name: b, hash: "${hash}" }]`,
      'auth.apiKeys.1.hash: the same hash as in apiKeys.0',
    ],
    [
      'a symmetric algorithm',
      'jwt: { issuer: x, audience: y, jwksUrl: https://x, algorithms: [HS256] }',
      'auth.jwt.algorithms.0: expected "RS256"',
    ],
    [
      'no algorithm',
      'jwt: { issuer: x, audience: y, jwksUrl: https://x, algorithms: [none] }',
      'auth.jwt.algorithms.0: expected',
    ],
    ['no audience', 'jwt: { issuer: x, jwksUrl: https://x }', 'auth.jwt.audience: expected an audience'],
    ['an empty audience', 'jwt: { issuer: x, audience: [], jwksUrl: https://x }', 'auth.jwt.audience: expected'],
    ['keys in a file', 'jwt: { issuer: x, audience: y, jwksUrl: file:///x }', 'auth.jwt.jwksUrl: expected an http'],
    [
      'an issuer that gateways have',
      'jwt: { issuer: "a2a-gateway:1", audience: y, jwksUrl: https://x }',
      'auth.jwt.issuer: the prefix',
    ],
    [
      'much tolerance',
      'jwt: { issuer: x, audience: y, jwksUrl: https://x, clockTolerance: 1h }',
      'auth.jwt.clockTolerance',
    ],
    ['a header of HTTP', 'apiKeyHeader: Host', 'auth.apiKeyHeader: expected'],
    ['the header of tokens', 'apiKeyHeader: Authorization', 'auth.apiKeyHeader: expected'],
    ['certificates without TLS', 'mtls: { others: accept }', 'auth.mtls: requires listen.tls.clientCa'],
    ['no failures', 'failuresPerMinute: 0', 'auth.failuresPerMinute: expected a whole number above zero'],
    [
      'a scope with a space',
      `apiKeys: [{ name: a, hash: "${hash}", scopes: [a b] }]`,
      'auth.apiKeys.0.scopes.0: expected',
    ],
  ])('is refused with %s', (_, text, said) => {
    const [problem = '', ...others] = problems(`auth: { ${text} }`);
    expect(problem).toContain(said);
    expect(others).toEqual([]);
    expect(problem).not.toContain('my secret key');
  });

  it('is refused with a certificate that nothing tells', () => {
    const listen = 'listen: { tls: { cert: a, key: b, clientCa: c } }';
    expect(problems(`${listen}\nauth: { mtls: { clients: [{ name: carol }] } }`)).toEqual([
      'gw.yaml:2: auth.mtls.clients.0: requires commonName, altName or fingerprint',
    ]);
  });
});
