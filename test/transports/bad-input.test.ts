import { describe, expect, it } from 'vitest';
import { allDialects } from '../../src/client/index.ts';
import type { OperationName } from '../../src/core/model/a2a.ts';
import type { Dialect, DialectName } from '../../src/dialects/kernel/dialect.ts';
import type { JsonRpcBinding } from '../../src/dialects/kernel/wire.ts';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { type HttpAnswer, rpcError } from '../support/raw.ts';
import { limit, targetGateway } from './target-gateway.ts';

/**
 * Bad input in every dialect over JSON-RPC, on the dialect's path and, where the request tells the dialect, at the root; and
 * over HTTP+JSON: each answer has the dialect's form, and names fields as its callers do. New dialects join by themselves.
 */

const target = targetGateway();

type Json = Record<string, unknown>;

const post = (path: string, body: unknown): Promise<HttpAnswer> =>
  target.http.send({
    path,
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

const rpc = (method: string, params: unknown, id: unknown = 7): Json => ({ jsonrpc: '2.0', id, method, params });

const dialects = allDialects().flatMap((dialect) => (dialect.jsonrpc ? [[dialect.name, dialect] as const] : []));
const jsonRpcOf = (dialect: Dialect): JsonRpcBinding => dialect.jsonrpc as JsonRpcBinding;

/** A dialect's method and parameters for an operation. */
function encoded(dialect: Dialect, operation: OperationName, request: object): { method: string; params: unknown } {
  const method = jsonRpcOf(dialect).calls.get(operation)?.method;
  if (!method) throw new Error(`${dialect.name} has no ${operation}`);
  return { method: method.name, params: method.request.encode({ request: request as never }, { losses: new Set() }) };
}

let tasks = 0;
const message = (part: object, more: object = {}): object => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [part], ...more },
});
/** Ids are chosen by the callers of some dialects; the others take none that there is not. */
const choosers: ReadonlySet<DialectName> = new Set(['a2a-0.1', 'a2a-php-0.3']);

function sending(dialect: Dialect, part: object, more: object = {}): Json {
  const chosen = choosers.has(dialect.name) ? { taskId: `bad-${tasks++}` } : {};
  const { method, params } = encoded(dialect, 'SendMessage', message(part, { ...chosen, ...more }));
  return rpc(method, params);
}

