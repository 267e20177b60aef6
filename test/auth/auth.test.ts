import { describe, expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { api } from '../../src/core/model/a2a.ts';
import type { A2AError } from '../../src/core/model/errors.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { type DialectBinding, dialectBindings } from '../support/conversations.ts';
import { startGateway } from '../support/gateway.ts';
import { RawGrpc, RawHttp } from '../support/raw.ts';
import { vaultClient } from '../support/vault-client.ts';
import { credentials } from './credentials.ts';

/** Credentials over every binding of every dialect. */

const service = '/lf.a2a.v1.A2AService';

const gateway = await startGateway({
  cors: ['https://console.example.com'],
  settings: `${credentials}limits: { body: 10KiB }\n`,
});
const http = new RawHttp(gateway.port);
const grpc = new RawGrpc(gateway.target);

const rpc = (method: string, params: object, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const json = { 'content-type': 'application/json' };
const v1 = { 'a2a-version': '1.0' };
const binary = (type: string, value: object): Buffer => Buffer.from(encode(api, `lf.a2a.v1.${type}`, value));

describe('the refusal of a caller without valid credentials', () => {
  const challenge = 'Bearer realm="a2a-gateway", ApiKey realm="a2a-gateway", header="X-Api-Key"';
  const invalid = 'Bearer realm="a2a-gateway", error="invalid_token", ApiKey realm="a2a-gateway", header="X-Api-Key"';

  it.each([
    ['no credentials', {}, challenge],
    ['a wrong key', { 'x-api-key': 'x' }, challenge],
    ['a wrong token', { authorization: 'Bearer x' }, invalid],
  ])('the refusal of a caller without valid credentials says how to get in: %s', async (_, shown, expected) => {
    for (const [path, body, status] of [
      ['/', rpc('GetTask', { id: 'x' }), 401],
      ['/message:send', '{}', 401],
      [`${service}/GetTask`, '{}', 401],
      ['/as/agentvault-0.2', rpc('tasks/get', { id: 'x' }), 200],
    ] as const) {
      const answer = await http.send({ path, body, headers: { ...json, ...v1, ...shown } });
      expect([path, answer.status, answer.headers['www-authenticate']]).toEqual([path, status, expected]);
    }
  });

  it.each<[string, string, object, number, unknown]>([
    ['JSON-RPC 1.0', '/', v1, 401, { jsonrpc: '2.0', error: { code: -32000 } }],
    ['JSON-RPC 0.3', '/as/a2a-0.3', {}, 401, { jsonrpc: '2.0', error: { code: -32000 } }],
    ['0.1', '/as/a2a-0.1', {}, 401, { jsonrpc: '2.0', error: { code: -32007 } }],
    ['AgentVault', '/as/agentvault-0.2', {}, 200, { jsonrpc: '2.0', error: { code: -32002 } }],
    ['PHP', '/as/a2a-php-0.3', {}, 200, { jsonrpc: '2.0', error: { code: -32007 } }],
    ['HTTP+JSON', '/message:send', v1, 401, { error: { code: 401, status: 'UNAUTHENTICATED' } }],
    ['Connect', `${service}/SendMessage`, {}, 401, { code: 'unauthenticated' }],
  ])('the refusal of an unknown caller looks as in %s', async (_, path, headers, status, body) => {
    const answer = await http.send({ path, body: '{}', headers: { ...json, ...headers } });
    expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([status, expect.objectContaining({})]);
    expect(JSON.parse(answer.body.toString())).toMatchObject(body as object);
  });

  it.each<[string, string, object, string, number, unknown]>([
    ['JSON-RPC 1.0', '/', v1, rpc('CancelTask', { id: 'x' }), 403, { id: 1, error: { code: -32000 } }],
    ['AgentVault', '/as/agentvault-0.2', {}, rpc('tasks/cancel', { id: 'x' }), 200, { id: 1, error: { code: -32003 } }],
    ['0.1', '/as/a2a-0.1', {}, rpc('tasks/cancel', { id: 'x' }), 403, { id: 1, error: { code: -32008 } }],
    ['HTTP+JSON', '/tasks/x:cancel', v1, '{}', 403, { error: { code: 403, status: 'PERMISSION_DENIED' } }],
    ['Connect', `${service}/CancelTask`, {}, '{"id":"x"}', 403, { code: 'permission_denied' }],
  ])('the refusal of a caller without the right looks as in %s', async (_, path, headers, body, status, expected) => {
    const shown = { 'x-api-key': 'key of a reader' };
    const answer = await http.send({ path, body, headers: { ...json, ...headers, ...shown } });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body.toString())).toMatchObject(expected as object);
  });

  it('the refusal of a caller without valid credentials is sent before the body is read, whatever its size and form', async () => {
    const big = Buffer.alloc(100_000, 32);
    for (const path of ['/', '/message:send', `${service}/SendMessage`, '/as/agentvault-0.2', '/nobody', '/hello']) {
      const unknown = await http.send({ path, body: big, headers: { ...json, 'x-api-key': 'x' } });
      expect([path, unknown.status]).toEqual([path, path.startsWith('/as/') ? 200 : 401]);
    }
    const denied = await http.send({ path: '/demo', body: big, headers: { ...json, 'x-api-key': 'key of a greeter' } });
    expect(denied.status).toBe(403);
    const large = await http.send({ path: '/hello', body: big, headers: { ...json, 'x-api-key': 'key of a greeter' } });
    expect(large.status).toBe(413);
  });

  describe('carries the id of a request with a small body', () => {
    const part = { type: 'text', content: 'hi' };
    const send = { message: { role: 'user', parts: [part] } };
    const answerTo = async (path: string, request: object, headers = {}, body = JSON.stringify(request)) => {
      const { status, headers: got, body: bytes } = await http.send({ path, body, headers: { ...json, ...headers } });
      return { status, type: got['content-type'], text: bytes.toString() };
    };
    const request = (method: string, params: object, id: unknown) => ({ jsonrpc: '2.0', id, method, params });

    it.each([
      ['AgentVault at its path', '/as/agentvault-0.2/', request('tasks/get', { id: 't' }, 'req-get-1'), 200, -32002],
      ['AgentVault at the root', '/', request('tasks/send', send, 'req-init-1'), 200, -32002],
      ['A2A 1.0', '/', request('GetTask', { id: 't' }, 7), 401, -32000],
      ['A2A 0.3', '/demo', request('message/send', {}, 'x'), 401, -32000],
      ['PHP', '/', request('ping', {}, 3), 200, -32007],
    ])(
      'the refusal of a small request without valid credentials has its id: %s',
      async (_, path, request, status, code) => {
        const { id } = request;
        for (const headers of [{}, { 'x-api-key': 'wrong' }]) {
          const answer = await answerTo(path, request, headers);
          expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
            status,
            { jsonrpc: '2.0', id, error: { code } },
          ]);
        }
      },
    );

    it('the refusal of a subscription of AgentVault without valid credentials is an event that its client reads', async () => {
      const answer = await answerTo('/', request('tasks/sendSubscribe', { id: 't' }, 'req-sub-1'));
      expect([answer.status, answer.type]).toEqual([200, 'text/event-stream']);
      expect(answer.text).toMatch(/^event: error\nid: 0\ndata: \{"error":"unauthenticated"/);
    });

    it.each([
      ['is no JSON', '{"jsonrpc":"2.0","id":1'],
      ['is large', JSON.stringify(request('GetTask', { id: 'x'.repeat(20_000) }, 1))],
    ])('the refusal of a caller without valid credentials has no id if the body %s', async (_, body) => {
      const answer = await answerTo('/', {}, v1, body);
      expect([answer.status, JSON.parse(answer.text).id]).toEqual([401, null]);
    });
  });

  it('the refusal of a caller without valid credentials arrives over gRPC with the first headers, while the client still sends', async () => {
    const send = (headers: Record<string, string>) => grpc.send(`${service}/SendMessage`, Buffer.alloc(8_000), headers);
    expect((await send({})).status).toBe('UNAUTHENTICATED');
    expect((await grpc.send('/grpc.health.v1.Health/Check', new Uint8Array())).status).toBe('OK');
    expect((await send({ 'x-api-key': 'x' })).status).toBe('UNAUTHENTICATED');
    expect((await send({ authorization: 'Bearer x' })).status).toBe('UNAUTHENTICATED');
    const request = binary('SendMessageRequest', {
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] },
    });
    const denied = await grpc.send(`${service}/SendMessage`, request, { 'x-api-key': 'key of a reader' });
    expect(denied.status).toBe('PERMISSION_DENIED');
  });
});

