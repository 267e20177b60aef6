import { describe, expect, it } from 'vitest';
import { type AuthenticatorOptions, createAuthenticator } from '../../src/auth/authenticator.ts';
import { FailureLimiter } from '../../src/auth/failure-limiter.ts';
import { cardSecurity } from '../../src/auth/schemes.ts';
import type { AuthSettings } from '../../src/auth/settings.ts';
import type { ClientCertificate } from '../../src/core/model/principal.ts';
import { bearer, callerWith, closed, keyOf, refusalOf, remembering } from './support.ts';

/** The order in which credentials are judged, and what becomes of those that are wrong. */

function authenticator(over: Partial<AuthSettings>, more: Partial<AuthenticatorOptions> = {}) {
  const settings = { ...closed, ...over };
  const { audit, events } = remembering();
  const failures = new FailureLimiter(settings.failuresPerMinute, () => 0);
  return { authenticate: createAuthenticator({ settings, origins: [], failures, audit, ...more }), events };
}

const apiKeys = [keyOf('alice', 'key of alice'), keyOf('bob', 'key of bob'), keyOf('alice', 'new key of alice')];
const key = (value: string, name = 'x-api-key') => ({ [name]: value });

it('API keys are judged at once, and several of one name are one caller', () => {
  const { authenticate } = authenticator({ apiKeys });
  const caller = (value: string) => authenticate(callerWith(key(value)));
  expect(caller('key of alice')).toMatchObject({ id: 'key:alice', anonymous: false });
  expect(caller('new key of alice')).toMatchObject({ id: 'key:alice' });
  expect(caller('key of bob')).toMatchObject({ id: 'key:bob' });
  // The cached object, and never a promise.
  expect(caller('key of bob')).toBe(caller('key of bob'));
});

it.each([
  ['another one', 'key of mallory'],
  ['none', ''],
  ['a hash', apiKeys[0]?.hash ?? ''],
  ['two at once', 'key of alice, key of bob'],
  ['one with more behind it', 'key of alice '],
  ['a very long one', 'k'.repeat(1 << 20)],
])('API keys refuse %s', async (_, value) => {
  const { authenticate, events } = authenticator({ apiKeys });
  const error = await refusalOf(() => authenticate(callerWith(key(value))));
  expect(error.kind).toBe('unauthenticated');
  expect(error.challenge).toBe('ApiKey realm="a2a-gateway", header="X-Api-Key"');
  expect(events).toMatchObject([{ event: 'authentication.failed', address: '192.0.2.1' }]);
  expect(JSON.stringify([error, error.cause ?? '', events])).not.toContain(value.slice(0, 64) || 'nothing');
});

it('API keys are read from the configured header, and from X-Api-Key all the same', () => {
  const { authenticate } = authenticator({ apiKeys, apiKeyHeader: 'X-Gateway-Key' });
  const own = authenticate(callerWith(key('key of alice', 'x-gateway-key')));
  expect(own).toMatchObject({ id: 'key:alice' });
  expect(own).not.toHaveProperty('ownCredential');
  // An API key that could be forwarded to agents is marked as the gateway's own.
  expect(authenticate(callerWith(key('key of alice')))).toMatchObject({ id: 'key:alice', ownCredential: 'apiKey' });
});

it('API keys carry what they are for', () => {
  const grant = { agents: ['weather'], scopes: ['tasks:read'], tenants: ['acme'] };
  const { authenticate } = authenticator({ apiKeys: [{ ...keyOf('alice', 'k'), ...grant }] });
  expect(authenticate(callerWith(key('k')))).toMatchObject({
    agents: new Set(['weather']),
    scopes: new Set(['tasks:read']),
    tenants: new Set(['acme']),
  });
});

it('credentials that nothing is configured for count as none', async () => {
  const { authenticate } = authenticator({ anonymous: 'anyone' });
  expect(authenticate(callerWith({ ...key('x'), ...bearer('y') }))).toMatchObject({ id: 'anonymous' });
  const keysOnly = authenticator({ anonymous: 'anyone', apiKeys }).authenticate;
  expect(keysOnly(callerWith(bearer('of the upstream')))).toMatchObject({ id: 'anonymous' });
  expect(keysOnly(callerWith({ ...key('key of bob'), ...bearer('x') }))).toMatchObject({ id: 'key:bob' });
  expect((await refusalOf(() => authenticator({ apiKeys }).authenticate(callerWith()))).kind).toBe('unauthenticated');
});

it('credentials that nothing is configured for are refused where something is, however open the gateway', async () => {
  const { authenticate } = authenticator({ anonymous: 'anyone', apiKeys });
  expect((await refusalOf(() => authenticate(callerWith(key('wrong'))))).kind).toBe('unauthenticated');
});

