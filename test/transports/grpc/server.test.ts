import { once } from 'node:events';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { A2AError, type ErrorKind, errorTable, grpcStatus } from '../../../src/core/model/errors.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { afterTest } from '../../support/peer.ts';
import { peerRow } from '../../support/peer-row.ts';
import { agents, api, chunk, eventsOf, logged, message, type Running, reply, startGrpc } from '../rpc-support.ts';
import { ask, frame, session } from './raw.ts';
import { detailsOf, type Stranger, stranger } from './stranger.ts';

peerRow({
  software: '`@grpc/grpc-js`',
  version: { npm: '@grpc/grpc-js' },
  role: 'client',
  speaks: 'A2A 1.0: gRPC',
  does: 'serves clients that are made from the proto alone',
});

let running: Running;
let peer: Stranger;

beforeEach(async () => {
  running = await startGrpc();
  running.core.answer = () => ({ value: reply });
  peer = stranger(running.target);
});

afterEach(() => peer.close());

const send = (over: object = {}) => ({ message: { ...message, content: undefined }, ...over });

test('a unary call reaches the core in v1 and comes back', async () => {
  const answer = await peer.ask('SendMessage', send({ configuration: { historyLength: 3 } }), {
    metadata: {
      'a2a-extensions': 'urn:a, urn:b',
      'x-a2a-extensions': 'urn:b,urn:c',
      'idempotency-key': 'k1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'a2a-hops': '2',
      'a2a-version': '1.0.3',
    },
  });
  expect(answer.error).toBeUndefined();
  expect(answer.value).toMatchObject({ message: { messageId: 'r1', parts: [{ text: 'hi' }] } });
  const { operation, request, context } = running.core.last;
  expect(operation).toBe('SendMessage');
  expect(request).toEqual({ message, configuration: { historyLength: 3 } });
  expect(context).toMatchObject({
    agent: 'demo',
    tenant: '',
    dialect: 'a2a-1.0',
    principal: { id: 'tester' },
    extensions: ['urn:a', 'urn:b', 'urn:c'],
    idempotencyKey: 'k1',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    hops: 2,
  });
  expect(context.deadline).toBeUndefined();
  expect(context.replay).toBeUndefined();
  expect(answer.head?.get('a2a-version')).toEqual(['1.0']);
  expect(answer.head?.get('x-request-id')).toEqual([context.requestId]);
  expect(answer.head?.get('a2a-extensions')).toEqual([]);
});

test('a unary call has activated extensions in the headers and losses in the trailers', async () => {
  running.core.answer = ({ context }) => {
    context.notes.extensions.add('urn:a').add('urn:ä');
    context.notes.losses.add('message.parts.metadata').add('message.extensions');
    return { value: reply };
  };
  const answer = await peer.ask('SendMessage', send(), { metadata: { 'x-a2a-extensions': 'urn:a' } });
  expect(answer.head?.get('a2a-extensions')).toEqual(['urn:a, urn:%C3%A4']);
  expect(answer.head?.get('x-a2a-extensions')).toEqual(['urn:a, urn:%C3%A4']);
  expect(answer.trailers?.get('a2a-gateway-loss')).toEqual(['message.parts.metadata, message.extensions']);
});

test('a unary call carries its deadline into the context', async () => {
  const deadline = Date.now() + 60_000;
  await peer.ask('SendMessage', send(), { deadline });
  const { deadline: seen = 0 } = running.core.last.context;
  expect(Math.abs(seen - deadline)).toBeLessThan(5_000);
});

test.each([
  ['taken over', 'abc-1.2:3', true],
  ['not when it could be anything', 'a b', false],
])('a unary call its request id is %s', async (_, id, taken) => {
  const answer = await peer.ask('SendMessage', send(), { metadata: { 'x-request-id': id } });
  expect(running.core.last.context.requestId === id).toBe(taken);
  expect(answer.head?.get('x-request-id')).toEqual([running.core.last.context.requestId]);
});

