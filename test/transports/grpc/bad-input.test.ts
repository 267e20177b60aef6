import { once } from 'node:events';
import { type ClientHttp2Session, constants } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallerFacts } from '../../../src/core/limits/admission.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { afterTest } from '../../support/peer.ts';
import { api, type caller, chunk, logged, message, type Running, reply, startGrpc } from '../rpc-support.ts';
import { answerOf, ask, frame, open, session } from './raw.ts';
import { stranger } from './stranger.ts';

const path = '/lf.a2a.v1.A2AService/SendMessage';
const good = frame(encode(api, 'lf.a2a.v1.SendMessageRequest', { message }));

async function serve(over?: Parameters<typeof startGrpc>[0]): Promise<{ running: Running; http2: ClientHttp2Session }> {
  const running = await startGrpc(over);
  running.core.answer = () => ({ value: reply });
  const http2 = session(running.target);
  afterTest(() => http2.destroy());
  return { running, http2 };
}

describe('request bytes', () => {
  let running: Running;
  let http2: ClientHttp2Session;
  beforeAll(async () => {
    running = await startGrpc();
    running.core.answer = ({ operation }) =>
      operation.includes('Stream') || operation.startsWith('Subscribe')
        ? { events: (async function* () {})() }
        : { value: {} as never };
    http2 = session(running.target);
  });
  afterAll(() => http2.destroy());

  test.each([
    ['no message', 'UNIMPLEMENTED', Buffer.alloc(0), {}],
    ['two messages', 'UNIMPLEMENTED', Buffer.concat([good, good]), {}],
    ['an unknown compression', 'UNIMPLEMENTED', good, { 'grpc-encoding': 'lzma' }],
    ['a compressed message without a compression', 'INTERNAL', frame(Buffer.from('nonsense'), 8, 1), {}],
    ['a compressed identity', 'INTERNAL', frame(Buffer.from('nonsense'), 8, 1), { 'grpc-encoding': 'identity' }],
  ] as const)('a request with %s is %s', async (_, expected, body, headers) => {
    const answer = await ask(http2, path, body, headers);
    expect(answer.status).toBe(status[expected]);
    const accepted = expected === 'UNIMPLEMENTED' ? 'identity,gzip,deflate' : undefined;
    expect(answer.headers['grpc-accept-encoding']).toBe(accepted);
  });

  test.each([
    ['an empty message', frame(Buffer.alloc(0))],
    ['a group without an end', frame(Buffer.from([0x0b, 0x0b, 0x0b]))],
    ['a length beyond the end', frame(Buffer.from([0x0a, 0xff, 0xff, 0x03, 1]))],
    ['invalid UTF-8', frame(Buffer.from([0x0a, 0x02, 0xc3, 0x28]))],
    ['a field number of 0', frame(Buffer.from([0x02, 0x00]))],
  ])('a request is refused for its bytes: %s', async (_, body) => {
    const answer = await ask(http2, path, body);
    expect(answer.status).toBe(status.INVALID_ARGUMENT);
    expect(answer.headers['grpc-status-details-bin']).toBeTypeOf('string');
  });

  test('a message in gzip that is none is refused', async () => {
    const answer = await ask(http2, path, frame(Buffer.from('nonsense'), 8, 1), { 'grpc-encoding': 'gzip' });
    expect(answer.status).toBe(status.INVALID_ARGUMENT);
  });

  test('a timeout that is none is refused', async () => {
    expect((await ask(http2, path, good, { 'grpc-timeout': 'soon' })).status).toBe(status.INVALID_ARGUMENT);
    expect((await ask(http2, path, good)).status).toBe(status.OK);
  });

  test.each([
    ['an unknown rpc', '/lf.a2a.v1.A2AService/Nothing'],
    ['an unknown service', '/nobody.Service/SendMessage'],
    ['odd characters', '/lf.a2a.v1.A2AService/%00\u00e9?x'],
    ['no path to speak of', '/'],
  ])('a call of %s is UNIMPLEMENTED', async (_, unknown) => {
    const answer = await ask(http2, unknown, good);
    expect(answer.status).toBe(status.UNIMPLEMENTED);
    expect(answer.headers['grpc-status-details-bin']).toBeTypeOf('string');
  });

  test('messages arrive in any pieces', async () => {
    const text = 'x'.repeat(300);
    const body = frame(encode(api, 'lf.a2a.v1.SendMessageRequest', { message: { ...message, parts: [{ text }] } }));
    const property = fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: body.length }), { maxLength: 8 }),
      async (cuts) => {
        const stream = open(http2, path);
        const answer = answerOf(stream);
        let from = 0;
        for (const cut of [...cuts.toSorted((a, b) => a - b), body.length]) {
          // Each piece is a frame of its own.
          await new Promise((resolve) => stream.write(body.subarray(from, cut), resolve));
          from = cut;
        }
        stream.end();
        expect((await answer).status).toBe(status.OK);
        expect(running.core.last.request).toEqual({ message: { ...message, parts: [{ text }] } });
      },
    );
    await fc.assert(property, { numRuns: 50 });
  });

  test.each([['application/json'], ['application/grpc-web+proto'], ['']])('content type %j is 415', async (type) => {
    const answer = await ask(http2, path, good, { 'content-type': type });
    expect(answer.headers[':status']).toBe(415);
  });

  test('gRPC with JSON messages is refused with a gRPC status that names the media types that are served', async () => {
    const answer = await ask(http2, path, good, { 'content-type': 'application/grpc+json' });
    expect([answer.headers[':status'], answer.status]).toEqual([200, status.INVALID_ARGUMENT]);
    // Clients such as connect-go read no status that comes with another type.
    expect(answer.headers['content-type']).toBe('application/grpc+json');
    expect(decodeURIComponent(String(answer.headers['grpc-message']))).toMatch(
      /protobuf .*application\/grpc\+proto.* Connect \(application\/json\)/,
    );
  });

  test.each([
    ['application/grpc'],
    ['application/grpc+proto'],
    ['Application/GRPC'],
    ['application/grpc; charset=utf-8'],
  ])('the content type %s is served', async (type) => {
    expect((await ask(http2, path, good, { 'content-type': type })).status).toBe(status.OK);
  });

  test('another verb is 405', async () => {
    const answer = await ask(http2, path, good, { ':method': 'PUT' });
    expect(answer.headers[':status']).toBe(405);
  });
});

