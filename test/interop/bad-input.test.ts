import { connect } from 'node:net';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { api } from '../../src/gen/a2a-v1/index.ts';
import { anyJson, anyText } from '../support/arbitrary-json.ts';
import { type Running, startGateway } from './gateway.ts';
import { connectError, decoded, grpcError, type HttpAnswer, RawGrpc, RawHttp, restError, rpcError } from './raw.ts';

/** Whatever comes in, an error in the binding's own form goes out, and nothing breaks. */

const limit = 64 * 1024;

let gateway: Running;
let http: RawHttp;
let grpc: RawGrpc;
beforeAll(async () => {
  gateway = await startGateway({ settings: `limits: { body: ${limit} }` });
  http = new RawHttp(gateway.port);
  grpc = new RawGrpc(gateway.target);
});
afterAll(async () => {
  http.close();
  grpc.close();
  await gateway.close();
});

const prototype = Object.getOwnPropertyNames(Object.prototype).sort();
afterEach(async () => {
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(prototype);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  // Still alive, and in its right mind.
  const answer = await rpc(request('say alive'));
  expect(JSON.parse(answer.body.toString())).toMatchObject({ result: { message: { parts: [{ text: 'alive' }] } } });
});

const v1 = { 'content-type': 'application/json', 'a2a-version': '1.0' };
const service = '/lf.a2a.v1.A2AService';
const agentVault = '/as/agentvault-0.2';

const message = (text: string, more: object = {}) => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...more },
});
const request = (text: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: message(text) });

const rpc = (body: string | Uint8Array, path = '/', headers: Record<string, string> = v1): Promise<HttpAnswer> =>
  http.send({ path, body, headers });
const rest = (body: string | Uint8Array, path = '/message:send'): Promise<HttpAnswer> =>
  http.send({ path, body, headers: v1 });
const unaryConnect = (body: string | Uint8Array, method = 'SendMessage'): Promise<HttpAnswer> =>
  http.send({
    path: `${service}/${method}`,
    body,
    headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' },
  });

const bytes = (type: string, json: object): Uint8Array =>
  api.codecs[`lf.a2a.v1.${type}`]?.encode(json).finish() ?? expect.fail(`no codec for ${type}`);

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Parameters of a send with this JSON as the data of its only part. */
const withData = (json: string): string =>
  `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${json}}]}}`;

/** JSON that parsers agree on and that is refused all the same, or that they do not even agree on. */
const refused: readonly (readonly [name: string, params: string | Buffer])[] = [
  ['nested deeper than 64', withData(nested(65))],
  ['nested very deep', withData(nested(20_000))],
  ['a __proto__ key', withData('{"__proto__":{"polluted":true}}')],
  ['an escaped __proto__ key', withData('{"\\u005f_proto__":{"polluted":true}}')],
  ['a __proto__ key at the top', `{"__proto__":{"polluted":true},${withData('1').slice(1)}`],
  ['an unpaired surrogate', withData('"\\ud800"')],
  ['an unpaired surrogate as a key', withData('{"\\udfff":1}')],
  ['invalid UTF-8', Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])],
];

