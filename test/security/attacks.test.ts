import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import type { Logger } from '../../src/core/ports/logger.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { openGateway } from '../support/gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { paced } from '../support/pace.ts';
import { type HttpAnswer, RawHttp } from '../support/raw.ts';

/** Attacks by authenticated and by anonymous callers: impersonation, injection into what others read, enumeration. */

const hash = (key: string): string => `"${shownHash(hashOf(key))}"`;
const lines: string[] = [];
const log = (fields: object, message: string): void => void lines.push(JSON.stringify({ ...fields, message }));
const logger: Logger = { debug: log, info: log, warn: log, error: log };

let provider: IdentityProvider;
let gateway: Gateway;
let http: RawHttp;
beforeAll(async () => {
  provider = await startIdentityProvider();
  const text = `
listen: { host: 127.0.0.1, port: 0 }
store: "memory:"
auth:
  anonymous: false
  publicCards: false
  failuresPerMinute: unlimited
  apiKeys:
    - { name: alice, hash: ${hash('key of alice')} }
    - { name: guest, hash: ${hash('key of a guest')}, agents: [open] }
  jwt: { issuer: "${provider.issuer}", audience: a2a, jwksUrl: "${provider.jwksUrl}" }
  tokenEndpoint: { clients: [{ id: alice, hash: ${hash('secret of alice')} }] }
defaultAgent: open
agents:
  open: { kind: reference }
  closed: { kind: reference, hosts: [closed.example.com] }
`;
  const opened = await openGateway(text, { logger });
  ({ gateway } = opened);
  const { port } = opened;
  http = new RawHttp(port);
});
afterAll(async () => {
  await gateway.close({ drainMs: 0 });
});

const json = { 'content-type': 'application/json' };
const v1 = { 'a2a-version': '1.0' };
const key = (value: string) => ({ 'x-api-key': value });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const text = ({ body }: HttpAnswer): string => body.toString();

const sending = (words: string, more: object = {}): string =>
  JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: words }], ...more } });

/** Says something to an agent: the whole answer. */
const say = (words: string, headers: Record<string, string>, path = '/message:send', more: object = {}) =>
  http.send({ path, headers: { ...json, ...v1, ...headers }, body: sending(words, more) });

const idOf = (answer: HttpAnswer): string => (JSON.parse(text(answer)) as { task: { id: string } }).task.id;

const get = (path: string, headers: Record<string, string>) =>
  http.send({ method: 'GET', path, headers: { ...v1, ...headers } });

it.each([
  'key:alice',
  'alice',
  'client:alice',
  'anonymous',
  '","key:alice","',
  'alice#alice',
  "' OR ''='",
  '%',
  '__proto__',
  'constructor',
])('no caller can act as another principal by the subject of a token: %s', async (sub) => {
  const id = idOf(await say('ask', key('key of alice')));
  const pretender = bearer(provider.token(sub));
  expect((await get(`/tasks/${id}`, pretender)).status).toBe(404);
  expect(text(await get('/tasks', pretender))).not.toContain(id);
  expect((await get(`/tasks/${id}`, key('key of alice'))).status).toBe(200);
});

it('no caller can act as another principal by a name that is used twice, for a key and for a client', async () => {
  const id = idOf(await say('ask', key('key of alice')));
  const form = 'grant_type=client_credentials&client_id=alice&client_secret=secret%20of%20alice';
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const granted = await http.send({ path: '/oauth/token', headers: type, body: form });
  const { access_token } = JSON.parse(text(granted)) as { access_token: string };
  expect((await get('/tasks', bearer(access_token))).status).toBe(200);
  expect((await get(`/tasks/${id}`, bearer(access_token))).status).toBe(404);
});

