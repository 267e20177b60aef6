import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createLocalJWKSet, exportJWK } from 'jose';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createAuthenticator } from '../../src/auth/authenticator.ts';
import { FailureLimiter } from '../../src/auth/failure-limiter.ts';
import { createJwtVerifier } from '../../src/auth/jwt.ts';
import { jwtAlgorithms } from '../../src/auth/settings.ts';
import { TokenAuthority } from '../../src/auth/tokens.ts';
import type { JwtConfig } from '../../src/gen/settings.ts';
import { bearer, callerWith, closed, refusalOf, remembering } from './support.ts';

/** Tokens of an identity provider, good and forged. They are put together by hand: no library makes the bad ones. */

const settings: JwtConfig = {
  issuer: 'https://idp.example.com',
  audience: ['a2a', 'a2a-too'],
  jwksUrl: 'https://idp.example.com/jwks.json',
  algorithms: jwtAlgorithms,
  clockTolerance: 5_000,
  typ: undefined,
  agents: undefined,
  scopes: undefined,
};

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });

const now = () => Math.floor(Date.now() / 1_000);
const claims = (over: object = {}) => ({
  iss: settings.issuer,
  aud: 'a2a',
  sub: 'carol',
  iat: now(),
  exp: now() + 60,
  ...over,
});

const encoded = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

