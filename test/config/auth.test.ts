import { expect, it } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { problems, read } from './support.ts';

const hash = shownHash(hashOf('key'));

it('auth is read with every way to authenticate', () => {
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

it('off loopback, a listener needs nothing else once callers have a way to authenticate', () => {
  const listen = 'listen: { host: 0.0.0.0, publicUrl: https://x.example }\n';
  expect(read(`${listen}auth: { apiKeys: [{ name: a, hash: "${hash}" }] }`).auth).toMatchObject({
    anonymous: 'none',
    publicCards: true,
  });
  expect(problems(`${listen}auth: { apiKeys: [] }`)).toHaveLength(1);
  expect(problems(`${listen}auth: { tokenEndpoint: { clients: [] } }`)).toEqual([]);
});

it('callers are anonymous on loopback all the same, unless it is forbidden', () => {
  const keys = `apiKeys: [{ name: a, hash: "${hash}" }]`;
  expect(read(`auth: { ${keys} }`).auth.anonymous).toBe('local');
  expect(read(`auth: { ${keys}, anonymous: false }`).auth.anonymous).toBe('none');
});

it('cards are public where callers can or have to authenticate, unless that is forbidden', () => {
  expect(read('auth: {}').auth.publicCards).toBe(false);
  expect(read('auth: { anonymous: false }').auth.publicCards).toBe(true);
  expect(read('auth: { anonymous: false, publicCards: false }').auth.publicCards).toBe(false);
});