describe('the table of bad input', () => {
  const around = (params: string | Buffer): Buffer =>
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":'),
      Buffer.from(params),
      Buffer.from('}'),
    ]);

  describe('JSON-RPC', () => {
    it.each([
      ['not JSON', 'not json', -32700],
      ['nothing', '', -32700],
      ['half of it', request('hi').slice(0, -3), -32700],
      ['a string', '"hello"', -32600],
      ['null', 'null', -32600],
      ['a batch', `[${request('hi')}]`, -32600],
      ['an empty batch', '[]', -32600],
      ['an empty object', '{}', -32600],
      ['another jsonrpc', request('hi').replace('2.0', '1.0'), -32600],
      ['no jsonrpc', '{"id":1,"method":"GetTask"}', -32600],
      ['a method that is no string', '{"jsonrpc":"2.0","id":1,"method":5}', -32600],
      ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"GetTask","params":{"id":"x"}}', -32600],
      ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"Frobnicate"}', -32601],
      ['a method of the prototype', '{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601],
      ['params that are an array', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":["x"]}', -32602],
      ['params that are a string', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":"x"}', -32602],
      ['no params', '{"jsonrpc":"2.0","id":1,"method":"GetTask"}', -32602],
    ])('%s', async (_, body, code) => {
      const answer = await rpc(body);
      expect(answer.status).toBe(200);
      expect(rpcError(answer)?.code).toBe(code);
    });

    it.each(refused)('%s', async (_, params) => {
      expect([-32700, -32602]).toContain(rpcError(await rpc(around(params)))?.code);
    });

    it.each(['"seven"', '7', '7.5', 'null', '-1'])('gives the id %s back as it was', async (id) => {
      const body = `{"jsonrpc":"2.0","id":${id},"method":"GetTask","params":{"id":"none"}}`;
      expect(rpcError(await rpc(body))?.id).toBe(JSON.parse(id));
    });

    it('says nothing to a notification', async () => {
      const answer = await rpc('{"jsonrpc":"2.0","method":"GetTask","params":{"id":"none"}}');
      expect([answer.status, answer.body.length]).toEqual([204, 0]);
    });

    it('names the faulty fields', async () => {
      const faulty = { message: { messageId: '', role: 'NOBODY', parts: [{ text: 5 }] } };
      const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: faulty };
      const error = rpcError(await rpc(JSON.stringify(body)));
      expect(error).toMatchObject({ code: -32602, reason: 'INVALID_PARAMS' });
      expect(error?.fields).toContain('message.role');
    });

    it('refuses a body over the limit with 413', async () => {
      const answer = await rpc(request('x'.repeat(limit)));
      expect(answer.status).toBe(413);
      expect(rpcError(answer)).toMatchObject({ code: -32600, reason: 'PAYLOAD_TOO_LARGE' });
    });

    it('names the agent that it does not know', async () => {
      const answer = await rpc(request('hi'), '/nobody');
      expect([200, 404]).toContain(answer.status);
      const error = rpcError({ ...answer, status: 200 });
      expect(error).toMatchObject({ code: -32601, reason: 'AGENT_NOT_FOUND' });
      expect(error?.message).toContain('nobody');
    });

    it('takes U+0000', async () => {
      const answer = JSON.parse((await rpc(request('say a\u0000b'))).body.toString());
      expect(answer.result.message.parts[0].text).toBe('a\u0000b');
    });

    it.each(['1', 'one', '99.0', '1.0.0.0', '0.3.0.1', '\u00e9'])('refuses the version %s', async (version) => {
      const headers = { ...v1, 'a2a-version': version };
      expect(rpcError(await rpc(request('hi'), '/', headers))).toMatchObject({ code: -32009 });
      expect(rpcError(await rpc(request('hi'), '/as/a2a-1.0', headers))).toMatchObject({ code: -32009 });
    });

    it('takes a patch version, and a version in the query', async () => {
      expect(rpcError(await rpc(request('say hi'), '/', { ...v1, 'a2a-version': '1.0.3' }))).toBeUndefined();
      const { 'a2a-version': _, ...none } = v1;
      expect(rpcError(await rpc(request('hi'), '/?A2A-Version=99.0', none))).toMatchObject({ code: -32009 });
    });
  });

  describe('HTTP+JSON', () => {
    it.each([
      ['not JSON', 'not json', 400, 'PARSE_ERROR'],
      ['a string', '"hello"', 400, undefined],
      ['an array', '[]', 400, undefined],
      ['no message', '{}', 400, undefined],
      ['too much', JSON.stringify(message('x'.repeat(limit))), 413, 'PAYLOAD_TOO_LARGE'],
    ])('%s', async (_, body, status, reason) => {
      const error = restError(await rest(body));
      expect(error?.status).toBe(status);
      if (reason) expect(error?.reason).toBe(reason);
    });

    it.each(refused)('%s', async (_, params) => {
      expect(restError(await rest(params))).toMatchObject({ status: 400 });
    });

    it('names the faulty fields, of the body and of the query', async () => {
      expect(restError(await rest('{"message":{"messageId":"m","role":"ROLE_USER"}}'))?.fields).toContain(
        'message.parts',
      );
      const error = restError(await http.send({ method: 'GET', path: '/tasks?pageSize=many', headers: v1 }));
      expect(error).toMatchObject({ status: 400, fields: ['pageSize'] });
    });

    it.each([
      ['GET', '/no/such/path', 404],
      ['GET', '/nobody/tasks', 404],
      ['GET', '/tasks/none', 404],
      ['GET', '/tasks/%zz', 400],
      ['GET', '/tasks/%ff%fe', 400],
      ['DELETE', '/tasks/none', 405],
      ['PUT', '/message:send', 405],
      ['GET', '/message:send', 405],
      ['POST', '/tasks/none:frobnicate', 405],
    ])('%s %s', async (method, path, status) => {
      const body = method === 'GET' ? {} : { body: '{}' };
      const error = restError(await http.send({ method, path, headers: v1, ...body }));
      expect(error?.status).toBe(status);
    });

    it('takes POSTs without a body', async () => {
      const answer = await http.send({ path: '/tasks/none:cancel', headers: { 'a2a-version': '1.0' } });
      expect(restError(answer)).toMatchObject({ status: 404, reason: 'TASK_NOT_FOUND' });
    });
  });

  describe('gRPC', () => {
    const send = (method: string, content: Uint8Array, metadata = {}) =>
      grpc.send(`${service}/${method}`, content, metadata);

    it('refuses bytes that are no message', async () => {
      const error = grpcError(await send('GetTask', Buffer.from([0xff, 0xff, 0xff, 0xff])));
      expect(error?.status).toBe('INVALID_ARGUMENT');
    });

    it('names the faulty fields', async () => {
      const content = bytes('SendMessageRequest', { message: { messageId: 'm', role: 'ROLE_USER', parts: [] } });
      const error = grpcError(await send('SendMessage', content));
      expect(error).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'INVALID_PARAMS', fields: ['message.parts'] });
    });

    it('refuses a message over the limit', async () => {
      const content = bytes('SendMessageRequest', message('x'.repeat(limit)));
      expect((await send('SendMessage', content)).status).toBe('RESOURCE_EXHAUSTED');
    });

    it('does not know every agent', async () => {
      const content = bytes('SendMessageRequest', { tenant: 'nobody', ...message('hi') });
      const error = grpcError(await send('SendMessage', content));
      expect(error).toMatchObject({ status: 'NOT_FOUND', reason: 'AGENT_NOT_FOUND' });
      expect(error?.message).toContain('nobody');
    });

    it('refuses invalid UTF-8', async () => {
      const content = new BinaryWriter()
        .uint32((1 << 3) | 2)
        .bytes(Buffer.from([0xff, 0xfe]))
        .finish();
      expect(grpcError(await send('GetTask', content))?.status).toBe('INVALID_ARGUMENT');
    });

    it.each([65, 1_500])('refuses data nested %i deep', async (depth) => {
      // google.protobuf.Value: list_value = 6, ListValue: values = 1.
      let value: Uint8Array = new BinaryWriter().uint32(8).int32(0).finish();
      for (let i = 0; i < depth; i += 1) {
        const list = new BinaryWriter()
          .uint32((1 << 3) | 2)
          .bytes(value)
          .finish();
        value = new BinaryWriter()
          .uint32((6 << 3) | 2)
          .bytes(list)
          .finish();
      }
      const part = new BinaryWriter()
        .uint32((4 << 3) | 2)
        .bytes(value)
        .finish();
      const inner = new BinaryWriter()
        .uint32((1 << 3) | 2)
        .string('m')
        .uint32((4 << 3) | 0)
        .int32(1)
        .uint32((5 << 3) | 2)
        .bytes(part)
        .finish();
      const content = new BinaryWriter()
        .uint32((1 << 3) | 2)
        .bytes(inner)
        .finish();
      expect(grpcError(await send('SendMessage', content))?.status).toBe('INVALID_ARGUMENT');
    });

    it('takes U+0000', async () => {
      const { status, messages } = await send('SendMessage', bytes('SendMessageRequest', message('say a\u0000b')));
      expect(status).toBe('OK');
      const answer = decoded('lf.a2a.v1.SendMessageResponse', messages[0] as Buffer);
      expect(answer).toMatchObject({ message: { parts: [{ text: 'a\u0000b' }] } });
    });
  });

  describe('Connect', () => {
    it.each([
      ['not JSON', 'not json', 400, 'invalid_argument'],
      ['an array', '[]', 400, 'invalid_argument'],
      ['no message', '{}', 400, 'invalid_argument'],
      ['too much', JSON.stringify(message('x'.repeat(limit))), 429, 'resource_exhausted'],
      ['an unknown agent', JSON.stringify({ tenant: 'nobody', ...message('x') }), 404, 'not_found'],
    ])('%s', async (_, body, status, code) => {
      expect(connectError(await unaryConnect(body))).toMatchObject({ status, code });
    });

    it.each(refused)('%s', async (_, params) => {
      expect(connectError(await unaryConnect(params))).toMatchObject({ code: 'invalid_argument' });
    });

    it('does not know every method', async () => {
      expect(connectError(await unaryConnect('{}', 'Frobnicate'))).toMatchObject({ code: 'unimplemented' });
    });
  });

  describe('AgentVault', () => {
    it.each([
      ['not JSON', 'not json', -32700],
      ['a batch', '[]', -32600],
      ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"tasks/frobnicate"}', -32601],
      ['bad params', '{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"message":{}}}', -32602],
      ['an unknown task', '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"none"}}', -32001],
    ])('%s', async (_, body, code) => {
      const answer = await rpc(body, agentVault, { 'content-type': 'application/json' });
      expect(answer.status).toBe(200);
      expect(rpcError(answer)?.code).toBe(code);
    });

    it.each(refused)('%s', async (_, params) => {
      const body = around(params).toString('latin1').replace('SendMessage', 'tasks/send');
      const answer = await rpc(Buffer.from(body, 'latin1'), agentVault, { 'content-type': 'application/json' });
      expect([-32700, -32602]).toContain(rpcError(answer)?.code);
    });
  });
});