describe('failures', () => {
  const wrong = (from: string) => callerWith(key(`guess ${Math.random()}`), { remoteAddress: from });
  const right = (value: string, from: string) => callerWith(key(value), { remoteAddress: from });

  it('failures close an address to callers who were not known before', async () => {
    const { authenticate, events } = authenticator({ apiKeys, failuresPerMinute: 3 });
    expect(authenticate(right('key of alice', '192.0.2.1'))).toMatchObject({ id: 'key:alice' });
    for (let count = 0; count < 3; count++) {
      expect((await refusalOf(() => authenticate(wrong('192.0.2.1')))).kind).toBe('unauthenticated');
    }
    const blocked = await refusalOf(() => authenticate(wrong('192.0.2.1')));
    expect(blocked.kind).toBe('tooManyRequests');
    expect(blocked.retryAfter).toBe(60);
    // A valid key that was never used before cannot be distinguished from a lucky guess.
    const refused = await refusalOf(() => authenticate(right('key of bob', '192.0.2.1')));
    expect(refused.kind).toBe('tooManyRequests');
    expect(refused.message).toMatch(/For 60 s the gateway checks no credential .* even if it is valid/);
    expect(authenticate(right('key of alice', '192.0.2.1'))).toMatchObject({ id: 'key:alice' });
    expect(authenticate(right('key of bob', '192.0.2.2'))).toMatchObject({ id: 'key:bob' });
    expect(events.map(({ event }) => event)).toEqual([
      ...Array.from({ length: 3 }, () => 'authentication.failed'),
      'authentication.blocked',
    ]);
  });

  it('failures are not made by showing nothing', async () => {
    const { authenticate, events } = authenticator({ apiKeys, failuresPerMinute: 1 });
    for (let count = 0; count < 3; count++) {
      expect((await refusalOf(() => authenticate(callerWith()))).kind).toBe('unauthenticated');
    }
    expect(events).toEqual([]);
    expect(authenticate(right('key of bob', '192.0.2.1'))).toMatchObject({ id: 'key:bob' });
  });
});

describe('certificates', () => {
  const shown: ClientCertificate = {
    subject: 'O=Example,CN=carol',
    commonName: 'carol',
    altNames: ['URI:spiffe://example/carol', 'DNS:carol.example'],
    authority: 'aa'.repeat(32),
    fingerprint: 'ab'.repeat(32),
    expires: Date.now() + 60_000,
  };
  const grant = { agents: undefined, scopes: undefined };
  const nothing = { commonName: undefined, altName: undefined, authority: undefined, fingerprint: undefined };
  const client = (over: object) => ({ name: 'carol', ...nothing, ...grant, ...over });
  const mtls = (clients: ReturnType<typeof client>[], others: 'accept' | 'refuse' = 'refuse') => ({
    mtls: { clients, others, required: false },
  });
  const withCertificate = (over: Partial<ClientCertificate> = {}, headers = {}, hasBody = false) =>
    callerWith(headers, { certificate: { ...shown, ...over }, hasBody });

  it.each([
    ['common name', { commonName: 'carol' }, { commonName: 'dave' }],
    ['alternative name', { altName: 'URI:spiffe://example/carol' }, { altNames: ['DNS:spiffe://example/carol'] }],
    ['fingerprint', { fingerprint: 'ab'.repeat(32) }, { fingerprint: 'cd'.repeat(32) }],
    ['all that is given', { commonName: 'carol', altName: 'DNS:carol.example' }, { altNames: [] }],
  ])('certificates are known by %s', async (_, match, other) => {
    const { authenticate } = authenticator(mtls([client(match)]));
    expect(authenticate(withCertificate())).toMatchObject({ id: 'cert:carol', anonymous: false });
    expect((await refusalOf(() => authenticate(withCertificate(other)))).kind).toBe('unauthenticated');
  });

  it('certificates have the configured tenants', () => {
    const { authenticate } = authenticator(mtls([client({ commonName: 'carol', tenants: ['acme'] })]));
    expect(authenticate(withCertificate())).toMatchObject({ tenants: new Set(['acme']) });
  });

  it('certificates are declared by cards, and so is that they are not needed', () => {
    const settings = { ...closed, ...mtls([]) };
    const securitySchemes = { mtls: { mtlsSecurityScheme: {} } };
    const needed = { schemes: { mtls: {} } };
    expect(cardSecurity(settings, '')).toEqual({ securitySchemes, securityRequirements: [needed] });
    const open = { ...settings, anonymous: 'local' as const };
    expect(cardSecurity(open, '')).toEqual({ securitySchemes, securityRequirements: [needed, {}] });
  });

  it('certificates of no client are callers of their own if that is configured', () => {
    const { authenticate } = authenticator(mtls([client({ commonName: 'dave' })], 'accept'));
    expect(authenticate(withCertificate())).toMatchObject({ id: `subject:${'aa'.repeat(32)}/O=Example,CN=carol` });
  });

  it('certificates come after the other credentials of a caller', () => {
    const { authenticate } = authenticator({ ...mtls([], 'accept'), apiKeys });
    expect(authenticate(withCertificate({}, key('key of bob')))).toMatchObject({ id: 'key:bob' });
  });

  it('certificates are no good when they have expired on an open connection', async () => {
    const { authenticate } = authenticator(mtls([], 'accept'));
    const late = withCertificate({ expires: Date.now() - 1 });
    expect((await refusalOf(() => authenticate(late))).kind).toBe('unauthenticated');
  });

  it('certificates do not let in what a page of another origin made a browser send', async () => {
    const { authenticate } = authenticator(mtls([], 'accept'));
    const kinds = [
      withCertificate({}, { origin: 'https://evil.example.com' }),
      withCertificate({}, { 'sec-fetch-site': 'cross-site' }),
      withCertificate({}, { 'content-type': 'text/plain' }, true),
    ].map(async (caller) => (await refusalOf(() => authenticate(caller))).kind);
    expect(await Promise.all(kinds)).toEqual(['permissionDenied', 'permissionDenied', 'contentTypeNotSupported']);
  });
});
