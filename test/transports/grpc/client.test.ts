import { once } from 'node:events';
import { createServer } from 'node:net';
import * as grpc from '@grpc/grpc-js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { CallContext } from '../../../src/core/model/call.ts';
import { createGrpcClient } from '../../../src/transports/grpc/client.ts';
import type { ClientTransport } from '../../../src/transports/outbound/http-transport.ts';
import { paced } from '../../support/pace.ts';
import { listenOn } from '../../support/peer.ts';
import { clientSuite } from '../rpc-client-suite.ts';
import { context, dialect, message, reply, startGrpc } from '../rpc-support.ts';

clientSuite(
  async () => {
    const running = await startGrpc();
    return { core: running.core, url: `http://${running.target}`, stop: running.stop };
  },
  (options) => createGrpcClient({ dialect, ...options }),
);

test('the server gets the remaining time as the timeout', async () => {
  const running = await startGrpc();
  running.core.answer = () => ({ value: reply });
  const client = createGrpcClient({ url: running.target, dialect, timeout: paced(60_000) });
  await client.invoke({ operation: 'SendMessage', request: { message }, context: context() } as never);
  expect(running.core.last.context.deadline).toBeGreaterThan(Date.now());
  await client.close();
});

test.each([['ftp://x'], [''], ['http://'], ['http://a b']])('%j is no address', (url) => {
  expect(() => createGrpcClient({ url, dialect })).toThrow(expect.objectContaining({ kind: 'invalidParams' }));
});

test('a dialect without a protobuf binding is refused', () => {
  const { grpc: _, ...rest } = dialect;
  expect(() => createGrpcClient({ url: 'localhost:1', dialect: rest })).toThrow(TypeError);
});

describe('against others', () => {
  let server: grpc.Server;
  let answer: (call: grpc.ServerUnaryCall<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>) => void;
  let client: ClientTransport;
  const get = (over?: Partial<CallContext>) =>
    client.invoke({ operation: 'GetTask', request: { id: 't1' }, context: context(over) });
  const same = (bytes: Buffer): Buffer => bytes;

  beforeAll(async () => {
    server = new grpc.Server();
    const path = '/lf.a2a.v1.A2AService/GetTask';
    const codecs = {
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    };
    const definition = { GetTask: { path, requestStream: false, responseStream: false, ...codecs } };
    server.addService(definition, {
      GetTask: (call: grpc.ServerUnaryCall<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>) => answer(call, done),
    });
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    client = createGrpcClient({ url: `127.0.0.1:${port}`, dialect });
  });
  afterAll(async () => {
    await client.close();
    server.forceShutdown();
  });

  test.each([
    [grpc.status.NOT_FOUND, 'TaskNotFoundError: no such task', 'taskNotFound', 'no such task'],
    [grpc.status.UNIMPLEMENTED, 'UnsupportedOperationError: not here', 'unsupportedOperation', 'not here'],
    [grpc.status.UNIMPLEMENTED, 'TaskNotCancelableError: too late', 'taskNotCancelable', 'too late'],
    [grpc.status.INTERNAL, 'InternalError: oh', 'internal', 'oh'],
    [grpc.status.NOT_FOUND, 'nothing', 'taskNotFound', 'nothing'],
    [grpc.status.UNAUTHENTICATED, 'who?', 'unauthenticated', 'who?'],
    [grpc.status.UNKNOWN, 'hm: x', 'invalidAgentResponse', 'hm: x'],
    [77 as grpc.status, 'odd', 'invalidAgentResponse', 'odd'],
  ])("the status %d with %j is the client's error", async (code, details, kind, said) => {
    answer = (_call, done) => done({ code, details });
    await expect(get()).rejects.toMatchObject({ kind, message: said });
  });

  test.each([
    [3, 'deadlineExceeded'],
    [60_000, 'upstreamTimeout'],
  ])('a server that has no time left %d ms before the deadline of the call is an error: %s', async (left, kind) => {
    vi.spyOn(Date, 'now').mockReturnValue(Date.now());
    answer = (_call, done) => done({ code: grpc.status.DEADLINE_EXCEEDED, details: '' });
    await expect(get({ deadline: Date.now() + left })).rejects.toMatchObject({ kind });
  });

  test('details that cannot be read are left out', async () => {
    answer = (_call, done) => {
      const metadata = new grpc.Metadata();
      metadata.set('grpc-status-details-bin', Buffer.from([0xff, 0xff, 0xff]));
      done({ code: grpc.status.NOT_FOUND, details: 'gone', metadata });
    };
    await expect(get()).rejects.toMatchObject({ kind: 'taskNotFound', message: 'gone' });
  });

  test('an answer that cannot be read is an error', async () => {
    const property = fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (bytes) => {
      answer = (_call, done) => done(null, Buffer.from(bytes));
      const error = await get().catch((thrown) => thrown);
      if (error instanceof Error) expect(error).toMatchObject({ kind: 'invalidAgentResponse' });
    });
    await fc.assert(property, { numRuns: 40 });
  });

  test('a closed port, or a server that does not speak gRPC, is an error', async () => {
    const silent = createServer((socket) => socket.resume().end('hello\r\n'));
    const { port } = await listenOn(silent);
    const deaf = createGrpcClient({ url: `http://127.0.0.1:${port}`, dialect });
    const ask = () => deaf.invoke({ operation: 'GetTask', request: { id: 't1' }, context: context() });
    await expect(ask()).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
    silent.close();
    await once(silent, 'close');
    await expect(ask()).rejects.toMatchObject({
      kind: 'upstreamUnreachable',
      message: expect.stringContaining(`127.0.0.1:${port}`),
    });
    await deaf.close();
  });

  test('a server that accepts the connection and sends nothing is an error', async () => {
    const silent = createServer((socket) => socket.resume());
    const { port } = await listenOn(silent);
    const waiting = createGrpcClient({ url: `http://127.0.0.1:${port}`, dialect, connectTimeout: 50 });
    for (const operation of ['GetTask', 'SubscribeToTask'] as const) {
      const answer = waiting.invoke({ operation, request: { id: 't1' }, context: context() });
      await expect(answer).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
    }
    await waiting.close();
    silent.close();
  });

  test('a port that another scheme has by default is called all the same', async () => {
    const client = createGrpcClient({ url: 'https://127.0.0.1:80', dialect, connectTimeout: 200 });
    await expect(client.invoke({ operation: 'GetTask', request: { id: 't1' }, context: context() })).rejects.toThrow(
      /127\.0\.0\.1:80\b/,
    );
    await client.close();
  });
});