/** A valid request of each operation that a fuzzer may spoil; none of them waits for long when it is not spoilt. */
const samples: Readonly<Record<string, object>> = {
  SendMessage: message('say hi', { metadata: { a: 1 }, extensions: ['urn:x'], referenceTaskIds: ['t'] }),
  SendStreamingMessage: message('say hi', { contextId: 'c' }),
  GetTask: { id: 'none', historyLength: 3 },
  ListTasks: {
    contextId: 'none',
    status: 'TASK_STATE_WORKING',
    pageSize: 2,
    statusTimestampAfter: '2026-01-01T00:00:00Z',
  },
  CancelTask: { id: 'none', metadata: {} },
  SubscribeToTask: { id: 'none' },
  CreateTaskPushNotificationConfig: {
    taskId: 'none',
    url: 'https://example.com',
    authentication: { scheme: 'Bearer' },
  },
  GetTaskPushNotificationConfig: { taskId: 'none', id: 'none' },
  ListTaskPushNotificationConfigs: { taskId: 'none', pageSize: 2 },
  DeleteTaskPushNotificationConfig: { taskId: 'none', id: 'none' },
  GetExtendedAgentCard: {},
};

/** The value with one of its leaves or branches replaced, or a key added. */
function spoilt(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null) return anyJson;
  const entries = Object.entries(value);
  const replaced = entries.map(([key, inner]) =>
    spoilt(inner).map((other) =>
      Array.isArray(value) ? value.map((item, i) => (String(i) === key ? other : item)) : { ...value, [key]: other },
    ),
  );
  const more = fc.tuple(fc.oneof(anyText, fc.constantFrom('constructor', 'toString', 'hasOwnProperty')), anyJson);
  const added = more.map(([key, other]) => (Array.isArray(value) ? [...value, other] : { ...value, [key]: other }));
  return fc.oneof(anyJson, added, ...replaced);
}

