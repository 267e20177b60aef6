import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashOf, shownHash } from '../../../src/auth/hash.ts';
import { Sessions } from '../../../src/auth/sessions.ts';
import { OpenStreams } from '../../../src/auth/stream-expiry.ts';
import { callerWith } from '../../auth/support.ts';
import { adminHeaders, type Opened, openGateway } from '../../support/gateway.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';

const key = (name: string, scopes: string) =>
  `{ name: ${name}, hash: "${shownHash(hashOf(`key of ${name}`))}", scopes: [${scopes}] }`;

const keys = `
  apiKeys:
    - ${key('operator', 'admin, tasks')}
    - ${key('reader', '"admin:read"')}`;

const config = `
auth:
  anonymous: false${keys}
agents: { demo: { kind: reference } }
`;

/** Headers that a page of the gateway sends with each request. */
const page = { 'a2a-gateway-console': '1', 'sec-fetch-site': 'same-origin' };

interface SignedIn {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];
  /** The cookies as the browser sends them back. */
  readonly cookie: string;
}

async function ask(url: string, method: string, headers: Record<string, string> = {}): Promise<SignedIn> {
  const response = await fetch(`${url}/console/session`, { method, headers: { ...page, ...headers } });
  const cookies = response.headers.getSetCookie();
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    cookies,
    cookie: cookies.map((one) => one.split(';', 1)[0]).join('; '),
  };
}

const signIn = (url: string, name = 'operator', more: Record<string, string> = {}) =>
  ask(url, 'POST', { 'x-api-key': `key of ${name}`, ...more });

const listAgents = (url: string, headers: Record<string, string>) => fetch(`${url}/admin/v1/agents`, { headers });

