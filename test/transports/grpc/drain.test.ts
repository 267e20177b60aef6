import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { api } from '../../../src/core/model/a2a.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { callHead, flag, frame, frameType, RawHttp2 } from '../../support/http2-frames.ts';
import { listenOn } from '../../support/peer.ts';
import { until } from '../../support/until.ts';
import { chunk, logged, message, type Running, reply, startGrpc } from '../rpc-support.ts';
import { ask, frame as grpcFrame, session } from './raw.ts';
import { type Stranger, stranger } from './stranger.ts';

let running: Running;
let peer: Stranger;
beforeEach(async () => {
  running = await startGrpc();
  peer = stranger(running.target);
});
afterEach(() => peer.close());

const pem = (name: string): Buffer => readFileSync(new URL(`../../support/tls/${name}`, import.meta.url));

/** The URL of a port with TLS in front of the server. */
async function securePort(): Promise<string> {
  const options = { cert: pem('server.pem'), key: pem('server.key'), ALPNProtocols: ['h2'] };
  const listener = createTlsServer(options, (socket) => {
    running.sockets.add(socket);
    socket.once('close', () => running.sockets.delete(socket));
    running.server.serveConnection(socket);
  });
  return `https://localhost:${(await listenOn(listener)).port}`;
}

const path = '/lf.a2a.v1.A2AService/SendMessage';
const request = grpcFrame(encode(api, 'lf.a2a.v1.SendMessageRequest', { message }));

/** The status of a call on a connection. */
async function statusOn(client: ClientHttp2Session): Promise<number | undefined> {
  return (await ask(client, path, request, { 'a2a-version': '1.0' })).status;
}

/** Resolves when the connections that are open now are closed. */
const allClosed = (): Promise<unknown> =>
  Promise.all([...running.sockets].map((socket) => until(socket, ['close'], () => !running.sockets.has(socket))));

test('a drain waits for the calls under way', async () => {
  const arrived = Promise.withResolvers<void>();
  running.core.answer = async () => {
    await arrived.promise;
    return { value: reply as never };
  };
  const answer = peer.ask('SendMessage', { message });
  await running.core.until(({ calls }) => calls.length === 1);
  const drained = running.server.drain(10_000);
  arrived.resolve();
  expect((await answer).error).toBeUndefined();
  await drained;
  expect(running.sockets.size).toBe(0);
});

test('a call that outlasts it ends with the reason', async () => {
  let released = false;
  running.core.answer = () => ({
    events: (async function* () {
      try {
        yield logged(chunk(1));
        await once(running.core.last.context.signal, 'abort');
      } finally {
        released = true;
      }
    })(),
  });
  const call = peer.open('SubscribeToTask', { id: 't1' });
  const ended = Promise.withResolvers<{ code: number }>();
  call.on('error', () => {});
  call.on('status', ended.resolve);
  await once(call, 'data');
  call.resume();
  await running.server.drain(20);
  expect((await ended.promise).code).toBe(status.UNAVAILABLE);
  await expect.poll(() => released).toBe(true);
  expect(running.sockets.size).toBe(0);
});

test('an idle connection does not hold it up', async () => {
  const http2 = session(running.target);
  await once(http2, 'remoteSettings');
  await running.server.drain(10_000);
  expect(running.sockets.size).toBe(0);
  http2.destroy();
});

test('a call that is on its way when the connection is to end is answered', async () => {
  running.core.answer = () => ({ value: reply });
  const client = await RawHttp2.open(Number(new URL(`http://${running.target}`).port));
  await client.until((raw) => raw.of(frameType.settings).length > 0);
  client.send(frame(frameType.settings, flag.ack));
  running.server.retire();
  const notices = () => client.of(frameType.goaway).map(({ payload }) => payload.readUInt32BE(0) & 0x7fffffff);
  await client.until(() => notices().length > 0 && client.of(frameType.ping).length > 0);
  expect(notices()).toEqual([0x7fffffff]);
  // The client has sent this before it read the notice.
  client.send(frame(frameType.headers, flag.endHeaders, 1, callHead(path, [['a2a-version', '1.0']])));
  client.send(frame(frameType.data, flag.endStream, 1, request));
  const [ping] = client.of(frameType.ping);
  client.send(frame(frameType.ping, flag.ack, 0, ping?.payload));
  await client.until((raw) => raw.closed);
  expect(client.of(frameType.data).filter(({ stream }) => stream === 1)).toHaveLength(1);
  expect([...new Set(notices())]).toEqual([0x7fffffff, 1]);
});

