import { describe, expect, it } from 'vitest';
import { FailureLimiter } from '../../src/auth/failure-limiter.ts';
import { hashOf } from '../../src/auth/hash.ts';
import { createTokenEndpoint, type TokenRequest } from '../../src/auth/token-endpoint.ts';
import { TokenAuthority } from '../../src/auth/tokens.ts';
import { refusalOf, remembering } from './support.ts';

/** The client-credentials grant, and the tokens that come of it (RFC 6749 sections 4.4 and 5). */

const client = (id: string, secret: string, scopes?: string[], agents?: string[]) => ({
  id,
  hash: hashOf(secret),
  scopes,
  agents,
});
const clients = [
  client('bob', 'secret of bob', ['tasks'], ['weather']),
  client('bob', 'new secret of bob', ['tasks']),
  { ...client('eve', 'secret of eve'), tenants: ['acme'] },
  client('o:dd +ly', 'a&b=c%:+', ['tasks', 'metrics']),
];

function start(over: { failures?: number; secret?: string; now?: () => number; known?: typeof clients } = {}) {
  const { audit, events } = remembering();
  const { secret = 'of the store', known = clients, now } = over;
  const authority = new TokenAuthority({ clients: known, lifetime: 60_000, secret, ...(now && { now }) });
  const failures = new FailureLimiter(over.failures ?? 20, () => 0);
  const endpoint = createTokenEndpoint({ settings: { clients: known, lifetime: 60_000 }, authority, failures, audit });
  const ask = (form: Record<string, string> | string, request: Partial<TokenRequest> = {}) =>
    endpoint({
      authorization: undefined,
      mediaType: 'application/x-www-form-urlencoded',
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
      address: '192.0.2.1',
      ...request,
    });
  return { authority, events, ask };
}

const grant = { grant_type: 'client_credentials' };
const bob = { ...grant, client_id: 'bob', client_secret: 'secret of bob' };
const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

it('the token endpoint grants a token for a secret in the form', async () => {
  const { ask, authority, events } = start();
  const began = Date.now();
  const { status, headers, body } = await ask(bob);
  expect([status, headers]).toEqual([200, { 'Cache-Control': 'no-store', Pragma: 'no-cache' }]);
  expect(body).toEqual({
    access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    token_type: 'Bearer',
    expires_in: 60,
    scope: 'tasks',
  });
  const { principal, until } = await authority.verify(String(body.access_token));
  expect(principal).toEqual({
    id: 'client:bob',
    anonymous: false,
    agents: new Set(['weather']),
    scopes: new Set(['tasks']),
    ownCredential: 'authorization',
    credential: { kind: 'token', client: expect.any(String), scopes: ['tasks'] },
    until,
  });
  // The times in a token are whole seconds.
  expect(until).toBeGreaterThanOrEqual(began + 59_000);
  expect(events).toEqual([{ event: 'token.issued', principal: 'client:bob', address: '192.0.2.1' }]);
  expect(JSON.stringify(events)).not.toContain('secret');
});

it('the token endpoint grants a token for the agents of a resource, within those of the client', async () => {
  const { ask, authority } = start();
  const agentsOf = (resource: string) =>
    resource === 'https://gw/mcp' ? 'all' : resource === 'gw:a' ? ['a'] : undefined;
  const agentsFor = async (client_secret: string, resource: string) => {
    const { body } = await ask({ ...bob, client_secret, resource }, { agentsOf });
    const { agents } = (await authority.verify(String(body.access_token))).principal;
    return agents && [...agents];
  };
  expect(await agentsFor('new secret of bob', 'https://gw/mcp')).toBeUndefined();
  expect(await agentsFor('new secret of bob', 'gw:a')).toEqual(['a']);
  expect(await agentsFor('secret of bob', 'https://gw/mcp')).toEqual(['weather']);
  expect(await agentsFor('secret of bob', 'gw:a')).toEqual([]);
  const { status, body } = await ask({ ...bob, resource: 'https://other/mcp' }, { agentsOf });
  expect([status, body.error]).toEqual([400, 'invalid_target']);
});

it("the token endpoint grants tokens for the client's tenants", async () => {
  const { ask, authority } = start();
  const { body } = await ask({ ...grant, client_id: 'eve', client_secret: 'secret of eve' });
  const { principal } = await authority.verify(String(body.access_token));
  expect(principal.tenants).toEqual(new Set(['acme']));
});

it('the token endpoint or by HTTP Basic, with ids and secrets of any characters', async () => {
  const { ask } = start();
  expect((await ask(grant, { authorization: basic('bob', 'new secret of bob') })).status).toBe(200);
  expect(await ask(grant, { authorization: basic('o:dd +ly', 'a&b=c%:+') })).toMatchObject({
    status: 200,
    body: { scope: 'tasks metrics' },
  });
  expect((await ask({ ...grant, client_id: 'o:dd +ly', client_secret: 'a&b=c%:+' })).status).toBe(200);
  // The id may stand in the form as well.
  const both = await ask({ ...grant, client_id: 'bob' }, { authorization: basic('bob', 'secret of bob') });
  expect(both.status).toBe(200);
});

it.each([
  ['none', '', 'tasks knowledge', 'eve'],
  ['one of them', 'tasks:read', 'tasks:read', 'eve'],
  ['the same twice', 'tasks tasks', 'tasks', 'bob'],
])('the token endpoint grants scopes that are asked for: %s', async (_, scope, granted, id) => {
  const { ask } = start();
  const { body } = await ask({ ...grant, client_id: id, client_secret: `secret of ${id}`, scope });
  expect(body.scope).toBe(granted);
});

