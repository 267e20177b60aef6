import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveTool } from '../../../scripts/tools.ts';
import { SignIn } from '../../../src/auth/openid.ts';
import { missingPackages } from '../../../src/config/packages.ts';
import { problems } from '../../config/support.ts';
import { noBrowser, openPage, sharedBrowser } from '../../support/browser.ts';
import { builtConsole, consoleDeadline } from '../../support/console.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';

const missing = missingPackages('signIn');

/** Headers that a page of the gateway sends with each request. */
const page = { 'a2a-gateway-console': '1', 'sec-fetch-site': 'same-origin' };

async function listening(handler?: RequestListener): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function stop(server: Server): void {
  server.close();
  server.closeAllConnections();
}

const configOf = (issuer: string, jwks: string, more = ''): string => `
auth:
  anonymous: false
  jwt: { issuer: "${issuer}", audience: a2a, jwksUrl: "${issuer}${jwks}", scopes: [admin, tasks] }
console: { signIn: { clientId: console, clientSecret: of the console, scopes: [admin] ${more} } }
agents: { hidden-agent: { kind: reference } }
`;

/** The cookies of a browser, by host: ports do not separate them. */
class Cookies {
  readonly #all = new Map<string, Map<string, string>>();

  async fetch(url: string, { headers, ...init }: RequestInit & { headers?: Record<string, string> } = {}) {
    const { hostname } = new URL(url);
    const own = this.#all.get(hostname) ?? new Map<string, string>();
    this.#all.set(hostname, own);
    const cookie = [...own].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, { ...init, headers: { ...headers, cookie }, redirect: 'manual' });
    for (const one of response.headers.getSetCookie()) {
      const [name = '', value = ''] = one.split(';', 1)[0]?.split(/=(.*)/s) ?? [];
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(one)) own.delete(name);
      else own.set(name, value);
    }
    return response;
  }

  /** Names of the cookies that a gateway on localhost has set. */
  get names(): string[] {
    return [...(this.#all.get('localhost')?.keys() ?? [])];
  }
}

/** Begins a sign-in. Returns the provider's URL for it. */
async function begin(gateway: Opened, browser: Cookies): Promise<URL> {
  const response = await browser.fetch(`${gateway.url}/console/sign-in`, { method: 'POST', headers: page });
  expect(response.status).toBe(200);
  return new URL(((await response.json()) as { url: string }).url);
}

const who = async (gateway: Opened, browser: Cookies): Promise<Record<string, unknown>> =>
  (await (await browser.fetch(`${gateway.url}/console/session`, { headers: page })).json()) as Record<string, unknown>;

describe.skipIf(missing !== undefined)('signing in at a provider', () => {
  let provider: { readonly server: Server; readonly url: string };
  let gateway: Opened;

  beforeAll(async () => {
    provider = await listening();
    gateway = await openGateway(configOf(provider.url, '/jwks'));
    const { default: Provider } = await import(pathToFileURL(resolveTool('tests', 'oidc-provider')).href);
    const oidc = new Provider(provider.url, {
      clients: [
        {
          client_id: 'console',
          client_secret: 'of the console',
          redirect_uris: [`${gateway.url}/console/signed-in`],
          grant_types: ['authorization_code'],
        },
      ],
      pkce: { required: () => true },
      scopes: ['openid', 'admin', 'tasks'],
      features: {
        devInteractions: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => 'https://gateway.example',
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({
            scope: 'admin tasks',
            audience: 'a2a',
            accessTokenFormat: 'jwt',
            accessTokenTTL: 600,
          }),
        },
      },
      cookies: { keys: ['of the test'] },
    });
    provider.server.on('request', oidc.callback());
  });

  afterAll(async () => {
    stop(provider.server);
    await gateway.close();
  });

  /** Signs in with a name, agrees, and returns the address that leads back to the gateway. */
  async function atProvider(browser: Cookies, start: URL, login: string): Promise<string> {
    let response = await browser.fetch(start.href);
    for (let steps = 0; steps < 20; steps++) {
      const location = response.headers.get('location');
      if (location?.startsWith(gateway.url)) return location;
      if (location) {
        response = await browser.fetch(new URL(location, provider.url).href);
        continue;
      }
      const form = await response.text();
      const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(form) ?? [];
      const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(form) ?? [];
      response = await browser.fetch(new URL(action, provider.url).href, {
        method: 'POST',
        body: new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) }),
      });
    }
    throw new Error('the provider did not lead back');
  }

  test('signing in at a provider gives the browser a session of whom the access token names, with the scopes that it has', async () => {
    const browser = new Cookies();
    const start = await begin(gateway, browser);
    expect(Object.fromEntries(start.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'console',
      code_challenge_method: 'S256',
      scope: 'openid admin',
      redirect_uri: `${gateway.url}/console/signed-in`,
    });
    const back = await atProvider(browser, start, 'alice');
    const response = await browser.fetch(back);
    expect([response.status, response.headers.get('location')]).toEqual([303, './']);
    const session = response.headers.getSetCookie().find((one) => !one.includes('-sign-in='));
    expect(session).toMatch(/HttpOnly; SameSite=Strict; Max-Age=(59\d|60\d)$/);
    expect(browser.names).toEqual([expect.stringMatching(/^a2a-gateway-[\da-f]{12}$/)]);
    expect(await who(gateway, browser)).toMatchObject({
      principal: `jwt:${provider.url}#alice`,
      scopes: ['admin'],
      session: { kind: 'bearer' },
    });
    expect((await browser.fetch(`${gateway.url}/admin/v1/agents`, { headers: page })).status).toBe(200);
    await browser.fetch(`${gateway.url}/console/session`, { method: 'DELETE', headers: page });
    expect(browser.names).toEqual([]);
  });

  test('signing in at a provider does not count in another browser: neither a stolen answer nor a link with the answer of another person', async () => {
    const [browser, thief, victim] = [new Cookies(), new Cookies(), new Cookies()];
    const back = await atProvider(browser, await begin(gateway, browser), 'alice');
    const stolen = await thief.fetch(back);
    expect([stolen.status, thief.names]).toEqual([401, []]);
    expect(await stolen.text()).toContain('This sign-in did not begin in this browser');
    // The victim has begun to sign in, too, and is led to the answer of another sign-in.
    await begin(gateway, victim);
    expect((await victim.fetch(back)).status).toBe(401);
    expect(await who(gateway, victim)).toEqual({ scopes: [], operations: [] });
    expect((await browser.fetch(back)).status).toBe(303);
    expect((await browser.fetch(back)).status).toBe(401);
  });

  test.each([
    ['another state', (answer: URL) => answer.searchParams.set('state', 'another')],
    ['no state', (answer: URL) => answer.searchParams.delete('state')],
    ['another code', (answer: URL) => answer.searchParams.set('code', 'another')],
    ['the name of another issuer', (answer: URL) => answer.searchParams.set('iss', 'https://evil.example')],
    ['no name of its issuer', (answer: URL) => answer.searchParams.delete('iss')],
    ['no query', (answer: URL) => (answer.search = '')],
  ])('signing in at a provider does not count with %s', async (_, change) => {
    const browser = new Cookies();
    const answer = new URL(await atProvider(browser, await begin(gateway, browser), 'alice'));
    change(answer);
    const response = await browser.fetch(answer.href);
    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await who(gateway, browser)).toEqual({ scopes: [], operations: [] });
  });

  test('signing in at a provider says what the provider says, and never as markup', async () => {
    const browser = new Cookies();
    const state = (await begin(gateway, browser)).searchParams.get('state') ?? '';
    const iss = encodeURIComponent(provider.url);
    const answered = async (error: string): Promise<string> => {
      const url = `${gateway.url}/console/signed-in?state=${state}&iss=${iss}&error=${encodeURIComponent(error)}`;
      return (await browser.fetch(url)).text();
    };
    expect(await answered('access_denied')).toContain('refused the sign-in (access_denied).');
    expect(await answered('<script>alert(1)</script>')).not.toMatch(/script/i);
  });

  test('signing in at a provider is begun by the page of the console alone', async () => {
    for (const headers of [
      { 'a2a-gateway-console': '1', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-origin' },
    ]) {
      const response = await fetch(`${gateway.url}/console/sign-in`, { method: 'POST', headers });
      expect([response.status, response.headers.getSetCookie()]).toEqual([403, []]);
    }
  });

  test('signing in at a provider is not there where it is not configured', async () => {
    const other = await openGateway('agents: { demo: { kind: reference } }');
    expect((await fetch(`${other.url}/console/sign-in`, { method: 'POST', headers: page })).status).toBe(404);
    expect((await fetch(`${other.url}/console/signed-in?code=1&state=2`)).status).toBe(404);
    await other.close();
  });

  test.skipIf(noBrowser !== undefined)(
    'signing in at a provider leads back to the page of the console from which the user left',
    async () => {
      await builtConsole();
      await using tab = await openPage(await sharedBrowser(), gateway.url);
      const { page } = tab;
      await page.goto(`${gateway.url}/console/#/agents/hidden-agent`);
      const host = new URL(provider.url).host;
      await page
        .getByRole('dialog', { name: 'Sign in' })
        .getByRole('button', { name: `Sign in at ${host}` })
        .click();
      await page.getByPlaceholder('Enter any login').fill('alice');
      await page.getByPlaceholder('and password').fill('any');
      await page.getByRole('button', { name: 'Sign-in' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { level: 1, name: 'hidden-agent' }).waitFor();
      expect(page.url()).toBe(`${gateway.url}/console/#/agents/hidden-agent`);
      await expect.poll(() => page.locator('.side-who').textContent()).toMatch(/#alice.*admin/);
    },
    consoleDeadline,
  );
});

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A provider whose tokens are put together by hand. */
async function lyingProvider() {
  const keys = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2_048 }));
  const [own, strange] = keys;
  const signed = (claims: object, key = own, alg = 'RS256'): string => {
    const text = `${encoded({ alg, kid: 'one', typ: 'JWT' })}.${encoded(claims)}`;
    return `${text}.${alg === 'none' || !key ? '' : sign('sha256', Buffer.from(text), key.privateKey).toString('base64url')}`;
  };
  let answer: () => object | undefined = () => ({});
  const { server, url } = await listening((req, res) => {
    const send = (body: object): void => {
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify(body));
    };
    if (req.url === '/token') {
      const body = answer();
      if (body) send(body);
    } else if (req.url === '/jwks') {
      send({ keys: [{ ...own?.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] });
    } else {
      send({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      });
    }
  });
  const now = (): number => Math.floor(Date.now() / 1_000);
  return {
    url,
    strange,
    signed,
    claims: (more: object = {}) => ({ iss: url, aud: 'a2a', sub: 'alice', iat: now(), exp: now() + 60, ...more }),
    answerWith(next: typeof answer) {
      answer = next;
    },
    close: () => stop(server),
  };
}