/** The task that an answer to a message names. */
function taskIn({ body }: HttpAnswer): string {
  const { result } = JSON.parse(body.toString()) as { result: { id?: string; task?: { id: string } } };
  return result.task?.id ?? result.id ?? expect.fail(body.toString());
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe.each(dialects)('a JSON-RPC server of %s', (name, dialect) => {
  const pinned = `/as/${name}`;
  const own = (operation: OperationName, request: object, id: unknown = 7): Json => {
    const { method, params } = encoded(dialect, operation, request);
    return rpc(method, params, id);
  };
  const code = async (body: unknown, path = pinned): Promise<number | undefined> => {
    const answer = await post(path, body);
    expect(answer.status).toBe(200);
    return rpcError(answer)?.code;
  };
  const send = sending(dialect, { text: 'say hi' });

  it.each<[string, unknown, number, unknown]>([
    ['no JSON', '{', -32700, null],
    ['nothing', '', -32700, null],
    ['half of a request', JSON.stringify(send).slice(0, -3), -32700, null],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32700, null],
    ['a string', '"x"', -32600, null],
    ['null', 'null', -32600, null],
    ['an empty object', '{}', -32600, null],
    ['a batch', [send], -32600, null],
    ['an empty batch', [], -32600, null],
    ['another jsonrpc', { ...send, jsonrpc: '1.0' }, -32600, 7],
    ['no jsonrpc', { ...send, jsonrpc: undefined }, -32600, 7],
    ['a method that is no string', { ...send, method: 5 }, -32600, 7],
    ['an id that is an object', { ...send, id: {} }, -32600, null],
    ['an id that is true', { ...send, id: true }, -32600, null],
    ['an unknown method', { ...send, method: 'tasks/frobnicate' }, -32601, 7],
    ['a method of the prototype', { ...send, method: 'constructor' }, -32601, 7],
    ['a list as params', { ...send, params: ['x'] }, -32602, 7],
    ['a string as params', { ...send, params: 'x' }, -32602, 7],
    ['no params', { ...send, params: undefined }, -32602, 7],
    ['params with nothing in them', { ...send, params: {} }, -32602, 7],
  ])(`a JSON-RPC server of ${name} refuses %s`, async (_, body, expected, id) => {
    const answer = await post(pinned, body);
    expect(answer.status).toBe(200);
    expect(rpcError(answer)).toMatchObject({ code: expected, id });
  });

  it(`a JSON-RPC server of ${name} names the missing parameters`, async () => {
    const refusal = rpcError(await post(pinned, { ...own('GetTask', { id: 't' }), params: undefined }));
    expect(refusal?.fields).toEqual([expect.stringMatching(/^(?:params|id)$/)]);
    expect(rpcError(await post(pinned, { ...send, params: {} }))?.fields).not.toContain('');
  });

  it.each([
    ['nested deeper than 64', nested(65)],
    ['nested very deep', nested(20_000)],
    ['a __proto__ key', '{"__proto__":{"polluted":true}}'],
    ['an escaped __proto__ key', '{"\\u005f_proto__":{"polluted":true}}'],
    ['an unpaired surrogate', '"\\ud800"'],
    ['an unpaired surrogate as a key', '{"\\udfff":1}'],
  ])(`a JSON-RPC server of ${name} refuses data with %s`, async (_, data) => {
    const body = JSON.stringify(sending(dialect, { data: { here: 'DATA' } })).replace('"DATA"', data);
    expect([-32700, -32602]).toContain(await code(body));
  });

  it(`a JSON-RPC server of ${name} refuses a __proto__ key in params`, async () => {
    const body = JSON.stringify(send).replace('"params":{', '"params":{"__proto__":{"polluted":true},');
    expect([-32700, -32602]).toContain(await code(body));
  });

  it(`a JSON-RPC server of ${name} reads deeply nested names without rewriting them repeatedly`, async () => {
    let deep: object = { task_id: 1, type: 'text', kind: 'text', content: { 'a2a-gateway/value': 1 } };
    for (let i = 0; i < 55; i++) deep = { deep, task_id: 'x' };
    const { message: sent, ...others } = send.params as { message: object };
    const body = { ...send, params: { ...others, deep, message: { ...sent, deep, metadata: { deep } } } };
    expect((await post(pinned, body)).status).toBe(200);
  });

  it.each([['seven'], [''], [7], [7.5], [-1], [null]])(
    `a JSON-RPC server of ${name} answers with the request id %j unchanged`,
    async (id) => {
      expect(rpcError(await post(pinned, own('GetTask', { id: 'none' }, id)))).toMatchObject({ code: -32001, id });
    },
  );

  it(`a JSON-RPC server of ${name} answers notifications only when it refuses them at once`, async () => {
    for (const body of [sending(dialect, { text: 'say hi' }), own('GetTask', { id: 'none' })]) {
      const answer = await post(pinned, { ...body, id: undefined });
      expect([answer.status, answer.body.length]).toEqual([204, 0]);
    }
    const refused = await post(pinned, { ...send, id: undefined, params: {} });
    expect(rpcError(refused)).toMatchObject({ code: -32602, id: null });
  });

  it(`a JSON-RPC server of ${name} refuses an unknown task`, async () => {
    expect(await code(own('GetTask', { id: 'none' }))).toBe(-32001);
    expect(await code(own('CancelTask', { id: 'none' }))).toBe(-32001);
  });

  it(`a JSON-RPC server of ${name} refuses to cancel a finished task and to send it a message`, async () => {
    const id = taskIn(await post(pinned, sending(dialect, { text: 'hello' })));
    const over = async (): Promise<HttpAnswer> => post(pinned, own('CancelTask', { id }));
    const canceled = await over();
    if (name === 'agentvault-0.2') {
      const notCanceled = { success: false, message: 'The task is over: completed' };
      expect(JSON.parse(canceled.body.toString()).result).toEqual(notCanceled);
    } else expect(rpcError(canceled)).toMatchObject({ code: -32002, message: 'The task is over: completed' });
    const more = rpcError(await post(pinned, sending(dialect, { text: 'more' }, { taskId: id })));
    expect(more).toMatchObject({ code: -32004, message: expect.stringContaining('no more messages: completed') });
  });

  it(`a JSON-RPC server of ${name} refuses a stream in the form that clients of the dialect read`, async () => {
    const { stream, error } = jsonRpcOf(dialect);
    const { method, params } = encoded(dialect, 'SubscribeToTask', { id: 'none' });
    const plan = jsonRpcOf(dialect).calls.get('SubscribeToTask');
    const streams = plan?.next?.name ?? method;
    const answer = await post(pinned, rpc(streams, params));
    expect(answer.status).toBe(200);
    if (!stream.refusedAsStream) {
      expect(rpcError(answer)).toMatchObject({ code: -32001, id: 7 });
      return;
    }
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
    const text = answer.body.toString();
    expect(text).toContain('Task not found: none');
    expect(text.startsWith('id: 0\n') || text.startsWith('event: error\nid: 0\n')).toBe(!stream.withoutIds);
    const [data = ''] = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
    const frame = JSON.parse(data) as Json;
    if (stream.enveloped) {
      expect(frame).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: -32001 } });
      expect(error.decode(frame.error, { losses: new Set() })).toMatchObject({ kind: 'taskNotFound' });
    } else expect(frame).toEqual({ error: 'task_not_found', message: 'Task not found: none' });
    if (stream.closing) expect(text).toContain(`event: ${stream.closing}`);
  });

  it(`a JSON-RPC server of ${name} answers 404 for an unknown agent, with and without the dialect in the path`, async () => {
    for (const path of ['/nobody', `/nobody${pinned}`, `/nobody${pinned}/`]) {
      const answer = await post(path, send);
      expect(answer.status).toBe(404);
      const refusal = rpcError({ ...answer, status: 200 });
      expect(refusal).toMatchObject({ code: -32601, id: 7, reason: 'AGENT_NOT_FOUND' });
      expect(refusal?.message).toContain('nobody');
    }
  });

  it(`a JSON-RPC server of ${name} accepts a slash at the end of the path, and POST only`, async () => {
    const answers = [`${pinned}/`, `/demo${pinned}`, `/demo${pinned}/`].map((path) =>
      post(path, sending(dialect, { text: 'say hi' })),
    );
    for (const answer of await Promise.all(answers)) expect(rpcError(answer)).toBeUndefined();
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const { status, headers } = await target.http.send({ method, path: pinned });
      expect([method, status, headers.allow]).toEqual([method, 405, 'POST']);
    }
  });

  it(`a JSON-RPC server of ${name} refuses bodies of another content type`, async () => {
    const headers = { 'content-type': 'text/plain' };
    const answer = await target.http.send({ path: pinned, body: JSON.stringify(send), headers });
    expect(rpcError(answer)?.reason).toBe('CONTENT_TYPE_NOT_SUPPORTED');
  });
});