it('the pages of a gateway that requires credentials let configured origins send the header of API keys', async () => {
  const preflight = { origin: 'https://console.example.com', 'access-control-request-method': 'POST' };
  const { headers } = await http.send({ method: 'OPTIONS', path: '/message:send', headers: preflight });
  const sendable = String(headers['access-control-allow-headers']).split(', ');
  expect(sendable).toEqual(expect.arrayContaining(['X-Api-Key', 'Authorization']));
  expect(new Set(sendable).size).toBe(sendable.length);
});

it('the pages of a gateway that requires credentials list the agents that the caller may call', async () => {
  const listed = async (headers: Record<string, string>) => {
    const { status, body } = await http.send({ method: 'GET', path: '/agents', headers });
    if (status !== 200) return status;
    return (JSON.parse(body.toString()) as { agents: { name: string }[] }).agents.map(({ name }) => name);
  };
  expect(await listed({})).toBe(401);
  expect(await listed({ 'x-api-key': 'key of a greeter' })).toEqual(['hello']);
  expect(await listed({ 'x-api-key': 'key of alice' })).toContain('demo');
});

it('the pages of a gateway that requires credentials grant tokens for POST only, and limit the size of token requests', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const get = await http.send({ method: 'GET', path: '/oauth/token' });
  expect([get.status, get.headers.allow]).toEqual([405, 'POST']);
  const body = `grant_type=client_credentials&client_id=vault&client_secret=${'x'.repeat(9_000)}`;
  expect((await http.send({ path: '/oauth/token', headers: form, body })).status).toBe(413);
  const wrong = await http.send({ path: '/oauth/token/', headers: form, body: 'grant_type=client_credentials' });
  expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, 'Basic realm="a2a-gateway"']);
  expect(JSON.parse(wrong.body.toString())).toMatchObject({ error: 'invalid_client' });
  expect((await http.send({ path: '/oauth/tokens', headers: form, body: '' })).status).toBe(401);
});

