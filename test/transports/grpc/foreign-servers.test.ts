import { once } from 'node:events';
import {
  constants,
  createServer,
  type Http2Server,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CallContext, isStream } from '../../../src/core/model/call.ts';
import { neverArrived } from '../../../src/net/network-errors.ts';
import { createGrpcClient } from '../../../src/transports/grpc/client.ts';
import type { ClientTransport } from '../../../src/transports/outbound/http-transport.ts';
import { envelope } from '../../../src/transports/rpc/envelope.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { until } from '../../support/until.ts';
import { api, chunk, context, dialect } from '../rpc-support.ts';

/** The client before servers and proxies that end calls in every way that HTTP/2 has. */

const task = { id: 't1', status: { state: 'TASK_STATE_WORKING' } };
const taskBytes = Buffer.from(encode(api, 'lf.a2a.v1.Task', task));
/** More than a server may send before it is read. */
const total = 4_000;
const text = 'x'.repeat(1_000);
const eventBytes = (i: number): Buffer => Buffer.from(encode(api, 'lf.a2a.v1.StreamResponse', chunk(i, text)));
const grpcHead = { ':status': 200, 'content-type': 'application/grpc' };

let server: Http2Server;
let client: ClientTransport;
let sessions = 0;
let serve: (stream: ServerHttp2Stream) => void;