it.each<[string, Record<string, string> | string, Partial<TokenRequest>, number, string]>([
  ['a wrong secret', { ...bob, client_secret: 'secret of eve' }, {}, 401, 'invalid_client'],
  ['an unknown client', { ...bob, client_id: 'mallory' }, {}, 401, 'invalid_client'],
  ['a hash', { ...bob, client_secret: hashOf('secret of bob') }, {}, 401, 'invalid_client'],
  ['no secret', { ...grant, client_id: 'bob' }, {}, 401, 'invalid_client'],
  ['nothing at all', '', {}, 401, 'invalid_client'],
  ['a wrong Basic', grant, { authorization: basic('bob', 'x') }, 401, 'invalid_client'],
  ['a Basic that is none', grant, { authorization: 'Basic %%%' }, 401, 'invalid_client'],
  ['a Basic that cannot be decoded', grant, { authorization: `Basic ${btoa('bob:%zz')}` }, 401, 'invalid_client'],
  ['a bearer token', grant, { authorization: 'Bearer x' }, 401, 'invalid_client'],
  ['both ways at once', bob, { authorization: basic('bob', 'secret of bob') }, 400, 'invalid_request'],
  ['two ids', { ...grant, client_id: 'eve' }, { authorization: basic('bob', 'x') }, 400, 'invalid_request'],
  ['no grant', { client_id: 'bob', client_secret: 'secret of bob' }, {}, 400, 'invalid_request'],
  ['another grant', { ...bob, grant_type: 'password' }, {}, 400, 'unsupported_grant_type'],
  ['a scope that it lacks', { ...bob, scope: 'tasks metrics' }, {}, 400, 'invalid_scope'],
  ['a scope that is none', { ...bob, scope: '__proto__' }, {}, 400, 'invalid_scope'],
  ['a parameter twice', `${new URLSearchParams(bob)}&client_id=eve`, {}, 400, 'invalid_request'],
  ['JSON', JSON.stringify(bob), { mediaType: 'application/json' }, 400, 'invalid_request'],
])('the token endpoint refuses %s', async (_, form, request, status, error) => {
  const answer = await start().ask(form, request);
  expect(answer).toMatchObject({ status, body: { error }, headers: { 'Cache-Control': 'no-store' } });
  expect(answer.headers['WWW-Authenticate']).toBe(status === 401 ? 'Basic realm="a2a-gateway"' : undefined);
  expect(JSON.stringify(answer)).not.toContain('secret of bob');
});

it('the token endpoint stops guessing, but not a known client in the same network', async () => {
  const { ask, events } = start({ failures: 3 });
  const statusOf = async (over: object, address = '192.0.2.1') => (await ask({ ...bob, ...over }, { address })).status;
  const eve = { client_id: 'eve', client_secret: 'secret of eve' };
  expect(await statusOf({})).toBe(200);
  for (let count = 0; count < 3; count++) expect(await statusOf({ client_secret: `${count}` })).toBe(401);
  const guess = await ask({ ...bob, client_secret: 'guess' });
  expect(guess).toMatchObject({ status: 429, headers: { 'Retry-After': '60' } });
  expect(await statusOf(eve)).toBe(429);
  expect(await statusOf({})).toBe(200);
  expect(await statusOf(eve, '192.0.2.2')).toBe(200);
  expect(events.map(({ event }) => event).filter((event) => event !== 'token.issued')).toEqual([
    ...Array.from({ length: 3 }, () => 'token.refused'),
    'authentication.blocked',
  ]);
});

describe('a token', () => {
  const tokenOf = async (from = start()) => String((await from.ask(bob)).body.access_token);

  it('a token is good at every gateway on the same store, and at no other', async () => {
    expect((await start().authority.verify(await tokenOf())).principal.id).toBe('client:bob');
    const other = start({ secret: 'of another store' }).authority;
    expect((await refusalOf(async () => other.verify(await tokenOf()))).kind).toBe('unauthenticated');
  });

  it('a token ends', async () => {
    let now = Date.now();
    const from = start({ now: () => now });
    const token = await tokenOf(from);
    now += 59_000;
    expect((await from.authority.verify(token)).principal.id).toBe('client:bob');
    now += 2_000;
    expect((await refusalOf(() => from.authority.verify(token))).message).toBe('The access token has expired');
  });

  it('a token ends with its client, or with the secret that it was granted for', async () => {
    const token = await tokenOf();
    for (const known of [
      clients.slice(1),
      clients.slice(2),
      [client('bob', 'another'), client('eve', 'secret of bob')],
    ]) {
      expect((await refusalOf(() => start({ known }).authority.verify(token))).kind).toBe('unauthenticated');
    }
  });

  it('a token holds no more than its client may have now', async () => {
    const known = [client('bob', 'secret of bob', ['tasks:read'], [])];
    const { principal } = await start({ known }).authority.verify(await tokenOf());
    expect(principal).toMatchObject({ scopes: new Set(['tasks:read']), agents: new Set() });
  });

  it.each<[string, (parts: string[]) => string]>([
    ['changed claims', ([head, , end]) => `${head}.${Buffer.from('{"sub":"admin"}').toString('base64url')}.${end}`],
    ['no signature', ([head, claims]) => `${head}.${claims}.`],
    ['half a signature', ([head, claims, end = '']) => `${head}.${claims}.${end.slice(0, 20)}`],
    ['nothing but a head', ([head]) => `${head}.`],
    ['more behind it', (parts) => `${parts.join('.')}.x`],
    ['the claims twice', ([head, claims, end]) => `${head}.${claims}.${claims}.${end}`],
  ])('a token is refused with %s', async (_, change) => {
    const { authority } = start();
    const forged = change((await tokenOf()).split('.'));
    expect(authority.looksOwn(forged)).toBe(true);
    expect((await refusalOf(() => authority.verify(forged))).kind).toBe('unauthenticated');
  });
});