describe.skipIf(missing !== undefined)('a provider that lies', () => {
  let provider: Awaited<ReturnType<typeof lyingProvider>>;
  let gateway: Opened;

  beforeAll(async () => {
    provider = await lyingProvider();
    gateway = await openGateway(configOf(provider.url, '/jwks'));
  });

  afterAll(async () => {
    provider.close();
    await gateway.close();
  });

  const past = Math.floor(Date.now() / 1_000) - 3_600;

  /** Signs in, with tokens that differ from right ones. */
  async function signIn({
    id = {},
    access = {},
    ...how
  }: {
    id?: object;
    access?: object;
    key?: 'strange';
    alg?: string;
    omit?: 'id_token';
  }) {
    const browser = new Cookies();
    const start = await begin(gateway, browser);
    const { state = '', nonce = '' } = Object.fromEntries(start.searchParams);
    const key = how.key && provider.strange;
    provider.answerWith(() => ({
      token_type: 'Bearer',
      expires_in: 60,
      access_token: provider.signed(provider.claims({ scope: 'admin', ...access })),
      ...(how.omit === undefined && {
        id_token: provider.signed(provider.claims({ aud: 'console', nonce, ...id }), key, how.alg),
      }),
    }));
    const { status } = await browser.fetch(`${gateway.url}/console/signed-in?code=1&state=${state}`);
    const { principal, scopes } = await who(gateway, browser);
    return { status, principal, scopes };
  }

  test('a provider that lies is believed where it says the truth', async () => {
    expect(await signIn({})).toEqual({ status: 303, principal: `jwt:${provider.url}#alice`, scopes: ['admin'] });
  });

  test.each([
    ['of another sign-in', { id: { nonce: 'another' } }],
    ['without a nonce', { id: { nonce: undefined } }],
    ['of another issuer', { id: { iss: 'https://evil.example' } }],
    ['for another client', { id: { aud: 'another' } }],
    ['for several clients, issued to another', { id: { aud: ['console', 'another'], azp: 'another' } }],
    ['that has expired', { id: { exp: past, iat: past - 60 } }],
    ['of another key', { key: 'strange' as const }],
    ['without a signature', { alg: 'none' }],
    ['of another person than the access token', { id: { sub: 'mallory' } }],
    ['that is missing', { omit: 'id_token' as const }],
  ])('a provider that lies is not believed with an id token %s', async (_, lie) => {
    expect(await signIn(lie)).toEqual({ status: 401, principal: undefined, scopes: [] });
  });

  test.each([
    ['for another service', { access: { aud: 'another' } }],
    ['of another issuer', { access: { iss: 'https://evil.example' } }],
    ['that has expired', { access: { exp: past } }],
  ])('a provider that lies is not believed with an access token %s', async (_, lie) => {
    expect(await signIn(lie)).toEqual({ status: 401, principal: undefined, scopes: [] });
  });

  test('a provider that lies gives no caller more than auth.jwt allows', async () => {
    const { scopes } = await signIn({ access: { scope: 'tasks:read metrics' } });
    expect(scopes).toEqual(['tasks:read']);
  });

  test('a provider that lies ends nothing but its own sign-in when it never answers, or answers nonsense', async () => {
    const slow = new SignIn(provider.url, { clientId: 'console' }, 0.3);
    const { pending } = await slow.begin('http://localhost/console/signed-in');
    provider.answerWith(() => undefined);
    await expect(slow.finish(pending, `code=1&state=${pending.state}`)).rejects.toMatchObject({ kind: 'unavailable' });
    for (const nonsense of [{}, { access_token: 1 }, { token_type: 'mac', access_token: 'a' }]) {
      provider.answerWith(() => nonsense);
      await expect(slow.finish(pending, `code=1&state=${pending.state}`)).rejects.toMatchObject({
        kind: 'unauthenticated',
      });
    }
    const gone = await lyingProvider();
    const left = new SignIn(gone.url, { clientId: 'console' });
    const { pending: begun } = await left.begin('http://localhost/console/signed-in');
    gone.close();
    await expect(left.finish(begun, `code=1&state=${begun.state}`)).rejects.toMatchObject({ kind: 'unavailable' });
    const silent = await listening(() => undefined);
    const never = new SignIn(silent.url, { clientId: 'console' }, 0.3);
    await expect(never.begin('http://localhost/')).rejects.toMatchObject({ kind: 'unavailable' });
    stop(silent.server);
    await expect(never.begin('http://localhost/')).rejects.toMatchObject({ kind: 'unavailable' });
    const other = await listening((_, res) => {
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify({ issuer: provider.url, token_endpoint: `${provider.url}/token` }));
    });
    // Metadata that name another issuer than the configured one.
    await expect(new SignIn(other.url, { clientId: 'console' }).begin('http://localhost/')).rejects.toMatchObject({
      kind: 'unavailable',
    });
    stop(other.server);
  });

  test('a provider that lies is not taken for another one that a reload has configured meanwhile', async () => {
    const other = await lyingProvider();
    const one = new SignIn(provider.url, { clientId: 'console' });
    const two = new SignIn(other.url, { clientId: 'console' });
    const { pending } = await one.begin('http://localhost/console/signed-in');
    await expect(two.finish(pending, `code=1&state=${pending.state}`)).rejects.toMatchObject({
      kind: 'unauthenticated',
    });
    other.close();
  });
});

