import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Code } from '@connectrpc/connect';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { A2AError, type ErrorKind, errorTable, grpcStatus } from '../../../src/core/errors.ts';
import { EnvelopeReader, envelope } from '../../../src/transports/connect/envelope.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { anyJson } from '../../support/arbitrary-json.ts';
import { api, chunk, eventsOf, logged, message, reply } from '../rpc-support.ts';
import { connectStranger, detailsOf, protocols, type Seen } from './stranger.ts';
import { type RunningConnect, startConnect } from './support.ts';

let running: RunningConnect;
const others: RunningConnect[] = [];

async function serve(over?: Parameters<typeof startConnect>[0]): Promise<RunningConnect> {
  const other = await startConnect(over);
  other.core.answer = () => ({ value: reply });
  others.push(other);
  return other;
}

beforeEach(async () => {
  running = await startConnect();
  running.core.answer = () => ({ value: reply });
});
afterEach(async () => {
  for (const one of [running, ...others.splice(0)]) await one.stop();
});

const path = '/lf.a2a.v1.A2AService/SendMessage';
const streamPath = '/lf.a2a.v1.A2AService/SendStreamingMessage';

/** A request as bytes. */
async function post(
  url: string,
  type: string | undefined,
  body: Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  const req = request(url, {
    method: 'POST',
    agent: new Agent(),
    headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
  });
  req.end(body);
  const [res] = await once(req, 'response');
  const parts: Buffer[] = [];
  for await (const part of res) parts.push(part);
  return { status: res.statusCode, headers: res.headers, body: Buffer.concat(parts) };
}

