import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { outcomeOf, startCli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import type { Outcome } from '../support/in-process.ts';
import { afterTest, bodyOf, sendJson, serve, serveTcp } from '../support/peer.ts';

/**
 * Secrets of every kind, planted in a gateway that is started as its users start it, while everything around it goes
 * wrong: none of them is in what it prints, or in what it answers.
 */

const planted: Record<string, string> = {};
/** A secret that is nowhere else. */
function plant(name: string): string {
  const secret = `planted-${name.replaceAll(' ', '-')}-${randomBytes(6).toString('hex')}`;
  planted[name] = secret;
  return secret;
}

const folder = newFolder();
const key = plant('key of alice');
const clientSecret = plant('secret of a client');
const env = { UP_BEARER: plant('bearer token for an upstream'), TOOL_ENV: plant('variable of a tool server') };
const upstreams = {
  key: plant('key for an upstream'),
  password: plant('password for an upstream'),
  oauth: plant('client secret for an upstream'),
  query: plant('query of an upstream'),
  tools: plant('token for a tool server'),
  exchange: plant('client secret for token exchange'),
  actor: plant('token of the actor'),
};
const exchanged = {
  access_token: plant('a token for a caller'),
  refresh_token: plant('a token that refreshes it'),
  expires_in: 3_600,
};
const hook = {
  query: plant('query of a webhook'),
  credentials: plant('credentials of a webhook'),
  token: plant('token of a webhook'),
};
const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** Answers by the first segment of the path, with what it was shown. */
const answers: Readonly<Record<string, (res: ServerResponse, echo: string) => void>> = {
  refuses: (res, echo) => res.writeHead(401, { 'www-authenticate': 'Bearer' }).end(`no good: ${echo}`),
  'refuses-in-json': (res, error_description) => sendJson(res, { error: error_description, error_description }, 400),
  'is-no-json': (res, echo) => res.writeHead(200, { 'content-type': 'application/json' }).end(`{ "echo": ${echo}`),
  'fails-in-jsonrpc': (res, message) =>
    sendJson(res, { jsonrpc: '2.0', id: 1, error: { code: -32603, message, data: message } }),
  'fails-in-http': (res, message) =>
    sendJson(res, { error: { code: 500, status: 'INTERNAL', message, details: [] } }, 500, { 'x-echo': 'echo' }),
  redirects: (res, echo) => res.writeHead(302, { location: `http://127.0.0.1:9/?${encodeURIComponent(echo)}` }).end(),
};

let provider: IdentityProvider;
let outcome: Promise<Outcome>;
let logged = '';
let url: string;
let peer: string;
const told: string[] = [];

beforeAll(async () => {
  provider = await startIdentityProvider();
  peer = await serve(async (req, res) => {
    const [, way = ''] = (req.url ?? '').split(/[/?]/);
    // The whole request, as a careless server prints it in an error.
    const echo = `${req.url} ${JSON.stringify(req.headers)} ${decodeURIComponent(await bodyOf(req))}`;
    if (way === 'grants') res.end(JSON.stringify(exchanged));
    else answers[way]?.(res, echo);
  });
  const exchange = (way: string): string =>
    `auth: { type: exchange, tokenUrl: "${peer}/${way}", clientId: gw, clientSecret: ${upstreams.exchange}, actor: { type: bearer, token: ${upstreams.actor} } }`;
  const agents = Object.keys(answers).flatMap((way) => [
    `  caller-${way}: { kind: upstream, url: "${peer}/${way}", dialect: a2a-1.0, transport: rest, ${exchange('grants')} }`,
    `  caller-at-${way}: { kind: upstream, url: "${peer}/fails-in-http", dialect: a2a-1.0, transport: jsonrpc, ${exchange(way)} }`,
    `  bearer-${way}: { kind: upstream, url: "${peer}/${way}?key=${upstreams.query}", dialect: a2a-1.0, transport: jsonrpc, auth: { type: bearer, token: "\${UP_BEARER}" } }`,
    `  rest-${way}: { kind: upstream, url: "${peer}/${way}", dialect: a2a-1.0, transport: rest, auth: { type: apiKey, key: ${upstreams.key} } }`,
    `  basic-${way}: { kind: upstream, url: "${peer}/${way}", auth: { type: basic, username: gw, password: ${upstreams.password} } }`,
    `  oauth-${way}: { kind: upstream, url: "${peer}/${way}", auth: { type: oauth2, tokenUrl: "${peer}/${way}", clientId: gw, clientSecret: ${upstreams.oauth} } }`,
    `  forward-${way}: { kind: upstream, url: "${peer}/${way}", dialect: a2a-1.0, transport: rest, auth: { type: forward } }`,
    `  tools-${way}: { kind: mcp, servers: { far: { url: "${peer}/${way}?key=${upstreams.query}", auth: { type: bearer, token: ${upstreams.tools} } } } }`,
  ]);
  writeFileSync(join(folder, 'card-key.pem'), signing.export({ type: 'pkcs8', format: 'pem' }));
  const hashes = [key, clientSecret].map((secret) => `"${shownHash(hashOf(secret))}"`);
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `
listen: { port: 0 }
store: sqlite:./gateway.db
log: { level: debug }
push: { maxAge: 1s }
cards: { signing: { key: card-key.pem } }
auth:
  anonymous: false
  failuresPerMinute: unlimited
  apiKeys: [{ name: alice, hash: ${hashes[0]} }]
  jwt: { issuer: "${provider.issuer}", audience: a2a, jwksUrl: "${provider.jwksUrl}" }
  tokenEndpoint: { clients: [{ id: bob, hash: ${hashes[1]} }] }
defaultAgent: reference
agents:
  reference: { kind: reference }
  failing: { kind: module, path: ${fileURLToPath(new URL('agents-that-fail.ts', import.meta.url))} }
  nowhere: { kind: upstream, url: "http://127.0.0.1:9/?key=${upstreams.query}", auth: { type: bearer, token: "\${UP_BEARER}" } }
  tools:
    kind: mcp
    servers:
      near: { command: node, args: [-e, "console.error(process.env); process.exit(1)"], env: { TOKEN: "\${TOOL_ENV}" } }
${agents.join('\n')}
`,
  );
  const child = startCli(['--verbose', 'serve', '--config', join(folder, 'gateway.yaml')], { env, lasting: true });
  afterTest(() => void child.kill('SIGKILL'));
  outcome = outcomeOf(child);
  child.stderr?.on('data', (chunk) => {
    logged += chunk;
  });
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    [, url = ''] = /listening on (\S+)/.exec(text) ?? [];
    if (url) break;
  }
});