type Signer = (text: string) => Buffer;
const withRsa: Signer = (text) => sign('sha256', Buffer.from(text), rsa.privateKey);
const withEc: Signer = (text) => sign('sha256', Buffer.from(text), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' });
const withEd: Signer = (text) => sign(null, Buffer.from(text), ed.privateKey);

function token(head: object | string, payload: unknown, signer: Signer = withRsa): string {
  const text = `${encoded(head)}.${encoded(payload)}`;
  return `${text}.${signer(text).toString('base64url')}`;
}
const rs256 = { alg: 'RS256', kid: 'rsa' };
const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();

/** The resources of the gateway, as audiences of tokens. */
const resources: Readonly<Record<string, readonly string[] | 'all'>> = { 'gw:all': 'all', 'gw:demo': ['demo'] };
let verify: (over?: Partial<JwtConfig>) => ReturnType<typeof createJwtVerifier>;
beforeAll(async () => {
  const named = async (kid: string, key: KeyObject) => ({ ...(await exportJWK(key)), kid });
  const keys = await Promise.all([
    named('rsa', rsa.publicKey),
    named('ec', ec.publicKey),
    named('ed', ed.publicKey),
    named('weak', weak.publicKey),
    { kty: 'oct', k: encoded('shared secret'), kid: 'shared' },
  ]);
  const set = createLocalJWKSet({ keys });
  verify = (over) => createJwtVerifier({ ...settings, ...over }, set, (resource) => resources[resource.toLowerCase()]);
});

it.each([
  ['RS256', () => token(rs256, claims())],
  ['ES256', () => token({ alg: 'ES256', kid: 'ec' }, claims(), withEc)],
  ['EdDSA', () => token({ alg: 'EdDSA', kid: 'ed' }, claims(), withEd)],
  ['one of several audiences', () => token(rs256, claims({ aud: ['other', 'a2a-too'] }))],
  ['a clock that is a little ahead', () => token(rs256, claims({ nbf: now() + 3, iat: now() + 3 }))],
  ['a moment after its end', () => token(rs256, claims({ exp: now() - 2 }))],
])('a token of the provider lets in: %s', async (_, make) => {
  const { principal, until } = await verify()(make());
  expect(principal).toMatchObject({ id: 'jwt:https://idp.example.com#carol', anonymous: false });
  expect(until).toBeLessThanOrEqual(Date.now() + 66_000);
});

it('a token of the provider has the configured tenants', async () => {
  const { principal } = await verify({ tenants: ['acme'] })(token(rs256, claims()));
  expect(principal.tenants).toEqual(new Set(['acme']));
});

it.each<[string, unknown, readonly string[] | undefined, readonly string[] | undefined]>([
  ['all of them, by a configured audience', ['a2a', 'gw:demo'], undefined, undefined],
  ['all of them, by the resource of the gateway', 'gw:all', undefined, undefined],
  ['one, by its resource', 'gw:demo', undefined, ['demo']],
  ['one of those that are configured', ['elsewhere', 'gw:demo'], ['demo', 'hello'], ['demo']],
  ['none, where another is configured', 'gw:demo', ['hello'], []],
])('a token of the provider is for the agents: %s', async (_, aud, agents, granted) => {
  const { principal } = await verify({ agents })(token(rs256, claims({ aud })));
  expect(principal.agents && [...principal.agents]).toEqual(granted);
});

it('a token of the provider is not believed for ever, however long it is good', async () => {
  const { until } = await verify()(token(rs256, claims({ exp: now() + 1e6 })));
  expect(until).toBeLessThanOrEqual(Date.now() + 600_000);
});

it.each<[string, object, readonly string[] | undefined, readonly string[] | undefined]>([
  ['no claim', {}, undefined, undefined],
  ['words', { scope: 'tasks:read  metrics' }, undefined, ['tasks:read', 'metrics']],
  ['a list under another name', { scp: ['tasks'] }, undefined, ['tasks']],
  ['nothing in it', { scope: '' }, undefined, []],
  ['nonsense', { scope: { tasks: true } }, undefined, []],
  ['more than is configured', { scope: 'tasks metrics' }, ['tasks'], ['tasks']],
  ['wider ones than are configured', { scope: 'tasks' }, ['tasks:read'], ['tasks:read']],
  ['narrower ones', { scope: 'tasks:read' }, ['tasks'], ['tasks:read']],
  ['none, where some are configured', {}, ['tasks'], ['tasks']],
])('a token of the provider has scopes: %s', async (_, claim, scopes, granted) => {
  const { principal } = await verify({ scopes })(token(rs256, claims(claim)));
  expect(principal.scopes && [...principal.scopes]).toEqual(granted);
});

const refused: Readonly<Record<string, () => string>> = {
  'no signature, and says so': () => `${encoded({ alg: 'none' })}.${encoded(claims())}.`,
  'no signature, spelt otherwise': () => `${encoded({ alg: 'nOnE' })}.${encoded(claims())}.`,
  'no signature under a good algorithm': () => `${encoded(rs256)}.${encoded(claims())}.`,
  'the public key as a shared secret': () =>
    token({ alg: 'HS256', kid: 'rsa' }, claims(), (text) =>
      createHmac('sha256', pemOf(rsa.publicKey)).update(text).digest(),
    ),
  'a shared secret that is in the set': () =>
    token({ alg: 'HS256', kid: 'shared' }, claims(), (text) =>
      createHmac('sha256', 'shared secret').update(text).digest(),
    ),
  'the key of a stranger': () =>
    token(rs256, claims(), (text) => sign('sha256', Buffer.from(text), stranger.privateKey)),
  'a key that it brings along': () =>
    token({ ...rs256, kid: 'x', jwk: stranger.publicKey.export({ format: 'jwk' }) }, claims(), (text) =>
      sign('sha256', Buffer.from(text), stranger.privateKey),
    ),
  'a key that it says where to fetch': () =>
    token({ ...rs256, kid: 'x', jku: 'http://127.0.0.1:1/jwks', x5u: 'http://127.0.0.1:1/x5u' }, claims(), (text) =>
      sign('sha256', Buffer.from(text), stranger.privateKey),
    ),
  'a key of another kind': () => token({ alg: 'RS256', kid: 'ec' }, claims(), withEc),
  'a weak key': () =>
    token({ alg: 'RS256', kid: 'weak' }, claims(), (text) => sign('sha256', Buffer.from(text), weak.privateKey)),
  'a key id that is a path': () => token({ alg: 'RS256', kid: '../../../../dev/null' }, claims()),
  'a key id that is SQL': () => token({ alg: 'RS256', kid: "x' UNION SELECT 'key" }, claims()),
  'a key id that is a prototype': () => token({ alg: 'RS256', kid: '__proto__' }, claims()),
  'a key id that is no text': () => token({ alg: 'RS256', kid: { toString: 'rsa' } }, claims()),
  'unknown critical parts': () => token({ ...rs256, crit: ['exp'], exp: 1 }, claims()),
  'an empty list of critical parts': () => token({ ...rs256, crit: [] }, claims()),
  'a payload that is not encoded': () => token({ ...rs256, crit: ['b64'], b64: false }, claims()),
  'an end that is past': () => token(rs256, claims({ exp: now() - 30 })),
  'no end': () => token(rs256, claims({ exp: undefined })),
  'an end that is text': () => token(rs256, claims({ exp: String(now() + 60) })),
  'a beginning that is to come': () => token(rs256, claims({ nbf: now() + 60 })),
  'another audience': () => token(rs256, claims({ aud: 'billing' })),
  'an audience that only begins alike': () => token(rs256, claims({ aud: 'a2a-other' })),
  'audiences that are no texts': () => token(rs256, claims({ aud: [7, null, ['a2a'], {}] })),
  'no audience': () => token(rs256, claims({ aud: undefined })),
  'another issuer': () => token(rs256, claims({ iss: 'https://evil.example.com' })),
  'an issuer that only begins alike': () => token(rs256, claims({ iss: `${settings.issuer}.evil.example.com` })),
  'no issuer': () => token(rs256, claims({ iss: undefined })),
  'no subject': () => token(rs256, claims({ sub: undefined })),
  'an empty subject': () => token(rs256, claims({ sub: '' })),
  'a subject that is no text': () => token(rs256, claims({ sub: 7 })),
  'half a character in its subject': () => token(rs256, claims({ sub: 'carol\ud800' })),
  'an invisible character in its subject': () => token(rs256, claims({ sub: 'carol\u0000' })),
  'a subject without end': () => token(rs256, claims({ sub: 's'.repeat(300) })),
  'a key to prove that cannot be shown': () => token(rs256, claims({ cnf: { jkt: 'x' } })),
  'a payload that was changed': () => {
    const [head, , signature] = token(rs256, claims()).split('.');
    return `${head}.${encoded(claims({ sub: 'admin' }))}.${signature}`;
  },
  'a payload that is a list': () => token(rs256, []),
  'a payload that is no JSON': () => token(rs256, 'hello'),
  'a head that is no JSON': () => token('hello', claims()),
  'one part': () => 'hello',
  'two parts': () => `${encoded(rs256)}.${encoded(claims())}`,
  'five parts': () => `${encoded({ alg: 'dir', enc: 'A256GCM' })}....`,
  nothing: () => '',
};

describe('a token', () => {
  it.each(Object.entries(refused))('a token is refused with %s', async (_, make) => {
    const made = make();
    const error = await refusalOf(() => verify()(made));
    expect(error.kind).toBe('unauthenticated');
    // The caller sees only these two messages. Expiry is named, since the caller can get a new token.
    expect(error.message).toMatch(/^The access token (is not valid|has expired)$/);
    expect(typeof error.cause).toBe('string');
  });

  it('a token counts only with the algorithms that are configured', async () => {
    const only = verify({ algorithms: ['ES256'] });
    expect((await refusalOf(() => only(token(rs256, claims())))).kind).toBe('unauthenticated');
    await only(token({ alg: 'ES256', kid: 'ec' }, claims(), withEc));
  });

  it('a token counts only with the type that is configured', async () => {
    const typed = verify({ typ: 'at+jwt' });
    for (const typ of [undefined, 'JWT', 'id+jwt']) {
      const head = { ...rs256, ...(typ !== undefined && { typ }) };
      expect((await refusalOf(() => typed(token(head, claims())))).kind).toBe('unauthenticated');
      await verify()(token(head, claims()));
    }
    for (const typ of ['at+jwt', 'application/at+jwt', 'AT+JWT']) await typed(token({ ...rs256, typ }, claims()));
  });

  /** Other spellings of the same bytes. */
  const respelled = (good: string): string[] => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(good.slice(-1));
    const twins = [last ^ 1, last ^ 2].map((index) => good.slice(0, -1) + alphabet.charAt(index));
    return [`${good}=`, `${good}==`, `${good}!`, `${good}.`, `${good}A`, ...twins];
  };

  it('a token is spelled in one way alone', async () => {
    const clients = [{ id: 'bob', hash: 'x', agents: undefined, scopes: undefined }];
    const own = new TokenAuthority({ clients, lifetime: 60_000, secret: 'of the store' });
    const good = await own.issue(clients[0] as (typeof clients)[0], ['tasks']);
    await own.verify(good);
    for (const other of respelled(good)) {
      expect((await refusalOf(() => own.verify(other))).kind, other).toBe('unauthenticated');
    }
    const provided = token({ alg: 'EdDSA', kid: 'ed' }, claims(), withEd);
    await verify()(provided);
    for (const other of respelled(provided)) {
      expect((await refusalOf(() => verify()(other))).kind, other).toBe('unauthenticated');
    }
  });
});