/** Differences between versions of HTTP+JSON: paths, a message with some JSON as its data, and the place of error codes. */
const restVersions = {
  'a2a-1.0': {
    send: '/message:send',
    stream: '/message:stream',
    message: (data: string) => `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${data}}]}}`,
    other: { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }] } },
    error: (_code: number, status: number, reason: string) => ({
      error: { code: status, details: expect.arrayContaining([expect.objectContaining({ reason })]) },
    }),
  },
  'a2a-0.3': {
    send: '/v1/message:send',
    stream: '/v1/message:stream',
    message: (data: string) =>
      `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"data":{"data":{"here":${data}}}}]}}`,
    other: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } },
    error: (code: number, _status: number, _reason: string) => ({ code }),
  },
} as const;

describe.each(Object.entries(restVersions))('a server of %s over HTTP+JSON', (name, version) => {
  const { message: withData } = version;

  it.each<[string, unknown, number, number, string]>([
    ['no JSON', '{', 400, -32700, 'PARSE_ERROR'],
    ['a string', '"x"', 400, -32600, 'INVALID_REQUEST'],
    ['an array', '[]', 400, -32600, 'INVALID_REQUEST'],
    ['data nested deeper than 64', withData(nested(65)), 400, -32700, 'PARSE_ERROR'],
    ['data nested very deep', withData(nested(20_000)), 400, -32700, 'PARSE_ERROR'],
    ['a __proto__ key', withData('{"__proto__":{"polluted":true}}'), 400, -32700, 'PARSE_ERROR'],
    ['an escaped __proto__ key', withData('{"\\u005f_proto__":{"polluted":true}}'), 400, -32700, 'PARSE_ERROR'],
    ['an unpaired surrogate', withData('"\\ud800"'), 400, -32700, 'PARSE_ERROR'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, -32700, 'PARSE_ERROR'],
    ['too much', withData(JSON.stringify('x'.repeat(limit))), 413, -32600, 'PAYLOAD_TOO_LARGE'],
    ['nothing', '', 400, -32602, 'INVALID_PARAMS'],
    ['a message of another version', version.other, 400, -32602, 'INVALID_PARAMS'],
  ])(
    `a server of ${name} over HTTP+JSON refuses %s with an error of its own form`,
    async (_, body, status, code, reason) => {
      for (const base of ['', '/demo', `/as/${name}`]) {
        for (const path of [version.send, version.stream]) {
          const answer = await post(base + path, body);
          expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/json']);
          expect(JSON.parse(answer.body.toString())).toMatchObject(version.error(code, status, reason));
        }
      }
    },
  );

  it.each(['/nobody', `/nobody/as/${name}`])(
    `a server of ${name} over HTTP+JSON refuses the unknown agent at %s`,
    async (base) => {
      const answer = await post(base + version.send, {});
      expect(answer.status).toBe(404);
      expect(answer.body.toString()).toContain('No such agent: nobody');
    },
  );
});