it('the pages of a gateway that requires credentials show callers why the gateway is not ready, and the state of the agents that they may call', async () => {
  const ready = async (headers: Record<string, string>) =>
    JSON.parse((await http.send({ method: 'GET', path: '/readyz', headers })).body.toString());
  const check = { state: 'ok', since: expect.any(String) };
  const known = { status: 'ready', store: 'ok', checks: { serving: check, store: check } };
  expect(await ready({})).toEqual({ status: 'ready' });
  expect(await ready({ 'x-api-key': 'x' })).toEqual({ status: 'ready' });
  expect(await ready({ 'x-api-key': 'key of a greeter' })).toEqual({ ...known, agents: { hello: { state: 'ok' } } });
  expect(Object.keys((await ready({ 'x-api-key': 'key of alice' })).agents)).toContain('demo');
});

it('the pages of a gateway that requires credentials need no credentials where they show no data of callers', async () => {
  for (const path of ['/healthz', '/readyz', '/openapi.json', '/.well-known/agent-card.json', '/agent-card.json']) {
    expect([path, (await http.send({ method: 'GET', path })).status]).toEqual([path, 200]);
  }
});

describe('the agent cards of a gateway that requires credentials', () => {
  const card = async (path: string, headers: Record<string, string> = {}) =>
    JSON.parse((await http.send({ method: 'GET', path, headers })).body.toString()) as Record<string, unknown>;

  it('the agent cards of a gateway that requires credentials list the configured security schemes in the form of each dialect', async () => {
    const tokenUrl = `${gateway.origin}/oauth/token`;
    expect(await card('/.well-known/agent-card.json', v1)).toMatchObject({
      securitySchemes: {
        apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-Api-Key' } },
        oauth2: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl } } } },
      },
      securityRequirements: [{ schemes: { apiKey: {} } }, { schemes: { oauth2: {} } }],
    });
    expect(await card('/.well-known/agent-card.json', { 'a2a-version': '0.3' })).toMatchObject({
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        oauth2: { type: 'oauth2', flows: { clientCredentials: { tokenUrl } } },
      },
      security: [{ apiKey: [] }, { oauth2: [] }],
    });
    expect(await card('/agent-card.json')).toMatchObject({
      authSchemes: [{ scheme: 'apiKey' }, { scheme: 'oauth2', tokenUrl }],
    });
    expect(await card('/as/a2a-0.1/.well-known/agent.json')).toMatchObject({
      authentication: { schemes: ['apiKey', 'OAuth2'] },
    });
  });

  it('the agent cards of a gateway that requires credentials list them in extended cards too', async () => {
    const headers = { ...v1, 'x-api-key': 'key of alice' };
    const extended = await card('/extendedAgentCard', headers);
    expect(Object.keys(extended.securitySchemes as object)).toEqual(['apiKey', 'oauth2']);
  });
});

