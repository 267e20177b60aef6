import { once } from 'node:events';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chunk, logged, message, type Running, reply, startGrpc } from '../rpc-support.ts';
import { session } from './raw.ts';
import { type Stranger, stranger } from './stranger.ts';

let running: Running;
let peer: Stranger;
beforeEach(async () => {
  running = await startGrpc();
  peer = stranger(running.target);
});
afterEach(() => peer.close());

test('a drain waits for the calls under way', async () => {
  const arrived = Promise.withResolvers<void>();
  running.core.answer = async () => {
    await arrived.promise;
    return { value: reply as never };
  };
  const answer = peer.ask('SendMessage', { message });
  await expect.poll(() => running.core.calls.length).toBe(1);
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

test('close ends everything', async () => {
  running.core.answer = () => new Promise(() => {});
  const answer = peer.ask('SendMessage', { message });
  await expect.poll(() => running.core.calls.length).toBe(1);
  running.server.close();
  expect((await answer).error).toBeDefined();
  await expect.poll(() => running.sockets.size).toBe(0);
  expect(running.core.last.context.signal.aborted).toBe(true);
});