const errorIn = (body: Buffer) => JSON.parse(body.toString()) as { code: string; message: string; details: object[] };

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe.each(protocols)('%s', (protocol) => {
  const peer = () => connectStranger(running.url, protocol);

  test('a unary call', async () => {
    const seen: Seen = {};
    running.core.answer = ({ context }) => {
      context.notes.extensions.add('urn:a');
      context.notes.losses.add('message.metadata');
      return { value: reply };
    };
    const headers = {
      'a2a-extensions': 'urn:a',
      'idempotency-key': 'k1',
      'x-request-id': 'r-1',
      'a2a-hops': '1',
      'a2a-version': '1.0',
    };
    expect(await peer().unary('SendMessage', { message }, { headers, timeoutMs: 60_000 }, seen)).toEqual(reply);
    const { request, context, operation } = running.core.last;
    expect(operation).toBe('SendMessage');
    expect(request).toEqual({ message });
    expect(context).toMatchObject({
      agent: 'demo',
      tenant: '',
      extensions: ['urn:a'],
      idempotencyKey: 'k1',
      requestId: 'r-1',
      hops: 1,
      principal: { id: 'tester' },
    });
    expect(context.deadline).toBeGreaterThan(Date.now());
    expect(Object.fromEntries(seen.headers ?? [])).toMatchObject({
      'a2a-version': '1.0',
      'a2a-extensions': 'urn:a',
      'a2a-gateway-loss': 'message.metadata',
      'x-request-id': 'r-1',
    });
  });

  test('a stream', async () => {
    running.core.answer = () => ({ events: eventsOf(Array.from({ length: 200 }, (_, i) => chunk(i))) });
    const seen: Seen = {};
    const headers = { 'last-event-id': '5' };
    const events = await collect(peer().stream('SubscribeToTask', { id: 't1' }, { headers }, seen));
    expect(events).toEqual(Array.from({ length: 200 }, (_, i) => chunk(i)));
    expect(running.core.last.context.replay).toEqual({ after: 5 });
    expect(seen.headers?.get('x-request-id')).toBe(running.core.last.context.requestId);
    running.core.answer = () => ({ events: eventsOf([]) });
    expect(await collect(peer().stream('SubscribeToTask', { id: 't1' }))).toEqual([]);
  });

  test.each(Object.keys(errorTable) as ErrorKind[])('%s', async (kind) => {
    running.core.answer = () => {
      throw new A2AError(kind, 'Säid so', { metadata: { taskId: 't1' } });
    };
    const row = errorTable[kind];
    for (const failing of [
      peer().unary('GetTask', { id: 't1' }),
      collect(peer().stream('SubscribeToTask', { id: 't1' })),
    ]) {
      const error = await failing.catch((thrown) => thrown);
      expect(error).toMatchObject({ code: grpcStatus[row.grpc], rawMessage: 'Säid so' });
      expect(detailsOf(error)['google.rpc.ErrorInfo']).toEqual({
        reason: row.reason,
        domain: 'a2a-protocol.org',
        metadata: { taskId: 't1' },
      });
    }
  });

  test('faulty fields are named', async () => {
    const faulty = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{}] } };
    const error = await peer()
      .unary('SendMessage', faulty)
      .catch((thrown) => thrown);
    expect(error.code).toBe(Code.InvalidArgument);
    expect(detailsOf(error)['google.rpc.BadRequest']).toMatchObject({
      fieldViolations: [{ field: expect.stringMatching(/^message\.parts\[0\]/) }],
    });
  });

  test('an error in the middle of a stream', async () => {
    running.core.answer = () => ({
      events: (async function* () {
        yield logged(chunk(1));
        throw new Error('secret');
      })(),
    });
    const events = peer().stream('SubscribeToTask', { id: 't1' })[Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual(chunk(1));
    const error = await events.next().catch((thrown) => thrown);
    expect(error.code).toBe(Code.Internal);
    expect(error.message).not.toContain('secret');
    expect(running.logger.lines).toHaveLength(1);
  });

  test('which agent', async () => {
    await peer()
      .unary('GetTask', { id: 't1', tenant: 'weather/acme' })
      .catch(() => {});
    expect(running.core.last.context).toMatchObject({ agent: 'weather', tenant: 'acme' });
    expect(running.core.last.request).toEqual({ id: 't1' });
    const headers = { 'a2a-agent': 'weather' };
    await peer()
      .unary('GetTask', { id: 't1' }, { headers })
      .catch(() => {});
    expect(running.core.last.context).toMatchObject({ agent: 'weather', tenant: '' });
    const below = connectStranger(`${running.url}/weather`, protocol);
    await below.unary('GetTask', { id: 't1', tenant: 'demo' }).catch(() => {});
    expect(running.core.last.context).toMatchObject({ agent: 'weather', tenant: 'demo' });
    await expect(peer().unary('GetTask', { id: 't1', tenant: 'nobody' })).rejects.toMatchObject({
      code: Code.NotFound,
    });
  });

  test('another version', async () => {
    const headers = { 'a2a-version': '0.3' };
    const error = await peer()
      .unary('GetTask', { id: 't1' }, { headers })
      .catch((thrown) => thrown);
    expect(error.code).toBe(Code.FailedPrecondition);
    expect(detailsOf(error)['google.rpc.ErrorInfo']).toMatchObject({ reason: 'VERSION_NOT_SUPPORTED' });
  });

  test('another version as a query parameter', async () => {
    const asked = await post(`${running.url}${path}?A2A-Version=0.3`, 'application/json', '{}');
    expect([asked.status, errorIn(asked.body).code]).toEqual([400, 'failed_precondition']);
  });

  test('who gets in is decided first, and told in the same shape', async () => {
    const closed = await serve({
      authenticate: () => {
        throw new A2AError('unauthenticated');
      },
    });
    const outside = connectStranger(closed.url, protocol);
    await expect(outside.unary('SendMessage', { message })).rejects.toMatchObject({ code: Code.Unauthenticated });
    await expect(collect(outside.stream('SubscribeToTask', { id: 't1' }))).rejects.toMatchObject({
      code: Code.Unauthenticated,
    });
    expect(closed.core.calls).toEqual([]);
  });

  test('a client that leaves', async () => {
    running.core.answer = ({ context }) => ({
      events: (async function* () {
        yield logged(chunk(1));
        await once(context.signal, 'abort');
      })(),
    });
    const controller = new AbortController();
    const events = peer()
      .stream('SubscribeToTask', { id: 't1' }, { signal: controller.signal })
      [Symbol.asyncIterator]();
    await events.next();
    controller.abort();
    await expect(events.next()).rejects.toMatchObject({ code: Code.Canceled });
    await expect.poll(() => running.core.last.context.signal.aborted).toBe(true);
    expect(running.logger.lines).toEqual([]);
  });

  test('a deadline', async () => {
    running.core.answer = () => new Promise(() => {});
    await expect(peer().unary('GetTask', { id: 't1' }, { timeoutMs: 50 })).rejects.toMatchObject({
      code: Code.DeadlineExceeded,
    });
    await expect(collect(peer().stream('SubscribeToTask', { id: 't1' }, { timeoutMs: 50 }))).rejects.toMatchObject({
      code: Code.DeadlineExceeded,
    });
    await expect.poll(() => running.core.calls.every(({ context }) => context.signal.aborted)).toBe(true);
  });

  test('every rpc of the proto is served', async () => {
    for (const { rpc, streaming } of api.operations) {
      running.core.answer = () => (streaming ? { events: eventsOf([chunk(1)]) } : { value: {} as never });
      const request = rpc.startsWith('Send') ? { message } : {};
      const before = running.core.calls.length;
      const asked = streaming ? collect(peer().stream(rpc, request)) : peer().unary(rpc, request);
      const error = await asked.then(
        () => undefined,
        (thrown) => thrown,
      );
      // What lacks a required field is refused by name; the rest reaches the core.
      if (error) expect(error, rpc).toMatchObject({ code: Code.InvalidArgument });
      else expect(running.core.calls.length, rpc).toBe(before + 1);
    }
  });
});