test('a connection that is made after the announcement ends with its first call', async () => {
  running.core.answer = () => ({ value: reply });
  running.server.announceShutdown();
  const late = stranger(running.target);
  expect((await late.ask('SendMessage', { message })).error).toBeUndefined();
  await expect.poll(() => running.sockets.size).toBe(0);
  late.close();
});

describe.each([
  ['without TLS', false],
  ['with TLS', true],
] as const)('%s', (_, encrypted) => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** A connection on which no call was made so far. */
  const connected = async (): Promise<ClientHttp2Session> => {
    running.core.answer = () => ({ value: reply });
    const http2 = encrypted ? connect(await securePort(), { ca: pem('ca.pem') }) : session(running.target);
    await once(http2, 'remoteSettings');
    return http2;
  };

  test('a connection whose first call is on its way when the connections are to end is for this call', async () => {
    const client = await connected();
    expect(running.server.awaitsRequests()).toBe(true);
    running.server.announceShutdown();
    await new Promise((resolve) => client.ping(resolve));
    expect(await statusOn(client)).toBe(0);
    expect(running.server.awaitsRequests()).toBe(false);
    await allClosed();
  });

  test('a connection whose first calls come together is for all of them when the connections are to end', async () => {
    running.server.announceShutdown();
    const client = await connected();
    expect(await Promise.all([1, 2, 3, 4].map(() => statusOn(client)))).toEqual([0, 0, 0, 0]);
    await allClosed();
  });

  test('a connection that has had no call for a while ends when the connections are to end', async () => {
    const client = await connected();
    vi.advanceTimersByTime(1_000);
    expect(running.server.awaitsRequests()).toBe(false);
    running.server.announceShutdown();
    await once(client, 'close');
  });

  /** A client that leaves its side of the connection open when the server has ended its own. */
  const deaf = async (): Promise<RawHttp2> => {
    const { hostname: host, port } = new URL(encrypted ? await securePort() : `http://${running.target}`);
    const options = { host, port: Number(port), allowHalfOpen: true };
    const socket: Socket = encrypted
      ? connectTls({ ...options, ca: pem('ca.pem'), ALPNProtocols: ['h2'] })
      : connectTcp(options);
    await once(socket, encrypted ? 'secureConnect' : 'connect');
    return RawHttp2.over(socket);
  };

  test('a client that does not end its side of the connection does not hold a drain up', async () => {
    const client = await deaf();
    const ended = once(client.socket, 'end');
    await client.until((raw) => raw.of(frameType.settings).length > 0);
    running.server.retire();
    await client.until((raw) => raw.of(frameType.ping).length > 0);
    client.send(frame(frameType.ping, flag.ack, 0, client.of(frameType.ping)[0]?.payload));
    await ended;
    expect(running.sockets.size).toBe(1);
    await running.server.drain(0);
    expect(running.sockets.size).toBe(0);
    client.close();
  });

  test('a connection without a call ends when no call is awaited any more', async () => {
    const client = await connected();
    running.server.announceShutdown();
    running.server.retire();
    await once(client, 'close');
  });
});

test('close ends everything', async () => {
  running.core.answer = () => new Promise(() => {});
  const answer = peer.ask('SendMessage', { message });
  await running.core.until(({ calls }) => calls.length === 1);
  running.server.close();
  expect((await answer).error).toBeDefined();
  await allClosed();
  expect(running.core.last.context.signal.aborted).toBe(true);
});
