import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, connect } from '../../src/client/index.ts';
import { previews } from '../../src/dialects/registry.ts';
import {
  type AgentRequest,
  type AuthHooks,
  artifact,
  challenge,
  createGateway,
  defineAgent,
  file,
  type Gateway,
} from '../../src/index.ts';
import { toolsAt } from '../extensions/mcp/client.ts';
import { dialectBindings, kindOf } from '../support/conversations.ts';
import { silent } from '../support/core.ts';
import { afterTest } from '../support/peer.ts';
import { RawHttp } from '../support/raw.ts';

/** A program's own authentication and authorization, over every binding of every dialect. */

/** Its tokens: their callers, and what else their names say. */
const tokens: Readonly<Record<string, { readonly id: string; readonly tenants?: readonly string[] }>> = {
  ada: { id: 'ada' },
  bob: { id: 'bob' },
  solo: { id: 'shared', tenants: ['acme'] },
  both: { id: 'shared', tenants: ['acme', 'umbrella'] },
};

const hooks: AuthHooks = {
  async authenticate(request) {
    const token = request.header('authorization')?.replace(/^Bearer /, '');
    if (token === undefined) return undefined;
    if (token === 'hang') return new Promise(() => {});
    if (token === 'throw') throw new Error('the token database is down');
    const caller = tokens[token];
    if (!caller) return challenge('Bearer realm="mine", error="invalid_token"', 'That token is not known');
    return { ...caller, attributes: { token, agent: request.agent ?? null, binding: request.binding ?? null } };
  },
  authorize({ principal, agent, operation, skill }) {
    if (agent === 'broken') throw new Error('the rules are missing');
    if (agent === 'private') return { allowed: principal.id === 'own:ada', reason: `rule of ${agent}` };
    return operation !== 'CancelTask' && skill !== 'secret';
  },
};

/** More than MCP has inline. */
const large = 'x'.repeat((1 << 20) + 1);

const whoami = defineAgent({
  name: 'Who',
  description: 'Says who calls.',
  async *execute({ principal, tenant, text }: AgentRequest) {
    yield artifact({ content: JSON.stringify({ id: principal.id, tenant, ...principal.attributes }) });
    yield artifact({ content: file('a.txt', text === 'large' ? large : 'content', 'text/plain') });
  },
});

let gateway: Gateway;
let url = '';
let port = 0;
const audited: Record<string, unknown>[] = [];
const errors: Record<string, unknown>[] = [];

let startedAt = 0;

beforeAll(async () => {
  startedAt = performance.now();
  gateway = createGateway({
    listen: { port: 0 },
    store: 'memory:',
    preview: previews,
    defaultAgent: 'who',
    agents: { who: whoami, private: whoami, broken: whoami },
    auth: { ...hooks, anonymous: false, timeout: '200ms', failuresPerMinute: 'unlimited' },
    logger: {
      ...silent,
      info: (fields) => void audited.push(fields as Record<string, unknown>),
      warn: (fields) => void audited.push(fields as Record<string, unknown>),
      error: (fields) => void errors.push(fields as Record<string, unknown>),
    },
  });
  ({ url, port } = await gateway.listen());
});
afterAll(async () => {
  await gateway.close({ drainMs: 0 });
});

describe.each(dialectBindings.map((protocol) => ({ ...protocol, title: `${protocol.as} over ${protocol.via}` })))(
  '$title',
  ({ title, as, via }) => {
    const clientOf = async (bearer: string | undefined, agent = ''): Promise<Client> => {
      const client = await connect(`${url}${agent}/as/${as}`, { as, via, ...(bearer && { bearer }) });
      afterTest(() => client.close());
      return client;
    };
    const send = async (bearer: string | undefined, agent?: string) => (await clientOf(bearer, agent)).send('hello');

    it(`a gateway with hooks admits callers of ${title}, which see their own tasks only and are named to agents`, async () => {
      const { task } = await send('ada');
      expect(JSON.parse(task?.artifacts?.[0]?.parts[0]?.text ?? '')).toMatchObject({
        id: 'own:ada',
        tenant: '',
        token: 'ada',
      });
      const id = task?.id ?? '';
      expect((await (await clientOf('ada')).getTask({ id })).id).toBe(id);
      expect(await kindOf((await clientOf('bob')).getTask({ id }))).toBe('taskNotFound');
    });

    it(`a gateway with hooks assigns a caller of ${title} to the only tenant that the hook names`, async () => {
      const { task } = await send('solo');
      expect(JSON.parse(task?.artifacts?.[0]?.parts[0]?.text ?? '')).toMatchObject({
        id: 'own:shared',
        tenant: 'acme',
      });
      expect((await (await clientOf('solo')).getTask({ id: task?.id ?? '' })).id).toBe(task?.id);
      expect(await kindOf(send('both'))).toBe('permissionDenied');
    });

    it.each([
      ['a token that is not known', 'mallory', 'unauthenticated'],
      ['no token', undefined, 'unauthenticated'],
      ['a token for which the hook throws', 'throw', 'unavailable'],
      ['a token for which the hook hangs', 'hang', 'unavailable'],
    ])(`a gateway with hooks refuses a caller of ${title} with %s`, async (_, token, kind) => {
      expect(await kindOf(send(token))).toBe(kind);
    });

    // The cards of 0.3 have no way to name another agent than the default in gRPC.
    const hasOthers = as !== 'a2a-0.3' || via === 'jsonrpc' || via === 'rest';
    it.runIf(hasOthers)(`a gateway with hooks asks them to authorize each call of ${title}`, async () => {
      const { task } = await send('ada', '/private');
      expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
      const count = audited.length;
      expect(await kindOf(send('bob', '/private'))).toBe('permissionDenied');
      const facts = { principal: 'own:bob', agent: 'private', reason: 'rule of private' };
      expect(audited.slice(count)).toContainEqual(
        expect.objectContaining({ security: 'authorization.denied', ...facts }),
      );
      expect(await kindOf(send('ada', '/broken'))).toBe('unavailable');
    });
  },
);