test('a unary call reads a compressed message', async () => {
  const zipped = stranger(running.target, { 'grpc.default_compression_algorithm': 2 });
  const answer = await zipped.ask('SendMessage', send());
  expect(answer.error).toBeUndefined();
  expect(running.core.last.request).toEqual({ message });
  zipped.close();
});

test('a thousand calls at once are answered', async () => {
  const answers = await Promise.all(Array.from({ length: 1000 }, () => peer.ask('SendMessage', send())));
  expect(answers.filter(({ error }) => error !== undefined)).toEqual([]);
});

describe('which agent', () => {
  const cases: [string, string | undefined, Record<string, string>, object][] = [
    ['none named: the default', undefined, {}, { agent: 'demo', tenant: '' }],
    ['the tenant is an agent', 'weather', {}, { agent: 'weather', tenant: '' }],
    ['agent and tenant', 'weather/acme', {}, { agent: 'weather', tenant: 'acme' }],
    ['agent and a tenant with slashes', 'weather/acme/eu', {}, { agent: 'weather', tenant: 'acme/eu' }],
    ['metadata', undefined, { 'a2a-agent': 'weather' }, { agent: 'weather', tenant: '' }],
    ['metadata and a tenant', 'acme', { 'a2a-agent': 'weather' }, { agent: 'weather', tenant: 'acme' }],
    ['the tenant before metadata', 'demo/acme', { 'a2a-agent': 'weather' }, { agent: 'demo', tenant: 'acme' }],
  ];
  test.each(cases)('a call names its agent: %s', async (_, tenant, metadata, expected) => {
    const answer = await peer.ask('GetTask', { id: 't1', ...(tenant !== undefined && { tenant }) }, { metadata });
    expect(answer.error?.code).not.toBe(status.NOT_FOUND);
    expect(running.core.last.context).toMatchObject(expected);
    expect(running.core.last.request).toEqual({ id: 't1' });
  });

  test('a call names its agent by the host', async () => {
    const hosted = stranger(running.target, { 'grpc.default_authority': 'weather.example.com' });
    await hosted.ask('GetTask', { id: 't1', tenant: 'acme' });
    expect(running.core.last.context).toMatchObject({ agent: 'weather', tenant: 'acme' });
    hosted.close();
  });

  test.each([
    ['a tenant that is no agent', 'nobody/acme', {}],
    ['metadata that names none', undefined, { 'a2a-agent': 'nobody' }],
  ])('%s is not found', async (_, tenant, metadata) => {
    const answer = await peer.ask('GetTask', { id: 't1', ...(tenant !== undefined && { tenant }) }, { metadata });
    expect(answer.error?.code).toBe(status.NOT_FOUND);
    expect(detailsOf(answer).reason).toBe('AGENT_NOT_FOUND');
    expect(answer.error?.details).toContain('nobody');
    expect(running.core.calls).toEqual([]);
  });

  test('a call without an agent is refused if there is no default agent', async () => {
    const other = await startGrpc({ agents: { ...agents, defaultName: undefined } });
    const client = stranger(other.target);
    expect((await client.ask('GetTask', { id: 't1' })).error?.code).toBe(status.NOT_FOUND);
    client.close();
  });
});

test.each(Object.keys(errorTable) as ErrorKind[])('an error has its code, reason and metadata: %s', async (kind) => {
  running.core.answer = () => {
    throw new A2AError(kind, undefined, { metadata: { taskId: 't1' } });
  };
  const answer = await peer.ask('GetTask', { id: 't1' });
  const row = errorTable[kind];
  expect(answer.error?.code).toBe(grpcStatus[row.grpc]);
  expect(answer.error?.details).toBe(row.message);
  expect(detailsOf(answer)).toMatchObject({
    reason: row.reason,
    domain: 'a2a-protocol.org',
    metadata: { taskId: 't1' },
  });
  expect(answer.trailers?.get('x-request-id')).toEqual([running.core.last.context.requestId]);
  expect(answer.trailers?.get('a2a-version')).toEqual(['1.0']);
});