describe('a server of a2a-0.3 over gRPC', () => {
  const service = '/a2a.v1.A2AService';
  const bytes = (content: object): Uint8Array => {
    const message = { messageId: 'm', role: 'ROLE_USER', content: [content] };
    return encode(v03, 'a2a.v1.SendMessageRequest', { message });
  };

  it.each<[string, string, Uint8Array, string, string | undefined]>([
    ['bytes that are no message', 'GetTask', Buffer.from([0xff, 0xff, 0xff]), 'INVALID_ARGUMENT', 'JSONParseError'],
    ['nothing', 'SendMessage', Buffer.alloc(0), 'INVALID_ARGUMENT', 'InvalidParamsError'],
    ['too much', 'SendMessage', bytes({ text: 'x'.repeat(limit) }), 'RESOURCE_EXHAUSTED', undefined],
    ['an unknown rpc', 'Frobnicate', Buffer.alloc(0), 'UNIMPLEMENTED', undefined],
  ])('a server of a2a-0.3 over gRPC refuses %s', async (_, rpcName, content, status, name) => {
    const answer = await target.grpc.send(`${service}/${rpcName}`, content);
    expect(answer.status).toBe(status);
    expect(answer.message).toMatch(name ? new RegExp(`^${name}: `) : /./);
  });
});

const text = 'x';
const user = (parts: readonly object[], more: object = {}): Json => ({ role: 'user', parts, ...more });
const isVault = { type: 'text', content: text };
const isGoogle = { type: 'text', text };
const isKind = { kind: 'text', text };
const isV1 = { text };
const ids = { kind: 'message', messageId: 'm' };
const v1Message = { messageId: 'm', role: 'ROLE_USER', parts: [isV1] };

