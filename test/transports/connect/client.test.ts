import { createServer, type RequestListener } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isStream } from '../../../src/core/model/call.ts';
import { createConnectClient } from '../../../src/transports/connect/client.ts';
import type { ClientTransport } from '../../../src/transports/outbound/http-transport.ts';
import { envelope, flags } from '../../../src/transports/rpc/envelope.ts';
import { listenOn } from '../../support/peer.ts';
import { clientSuite } from '../rpc-client-suite.ts';
import { chunk, context, dialect } from '../rpc-support.ts';
import { startConnect } from './support.ts';

clientSuite(startConnect, (options) => createConnectClient({ dialect, ...options }));

test('a dialect without a protobuf binding is refused', () => {
  const { grpc: _, ...rest } = dialect;
  expect(() => createConnectClient({ url: 'http://localhost:1', dialect: rest })).toThrow(TypeError);
  expect(() => createConnectClient({ url: 'nowhere', dialect })).toThrow(
    expect.objectContaining({ kind: 'invalidParams' }),
  );
});

describe('against others', () => {
  let answer: RequestListener;
  let client: ClientTransport;
  let stop: () => void;
  let base: string;
  beforeEach(async () => {
    const server = createServer((req, res) => {
      req.resume();
      answer(req, res);
    });
    const { origin } = await listenOn(server);
    base = `${origin}/below/`;
    client = createConnectClient({ url: base, dialect });
    stop = () => {
      server.closeAllConnections();
      server.close();
    };
  });
  afterEach(async () => {
    await client.close();
    stop();
  });
  const get = () => client.invoke({ operation: 'GetTask', request: { id: 't1' }, context: context() });
  const follow = async () => {
    const reply = await client.invoke({ operation: 'SubscribeToTask', request: { id: 't1' }, context: context() });
    if (!isStream(reply)) throw new TypeError();
    const events = [];
    for await (const { event } of reply.events) events.push(event);
    return events;
  };

  test('the client finds the service below the URL', async () => {
    let path: string | undefined;
    answer = (req, res) => {
      path = req.url;
      res.writeHead(404, { 'content-type': 'application/json' }).end('{"code":"not_found","message":"gone"}');
    };
    await expect(get()).rejects.toMatchObject({ kind: 'taskNotFound', message: 'gone' });
    expect(path).toBe('/below/lf.a2a.v1.A2AService/GetTask');
  });

  test.each([
    [404, 'routeNotFound', 'UNIMPLEMENTED'],
    [409, 'invalidAgentResponse', 'UNKNOWN'],
    [415, 'contentTypeNotSupported', 'UNKNOWN'],
    [429, 'tooManyRequests', 'UNAVAILABLE'],
    [504, 'upstreamTimeout', 'UNAVAILABLE'],
  ])(
    'the client reads HTTP %d without an error: %s, with the status %s that Connect gives it',
    async (status, kind, rpcStatus) => {
      answer = (_req, res) => res.writeHead(status, { 'retry-after': '7' }).end();
      await expect(get()).rejects.toMatchObject({ kind, rpcStatus, retryAfter: 7 });
    },
  );

  test.each([
    [404, 'text/html', '<p>', 'routeNotFound'],
    [502, 'application/json', '{}', 'upstreamUnreachable'],
    [401, 'application/json', '{"code":"unauthenticated"}', 'unauthenticated'],
    [200, 'application/json', '7', 'invalidAgentResponse'],
    [200, 'application/json', '{', 'invalidAgentResponse'],
    [200, 'text/html', '<p>', 'invalidAgentResponse'],
  ])('the client reads HTTP %d with %s %j', async (status, type, body, kind) => {
    answer = (_req, res) => res.writeHead(status, { 'content-type': type }).end(body);
    await expect(get()).rejects.toMatchObject({ kind });
    await expect(follow()).rejects.toMatchObject({ kind });
  });

  const json = (value: unknown, flag = 0): Buffer => envelope(Buffer.from(JSON.stringify(value)), flag);

  test.each([
    ['an end that was not said', [json(chunk(1))]],
    ['half an event', [json(chunk(1)).subarray(0, 20)]],
    ['no JSON', [envelope(Buffer.from('{')), json({}, 2)]],
    ['an event that is none', [json({ nothing: 1, statusUpdate: 7 }), json({}, 2)]],
    ['something compressed', [json(chunk(1), 1), json({}, 2)]],
  ])('the client refuses a stream with %s', async (_, parts) => {
    answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/connect+json' });
      res.end(Buffer.concat(parts));
    };
    await expect(follow()).rejects.toMatchObject({ kind: 'invalidAgentResponse' });
  });

  describe('messages that are compressed although none was asked for', () => {
    const compressed = (encode: (data: Buffer) => Buffer, event: object, flag = 0) =>
      envelope(encode(Buffer.from(JSON.stringify(event))), flags.compressed | flag);
    const respond = (encoding: string, parts: readonly Buffer[]): void => {
      answer = (_req, res) => {
        res.writeHead(200, { 'content-type': 'application/connect+json', 'connect-content-encoding': encoding });
        res.end(Buffer.concat(parts));
      };
    };

    test.each([
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ])(
      'messages that are compressed with %s although none was asked for are read, next to others that are not',
      async (encoding, encode) => {
        respond(encoding, [
          compressed(encode, chunk(1)),
          json(chunk(2)),
          compressed(encode, chunk(3)),
          compressed(encode, {}, flags.connectEnd),
        ]);
        expect(await follow()).toEqual([chunk(1), chunk(2), chunk(3)]);
      },
    );

    test.each([
      ['with an unknown compression', 'lzma', gzipSync, 'compression lzma'],
      ['without the name of their compression', 'identity', gzipSync, 'name no compression'],
      ['with another compression than they say', 'gzip', deflateSync, 'not valid gzip'],
    ])('messages %s are refused by name', async (_, encoding, encode, message) => {
      respond(encoding, [compressed(encode, chunk(1)), json({}, 2)]);
      await expect(follow()).rejects.toMatchObject({
        kind: 'invalidAgentResponse',
        message: expect.stringContaining(message),
      });
    });

    test('messages that are compressed although none was asked for become no larger than an answer may be', async () => {
      await client.close();
      client = createConnectClient({ url: base, dialect, maxAnswer: 100_000 });
      respond('gzip', [compressed(gzipSync, chunk(1, 'x'.repeat(200_000))), json({}, 2)]);
      await expect(follow()).rejects.toMatchObject({ kind: 'invalidAgentResponse', message: /100000/ });
    });
  });

  test('the client sends the version of the protocol, and the time that is left for an answer', async () => {
    const seen: unknown[] = [];
    answer = ({ headers }, res) => {
      seen.push(headers['connect-protocol-version'], headers['connect-timeout-ms']);
      res.writeHead(404, { 'content-type': 'application/json' }).end('{"code":"not_found"}');
    };
    await expect(get()).rejects.toMatchObject({ kind: 'taskNotFound' });
    await expect(follow()).rejects.toMatchObject({ kind: 'taskNotFound' });
    // A stream may take longer than its beginning.
    expect(seen).toEqual(['1', expect.stringMatching(/^\d+$/), '1', undefined]);
  });

  test('the dialect says what a code means, also to a client without a timeout', async () => {
    const { grpc = expect.fail('no gRPC') } = dialect;
    const kindOf = (status: string) => (status === 'ABORTED' ? ('taskNotCancelable' as const) : undefined);
    const own = createConnectClient({
      url: base,
      dialect: { ...dialect, grpc: { ...grpc, kindOf } },
      timeout: Number.POSITIVE_INFINITY,
    });
    answer = (_req, res) => {
      res.writeHead(409, { 'content-type': 'application/json' });
      setTimeout(() => res.end('{"code":"aborted"}'), 20);
    };
    const call = own.invoke({ operation: 'GetTask', request: { id: 't1' }, context: context() });
    await expect(call).rejects.toMatchObject({ kind: 'taskNotCancelable' });
    await own.close();
  });

  test('the client reads an error at the end without details', async () => {
    answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/connect+json' });
      res.end(Buffer.concat([json(chunk(1)), json({ error: { code: 'unavailable', message: 'gone' } }, 2)]));
    };
    await expect(follow()).rejects.toMatchObject({ kind: 'upstreamUnreachable', message: 'gone' });
  });
});