it('calls that the authorization hook allows are written to the audit log', () => {
  const allowed = audited.filter(({ security }) => security === 'authorization.allowed');
  expect(allowed).toContainEqual(
    expect.objectContaining({ principal: 'own:ada', agent: 'private', reason: 'rule of private' }),
  );
});

describe('a gateway with hooks, called over HTTP/1.1', () => {
  const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const post = async (path: string, token: string, body: string): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'a2a-version': '1.0' },
      body,
    });
  const message = (over: object = {}) => ({
    message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }], ...over },
  });

  it('a gateway with hooks, called over HTTP/1.1 answers with the challenge of the hook', async () => {
    const response = await post('/', 'mallory', rpc('SendMessage', message()));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="mine", error="invalid_token"');
    expect(await response.text()).toContain('That token is not known');
  });

  it('a gateway with hooks, called over HTTP/1.1 answers 503 without a reason while the hook fails', async () => {
    const response = await post('/message:send', 'throw', JSON.stringify(message()));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.text()).not.toContain('database');
  });

  it('a gateway with hooks, called over HTTP/1.1 keeps the tenants of one caller apart, named in the path', async () => {
    const sent = await post('/who/acme/message:send', 'both', JSON.stringify(message()));
    const { task } = (await sent.json()) as { task: { id: string; artifacts: { parts: { text: string }[] }[] } };
    expect(JSON.parse(task.artifacts[0]?.parts[0]?.text ?? '')).toMatchObject({ tenant: 'acme' });
    const get = async (path: string) =>
      (await fetch(`${url}/who${path}`, { headers: { authorization: 'Bearer both', 'a2a-version': '1.0' } })).json();
    expect(await get(`/acme/tasks/${task.id}`)).toMatchObject({ id: task.id });
    expect(JSON.stringify(await get(`/umbrella/tasks/${task.id}`))).toContain('TASK_NOT_FOUND');
    expect(await get('/umbrella/tasks')).toMatchObject({ tasks: expect.not.arrayContaining([{ id: task.id }]) });
    expect(JSON.stringify(await get(`/other/tasks/${task.id}`))).toContain('may not act for the tenant other');
  });
});

it('the authentication hook reads the metadata of gRPC calls', async () => {
  const client = await connect(url, { via: 'grpc', bearer: 'ada' });
  afterTest(() => client.close());
  const { task } = await client.send('hello');
  expect(JSON.parse(task?.artifacts?.[0]?.parts[0]?.text ?? '')).toMatchObject({ binding: 'grpc' });
});

describe('hooks of a gateway that is called over MCP', () => {
  const as = (token: string) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } });

  it('hooks of a gateway that is called over MCP admit callers', async () => {
    const { call } = await toolsAt(`${url}/mcp`, as('ada'));
    const { text } = await call('who__default', { message: 'hello' });
    expect(text).toContain('own:ada');
    expect(JSON.stringify(await call('private__default', { message: 'hello' }))).toContain('own:ada');
    await expect(toolsAt(`${url}/mcp`, as('mallory'))).rejects.toThrow();
  });

  it('hooks of a gateway that is called over MCP assign callers with one tenant to that tenant', async () => {
    const { call } = await toolsAt(`${url}/mcp`, as('solo'));
    const { text } = await call('who__default', { message: 'hello' });
    expect(text).toContain('acme');
    const { result } = await call('who__default', { message: 'large' });
    const [fileUrl = ''] = /http:[^"\s]*\/files\/[\w-]+/.exec(JSON.stringify(result)) ?? [];
    expect(await (await fetch(fileUrl)).text()).toBe(large);
  });

  it('hooks of a gateway that is called over MCP are asked to authorize each call', async () => {
    const { call } = await toolsAt(`${url}/mcp`, as('bob'));
    expect(JSON.stringify(await call('private__default', { message: 'hello' }))).toContain('may not do this');
  });
});

it('pages are served to callers that the authentication hook admits', async () => {
  const agents = (token: string) => fetch(`${url}/agents`, { headers: { authorization: `Bearer ${token}` } });
  expect((await agents('ada')).status).toBe(200);
  expect((await agents('mallory')).status).toBe(401);
  expect((await agents('hang')).status).toBe(503);
});

it('health checks do not wait for a hook that hangs', async () => {
  const response = await fetch(`${url}/readyz`, { headers: { authorization: 'Bearer hang' } });
  expect(await response.json()).toEqual({ status: 'ready' });
});

it('hooks that hang leave no connection and no call open', async () => {
  const http = new RawHttp(port);
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => http.send({ path: '/', headers: { authorization: 'Bearer hang' }, body: '{}' })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
});

it('hooks that fail again and again are logged at most once in ten seconds each', () => {
  const lines = errors.filter(({ hook }) => hook !== undefined);
  const hooks = new Set(lines.map(({ hook }) => hook)).size;
  const spans = 1 + Math.floor((performance.now() - startedAt) / 10_000);
  expect([hooks, lines.length <= hooks * spans]).toEqual([2, true]);
});