const anyBytes = fc.uint8Array({ maxLength: 200 });
/** JSON text, most of it well-formed. */
const textOf = (json: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc
    .tuple(json, fc.nat({ max: 20 }), fc.constantFrom('', '}', '\u0000', '{"__proto__":1}'))
    .map(([value, at, noise]) => {
      const text = JSON.stringify(value);
      return at === 0 ? text.slice(0, -1) + noise : text;
    });

const operations = Object.keys(samples);
const runs = (numRuns: number) => ({ numRuns, endOnFailure: true });

describe('arbitrary input', () => {
  it('has a sample for every operation', () => {
    expect(operations.sort()).toEqual(api.operations.map(({ name }) => name).sort());
  });

  const rpcBodies = fc.oneof(
    anyBytes,
    textOf(anyJson),
    fc
      .constantFrom(...operations)
      .chain((method) => textOf(spoilt(samples[method]).map((params) => ({ jsonrpc: '2.0', id: 1, method, params })))),
    textOf(spoilt({ jsonrpc: '2.0', id: 'a', method: 'GetTask', params: { id: 'none' } })),
    textOf(
      spoilt({
        jsonrpc: '2.0',
        id: 'req-send-1',
        method: 'tasks/send',
        params: { message: { role: 'user', parts: [{ type: 'text', content: 'say hi' }] } },
      }),
    ),
    textOf(
      fc
        .tuple(fc.constantFrom('tasks/get', 'tasks/cancel', 'tasks/sendSubscribe'), anyJson)
        .map(([method, params]) => ({ jsonrpc: '2.0', id: 1, method, params })),
    ),
  );

  it.each(['/', '/demo', '/as/a2a-1.0', agentVault])('JSON-RPC at %s', async (path) => {
    const headers = path.startsWith('/as') ? { 'content-type': 'application/json' } : v1;
    await fc.assert(
      fc.asyncProperty(rpcBodies, async (body) => {
        rpcError(await rpc(body, path, headers));
      }),
      runs(150),
    );
  });

  it('JSON-RPC without a version', async () => {
    await fc.assert(
      fc.asyncProperty(rpcBodies, async (body) => {
        rpcError(await rpc(body, '/', { 'content-type': 'application/json' }));
      }),
      runs(150),
    );
  });

  const routes = api.operations.flatMap((operation) => operation.http.map((rule) => ({ operation, rule })));

  it('every route of HTTP+JSON', async () => {
    const segment = fc.oneof(
      anyText.filter((text) => text !== '' && text !== '.' && text !== '..').map(encodeURIComponent),
      fc.constantFrom('demo', 'none', '%zz', '%ff', '%2f', '%00', ':cancel', '__proto__', 'a:b'),
    );
    const query = fc.oneof(
      fc.constant(''),
      fc
        .dictionary(fc.constantFrom('pageSize', 'historyLength', 'status', 'tenant', 'x', 'id'), anyText, {
          maxKeys: 3,
        })
        .map((entries) => `?${new URLSearchParams(entries)}`),
      fc.constantFrom('?%zz=1', '?&&=', '?pageSize=1&pageSize=2', '?message.parts=1'),
    );
    const call = fc.constantFrom(...routes).chain(({ operation, rule }) =>
      fc.record({
        method: fc.constant(rule.verb),
        path: fc.array(segment, { minLength: 3, maxLength: 3 }).map((segments) => {
          const rest = segments.values();
          return rule.path.replace(/\{[^}]+\}/g, () => rest.next().value ?? 'x');
        }),
        query,
        body: fc.oneof(anyBytes, textOf(anyJson), textOf(spoilt(samples[operation.name]))),
        base: fc.constantFrom('', '/demo', '/frugal', '/as/a2a-1.0'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(call, async ({ method, path, query: search, body, base }) => {
        const content = method === 'POST' ? { body } : {};
        restError(await http.send({ method, path: `${base}${path}${search}`, headers: v1, ...content }));
      }),
      runs(500),
    );
  });

  it('every method of gRPC', async () => {
    const call = fc.constantFrom(...api.operations).chain((operation) => {
      const valid = api.codecs[operation.request]?.encode(samples[operation.name]).finish() ?? new Uint8Array();
      return fc.record({
        path: fc.constant(operation.grpcPath),
        content: fc.oneof(
          anyBytes,
          fc
            .tuple(fc.nat({ max: valid.length }), anyBytes)
            .map(([at, noise]) => Buffer.concat([valid.subarray(0, at), noise, valid.subarray(at)])),
          fc
            .tuple(fc.nat({ max: valid.length }), fc.nat({ max: 255 }))
            .map(([at, byte]) => Uint8Array.from(valid, (value, i) => (i === at ? byte : value))),
        ),
      });
    });
    await fc.assert(
      fc.asyncProperty(call, async ({ path, content }) => {
        grpcError(await grpc.send(path, content));
      }),
      runs(500),
    );
  });

  it('every method of Connect', async () => {
    const streaming = new Set(api.operations.filter((operation) => operation.streaming).map(({ rpc: name }) => name));
    const unary = operations.filter((name) => !streaming.has(name));
    const call = fc.constantFrom(...unary).chain((name) =>
      fc.record({
        name: fc.constant(name),
        body: fc.oneof(anyBytes, textOf(anyJson), textOf(spoilt(samples[name]))),
        type: fc.constantFrom('application/json', 'application/proto'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(call, async ({ name, body, type }) => {
        const headers = { 'content-type': type, 'connect-protocol-version': '1' };
        connectError(await http.send({ path: `${service}/${name}`, body, headers }));
      }),
      runs(300),
    );
  });

  it('enveloped Connect and gRPC-Web', async () => {
    const types = [
      'application/connect+json',
      'application/connect+proto',
      'application/grpc-web+proto',
      'application/grpc-web+json',
      'application/grpc-web',
    ];
    const call = fc.record({
      name: fc.constantFrom(...operations),
      type: fc.constantFrom(...types),
      body: fc.oneof(
        anyBytes,
        fc
          .tuple(fc.nat({ max: 3 }), fc.nat({ max: 300 }), anyBytes)
          .map(([flags, size, content]) => Buffer.concat([Buffer.from([flags, 0, 0, size >> 8, size & 255]), content])),
      ),
    });
    await fc.assert(
      fc.asyncProperty(call, async ({ name, type, body }) => {
        const answer = await http.send({ path: `${service}/${name}`, body, headers: { 'content-type': type } });
        // A stream says in its last envelope how it went; a media type that the method does not have is 415.
        expect([200, 415]).toContain(answer.status);
        const last = answer.body.toString('latin1').toLowerCase();
        expect(last).not.toMatch(/"code":"(?:internal|unknown)"|grpc-status: ?(?:2|13)\b/);
      }),
      runs(300),
    );
  });

  it('the paths of cards and everything else that is read', async () => {
    const segment = fc.oneof(
      anyText.map(encodeURIComponent),
      fc.constantFrom('demo', '..', '%2e%2e', '%00', '%zz', 'as'),
    );
    const path = fc
      .tuple(
        fc.array(segment, { maxLength: 3 }),
        fc.constantFrom(
          '.well-known/agent-card.json',
          '.well-known/agent.json',
          'agent-card.json',
          'agents',
          'healthz',
          '',
        ),
      )
      .map(([segments, last]) => `/${[...segments, last].join('/')}`);
    const version = fc.option(
      fc.string({ maxLength: 8 }).filter((text) => /^[!-~]*$/.test(text)),
      { nil: undefined },
    );
    await fc.assert(
      fc.asyncProperty(path, version, async (target, asked) => {
        const headers = asked === undefined ? {} : { 'a2a-version': asked };
        const answer = await http.send({ method: 'GET', path: target, headers });
        if (answer.status >= 400) restError(answer);
        else expect([200, 204, 301, 302, 304, 308]).toContain(answer.status);
      }),
      runs(300),
    );
  });

  it('bytes that are no HTTP', async () => {
    const first = fc.oneof(
      anyBytes,
      fc
        .constantFrom(
          'PRI * HTTP/2.0\r\n\r\nXX',
          'PRI',
          'GET / HTTP/9.9\r\n\r\n',
          'POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n',
        )
        .map((text) => Buffer.from(text)),
      anyBytes.map((noise) => Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), noise])),
    );
    await fc.assert(
      fc.asyncProperty(first, async (content) => {
        const answer = await new Promise<Buffer>((resolve, reject) => {
          const chunks: Buffer[] = [];
          const socket = connect(gateway.port, '127.0.0.1', () => socket.end(content));
          socket.on('data', (chunk) => chunks.push(chunk));
          socket.on('error', () => resolve(Buffer.concat(chunks)));
          socket.on('close', () => resolve(Buffer.concat(chunks)));
          socket.setTimeout(10_000, () => reject(new Error('the socket stays open')));
        });
        const text = answer.toString('latin1');
        if (text.startsWith('HTTP/1.1')) expect(text).toMatch(/^HTTP\/1\.1 (?:4\d\d|505)/);
      }),
      runs(100),
    );
  });

  it('leaves nothing behind', async () => {
    const kinds = () => {
      const counts: Record<string, number> = {};
      for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
      return { timers: counts.Timeout ?? 0, sockets: (counts.TCPSocketWrap ?? 0) + (counts.TCPServerWrap ?? 0) };
    };
    const round = async (): Promise<void> => {
      const own = new RawHttp(gateway.port);
      const ownGrpc = new RawGrpc(gateway.target);
      const calls = operations.flatMap((method) => [
        own.send({
          path: '/',
          headers: v1,
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id: 5 } }),
        }),
        own.send({ path: `${service}/${method}`, headers: { 'content-type': 'application/json' }, body: '{"x":' }),
        ownGrpc.send(`${service}/${method}`, Buffer.from([1, 2, 3])),
      ]);
      await Promise.all(calls);
      own.close();
      ownGrpc.close();
    };
    await round();
    const settled = await vi.waitFor(() => kinds());
    for (let i = 0; i < 20; i += 1) await round();
    await vi.waitFor(
      () => {
        const now = kinds();
        expect(now.sockets).toBeLessThanOrEqual(settled.sockets + 2);
        expect(now.timers).toBeLessThanOrEqual(settled.timers + 4);
      },
      { timeout: 10_000, interval: 50 },
    );
  });
});