describe('the settings of signing in', () => {
  const jwt =
    'auth: { jwt: { issuer: "https://idp.example.com", audience: a2a, jwksUrl: "https://idp.example.com/jwks" } }';

  test.each([
    ['without a provider', 'console: { signIn: { clientId: a } }', 'requires auth.jwt'],
    [
      'with an issuer that is no URL',
      `${jwt.replace('https://idp.example.com"', 'name"')}\nconsole: { signIn: { clientId: a } }`,
      'https URL',
    ],
    ['over plain http', `${jwt.replace('"https:', '"http:')}\nconsole: { signIn: { clientId: a } }`, 'https URL'],
    [
      'with a parameter of its own',
      `${jwt}\nconsole: { signIn: { clientId: a, parameters: { state: x } } }`,
      'signing in sets itself',
    ],
    ['without a client', `${jwt}\nconsole: { signIn: {} }`, 'clientId'],
  ])('the settings %s of a sign-in are refused', (_, text, said) => {
    expect(problems(text).join('\n')).toContain(said);
  });

  test.skipIf(missing !== undefined)(
    'the settings of signing in are accepted with parameters that a provider wants',
    () => {
      const signIn = 'console: { signIn: { clientId: a, parameters: { audience: "https://gateway.example" } } }';
      expect(problems(`${jwt}\n${signIn}`)).toEqual([]);
    },
  );
});