it('no caller can act as another principal by a tenant, or by a page that another was given', async () => {
  for (const words of ['one', 'two', 'three']) await say(words, key('key of alice'));
  const first = JSON.parse(text(await get('/tasks?pageSize=1', key('key of alice')))) as { nextPageToken: string };
  const page = `pageSize=1&pageToken=${encodeURIComponent(first.nextPageToken)}`;
  expect((await get(`/tasks?${page}`, key('key of alice'))).status).toBe(200);
  expect((await get(`/tasks?${page}`, bearer(provider.token('dave')))).status).toBe(400);
  expect((await get(`/open/t/tasks?${page}`, key('key of alice'))).status).toBe(400);
  expect(JSON.parse(text(await get('/open/t/tasks', key('key of alice'))))).toMatchObject({ totalSize: 0 });
});

describe('an agent that is closed to a caller', () => {
  const rpc = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } });
  const connect = '/lf.a2a.v1.A2AService/GetTask';
  it.each<[string, string, Record<string, string>, string]>([
    ['by its path', '/closed', {}, rpc],
    ['by its path, pinned', '/closed/as/a2a-1.0', {}, rpc],
    ['by its host', '/', { host: 'closed.example.com' }, rpc],
    ['by its host, over HTTP+JSON', '/message:send', { host: 'closed.example.com' }, sending('x')],
    ['by a whole URL', 'http://a.example/closed', { host: 'a.example' }, rpc],
    ['by a tenant', connect, {}, '{"tenant":"closed","id":"x"}'],
    ['by a tenant with a tenant', connect, {}, '{"tenant":"closed/t","id":"x"}'],
    ['by metadata', connect, { 'a2a-agent': 'closed' }, '{"id":"x"}'],
    ['by its host, over Connect', connect, { host: 'closed.example.com' }, '{"id":"x"}'],
    ['by its path, naming another', `/closed${connect}`, { 'a2a-agent': 'open' }, '{"tenant":"open","id":"x"}'],
  ])('an agent that is closed to a caller is not reached %s', async (_, path, headers, body) => {
    const guest = await http.send({ path, headers: { ...json, ...v1, ...key('key of a guest'), ...headers }, body });
    expect([guest.status, text(guest)]).toEqual([403, expect.stringContaining('may not call the agent closed')]);
    const alice = await http.send({ path, headers: { ...json, ...v1, ...key('key of alice'), ...headers }, body });
    expect(alice.status).not.toBe(403);
  });

  it('an agent that is closed to a caller is not reached by its name as a tenant of another, in a path', async () => {
    const answer = await get('/open/closed/tasks', key('key of a guest'));
    expect([answer.status, JSON.parse(text(answer))]).toEqual([200, expect.objectContaining({ totalSize: 0 })]);
  });
});

it('a caller without credentials cannot learn which agents exist', async () => {
  const asked = async (name: string) => {
    const paths = [
      `/${name}`,
      `/${name}/`,
      `/${name}/.well-known/agent-card.json`,
      `/${name}/tasks/x`,
      `/${name}/as/x`,
    ];
    return Promise.all(
      paths.map(async (path) => {
        const answer = await http.send({ method: 'GET', path });
        return [answer.status, text(answer).replaceAll(name, 'NAME')];
      }),
    );
  };
  expect(await asked('closed')).toEqual(await asked('nobody'));
});

it.each(['a\r\nX-Evil: 1', 'x'.repeat(5_000), '../../x', '<script>', 'a b', '\u00ff'])(
  'no caller can inject data into what others read by the id of a request: %j',
  async (id) => {
    const headers = { ...key('key of alice'), 'x-request-id': id };
    const answer = await get('/tasks', headers).catch(() => undefined);
    expect(answer?.headers['x-request-id'] ?? '').not.toContain(id);
    expect(answer?.headers['x-evil']).toBeUndefined();
  },
);