describe('plain HTTP', () => {
  const json = JSON.stringify({ message });

  test('curl needs no more than JSON', async () => {
    const snake = JSON.stringify({
      message: { message_id: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }], new: 1 },
    });
    const answer = await post(running.url + path, 'application/json; charset=utf-8', snake);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(JSON.parse(answer.body.toString())).toEqual(reply);
    expect(running.core.last.request).toEqual({ message });
  });

  test.each([
    ['gzip', gzipSync(json)],
    ['br', brotliCompressSync(json)],
    ['identity', Buffer.from(json)],
  ])('a body compressed with %s', async (encoding, body) => {
    const answer = await post(running.url + path, 'application/json', body, { 'content-encoding': encoding });
    expect(answer.status).toBe(200);
    const proto = gzipSync(encode(api, 'lf.a2a.v1.SendMessageRequest', { message }));
    const web = await post(running.url + path, 'application/grpc-web+proto', envelope(proto, 1), {
      'grpc-encoding': 'gzip',
    });
    expect(web.body.toString('latin1')).toContain('grpc-status: 0');
  });

  test('gRPC-Web as text', async () => {
    const proto = envelope(encode(api, 'lf.a2a.v1.SendMessageRequest', { message }));
    const body = proto.subarray(0, 4).toString('base64') + proto.subarray(4).toString('base64');
    const answer = await post(running.url + path, 'application/grpc-web-text', body);
    expect(answer.headers['content-type']).toBe('application/grpc-web-text');
    const pieces = answer.body.toString('latin1').match(/[^=]+=*/g) ?? [];
    const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')));
    const [first, last] = [...new EnvelopeReader(1 << 20).read(bytes)];
    expect(first?.data).toEqual(Buffer.from(encode(api, 'lf.a2a.v1.SendMessageResponse', reply)));
    expect(last?.flags).toBe(0x80);
    expect(last?.data.toString()).toBe('grpc-status: 0\r\n');
  });

  test('an unknown rpc of a known service', async () => {
    const answer = await post(`${running.url}/lf.a2a.v1.A2AService/Nothing`, 'application/json', '{}');
    expect(answer.status).toBe(501);
    expect(errorIn(answer.body).code).toBe('unimplemented');
    const web = await post(`${running.url}/lf.a2a.v1.A2AService/Nothing`, 'application/grpc-web+proto', '');
    expect(web.headers['grpc-status']).toBe('12');
  });

  test('the wrong verb and the wrong type', async () => {
    const get = await fetch(running.url + path);
    expect(get.status).toBe(405);
    expect(get.headers.get('x-request-id')).toMatch(/./);
    expect(get.headers.get('allow')).toBe('POST');
    for (const type of ['text/plain', 'application/connect+json', undefined]) {
      const answer = await post(running.url + path, type, json);
      expect(answer.status).toBe(415);
      expect(answer.headers['accept-post']).toContain('application/json');
    }
    expect((await post(running.url + streamPath, 'application/json', json)).status).toBe(415);
  });

  test('a body over the limit', async () => {
    const small = await serve({ limits: { body: 1_000 } });
    const big = JSON.stringify({ message: { ...message, parts: [{ text: 'x'.repeat(2_000) }] } });
    const answer = await post(small.url + path, 'application/json', big);
    expect(errorIn(answer.body).code).toBe('resource_exhausted');
    const bomb = await post(small.url + path, 'application/json', gzipSync(big), { 'content-encoding': 'gzip' });
    expect(errorIn(bomb.body).code).toBe('resource_exhausted');
    const claimed = Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1]);
    const web = await post(small.url + path, 'application/grpc-web', claimed);
    expect(web.headers['grpc-status']).toBe('8');
    expect(small.core.calls).toEqual([]);
  });

  test.each([
    ['no JSON', 'application/json', '{'],
    ['nested too deeply', 'application/json', `{"message":${'['.repeat(200)}${']'.repeat(200)}}`],
    ['nested deep enough to overflow a stack', 'application/json', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['__proto__', 'application/json', '{"message":{"__proto__":{"x":1}}}'],
    ['not an object', 'application/json', '7'],
    ['bytes that are none', 'application/proto', Buffer.from([0xff, 0xff])],
  ])('%s', async (_, type, body) => {
    const answer = await post(running.url + path, type, body);
    expect(answer.status).toBe(400);
    expect(errorIn(answer.body).code).toBe('invalid_argument');
    expect(errorIn(answer.body).details.length).toBeGreaterThan(0);
    expect(running.core.calls).toEqual([]);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test.each([
    ['half a message', Buffer.from([0, 0, 0, 0, 9, 1])],
    ['half a prefix', Buffer.from([0, 0])],
    ['no message', Buffer.alloc(0)],
    ['two messages', Buffer.concat([envelope(Buffer.alloc(0)), envelope(Buffer.alloc(0))])],
    ['an odd flag', envelope(Buffer.alloc(0), 4)],
    ['compressed with nothing', envelope(Buffer.from('x'), 1)],
  ])('%s', async (_, body) => {
    const web = await post(running.url + streamPath, 'application/grpc-web', body);
    expect(web.headers['grpc-status']).toBe('3');
    const connect = await post(running.url + streamPath, 'application/connect+proto', body);
    const [end] = [...new EnvelopeReader(1 << 20).read(connect.body)];
    expect(end?.flags).toBe(2);
    expect(JSON.parse(end?.data.toString() ?? '')).toMatchObject({ error: { code: 'invalid_argument' } });
  });

  test.each([
    ['connect-timeout-ms', 'application/json', 'soon', json],
    ['grpc-timeout', 'application/grpc-web+json', '10', envelope(Buffer.from(json))],
  ])('%s that is none', async (name, type, value, body) => {
    const answer = await post(running.url + path, type, body, { [name]: value });
    expect(answer.status === 400 || answer.headers['grpc-status'] === '3').toBe(true);
  });

  test('any JSON and any bytes get a well-formed answer', async () => {
    const types = [
      'application/json',
      'application/proto',
      'application/grpc-web',
      'application/grpc-web-text',
    ] as const;
    const bytes = fc.uint8Array({ maxLength: 100 }).map((array) => Buffer.from(array));
    const body = fc.oneof(
      bytes,
      bytes.map((inner) => envelope(inner)),
      anyJson.map((value) => Buffer.from(JSON.stringify(value))),
    );
    const property = fc.asyncProperty(fc.constantFrom(...types), body, async (type, sent) => {
      const answer = await post(running.url + path, type, sent);
      if (type.includes('web')) {
        expect(answer.status).toBe(200);
        expect(answer.headers['grpc-status'] ?? '0').toMatch(/^(0|3|8)$/);
      } else if (answer.status !== 200) {
        expect(answer.status).toBe(400);
        expect(errorIn(answer.body)).toMatchObject({ code: 'invalid_argument', message: expect.any(String) });
      }
    });
    await fc.assert(property, { numRuns: 200 });
    expect(running.logger.lines).toEqual([]);
  });

  test('a client that does not read is cut off, and its source released', async () => {
    const impatient = await serve({ limits: { slowReader: 50 } });
    const released = Promise.withResolvers<void>();
    impatient.core.answer = () => ({
      events: (async function* () {
        try {
          for (let i = 0; ; i++) yield logged(chunk(i, 'x'.repeat(16 * 1024)));
        } finally {
          released.resolve();
        }
      })(),
    });
    const req = request(impatient.url + streamPath, {
      method: 'POST',
      headers: { 'content-type': 'application/connect+json' },
    });
    req.on('error', () => {});
    req.end(envelope(Buffer.from(json)));
    await once(req, 'response');
    await released.promise;
    req.destroy();
  });
});