describe('a session of the console', () => {
  let gateway: Opened;

  beforeAll(async () => {
    gateway = await openGateway(config);
  });

  afterAll(() => gateway.close());

  test('a session of the console begins with a key, and says who the caller is and what it may do', async () => {
    const { status, body, cookies, cookie } = await signIn(gateway.url, 'reader');
    expect(status).toBe(200);
    expect(body).toMatchObject({ principal: 'key:reader', scopes: ['admin:read'], session: { kind: 'apiKey' } });
    expect(body.operations).toContain('ListAgents');
    expect(body.operations).not.toContain('SetAgentMode');
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(/^a2a-gateway-[\da-f]{12}=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=3600$/);
    expect(cookies[0]).not.toContain('key of reader');
    const { body: now } = await ask(gateway.url, 'GET', { cookie });
    expect(now).toEqual(body);
  });

  test('a session of the console calls the admin service, agents and the metrics', async () => {
    const { cookie } = await signIn(gateway.url);
    expect((await listAgents(gateway.url, { ...page, cookie })).status).toBe(200);
    const sent = await fetch(`${gateway.url}/demo/message:send`, {
      method: 'POST',
      headers: { ...page, cookie, 'content-type': 'application/json', authorization: 'Bearer for-the-agent' },
      body: JSON.stringify({ message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'say hi' }] } }),
    });
    expect(sent.status).toBe(200);
    const metrics = await fetch(`${gateway.url}/metrics`, { headers: { ...page, cookie } });
    expect(metrics.status).toBe(403);
    expect(await metrics.text()).toContain('lacks the scope metrics');
  });

  test.each([
    ['without the header of the console', { 'sec-fetch-site': 'same-origin' }, 401],
    ['from a page of another site', { ...page, 'sec-fetch-site': 'cross-site' }, 403],
    ['from another port of the host', { ...page, 'sec-fetch-site': 'same-site' }, 403],
    ['typed into the address bar', { ...page, 'sec-fetch-site': 'none' }, 403],
    ['from an older browser on another page', { 'a2a-gateway-console': '1', origin: 'https://evil.example' }, 403],
    ['from a page without an origin', { 'a2a-gateway-console': '1', origin: 'null' }, 403],
  ])('a session of the console does not count %s', async (_, headers, status) => {
    const { cookie } = await signIn(gateway.url);
    expect((await listAgents(gateway.url, { ...headers, cookie })).status).toBe(status);
    const stream = { ...headers, cookie, accept: 'text/event-stream' };
    expect((await fetch(`${gateway.url}/admin/v1/tasks:watch`, { headers: stream })).status).toBe(status);
    const signOut = await fetch(`${gateway.url}/console/session`, {
      method: 'DELETE',
      headers: { ...headers, cookie },
    });
    expect(signOut.status).toBe(403);
    expect((await listAgents(gateway.url, { ...page, cookie })).status).toBe(200);
  });

  test('a session of the console counts from an older browser on a page of the gateway', async () => {
    const { cookie } = await signIn(gateway.url);
    const old = { 'a2a-gateway-console': '1', cookie };
    expect((await listAgents(gateway.url, old)).status).toBe(200);
    expect((await listAgents(gateway.url, { ...old, origin: gateway.url })).status).toBe(200);
  });

  test('a session of the console is given to no page of another origin, so that no operator is signed in as another', async () => {
    for (const headers of [{ 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'cross-site' }]) {
      const { status, cookies } = await signIn(gateway.url, 'operator', headers);
      expect([status, cookies]).toEqual([403, []]);
    }
    const allowed = await openGateway(`listen: { host: localhost, port: 0, cors: ["https://app.example"] }\n${config}`);
    const preflight = await fetch(`${allowed.url}/admin/v1/agents`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).not.toContain('a2a-gateway-console');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    await allowed.close();
  });

  test.each([
    ['a wrong key', { 'x-api-key': 'wrong' }, 401],
    ['no credential', {}, 400],
  ])('a session of the console does not begin with %s', async (_, headers, status) => {
    const answer = await ask(gateway.url, 'POST', headers);
    expect([answer.status, answer.cookies]).toEqual([status, []]);
  });

  test('a session of the console does not begin with a wrong admin key, whose caller would be anonymous', async () => {
    const local = await openGateway('agents: { demo: { kind: reference } }');
    expect((await ask(local.url, 'POST', { 'x-api-key': 'a2a_admin_wrong' })).status).toBe(401);
    expect((await ask(local.url, 'GET')).body).toMatchObject({ principal: 'anonymous', operations: [] });
    const { status, cookie } = await ask(local.url, 'POST', adminHeaders(local.url));
    expect(status).toBe(200);
    expect((await listAgents(local.url, { ...page, cookie })).status).toBe(200);
    await local.close();
  });

  test('a session of the console is another one after each sign-in, and the one before ends', async () => {
    const first = await signIn(gateway.url);
    const second = await signIn(gateway.url, 'reader', { cookie: first.cookie });
    expect(second.cookie).not.toBe(first.cookie);
    expect((await listAgents(gateway.url, { ...page, cookie: first.cookie })).status).toBe(401);
    expect((await listAgents(gateway.url, { ...page, cookie: second.cookie })).status).toBe(200);
  });

  test('a session of the console ends when its user signs out, with its streams', async () => {
    const { cookie } = await signIn(gateway.url);
    const stream = await fetch(`${gateway.url}/admin/v1/tasks:watch`, {
      headers: { ...page, cookie, accept: 'text/event-stream' },
    });
    expect(stream.status).toBe(200);
    const { status, cookies } = await ask(gateway.url, 'DELETE', { cookie });
    expect(status).toBe(200);
    expect(cookies.every((one) => one.includes('Max-Age=0'))).toBe(true);
    expect(await stream.text()).toContain('The session has ended');
    expect((await listAgents(gateway.url, { ...page, cookie })).status).toBe(401);
    const { body } = await ask(gateway.url, 'GET', { cookie });
    expect(body).toEqual({ scopes: [], operations: [] });
  });

  test('a session of the console does not mind cookies of other gateways on the host, and cookies that are no sessions', async () => {
    const other = await openGateway(config);
    const [{ cookie }, { cookie: strange }] = [await signIn(gateway.url), await signIn(other.url)];
    const [name = ''] = cookie.split('=');
    expect(strange.startsWith(`${name}=`)).toBe(false);
    expect((await listAgents(gateway.url, { ...page, cookie: `${strange}; a=b; ;=; ${cookie}` })).status).toBe(200);
    // The value of the other gateway, under this one's name.
    const forged = `${name}=${strange.split('=')[1]}`;
    for (const wrong of [strange, forged, `${name}=`, `${name}=x.y`, `${name}=${'A'.repeat(9_000)}`, '=', ';;;']) {
      const { status, body } = await ask(gateway.url, 'GET', { cookie: wrong });
      expect([wrong.slice(0, 20), status, body.principal]).toEqual([wrong.slice(0, 20), 200, undefined]);
      expect((await listAgents(gateway.url, { ...page, cookie: wrong })).status).toBe(401);
    }
    expect((await listAgents(gateway.url, { ...page, cookie: `${forged}; ${cookie}` })).status).toBe(200);
    await other.close();
  });

  test('a session of the console takes nothing but GET, POST and DELETE', async () => {
    const response = await fetch(`${gateway.url}/console/session`, { method: 'PUT', headers: page });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE']);
  });
});

