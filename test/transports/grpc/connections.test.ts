import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { LinkedList } from '../../../src/core/collections/linked-list.ts';
import type { CallerFacts } from '../../../src/core/limits/admission.ts';
import { createGrpcClient } from '../../../src/transports/grpc/client.ts';
import { Http2Sessions } from '../../../src/transports/grpc/http2-sessions.ts';
import { listenOn } from '../../support/peer.ts';
import { until } from '../../support/until.ts';
import { caller, context, dialect, message, reply, startGrpc } from '../rpc-support.ts';

test('connections after TLS are served, and known as such', async () => {
  const pem = (name: string) => readFileSync(new URL(`../../support/tls/${name}`, import.meta.url));
  let facts: Pick<CallerFacts, 'encrypted' | 'remoteAddress'> | undefined;
  const running = await startGrpc({
    authenticate: ({ encrypted, remoteAddress }) => {
      facts = { encrypted, remoteAddress };
      return caller;
    },
  });
  running.core.answer = () => ({ value: reply });
  const listener = createTlsServer(
    { cert: pem('server.pem'), key: pem('server.key'), ALPNProtocols: ['h2'] },
    running.server.serveConnection,
  );
  const { port } = await listenOn(listener);
  const url = `https://localhost:${port}`;
  const call = { operation: 'SendMessage', request: { message }, context: context() } as never;
  const client = createGrpcClient({ url, dialect, tls: { ca: pem('ca.pem') } });
  expect(await client.invoke(call)).toEqual({ value: reply });
  expect(facts).toEqual({ encrypted: true, remoteAddress: '127.0.0.1' });
  const stranger = createGrpcClient({ url, dialect });
  await expect(stranger.invoke(call)).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
  await stranger.close();
  await client.close();
  await running.stop();
  listener.close();
  await once(listener, 'close');
});

test('a client closes a connection that has had no calls for ten minutes, and makes another one for the next call', async () => {
  const running = await startGrpc();
  running.core.answer = () => ({ value: reply });
  // Timers of the client alone.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const client = createGrpcClient({ url: running.target, dialect });
  const call = () => client.invoke({ operation: 'SendMessage', request: { message }, context: context() } as never);
  const minute = async (): Promise<void> => {
    vi.advanceTimersByTime(60_000);
    await immediate();
  };
  await call();
  const [first] = [...running.sockets] as [Socket];
  for (let minutes = 0; minutes < 8; minutes += 1) await minute();
  await call();
  for (let minutes = 0; minutes < 8; minutes += 1) await minute();
  await call();
  expect([...running.sockets]).toEqual([first]);
  // The server itself would close it three minutes later.
  for (let minutes = 0; minutes < 12; minutes += 1) await minute();
  await until(first, ['close'], () => running.sockets.size === 0);
  await call();
  expect(running.sockets.size).toBe(1);
  await client.close();
});

describe('the care for connections', () => {
  let sessions: Http2Sessions;
  let server: Http2Server;
  let url: string;
  const streams: ServerHttp2Stream[] = [];
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    sessions = new Http2Sessions();
    server = createServer();
    let socket = new Socket();
    server.prependListener('connection', (accepted) => {
      socket = accepted;
    });
    server.on('session', (session) => sessions.add(session, socket));
    server.on('stream', (stream) => streams.push(stream));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    sessions.destroy();
    streams.length = 0;
    server.close();
    await once(server, 'close');
  });
  const later = (minutes: number): void => {
    vi.advanceTimersByTime(minutes * 60_000);
    sessions.check();
  };

  test('an idle connection is closed', async () => {
    const client = connect(url);
    await once(client, 'remoteSettings');
    later(10);
    expect(client.closed).toBe(false);
    later(6);
    await once(client, 'close');
  });

  test('a connection with calls is pinged, and closed when it does not answer', async () => {
    const client = connect(url);
    client.on('error', () => {});
    const request = client.request({ ':path': '/' });
    request.on('error', () => {});
    await expect.poll(() => streams.length).toBe(1);
    const peer = sessions.connectionOf(streams[0]?.session);
    if (!peer) throw new Error('unknown');
    peer.calls = 1;
    for (let i = 0; i < 3; i++) {
      later(20);
      await once(client, 'ping');
      // The answer travels back.
      await new Promise((resolve) => client.ping(resolve));
    }
    expect(client.destroyed).toBe(false);
    // No turn of the loop lies between the two, in which an answer could come.
    later(20);
    later(20);
    expect(sessions.connectionOf(streams[0]?.session)).toBeUndefined();
    client.destroy();
  });
});

test('calls under way are listed in order, and may leave from anywhere', () => {
  interface Member {
    readonly name: string;
    previous: Member | undefined;
    next: Member | undefined;
  }
  const list = new LinkedList<Member>();
  const names = (): string => [...list].map(({ name }) => name).join('');
  const members = [...'abcd'].map((name): Member => ({ name, previous: undefined, next: undefined }));
  const [a, b, , d] = members as [Member, Member, Member, Member];
  list.delete(a);
  for (const member of members) list.add(member);
  expect(names()).toBe('abcd');
  list.delete(b);
  list.delete(b);
  expect(names()).toBe('acd');
  list.delete(a);
  list.delete(d);
  expect(names()).toBe('c');
  list.add(a);
  for (const member of list) list.delete(member);
  expect(names()).toBe('');
  list.add(d);
  expect(names()).toBe('d');
});
