import { expect, it } from 'vitest';
import { A2AError, type ErrorKind } from '../../../src/core/model/errors.ts';
import { chunk, echo, post, rpc, Source, sendRequest, serving, start, streaming } from '../http/serving.ts';

const v1 = { 'a2a-version': '1.0' };
const failing = (kind: ErrorKind, retryAfter?: number) => async () => {
  throw new A2AError(kind, undefined, retryAfter === undefined ? {} : { retryAfter });
};

it('a JSON-RPC call arrives with all that its headers say, and is answered with headers of its own', async () => {
  await start({
    invoke: async (call) => {
      call.context.notes.extensions.add('urn:x:1').add('bad,one').add('bad\r\nX: y');
      call.context.notes.losses.add('message.parts.metadata').add('message.extensions');
      return echo(call);
    },
  });
  const { headers, json } = await post(serving.url, rpc('SendMessage', sendRequest), {
    ...v1,
    'a2a-extensions': 'urn:x:1, urn:x:2',
    'x-a2a-extensions': 'urn:x:2,urn:x:3',
    'idempotency-key': 'k1',
    'last-event-id': '5',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'a2a-hops': '3',
    'x-request-id': 'req.1',
  });
  expect(json.result.message.parts).toEqual([{ text: 'hello' }]);
  expect(serving.calls[0]).toMatchObject({
    operation: 'SendMessage',
    request: sendRequest,
    context: {
      requestId: 'req.1',
      dialect: 'a2a-1.0',
      extensions: ['urn:x:1', 'urn:x:2', 'urn:x:3'],
      idempotencyKey: 'k1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      hops: 3,
    },
  });
  // Nothing to resume in a call that does not stream.
  expect(serving.calls[0]?.context.replay).toBeUndefined();
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/json',
    'x-request-id': 'req.1',
    'a2a-version': '1.0',
    'a2a-extensions': 'urn:x:1',
    'a2a-gateway-loss': 'message.parts.metadata, message.extensions',
  });
});

it('a JSON-RPC call has a loss header of at most a kilobyte, and a request id that can be a header', async () => {
  await start({
    invoke: async (call) => {
      for (let i = 0; i < 200; i++) call.context.notes.losses.add(`message.some.long.path.number${i}`);
      return echo(call);
    },
  });
  const { headers } = await post(serving.url, rpc('SendMessage', sendRequest), { 'x-request-id': 'a b' });
  expect(headers.get('a2a-gateway-loss')?.length).toBeLessThanOrEqual(1024);
  expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
});

it('a JSON-RPC call without an id is carried out and gets no answer', async () => {
  const { calls } = await start();
  const notification = { jsonrpc: '2.0', method: 'SendMessage', params: sendRequest };
  const { status, text } = await post(serving.url, notification);
  expect([status, text]).toEqual([204, '']);
  expect(calls).toHaveLength(1);
});

it('a JSON-RPC call without an id that streams ends its stream', async () => {
  const source = new Source();
  await start({ invoke: streaming(() => source) });
  source.push(chunk(1));
  const { status } = await post(serving.url, { jsonrpc: '2.0', method: 'SubscribeToTask', params: { id: 't1' } });
  expect(status).toBe(204);
  await source.returned;
});

it.each([
  ['1.0', undefined],
  ['1.0.3', undefined],
  ['', undefined],
  ['1', -32009],
  ['2.0', -32009],
  ['nonsense', -32009],
])('a JSON-RPC call with A2A-Version %j is served or refused', async (version, code) => {
  await start();
  expect((await post(serving.url, rpc('SendMessage', sendRequest), { 'a2a-version': version })).json.error?.code).toBe(
    code,
  );
});

it.each([
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['Application/JSON', true],
  ['application/a2a+json', true],
  ['text/plain', false],
  ['application/x-www-form-urlencoded', false],
  ['application/jsonp', false],
])('a JSON-RPC call of type %s is taken: %s', async (type, taken) => {
  await start();
  const { status, json } = await post(serving.url, rpc('SendMessage', sendRequest, 'i'), { 'content-type': type });
  expect([status, json.id, json.error?.code]).toEqual([200, 'i', taken ? undefined : -32005]);
  const other = await post(serving.url, 'a=b', { 'content-type': type });
  expect(other.json.error.code).toBe(taken ? -32700 : -32005);
});

it('a client that reads errors from event streams only gets a refused stream of v1 as one, and every other answer as JSON', async () => {
  await start({ invoke: failing('taskNotFound') });
  const go = { ...v1, 'user-agent': 'Go-http-client/1.1' };
  for (const method of ['SubscribeToTask', 'SendStreamingMessage']) {
    const { status, headers, text } = await post(serving.url, rpc(method, { ...sendRequest, id: 't1' }), go);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const [, data] = /\ndata: (.*)\n\n$/.exec(text) ?? [];
    expect(JSON.parse(data ?? '')).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32001 } });
    expect((await post(serving.url, rpc(method, { ...sendRequest, id: 't1' }), v1)).json.error.code).toBe(-32001);
  }
  expect((await post(serving.url, rpc('GetTask', { id: 't1' }), go)).json.error.code).toBe(-32001);
});