test('a session ends no later than its credential and ends when a reload removes its key; other sessions go on', async () => {
  const gateway = await openGateway(config);
  const { cookie } = await signIn(gateway.url);
  const reader = await signIn(gateway.url, 'reader');
  const auth = {
    anonymous: false,
    apiKeys: [{ name: 'reader', hash: shownHash(hashOf('key of reader')), scopes: ['admin'] }],
  };
  await gateway.gateway.reload({
    listen: { port: 0 },
    store: 'memory:',
    auth,
    agents: { demo: { kind: 'reference' } },
  });
  for (let times = 0; times < 30; times++) {
    expect((await listAgents(gateway.url, { ...page, cookie })).status).toBe(401);
  }
  // Scopes are those of now, and asking with an ended session is no guessing that would lock others out.
  const { body } = await ask(gateway.url, 'GET', { cookie: reader.cookie });
  expect(body).toMatchObject({ principal: 'key:reader', scopes: ['admin'] });
  expect((await signIn(gateway.url, 'reader')).status).toBe(200);
  await gateway.close();
});

test('a session ends no later than its credential and ends with the token of an identity provider', async () => {
  const provider = await startIdentityProvider();
  const jwt = `jwt: { issuer: ${provider.issuer}, audience: a2a, jwksUrl: ${provider.jwksUrl}, clockTolerance: 1ms }`;
  const gateway = await openGateway(`auth:\n  anonymous: false\n  ${jwt}\nagents: { demo: { kind: reference } }`);
  const exp = Math.floor(Date.now() / 1_000) + 5;
  const token = provider.token('alice', { scope: 'admin', exp });
  const { body, cookie, cookies } = await ask(gateway.url, 'POST', { authorization: `Bearer ${token}` });
  expect(body).toMatchObject({ principal: `jwt:${provider.issuer}#alice`, session: { kind: 'bearer' } });
  expect(cookies[0]).toMatch(/Max-Age=[1-5]$/);
  const stream = await fetch(`${gateway.url}/admin/v1/tasks:watch`, {
    headers: { ...page, cookie, accept: 'text/event-stream' },
  });
  expect(stream.status).toBe(200);
  expect(await stream.text()).toContain('expired');
  expect((await listAgents(gateway.url, { ...page, cookie })).status).toBe(401);
  await gateway.close();
  provider.close();
});

test('a session ends no later than its credential and a token that no cookie can hold gives none, with the reason', async () => {
  const provider = await startIdentityProvider();
  const jwt = `jwt: { issuer: ${provider.issuer}, audience: a2a, jwksUrl: ${provider.jwksUrl} }`;
  const gateway = await openGateway(`auth:\n  anonymous: false\n  ${jwt}\nagents: { demo: { kind: reference } }`);
  const token = provider.token('alice', { groups: 'g'.repeat(4_000) });
  const { status, body } = await ask(gateway.url, 'POST', { authorization: `Bearer ${token}` });
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain('too long for a session');
  await gateway.close();
  provider.close();
});