beforeEach(async () => {
  sessions = 0;
  server = createServer();
  server.on('session', (session) => {
    sessions += 1;
    session.on('error', () => {});
  });
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    serve(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = createGrpcClient({ url: `http://127.0.0.1:${port}`, dialect });
});

afterEach(async () => {
  await client.close();
  server.close();
});

const get = (over?: Partial<CallContext>) =>
  client.invoke({ operation: 'GetTask', request: { id: 't1' }, context: context(over) });

/** Answers with messages, and with trailers. */
function answer(stream: ServerHttp2Stream, bodies: readonly Buffer[], trailers: OutgoingHttpHeaders, head = {}): void {
  stream.respond({ ...grpcHead, ...head }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  for (const body of bodies) stream.write(body);
  stream.end();
}

const ok = { 'grpc-status': '0' };

const refuse = (stream: ServerHttp2Stream): void => stream.close(constants.NGHTTP2_REFUSED_STREAM);

/** Refuses a stream, and takes no others on its connection. */
function refuseLast(stream: ServerHttp2Stream): void {
  stream.session?.goaway(0, 2 ** 31 - 1);
  refuse(stream);
}

test('an answer in pieces of one byte, and one that is compressed', async () => {
  serve = (stream) =>
    answer(
      stream,
      [...envelope(taskBytes)].map((byte) => Buffer.of(byte)),
      ok,
    );
  expect(await get()).toEqual({ value: task });
  serve = (stream) => answer(stream, [envelope(gzipSync(taskBytes), 1)], ok, { 'grpc-encoding': 'gzip' });
  expect(await get()).toEqual({ value: task });
});

test.each<[string, readonly Buffer[], OutgoingHttpHeaders, object]>([
  ['two messages', [envelope(taskBytes), envelope(taskBytes)], ok, {}],
  ['no message', [], ok, {}],
  ['half a message', [envelope(taskBytes).subarray(0, 7)], ok, {}],
  ['a message that is too large', [Buffer.from([0, 0xff, 0xff, 0xff, 0xff])], ok, {}],
  ['an unknown compression', [envelope(taskBytes, 1)], ok, { 'grpc-encoding': 'snappy' }],
  ['a compression that it is not', [envelope(taskBytes, 1)], ok, { 'grpc-encoding': 'gzip' }],
  ['trailers without a status', [envelope(taskBytes)], { 'x-other': '1' }, {}],
  ['a status that is no number', [envelope(taskBytes)], { 'grpc-status': 'fine' }, {}],
  ['an empty status', [envelope(taskBytes)], { 'grpc-status': '' }, {}],
])('an answer with %s is not valid', async (_, bodies, trailers, head) => {
  serve = (stream) => answer(stream, bodies, trailers, head);
  const error = await get().catch((thrown) => thrown);
  expect(error).toMatchObject({ kind: 'invalidAgentResponse' });
  expect(neverArrived(error)).toBe(false);
});

test.each([
  ['no message', []],
  ['two messages', [envelope(taskBytes), envelope(taskBytes)]],
])(
  'an answer with %s has the status that gRPC gives it, and a kind that does not say that the operation is missing',
  async (_, bodies) => {
    serve = (stream) => answer(stream, bodies, ok);
    await expect(get()).rejects.toMatchObject({ kind: 'invalidAgentResponse', rpcStatus: 'UNIMPLEMENTED' });
  },
);

test('the content type of an answer counts in any case', async () => {
  serve = (stream) => answer(stream, [envelope(taskBytes)], ok, { 'content-type': 'Application/GRPC+proto' });
  expect(await get()).toEqual({ value: task });
});

test('a status in the headers counts only where no messages follow', async () => {
  serve = (stream) => answer(stream, [envelope(taskBytes)], ok, { 'grpc-status': '9' });
  expect(await get()).toEqual({ value: task });
});

test('a message of a status is read as far as it is encoded', async () => {
  const trailers = { 'grpc-status': '5', 'grpc-message': '100% of %E4%BD%A0%20 is %zz %ff' };
  serve = (stream) => answer(stream, [], trailers);
  await expect(get()).rejects.toMatchObject({ kind: 'taskNotFound', message: '100% of 你  is %zz \ufffd' });
});

test('a stream may be silent for so long, and no longer', async () => {
  const { port } = server.address() as AddressInfo;
  const impatient = createGrpcClient({ url: `http://127.0.0.1:${port}`, dialect, silence: 50 });
  const isCanceled = Promise.withResolvers<boolean>();
  serve = (stream) => {
    stream.on('aborted', () => isCanceled.resolve(true));
    stream.respond(grpcHead);
    stream.write(envelope(eventBytes(1)));
  };
  const reply = await impatient.invoke({ operation: 'SubscribeToTask', request: { id: 't1' }, context: context() });
  if (!isStream(reply)) throw new TypeError('no stream');
  const events = reply.events[Symbol.asyncIterator]();
  expect((await events.next()).value?.event).toEqual(chunk(1, text));
  await expect(events.next()).rejects.toMatchObject({
    kind: 'upstreamTimeout',
    message: expect.stringContaining('did not send anything'),
  });
  expect(await isCanceled.promise).toBe(true);
  await impatient.close();
});

test('a client without a timeout sends none to the server', async () => {
  const { port } = server.address() as AddressInfo;
  const patient = createGrpcClient({ url: `http://127.0.0.1:${port}`, dialect, timeout: Number.POSITIVE_INFINITY });
  const sent: unknown[] = [];
  server.on('stream', (_, headers) => sent.push(headers['grpc-timeout']));
  serve = (stream) => answer(stream, [envelope(taskBytes)], ok);
  await patient.invoke({ operation: 'GetTask', request: { id: 't1' }, context: context() });
  await get();
  expect(sent).toEqual([undefined, expect.stringMatching(/^\d+m$/)]);
  await patient.close();
});

test.each([
  [404, 'unsupportedOperation'],
  [401, 'unauthenticated'],
  [403, 'permissionDenied'],
  [429, 'upstreamUnreachable'],
  [503, 'upstreamUnreachable'],
  [200, 'invalidAgentResponse'],
])('a proxy that answers HTTP %d with a page', async (status, kind) => {
  serve = (stream) => {
    stream.respond({ ':status': status, 'content-type': 'text/html' });
    stream.end('<p>hello');
  };
  await expect(get()).rejects.toMatchObject({ kind, message: expect.stringContaining(`HTTP ${status}`) });
});

test.each([
  ['INTERNAL_ERROR', 2, 'internal', false],
  ['REFUSED_STREAM', 7, 'upstreamUnreachable', true],
  ['CANCEL', 8, 'canceled', false],
  ['ENHANCE_YOUR_CALM', 11, 'tooManyRequests', false],
] as const)('a call that the server ends without a status with %s', async (_, code, kind, isUnsent) => {
  serve = (stream) => stream.close(code);
  const error = await get().catch((thrown) => thrown);
  expect(error).toMatchObject({ kind });
  expect(neverArrived(error)).toBe(isUnsent);
});

test.each([
  ['its connection goes on', 1, 1],
  ['the server ends the connection of each', 3, 4],
] as const)('a call whose stream is refused is sent again: %s', async (_, refusals, connections) => {
  let calls = 0;
  serve = (stream) => {
    calls += 1;
    if (calls > refusals) answer(stream, [envelope(taskBytes)], ok);
    else if (refusals === 1) refuse(stream);
    else refuseLast(stream);
  };
  expect(await get()).toEqual({ value: task });
  expect([calls, sessions]).toEqual([refusals + 1, connections]);
});

test.each([
  ['its connection goes on', refuse, 2],
  ['the server ends the connection of each', refuseLast, 4],
])('a call whose stream is refused again and again ends, and provably has not run: %s', async (_, refuseIt, most) => {
  let calls = 0;
  serve = (stream) => {
    calls += 1;
    refuseIt(stream);
  };
  const error = await get().catch((thrown) => thrown);
  expect(error).toMatchObject({ kind: 'upstreamUnreachable', message: expect.stringMatching(/REFUSED_STREAM/) });
  expect([neverArrived(error), calls]).toEqual([true, most]);
});

test('a call that is begun in the moment when the server ends the connection is sent over another one', async () => {
  let calls = 0;
  serve = (stream) => {
    calls += 1;
    if (calls > 1) {
      answer(stream, [envelope(taskBytes)], ok);
      return;
    }
    // Both arrive in one read: the client begins its next call between them.
    stream.respond({ ...grpcHead, 'grpc-status': '5' }, { endStream: true });
    stream.session?.goaway(0, 2 ** 31 - 1);
  };
  expect(await get().catch(() => get())).toEqual({ value: task });
  expect([calls, sessions]).toEqual([2, 2]);
});

test('a call that the server has begun is not sent again because its connection ends with the code REFUSED_STREAM', async () => {
  let calls = 0;
  serve = (stream) => {
    calls += 1;
    stream.session?.goaway(constants.NGHTTP2_REFUSED_STREAM, stream.id ?? 0);
  };
  const error = await get().catch((thrown) => thrown);
  expect(error).toMatchObject({ kind: 'upstreamUnreachable' });
  expect([neverArrived(error), calls]).toEqual([false, 1]);
});

/** Takes so many streams of each connection at a time. */
const takeAtOnce = (maxConcurrentStreams: number): void => server.updateSettings({ maxConcurrentStreams });

describe('a server that takes few calls of a connection at a time', () => {
  /** Calls that the server has received, and not answered yet. */
  let held: ServerHttp2Stream[];
  let received: number;
  beforeEach(() => {
    held = [];
    received = 0;
    serve = (stream) => {
      received += 1;
      held.push(stream);
    };
  });
  const begin = (count: number) => Array.from({ length: count }, () => get());
  const reply = (stream: ServerHttp2Stream): void => answer(stream, [envelope(taskBytes)], ok);
  const hasReceived = (count: number) => until(server, ['stream'], () => received === count);

  test('a server that takes few calls of a connection at a time gets a call beside long ones over another connection', async () => {
    takeAtOnce(2);
    const long = begin(2);
    await hasReceived(2);
    serve = reply;
    expect(await get()).toEqual({ value: task });
    expect(sessions).toBe(2);
    held.forEach(reply);
    expect(await Promise.all(long)).toEqual([{ value: task }, { value: task }]);
  });

  test('a server that takes few calls of a connection at a time gets many that begin together over several connections', async () => {
    takeAtOnce(10);
    const closed: Promise<unknown>[] = [];
    server.on('session', (session) => closed.push(once(session, 'close')));
    const long = begin(35);
    await hasReceived(35);
    expect(sessions).toBe(4);
    held.forEach(reply);
    expect(await Promise.all(long)).toHaveLength(35);
    await client.close();
    await Promise.all(closed);
    expect(closed).toHaveLength(4);
  });

  test('a server that takes few calls of a connection at a time gets further ones in turn when sixteen connections are full', async () => {
    takeAtOnce(1);
    const long = begin(20);
    await hasReceived(16);
    serve = (stream) => {
      received += 1;
      reply(stream);
    };
    held.forEach(reply);
    expect(await Promise.all(long)).toHaveLength(20);
    expect([received, sessions]).toEqual([20, 16]);
  });

  test('a server that takes few calls of a connection at a time gets them in turn when it refuses another connection', async () => {
    takeAtOnce(1);
    const [first] = begin(1);
    await hasReceived(1);
    server.removeAllListeners('connection');
    server.once('connection', (socket) => {
      socket.destroy();
      serve = reply;
      held.forEach(reply);
    });
    const [second] = begin(1);
    expect(await Promise.all([first, second])).toEqual([{ value: task }, { value: task }]);
    expect(sessions).toBe(1);
  });

  test('a server that takes few calls of a connection at a time ends it: a call that waits is sent over another one', async () => {
    takeAtOnce(1);
    const long = begin(16);
    await hasReceived(16);
    const waiting = get();
    serve = reply;
    // The first connection is the one for which the call waits.
    held[0]?.session?.goaway(0, held[0].id ?? 0);
    expect(await waiting).toEqual({ value: task });
    held.forEach(reply);
    expect(await Promise.all(long)).toHaveLength(16);
    expect(sessions).toBe(17);
  });
});

test('a call that is given up while the server takes no more calls leaves nothing behind', async () => {
  takeAtOnce(0);
  const opened = once(server, 'session');
  const caller = new AbortController();
  const call = get({ signal: caller.signal });
  const [session]: ServerHttp2Session[] = await opened;
  await once(session as ServerHttp2Session, 'remoteSettings');
  caller.abort();
  await expect(call).rejects.toMatchObject({ kind: 'canceled' });
  const closed = once(session as ServerHttp2Session, 'close');
  await client.close();
  await closed;
});

test('a call that the server ends without a status because the connection is cut: the next call opens another', async () => {
  serve = (stream) => stream.session?.destroy();
  const error = await get().catch((thrown) => thrown);
  expect(error).toMatchObject({ kind: 'upstreamUnreachable' });
  expect(neverArrived(error)).toBe(false);
  serve = (stream) => answer(stream, [envelope(taskBytes)], ok);
  expect(await get()).toEqual({ value: task });
  expect(sessions).toBe(2);
});

test('a server that takes no more calls finishes those it has, and gets the next over another connection', async () => {
  const held = Promise.withResolvers<ServerHttp2Stream>();
  serve = (stream) => {
    stream.session?.goaway(0);
    held.resolve(stream);
  };
  const first = get();
  const stream = await held.promise;
  serve = (other) => answer(other, [envelope(taskBytes)], ok);
  await expect.poll(async () => ((await get()) as object) && sessions).toBe(2);
  answer(stream, [envelope(taskBytes)], ok);
  expect(await first).toEqual({ value: task });
});

test('calls that begin together share one connection', async () => {
  serve = (stream) => answer(stream, [envelope(taskBytes)], ok);
  await Promise.all(Array.from({ length: 50 }, () => get()));
  expect(sessions).toBe(1);
});

test('a stream that is not read holds the server back, and loses nothing', async () => {
  let written = 0;
  serve = (stream) => {
    stream.respond(grpcHead, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(ok));
    const more = (): void => {
      while (written < total) {
        written += 1;
        if (!stream.write(envelope(eventBytes(written)))) {
          stream.once('drain', more);
          return;
        }
      }
      stream.end();
    };
    more();
  };
  const reply = await client.invoke({ operation: 'SubscribeToTask', request: { id: 't1' }, context: context() });
  if (!isStream(reply)) throw new TypeError('no stream');
  const isHeld = async (): Promise<boolean> => {
    const before = written;
    await delay(100);
    return written === before;
  };
  await expect.poll(isHeld).toBe(true);
  expect(written).toBeLessThan(total);
  let read = 0;
  for await (const { event } of reply.events) {
    read += 1;
    expect(event).toEqual(chunk(read, text));
  }
  expect(read).toBe(total);
});

describe('an answer with a piece that cannot be read', () => {
  const parts = [{ text: 'before' }, { text: 'MARK' }, { text: 'behind' }];
  const ended = { id: 't1', status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ artifactId: 'a', parts }] };
  const bytesOf = (type: string, value: object): Buffer => {
    const bytes = Buffer.from(encode(api, `lf.a2a.v1.${type}`, value));
    bytes[bytes.indexOf('MARK')] = 0xff;
    return bytes;
  };
  const expected = {
    artifacts: [{ parts: [{ text: 'before' }, { text: '\uFFFDARK' }, { text: 'behind' }] }],
    metadata: { 'a2a-gateway/unread': ['artifacts[0].parts[1].text: has bytes that are not UTF-8'] },
  };

  test('an answer with a piece that cannot be read arrives, and the task names the piece', async () => {
    serve = (stream) => answer(stream, [envelope(bytesOf('Task', ended))], { 'grpc-status': '0' });
    expect(await get()).toMatchObject({ value: expected });
  });

  test('an answer with a piece that cannot be read arrives as an event of a stream, too', async () => {
    serve = (stream) => answer(stream, [envelope(bytesOf('StreamResponse', { task: ended }))], { 'grpc-status': '0' });
    const reply = await client.invoke({ operation: 'SubscribeToTask', request: { id: 't1' }, context: context() });
    if (!isStream(reply)) throw new TypeError('no stream');
    const events = [];
    for await (const { event } of reply.events) events.push(event);
    expect(events).toMatchObject([{ task: expected }]);
  });
});