test('faulty fields are named', async () => {
  const answer = await peer.ask('SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{}] } });
  expect(answer.error?.code).toBe(status.INVALID_ARGUMENT);
  expect(detailsOf(answer)).toMatchObject({ reason: 'INVALID_PARAMS' });
  expect(detailsOf(answer).violations).toEqual([
    expect.objectContaining({ field: expect.stringMatching(/^message\.parts\[0\]/) }),
  ]);
});

test('internal errors are not sent', async () => {
  running.core.answer = () => {
    throw new Error('secret');
  };
  const answer = await peer.ask('GetTask', { id: 't1' });
  expect(answer.error?.code).toBe(status.INTERNAL);
  expect(JSON.stringify(answer.error)).not.toContain('secret');
});

test('the message of an error that no header could carry is cut and encoded', async () => {
  const text = `\ud800 ünïcödé \n ${'x'.repeat(100_000)}`;
  running.core.answer = () => {
    throw new A2AError('internal', text, { metadata: { long: 'y'.repeat(100_000) } });
  };
  const answer = await peer.ask('GetTask', { id: 't1' });
  expect(answer.error?.code).toBe(status.INTERNAL);
  expect(answer.error?.details).toMatch(/^\ufffd ünïcödé \n x+…$/);
});

test('an answer that cannot be encoded is logged, and becomes an internal error', async () => {
  running.core.answer = () => ({ value: { message: { ...reply.message, parts: 7 } } as never });
  const answer = await peer.ask('SendMessage', send());
  expect(answer.error?.code).toBe(status.INTERNAL);
  expect(running.logger.lines).toHaveLength(1);
  expect((await peer.ask('SendMessage', send())).error?.code).toBe(status.INTERNAL);
});

test('an error says when to call again', async () => {
  running.core.answer = () => {
    throw new A2AError('tooManyRequests', undefined, { retryAfter: 1.5 });
  };
  const answer = await peer.ask('GetTask', { id: 't1' });
  expect(answer.error?.code).toBe(status.RESOURCE_EXHAUSTED);
  expect(answer.trailers?.get('retry-after')).toEqual(['2']);
});

test.each([['0.3'], ['1'], ['2.0'], ['nonsense']])('the version %s is refused', async (version) => {
  const answer = await peer.ask('SendMessage', send(), { metadata: { 'a2a-version': version } });
  expect(answer.error?.code).toBe(status.FAILED_PRECONDITION);
  expect(detailsOf(answer).reason).toBe('VERSION_NOT_SUPPORTED');
  expect(running.core.calls).toEqual([]);
});

test('a call with too many hops is refused', async () => {
  const answer = await peer.ask('SendMessage', send(), { metadata: { 'a2a-hops': '9' } });
  expect(answer.error?.code).toBe(status.INVALID_ARGUMENT);
  expect(running.core.calls).toEqual([]);
});

test('streams carry every event, then end', async () => {
  running.core.answer = () => ({ events: eventsOf(Array.from({ length: 300 }, (_, i) => chunk(i))) });
  const answer = await peer.ask('SendStreamingMessage', send());
  expect(answer.error).toBeUndefined();
  expect(answer.values).toHaveLength(300);
  expect(answer.values[299]).toMatchObject({ artifactUpdate: { artifact: { parts: [{ text: 'chunk 299' }] } } });
  expect(answer.head?.get('x-request-id')).toEqual([running.core.last.context.requestId]);
});

test('streams may be empty', async () => {
  running.core.answer = () => ({ events: eventsOf([]) });
  expect(await peer.ask('SendStreamingMessage', send())).toMatchObject({ values: [] });
});

test('streams resume after an event', async () => {
  running.core.answer = () => ({ events: eventsOf([chunk(1)]) });
  await peer.ask('SubscribeToTask', { id: 't1' }, { metadata: { 'last-event-id': '17' } });
  expect(running.core.last.context.replay).toEqual({ after: 17 });
  await peer.ask('SubscribeToTask', { id: 't1' }, { metadata: { 'last-event-id': 'x' } });
  expect(running.core.last.context.replay).toBeUndefined();
});

test('streams that fail before their first event answer with trailers alone', async () => {
  running.core.answer = () => ({
    events: (async function* () {
      yield* [];
      throw new A2AError('unsupportedOperation', 'It has ended');
    })(),
  });
  const answer = await peer.ask('SubscribeToTask', { id: 't1' });
  expect(answer.error?.code).toBe(status.FAILED_PRECONDITION);
  expect(answer.head?.get('x-request-id') ?? []).toEqual([]);
  expect(detailsOf(answer).reason).toBe('UNSUPPORTED_OPERATION');
});

test('streams that fail in the middle keep what was sent', async () => {
  running.core.answer = () => ({
    events: (async function* () {
      yield logged(chunk(1));
      throw new Error('broken');
    })(),
  });
  const answer = await peer.ask('SubscribeToTask', { id: 't1' });
  expect(answer.values).toHaveLength(1);
  expect(answer.error?.code).toBe(status.INTERNAL);
  expect(running.logger.lines).toHaveLength(1);
});

test('streams release their source when the client leaves, and never the task', async () => {
  const released = Promise.withResolvers<void>();
  running.core.answer = ({ context }) => ({
    events: (async function* () {
      try {
        yield logged(chunk(1));
        await new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason)));
      } finally {
        released.resolve();
      }
    })(),
  });
  const call = peer.open('SubscribeToTask', { id: 't1' });
  call.on('error', () => {});
  await once(call, 'data');
  call.cancel();
  await released.promise;
  expect(running.core.last.context.signal.aborted).toBe(true);
  expect(running.core.last.context.signal.reason).toMatchObject({ kind: 'canceled' });
  expect(running.logger.lines).toEqual([]);
});