test('the times of a session it ends an hour after its last use, is renewed while it is used, and lasts twelve hours at most', () => {
  let now = 1_000_000;
  const hour = 3_600_000;
  const ended = { list: async () => [], add: async () => {} };
  const sessions = new Sessions({
    secret: 'of the store',
    ended,
    ongoing: new OpenStreams(),
    publicUrl: () => undefined,
    now: () => now,
  });
  const found = (cookie: string) =>
    sessions.find(callerWith({ cookie: cookie.split(';')[0] ?? '' }, { encrypted: false }));
  let session = sessions.create(['x-api-key', 'a key'], false);
  const first = sessions.cookie(session);
  now += hour - 1;
  expect(found(first)).toEqual(session);
  session = sessions.renew(session);
  now += 1;
  expect(found(first)).toBeUndefined();
  expect(found(sessions.cookie(session))?.credential).toEqual(['x-api-key', 'a key']);
  for (let hours = 1; hours < 12; hours += 0.9) {
    session = sessions.renew(session);
    now += 0.9 * hour;
  }
  expect(found(sessions.cookie(sessions.renew(session)))).toBeUndefined();
});

test('the cookie over TLS is Secure and of this host alone, and one without that does not count', async () => {
  const gateway = await openGateway(
    `listen: { host: localhost, port: 0, publicUrl: "https://agents.example.com/gateway" }\n${config}`,
  );
  const url = `http://localhost:${gateway.port}`;
  const { cookies, cookie } = await signIn(url);
  expect(cookies[0]).toMatch(
    /^__Host-a2a-gateway-[\da-f]{12}=.*; Path=\/; HttpOnly; SameSite=Strict; Max-Age=3600; Secure$/,
  );
  expect((await listAgents(url, { ...page, cookie })).status).toBe(200);
  expect((await listAgents(url, { ...page, cookie: cookie.replace('__Host-', '') })).status).toBe(401);
  // Behind a proxy that does not pass the Host on, older browsers name the public origin.
  const old = { 'a2a-gateway-console': '1', cookie };
  expect((await listAgents(url, { ...old, origin: 'https://agents.example.com' })).status).toBe(200);
  expect((await listAgents(url, { ...old, origin: 'https://other.example.com' })).status).toBe(403);
  await gateway.close();
});

test('the cookie over TLS is Secure where the browser says that it came over https, through a proxy that the gateway does not know', async () => {
  const gateway = await openGateway(config);
  const { cookies } = await signIn(gateway.url, 'operator', { origin: 'https://proxy.example' });
  expect(cookies[0]).toMatch(/^__Host-.*; Secure$/);
  await gateway.close();
});

test('a session survives a restart, and one that was ended before stays ended', async ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'sessions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const stored = `store: "sqlite:${folder}/a.db"\n${config}`;
  const before = await openGateway(stored);
  const [kept, ended] = [await signIn(before.url), await signIn(before.url)];
  await ask(before.url, 'DELETE', { cookie: ended.cookie });
  await before.close();
  const after = await openGateway(stored);
  expect((await listAgents(after.url, { ...page, cookie: kept.cookie })).status).toBe(200);
  expect((await listAgents(after.url, { ...page, cookie: ended.cookie })).status).toBe(401);
  await after.close();
});

test('one signs in at one replica and is known at the other, and signing out ends it there with its streams', async ({
  onTestFinished,
}) => {
  const url = await (await sharedPostgres()).migrated();
  const replicas = await Promise.all(['a', 'b'].map((name) => startReplica(url, name, { config })));
  onTestFinished(async () => {
    for (const replica of replicas) await replica.close();
  });
  const [one, other] = replicas.map((replica) => replica.url) as [string, string];
  const { cookie } = await signIn(one);
  expect((await ask(other, 'GET', { cookie })).body).toMatchObject({ principal: 'key:operator' });
  const watch = { headers: { ...page, cookie, accept: 'text/event-stream' } };
  const streams = await Promise.all([one, other].map((at) => fetch(`${at}/admin/v1/tasks:watch`, watch)));
  await ask(one, 'DELETE', { cookie });
  for (const stream of streams) expect(await stream.text()).toContain('The session has ended');
  expect((await listAgents(other, { ...page, cookie })).status).toBe(401);
  expect((await listAgents(one, { ...page, cookie })).status).toBe(401);
});