/** Path, method, params; then the code and the field at fault, or nothing where it is taken. */
it.each<[string, string, unknown, number?, string?]>([
  ['/', 'tasks/send', { id: 'mix', message: user([isVault, isGoogle]) }, -32602, 'message.parts[1].content'],
  ['/', 'tasks/send', { id: 'mix', message: user([isGoogle], { role: 'tool' }) }, -32602, 'message.parts[0].content'],
  ['/', 'tasks/send', { message: user([isGoogle]) }, -32602, 'id'],
  ['/', 'tasks/send', { message: user([isKind], ids) }, -32602, 'id'],
  ['/', 'tasks/send', { message: user([]) }, -32602, 'message.parts'],
  ['/', 'tasks/send', { id: 'mix-1', message: user([isGoogle, isKind]) }],
  ['/', 'tasks/send', { id: 'mix-2', message: user([isGoogle], { messageId: 'm' }) }],
  ['/', 'message/send', { message: user([isVault], ids) }, -32602, 'message.parts[0]'],
  ['/', 'message/send', { message: user([isGoogle], ids) }, -32602, 'message.parts[0].kind'],
  ['/', 'message/send', { message: user([{ kind: 'text', content: text }], ids) }, -32602, 'message.parts[0].text'],
  ['/', 'message/send', { message: v1Message }, -32602, 'message.role'],
  ['/', 'SendMessage', { message: user([isKind], ids) }, -32602, 'message.role'],
  ['/as/a2a-0.1', 'tasks/send', { id: 'm', message: user([isVault]) }, -32602, 'message.parts[0].text'],
  ['/as/a2a-0.1', 'tasks/send', { id: 'm', message: user([isGoogle], { role: 'tool' }) }, -32602, 'message.role'],
  ['/as/a2a-0.1', 'tasks/send', { id: 'm', message: v1Message }, -32602, 'message.role'],
  ['/as/agentvault-0.2', 'tasks/send', { message: user([isGoogle]) }, -32602, 'message.parts[0].content'],
  ['/as/agentvault-0.2', 'tasks/send', { message: user([isKind]) }, -32602, 'message.parts[0]'],
  ['/as/agentvault-0.2', 'tasks/send', { message: user([isVault], { role: 'agent' }) }, -32602, 'message.role'],
  ['/as/a2a-php-0.3', 'tasks/send', { id: 'mix-3', message: user([isVault, isGoogle, isKind]) }],
  ['/as/a2a-0.2', 'message/send', { message: user([isGoogle], ids) }, -32602, 'message.parts[0].kind'],
  ['/as/a2a-0.3', 'message/send', { message: { ...v1Message, role: 'user' } }],
  ['/as/a2a-0.3', 'message/send', { message: { ...v1Message, content: [isV1] } }, -32602, 'message.role'],
  ['/as/a2a-0.3', 'tasks/send', { id: 'm', message: user([isGoogle]) }, -32601],
  ['/as/a2a-0.1', 'message/send', { message: user([isKind], ids) }, -32601],
  ['/as/agentvault-0.2', 'tasks/resubscribe', { id: 'm' }, -32601],
  ['/as/a2a-1.0', 'message/send', { message: user([isKind], ids) }, -32601],
])('a message that mixes dialects at %s, %s %j', async (path, method, params, code, field) => {
  const refusal = rpcError(await post(path, rpc(method, params)));
  expect(refusal?.code).toBe(code);
  expect(refusal?.fields[0]).toBe(field);
});