test('streams release a source that does not watch the signal', async () => {
  const released = Promise.withResolvers<void>();
  running.core.answer = () => ({
    events: {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: async () => {
          released.resolve();
          return { done: true, value: undefined };
        },
      }),
    },
  });
  const call = peer.open('SubscribeToTask', { id: 't1' });
  call.on('error', () => {});
  await running.core.until(({ calls }) => calls.length === 1);
  call.cancel();
  await released.promise;
});

test('streams end at their deadline', async () => {
  running.core.answer = ({ context }) => ({
    events: (async function* () {
      yield logged(chunk(1));
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
    })(),
  });
  const http2 = session(running.target);
  afterTest(() => http2.destroy());
  const request = frame(encode(api, 'lf.a2a.v1.SubscribeToTaskRequest', { id: 't1' }));
  // A client that has no timer of its own: the server receives the call before its time begins.
  const answer = await ask(http2, '/lf.a2a.v1.A2AService/SubscribeToTask', request, { 'grpc-timeout': '200m' });
  expect(answer.status).toBe(status.DEADLINE_EXCEEDED);
  expect(running.core.last.context.signal.aborted).toBe(true);
});

test('every rpc of the proto is served', async () => {
  for (const { rpc, streaming } of api.operations) {
    running.core.answer = () => (streaming ? { events: eventsOf([chunk(1)]) } : { value: {} as never });
    const before = running.core.calls.length;
    const request = rpc.startsWith('Send') ? send() : { id: 'x', taskId: 't1', url: 'https://example.com/hook' };
    const answer = await peer.ask(rpc, request);
    expect(answer.error, rpc).toBeUndefined();
    expect(running.core.calls.length, rpc).toBe(before + 1);
    expect(running.core.last.operation).toBe(rpc);
  }
});