/** Asks, and takes down everything that is answered. */
async function ask(path: string, init: RequestInit = {}): Promise<string> {
  const answer = await fetch(`${url}${path}`, { redirect: 'manual', ...init });
  const body = await answer.text();
  told.push(JSON.stringify([...answer.headers]), body);
  return body;
}

const alice = { 'x-api-key': key };
const json = { 'content-type': 'application/json' };
const post = (headers: Record<string, string>, body: object | string): RequestInit => ({
  method: 'POST',
  headers: { ...json, ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const v1 = (text: string, more: object = {}) => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] },
  ...more,
});

/** Says something to an agent over bindings of several dialects. */
async function say(agent: string, text: string, credentials: Record<string, string> = alice): Promise<void> {
  const rpc = (method: string, params: object) => post(credentials, { jsonrpc: '2.0', id: 1, method, params });
  await Promise.all([
    ask(`/${agent}/message:send`, post({ ...credentials, 'a2a-version': '1.0' }, v1(text))),
    ask(`/${agent}/message:stream`, post({ ...credentials, 'a2a-version': '1.0' }, v1(text))),
    ask(`/${agent}`, rpc('SendMessage', v1(text))),
    ask(`/${agent}/lf.a2a.v1.A2AService/SendMessage`, post(credentials, v1(text))),
    ask(
      `/${agent}/as/agentvault-0.2`,
      rpc('tasks/send', { message: { role: 'user', parts: [{ type: 'text', content: text }] } }),
    ),
    ask(
      `/${agent}/as/a2a-0.1`,
      rpc('tasks/send', { id: crypto.randomUUID(), message: { role: 'user', parts: [{ type: 'text', text }] } }),
    ),
  ]);
}

it('no secret is shown of callers, right or wrong', async () => {
  const wrong = { key: plant('a wrong key'), bearer: plant('a wrong token'), secret: plant('a wrong secret') };
  const forged = provider.token('dave', { aud: plant('audience of a wrong token') });
  planted['a wrong token of the provider'] = forged.split('.').at(-1) ?? '';
  planted['a token of the provider'] = provider.token('dave');
  const form = (secret: string): RequestInit => ({
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'bob', client_secret: secret }),
  });
  const granted = await fetch(`${url}/oauth/token`, form(clientSecret));
  const { access_token } = (await granted.json()) as { access_token: string };
  planted['a token of the gateway'] = access_token;
  await ask('/oauth/token', form(wrong.secret));
  for (const shown of [
    { 'x-api-key': wrong.key },
    ...[wrong.bearer, forged, `${access_token}x`].map((token) => ({ authorization: `Bearer ${token}` })),
    ...[access_token, planted['a token of the provider']].map((token) => ({ authorization: `Bearer ${token}` })),
    alice,
  ]) {
    await say('reference', 'fail', shown as Record<string, string>);
    await say('failing', 'throw', shown as Record<string, string>);
  }
});