describe('the authenticator', () => {
  const secret = 'of the store';
  const clients = [{ id: 'bob', hash: 'x', agents: undefined, scopes: undefined }];
  const own = new TokenAuthority({ clients, lifetime: 60_000, secret });
  const start = () => {
    const { audit, events } = remembering();
    let verified = 0;
    const jwt = (text: string) => {
      verified += 1;
      return verify()(text);
    };
    const both: typeof closed = { ...closed, jwt: settings, tokenEndpoint: { clients, lifetime: 60_000 } };
    const options = { settings: both, origins: [], own, jwt, failures: new FailureLimiter(20), audit };
    return { authenticate: createAuthenticator(options), events, verified: () => verified };
  };

  it('the authenticator verifies a token once, and then knows it at once', async () => {
    const { authenticate, verified } = start();
    const caller = callerWith(bearer(token(rs256, claims())));
    const first = authenticate(caller);
    expect(first).toBeInstanceOf(Promise);
    const second = authenticate(caller);
    expect(second).toBeInstanceOf(Promise);
    const principal = await first;
    expect(authenticate(caller)).toEqual(principal);
    expect(await second).toEqual(principal);
    expect(verified()).toBe(2);
  });

  it('the authenticator forgets a token at its end', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const { authenticate } = start();
      const caller = callerWith(bearer(token(rs256, claims({ exp: now() + 60 }))));
      await authenticate(caller);
      vi.setSystemTime(Date.now() + 64_000);
      expect(authenticate(caller)).not.toBeInstanceOf(Promise);
      vi.setSystemTime(Date.now() + 2_000);
      expect((await refusalOf(() => authenticate(caller))).message).toBe('The access token has expired');
    } finally {
      vi.useRealTimers();
    }
  });

  it('the authenticator tells its own tokens from those of the provider', async () => {
    const { authenticate } = start();
    const good = await own.issue(clients[0] as (typeof clients)[0], ['tasks']);
    expect(await authenticate(callerWith(bearer(good)))).toMatchObject({ id: 'client:bob' });
    const [head = '', payload = ''] = good.split('.');
    const imposters = [
      // Its own head over what the provider signed, and the other way about.
      `${head}.${encoded(claims())}.${withRsa(`${head}.${encoded(claims())}`).toString('base64url')}`,
      token(rs256, JSON.parse(Buffer.from(payload, 'base64url').toString())),
      token({ alg: 'HS256', typ: 'at+jwt' }, JSON.parse(Buffer.from(payload, 'base64url').toString()), (text) =>
        createHmac('sha256', secret).update(text).digest(),
      ),
    ];
    for (const imposter of imposters) {
      const error = await refusalOf(() => authenticate(callerWith(bearer(imposter))));
      expect([error.kind, error.challenge]).toEqual([
        'unauthenticated',
        'Bearer realm="a2a-gateway", error="invalid_token"',
      ]);
    }
  });

  it('the authenticator takes a token that is bound to a certificate over connections with that certificate alone', async () => {
    const { authenticate } = start();
    const fingerprint = 'ab'.repeat(32);
    const bound = bearer(
      token(rs256, claims({ cnf: { 'x5t#S256': Buffer.from(fingerprint, 'hex').toString('base64url') } })),
    );
    const certificate = {
      subject: '',
      commonName: undefined,
      altNames: [],
      authority: undefined,
      fingerprint,
      expires: Number.MAX_VALUE,
    };
    expect(await authenticate(callerWith(bound, { certificate }))).toMatchObject({ anonymous: false });
    for (const other of [undefined, { ...certificate, fingerprint: 'cd'.repeat(32) }]) {
      expect((await refusalOf(() => authenticate(callerWith(bound, { certificate: other })))).kind).toBe(
        'unauthenticated',
      );
    }
  });

  it('the authenticator looks at no token that is too long, and says nothing of one that it refuses', async () => {
    const { authenticate, events, verified } = start();
    const long = token(rs256, claims({ padding: 'x'.repeat(20_000) }));
    const error = await refusalOf(() => authenticate(callerWith(bearer(long))));
    expect([error.kind, verified()]).toEqual(['unauthenticated', 0]);
    const forged = refused['the key of a stranger']?.() ?? '';
    await refusalOf(() => authenticate(callerWith(bearer(forged))));
    expect(events).toMatchObject([{ event: 'authentication.failed' }, { event: 'authentication.failed' }]);
    const told = JSON.stringify(events);
    for (const secretPart of [long.slice(-40), ...forged.split('.')]) expect(told).not.toContain(secretPart);
  });

  it.each(['bearer', 'BEARER'])('the authenticator reads the scheme in any case: %s', async (scheme) => {
    const { authenticate } = start();
    const authorization = `${scheme} ${token(rs256, claims())}`;
    expect(await authenticate(callerWith({ authorization }))).toMatchObject({ anonymous: false });
  });
});