describe('sizes', () => {
  const big = (length: number) => ({ message: { ...message, parts: [{ text: 'x'.repeat(length) }] } });

  test('a message over the limit is RESOURCE_EXHAUSTED, and the connection lives', async () => {
    const { running } = await serve({ limits: { body: 10_000 } });
    const peer = stranger(running.target);
    afterTest(() => peer.close());
    expect((await peer.ask('SendMessage', big(9_000))).error).toBeUndefined();
    expect((await peer.ask('SendMessage', big(11_000))).error?.code).toBe(status.RESOURCE_EXHAUSTED);
    expect((await peer.ask('SendMessage', big(10))).error).toBeUndefined();
    expect(running.core.calls).toHaveLength(2);
  });

  test('neither a claimed length nor a bomb is believed', async () => {
    const { http2, running } = await serve({ limits: { body: 10_000 } });
    const claimed = await ask(http2, path, frame(Buffer.alloc(10), 0xffffffff));
    expect(claimed.status).toBe(status.RESOURCE_EXHAUSTED);
    const bomb = gzipSync(Buffer.alloc(1 << 22));
    const burst = await ask(http2, path, frame(bomb, bomb.length, 1), { 'grpc-encoding': 'gzip' });
    expect(burst.status).toBe(status.RESOURCE_EXHAUSTED);
    expect(running.core.calls).toEqual([]);
  });

  test('answers may be larger than requests', async () => {
    const { running } = await serve({ limits: { body: 1_000 } });
    const peer = stranger(running.target, { 'grpc.max_receive_message_length': -1 });
    afterTest(() => peer.close());
    const text = 'y'.repeat(8 << 20);
    running.core.answer = () => ({ value: { message: { ...message, parts: [{ text }] } } as never });
    const answer = await peer.ask('SendMessage', { message });
    expect(answer.value).toMatchObject({ message: { parts: [{ text }] } });
  });
});