it('an AgentVault client fetches a token from the URL in the card, and calls with it', async () => {
  const { authSchemes } = (await (await fetch(`${gateway.origin}/agent-card.json`)).json()) as {
    authSchemes: { scheme: string; tokenUrl?: string }[];
  };
  const tokenUrl = authSchemes.find(({ scheme }) => scheme === 'oauth2')?.tokenUrl ?? '';
  const form = { grant_type: 'client_credentials', client_id: 'vault', client_secret: 'secret of vault' };
  const granted = await fetch(tokenUrl, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token, token_type, expires_in, scope } = (await granted.json()) as Record<string, unknown>;
  expect([token_type, expires_in, scope]).toEqual(['Bearer', 3_600, 'tasks']);
  const client = vaultClient(`${gateway.origin}/as/agentvault-0.2/`);
  const message = { role: 'user', parts: [{ type: 'text', content: 'hello' }] };
  const authorization = `Bearer ${access_token}`;
  const { status, json: answer } = await client.call('tasks/send', { message }, { authorization });
  expect([status, typeof answer.result.id]).toEqual([200, 'string']);
  const other = await client.call('tasks/get', { id: answer.result.id }, { 'x-api-key': 'key of alice' });
  expect(other.json.error.code).toBe(-32001);
  const refused = await client.call('tasks/send', { message });
  expect([refused.status, refused.json.error.code]).toEqual([200, -32002]);
});

it('after too many wrong credentials, every binding of every dialect reports too many failures instead of a wrong credential', async () => {
  const blocked = await startGateway({ settings: credentials.replace('unlimited', '1') });
  const said: string[] = [];
  for (const { as, via } of [{ as: 'a2a-1.0', via: 'rest' }, ...dialectBindings] as readonly DialectBinding[]) {
    const client = await connect(`${blocked.origin}/as/${as}`, { as, via, apiKey: 'wrong' });
    const refused = (thrown: A2AError): string => `${thrown.kind}: ${thrown.message}`;
    said.push(await client.getTask({ id: 'a' }).then(() => 'served', refused));
    await client.close();
  }
  const tooMany = expect.stringMatching(/^tooManyRequests: .*wrong credentials/);
  expect(said).toEqual(['unauthenticated: The API key is not valid', ...dialectBindings.map(() => tooMany)]);
});