it.each(['', '/demo'])(
  'a request whose dialect cannot be detected is refused with the paths of the dialects, below %j',
  async (base) => {
    for (const params of [undefined, {}, { message: 7 }, { id: 'x', message: user([{}]) }]) {
      const refusal = rpcError(await post(base || '/', rpc('tasks/send', params)));
      expect(refusal).toMatchObject({ code: -32600, id: 7 });
      for (const name of ['a2a-0.1', 'agentvault-0.2', 'a2a-php-0.3']) {
        expect(refusal?.message).toMatch(new RegExp(` ${base}/as/${name}( |$)`));
      }
    }
  },
);

it('a request whose dialect cannot be detected is treated as A2A 0.3 for a task that the caller never used', async () => {
  expect(rpcError(await post('/', rpc('tasks/get', {})))).toMatchObject({ code: -32602, fields: ['id'] });
  const unknown = await post('/', rpc('tasks/pushNotificationConfig/get', { id: 'none' }));
  expect(rpcError(unknown)).toMatchObject({ code: -32001 });
});

it('a request whose dialect cannot be detected is refused when its path names an unknown dialect', async () => {
  const refusal = rpcError(await post('/as/a2a-9.9', rpc('tasks/get', {})));
  expect(refusal).toMatchObject({ code: -32601, message: expect.stringContaining('a2a-php-0.3') });
});

describe('an error of the core service in an older dialect', () => {
  const url = 'ftp://example.com';
  const push = { pushNotificationConfig: { url } };

  it.each<[DialectName, string, (id: string) => unknown, string]>([
    [
      'a2a-0.3',
      'message/send',
      () => ({ message: user([isKind], ids), configuration: push }),
      'configuration.pushNotificationConfig.url',
    ],
    ['a2a-0.3', 'message/send', () => ({ message: user([], ids) }), 'message.parts'],
    [
      'a2a-0.3',
      'message/send',
      (taskId) => ({ message: user([isKind], { ...ids, taskId, contextId: 'other' }) }),
      'message.contextId',
    ],
    ['a2a-0.3', 'tasks/get', (id) => ({ id, historyLength: -1 }), 'historyLength'],
    ['a2a-0.3', 'tasks/pushNotificationConfig/set', (taskId) => ({ taskId, ...push }), 'pushNotificationConfig.url'],
    ['a2a-0.3', 'tasks/pushNotificationConfig/get', () => ({ id: '' }), 'id'],
    ['a2a-0.3', 'tasks/pushNotificationConfig/delete', () => ({ id: '', pushNotificationConfigId: 'c' }), 'id'],
    ['a2a-0.2', 'tasks/pushNotificationConfig/set', (taskId) => ({ taskId, ...push }), 'pushNotificationConfig.url'],
    ['a2a-0.1', 'tasks/send', () => ({ id: 'f-1', message: user([isGoogle]), historyLength: -1 }), 'historyLength'],
    [
      'a2a-0.1',
      'tasks/send',
      () => ({ id: 'f-2', message: user([isGoogle]), pushNotification: { url } }),
      'pushNotification.url',
    ],
    ['a2a-0.1', 'tasks/pushNotification/set', (id) => ({ id, ...push }), 'pushNotificationConfig.url'],
    ['a2a-0.1', 'tasks/pushNotification/get', () => ({ id: '' }), 'id'],
    ['a2a-php-0.3', 'tasks/pushNotificationConfig/set', (id) => ({ id, ...push }), 'pushNotificationConfig.url'],
    ['agentvault-0.2', 'tasks/send', () => ({ message: user([isVault]), webhookUrl: url }), 'webhookUrl'],
  ])('an error of the core service has its form in an older dialect: %s %s %s', async (name, method, params, field) => {
    const { message: sent } = message({ text: 'ask' }) as { message: object };
    const created = await post('/as/a2a-1.0', rpc('SendMessage', { message: sent }));
    const refusal = rpcError(await post(`/as/${name}`, rpc(method, params(taskIn(created)))));
    expect(refusal).toMatchObject({ code: -32602, fields: [field] });
    expect(refusal?.message).toContain(field);
    expect(refusal?.message).not.toMatch(/taskPushNotificationConfig|TASK_STATE/);
  });
});