it('no caller can inject data into what others read by words that would end an event of a stream', async () => {
  const words = 'x\n\nid: 99\nevent: evil\ndata: {"evil":true}\r\n\r\n\u2028\u0085';
  for (const path of ['/message:stream', '/as/a2a-php-0.3']) {
    const php = { jsonrpc: '2.0', id: words, method: 'message/stream' };
    const message = { messageId: words, kind: 'message', role: 'user', parts: [{ kind: 'text', text: words }] };
    const answer =
      path === '/message:stream'
        ? await say(words, key('key of alice'), path, { messageId: words })
        : await http.send({
            path,
            headers: { ...json, ...key('key of alice') },
            body: JSON.stringify({ ...php, params: { message } }),
          });
    expect(answer.headers['content-type']).toContain('text/event-stream');
    for (const line of text(answer).split(/\r\n|\r|\n/)) {
      expect(line).not.toMatch(/^(id: ?99|event: ?evil|data: ?\{"evil")/);
    }
  }
});

it('no caller can inject data into what others read in the log', async () => {
  lines.length = 0;
  await say('fail', bearer(provider.token('dave')), '/message:send', { messageId: '\n{"security":"evil"}' });
  await get('/tasks', { authorization: 'Bearer \u00e4{"security":"evil"}' }).catch(() => undefined);
  await get('/closed/tasks', key('key of a guest'));
  expect(lines.some((line) => line.includes('authorization.denied'))).toBe(true);
  for (const line of lines) expect(JSON.parse(line).security).not.toBe('evil');
});

it('no caller can inject data into what others read by names that objects have by themselves', async () => {
  const metadata = '{"__proto__":{"evil":1},"constructor":{"prototype":{"evil":1}},"toString":"x"}';
  const body = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}],"metadata":${metadata}}}`;
  const answer = await http.send({
    path: '/message:send',
    headers: { ...json, ...v1, ...key('key of alice') },
    body,
  });
  expect(answer.status).toBe(400);
  const harmless = body.replace('"__proto__":{"evil":1},', '');
  const taken = await http.send({
    path: '/message:send',
    headers: { ...json, ...v1, ...key('key of alice') },
    body: harmless,
  });
  expect(taken.status).toBe(200);
  expect(({} as { evil?: number }).evil).toBeUndefined();
});

describe('hostile headers', () => {
  const long = paced(8_000);
  it.each<[string, Record<string, string>]>([
    ['of spaces', { authorization: `Basic ${' '.repeat(long)}x` }],
    ['of versions', { 'a2a-version': `${'1'.repeat(long)}.` }],
    ['of versions and spaces', { 'a2a-version': `1.1${' '.repeat(long)}x` }],
    ['of media types', { 'content-type': `application/${'a+'.repeat(long / 2)}` }],
    ['of extensions', { 'a2a-extensions': 'x,'.repeat(long / 2) }],
    ['of tags', { 'if-none-match': 'W/'.repeat(long / 2) }],
    ['of hosts', { host: 'a'.repeat(long) }],
    ['of origins', { origin: `https://${'a.'.repeat(long / 2)}` }],
    ['of digits', { 'last-event-id': '9'.repeat(long), 'a2a-hops': '9'.repeat(long) }],
    ['of deadlines', { 'grpc-timeout': '9'.repeat(long), 'connect-timeout-ms': '9'.repeat(long) }],
  ])('hostile headers take no time: %s', async (_, headers) => {
    // Whatever backtracks over so many characters does not end while the test waits.
    for (const path of ['/message:send', '/lf.a2a.v1.A2AService/GetTask', '/.well-known/agent-card.json']) {
      const sent = { ...json, ...key('key of alice'), ...headers };
      await http.send({ path, headers: sent, body: '{}' }).catch(() => undefined);
    }
    expect((await get('/tasks', key('key of alice'))).status).toBe(200);
  });
});

it('calls that have passed too many gateways end', async () => {
  const hops = async (count: string) => (await say('x', { ...key('key of alice'), 'a2a-hops': count })).status;
  expect([await hops('8'), await hops('9'), await hops('1e3'), await hops('-1')]).toEqual([200, 400, 400, 200]);
});
