import { expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { startReloading } from '../../gateway/reload/support.ts';
import { cli } from '../../support/cli.ts';
import { kindOf } from '../../support/conversations.ts';

/** Hooks in a module that the configuration names. */

const auth = JSON.stringify(new URL('../../../src/auth/hooks/hooks.ts', import.meta.url).href);

const byFunction = `
import { challenge } from ${auth};
export const configSchema = { type: 'object', required: ['realm'], properties: { realm: { type: 'string' } } };
export default ({ config, env, log }) => {
  log.info('made', { realm: config.realm });
  return {
    authenticate(request) {
      const given = request.header('x-token');
      if (given === undefined) return undefined;
      return given === env.TOKEN ? { id: 'ada' } : challenge(\`Token realm="\${config.realm}"\`);
    },
    securitySchemes: { token: { apiKeySecurityScheme: { location: 'header', name: 'X-Token' } } },
  };
};
`;
const config = (over: string, rest = ''): string => `
store: memory:
agents: { demo: { kind: reference } }
auth: { ${over} }
${rest}`;

const whole = 'module: ./auth.mjs, config: { realm: mine }, env: { TOKEN: secret }, anonymous: false';

const cors = 'listen: { cors: [https://console.example.com] }';

const post = (url: string, token?: string): Promise<Response> =>
  fetch(`${url}/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...(token && { 'x-token': token }) },
    body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'say hi' }] } }),
  });

it('a module with hooks authenticates callers, with its settings, and its schemes are in cards', async () => {
  const { url, lines } = await startReloading(config(whole, cors), { files: { 'auth.mjs': byFunction } });
  expect((await post(url, 'secret')).status).toBe(200);
  const refused = await post(url, 'wrong');
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Token realm="mine"']);
  expect((await post(url)).status).toBe(401);
  expect(lines).toContainEqual({ level: 'info', fields: { realm: 'mine', hook: 'auth' }, message: 'made' });
  const preflight = await fetch(`${url}/message:send`, {
    method: 'OPTIONS',
    headers: { origin: 'https://console.example.com', 'access-control-request-method': 'POST' },
  });
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-token');
  const card = await (await fetch(`${url}/.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } })).json();
  expect(card).toMatchObject({
    securitySchemes: { token: { apiKeySecurityScheme: { name: 'X-Token' } } },
    securityRequirements: [{ schemes: { token: {} } }],
  });
});

it('a module with hooks is loaded again when it has changed, and its callers lose what they had', async () => {
  const files = { 'auth.mjs': "export const authenticate = () => ({ id: 'ada' });" };
  const { url, reload, write } = await startReloading(config('module: ./auth.mjs'), { files });
  const client = await connect(url);
  const events = client.sendStream('wait')[Symbol.asyncIterator]();
  await events.next();
  // The module is the one that is loaded already, so the stream continues.
  expect((await reload(config('module: ./auth.mjs, timeout: 4s'))).ended).toBe(0);
  write('auth.mjs', "export const authenticate = () => ({ id: 'ada', scopes: ['tasks:read'] });");
  expect((await reload(config('module: ./auth.mjs'))).ended).toBe(1);
  const rest = (async () => {
    while (!(await events.next()).done);
  })();
  expect(await kindOf(rest)).toBe('unauthenticated');
  expect((await post(url)).status).toBe(403);
  await client.close();
});

it('a module with hooks stays active when another cannot be loaded', async () => {
  const files = { 'auth.mjs': byFunction, 'broken.mjs': 'export default () => {};' };
  const { url, reload } = await startReloading(config(whole), { files });
  await expect(reload(config('module: ./broken.mjs'))).rejects.toThrow(/auth\.module: .*must export authenticate/);
  expect((await post(url, 'secret')).status).toBe(200);
});

it.each<[string, string, string, string]>([
  ['does not exist', 'module: ./none.mjs', '', 'gateway.yaml:4: auth.module: cannot read'],
  ['exports nothing', 'module: ./auth.mjs', 'export const a = 1;', 'must export authenticate, authorize or both'],
  ['exports no function', 'module: ./auth.mjs', 'export const authenticate = 1;', 'must export authenticate'],
  ['has a syntax error', 'module: ./auth.mjs', 'export const = 1;', 'auth.mjs:1'],
  ['throws', 'module: ./auth.mjs', "throw new Error('no database');", 'no database'],
  ['throws when it is made', 'module: ./auth.mjs', "export default () => { throw new Error('no key'); };", 'no key'],
  [
    'takes no settings',
    'module: ./auth.mjs, config: { a: 1 }',
    'export const authorize = () => true;',
    'takes no config',
  ],
  ['gets wrong settings', 'module: ./auth.mjs, config: { realm: 1 }', byFunction, 'config.realm: must be string'],
  [
    'has schemes that are none',
    'module: ./auth.mjs',
    'export const authenticate = () => undefined; export const securitySchemes = { token: { type: "http" } };',
    'security schemes that are not valid: securitySchemes.token has none of apiKeySecurityScheme',
  ],
  ['gets none', 'config: { a: 1 }', '', 'auth.config: only with module'],
  ['has no time', 'module: ./auth.mjs, timeout: 0s', '', 'auth.timeout: expected a duration above zero'],
])('a module with hooks is refused where it %s', async (_, settings, text, problem) => {
  const starting = startReloading(config(settings), { files: { 'auth.mjs': text } });
  await expect(starting).rejects.toThrow(problem);
});

it('config check loads it, and names it', async () => {
  const { folder } = await startReloading(config(whole), { files: { 'auth.mjs': byFunction } });
  const checked = await cli(['config', 'check', `${folder}/gateway.yaml`]);
  expect(checked.stdout).toMatch(/hooks {7}\/.*auth\.mjs, with 5s for an answer/);
});