test('authentication decides before the message arrives', async () => {
  let seen: unknown;
  const { http2, running } = await serve({
    authenticate: (facts: CallerFacts) => {
      const { hasBody, encrypted, remoteAddress, host, httpVersion } = facts;
      const headers = ['authorization', 'content-type', 'nothing'].map((name) => facts.header(name));
      seen = { hasBody, encrypted, remoteAddress, host, httpVersion, headers };
      throw new A2AError('unauthenticated');
    },
  });
  const stream = open(http2, path, { authorization: 'Bearer no', 'a2a-extensions': 'urn:a' });
  // No byte of a body is sent.
  const answer = await answerOf(stream);
  expect(answer.status).toBe(status.UNAUTHENTICATED);
  expect(seen).toEqual({
    hasBody: true,
    encrypted: false,
    remoteAddress: '127.0.0.1',
    host: running.target,
    httpVersion: '2.0',
    headers: ['Bearer no', 'application/grpc', undefined],
  });
  expect(running.core.calls).toEqual([]);
});

test('authentication may take its time', async () => {
  const decision = Promise.withResolvers<typeof caller>();
  const { http2, running } = await serve({ authenticate: () => decision.promise });
  const answer = ask(http2, path, good);
  decision.resolve({ id: 'late', anonymous: false });
  expect((await answer).status).toBe(status.OK);
  expect(running.core.last.context.principal.id).toBe('late');
});

test('authentication may refuse late', async () => {
  const { http2 } = await serve({ authenticate: async () => Promise.reject(new A2AError('permissionDenied')) });
  expect((await ask(http2, path, good)).status).toBe(status.PERMISSION_DENIED);
});

describe('slowness', () => {
  test('a call whose message does not arrive is ended', async () => {
    const { http2, running } = await serve({ limits: { body: 1_000, arrival: 20 } });
    const stream = open(http2, path);
    stream.write(good.subarray(0, 7));
    expect((await answerOf(stream)).status).toBe(status.DEADLINE_EXCEEDED);
    // Nothing is held for what the client has still to send.
    await expect.poll(() => stream.closed).toBe(true);
    expect(running.core.calls).toEqual([]);
  });

  test('a reader that does not read holds the source back', async () => {
    const { http2, running } = await serve();
    const total = 500;
    let made = 0;
    running.core.answer = () => ({
      events: (async function* () {
        for (; made < total; made++) yield logged(chunk(made, 'x'.repeat(8 * 1024)));
      })(),
    });
    const stream = open(http2, '/lf.a2a.v1.A2AService/SendStreamingMessage');
    stream.end(good);
    await once(stream, 'response');
    await expect.poll(() => made).toBeGreaterThan(5);
    // Its window and the server's bound are 64 KiB each.
    expect(made).toBeLessThan(40);
    const answer = await answerOf(stream);
    expect(made).toBe(total);
    expect(answer.body.length).toBeGreaterThan(total * 8 * 1024);
    expect(answer.status).toBe(status.OK);
  });

  test('a reader that does not read for too long is cut off', async () => {
    const { http2, running } = await serve({ limits: { body: 1_000, slowReader: 50 } });
    const released = Promise.withResolvers<void>();
    running.core.answer = () => ({
      events: (async function* () {
        try {
          for (let i = 0; ; i++) yield logged(chunk(i, 'x'.repeat(8 * 1024)));
        } finally {
          released.resolve();
        }
      })(),
    });
    const stream = open(http2, '/lf.a2a.v1.A2AService/SendStreamingMessage');
    stream.end(good);
    await released.promise;
    const answer = await answerOf(stream).catch(() => undefined);
    // By its trailers, or by the reset of its stream: gRPC reads both alike.
    if (answer?.status !== undefined) expect(answer.status).toBe(status.RESOURCE_EXHAUSTED);
    else expect(stream.rstCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });
});