it('no secret is shown of upstreams and tool servers that fail, nor of callers whose credentials are passed on', async () => {
  const { agents } = JSON.parse(await ask('/agents', { headers: alice })) as { agents: { name: string }[] };
  const caller = { authorization: `Bearer ${planted['a token of the provider']}` };
  const others = agents.map(({ name }) => name).filter((name) => name !== 'failing');
  await Promise.all(others.map((name) => say(name, 'data', /^(forward|caller)/.test(name) ? caller : alice)));
  const tool = { data: { target_mcp_server_id: 'near', tool_name: 'x', arguments: {} } };
  const call = { message: { messageId: 'm', role: 'ROLE_USER', parts: [tool] } };
  await ask('/tools/message:send', post({ ...alice, 'a2a-version': '1.0' }, call));
});

it('no secret is shown of webhooks that fail', async () => {
  const to = (way: string) => ({
    url: `${peer}/${way}?key=${hook.query}`,
    token: hook.token,
    authentication: { scheme: 'Bearer', credentials: hook.credentials },
  });
  for (const way of Object.keys(answers)) {
    const configuration = { taskPushNotificationConfig: to(way) };
    await ask('/message:send', post({ ...alice, 'a2a-version': '1.0' }, v1('hi', { configuration })));
  }
  const refused = { taskPushNotificationConfig: { ...to('x'), url: `ftp://127.0.0.1/?key=${hook.query}` } };
  const loaded = { taskPushNotificationConfig: { ...to('x'), url: `http://user:${hook.credentials}@example.com/` } };
  for (const configuration of [refused, loaded]) {
    await ask('/message:send', post({ ...alice, 'a2a-version': '1.0' }, v1('hi', { configuration })));
  }
  // Four of them refuse what they get.
  const givenUp = () => logged.split('push.dead').length - 1;
  await expect.poll(givenUp).toBeGreaterThanOrEqual(4);
});

it('no secret is shown on pages, in cards, or to those who send nonsense', async () => {
  for (const path of ['/readyz', '/healthz', '/openapi.json', '/agents', '/.well-known/jwks.json', '/metrics']) {
    await ask(path, { headers: alice });
  }
  for (const path of ['/.well-known/agent-card.json', '/agent-card.json', '/.well-known/agent.json']) {
    await ask(path);
    await ask(`/bearer-refuses${path}`);
  }
  await ask('/', post(alice, `{ "jsonrpc": "2.0", "method": ${key}`));
  await ask(`/nobody/${key}`, post(alice, {}));
});

it('no secret is shown by what goes wrong in agents at any time, to the end', async () => {
  for (const way of ['reject', 'reject nothing', 'throw']) await say('failing', way);
  expect(await ask('/healthz')).toContain('ok');
  await say('failing', 'timer').catch(() => {});
  const { code, stdout, stderr } = await outcome;
  expect(code).toBe(1);
  for (const line of [
    'unhandled promise rejection',
    'uncaught exception',
    'push.dead',
    'token.issued',
    'token.refused',
    'authentication.failed',
    'own words',
  ]) {
    expect(stderr).toContain(line);
  }
  const pem = signing.export({ type: 'pkcs8', format: 'pem' }).toString();
  planted['the signing key'] = pem.split('\n')[1] ?? '';
  planted['its number'] = (signing.export({ format: 'jwk' }) as { d?: string }).d ?? '';
  planted['what hangs on an error'] = 'planted-on-an-error';
  planted['a hash'] = hashOf(key);
  const everything = { stdout, stderr, answers: told.join('\n') };
  for (const [name, secret] of Object.entries(planted)) {
    const forms = [secret, Buffer.from(secret).toString('base64').slice(0, -4), encodeURIComponent(secret)];
    for (const [where, text] of Object.entries(everything)) {
      const found = forms.map((form) => text.indexOf(form)).find((at) => at >= 0);
      const excerpt = found === undefined ? '' : text.slice(Math.max(0, found - 300), found + 100);
      expect.soft(excerpt, `${name} in ${where}`).toBe('');
    }
  }
});

it('a gateway whose store refuses it prints no password', async () => {
  const origin = await serveTcp((socket) => {
    // ErrorResponse of PostgreSQL's protocol, whatever is asked.
    const fields = 'SFATAL\0C28P01\0Mpassword authentication failed for user "gw"\0\0';
    const head = Buffer.from([0x45, 0, 0, 0, fields.length + 4]);
    socket.once('data', () => socket.end(Buffer.concat([head, Buffer.from(fields)])));
  });
  const password = plant('password of a database');
  const store = `postgres://gw:${password}@${new URL(origin).host}/db?application_name=x`;
  const { code, stdout, stderr } = await outcomeOf(startCli(['--verbose', 'serve', '--port', '0', '--store', store]));
  expect(code).toBe(1);
  expect(stderr).toContain('password authentication failed');
  expect(stdout + stderr).not.toContain(password);
});
