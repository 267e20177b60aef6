import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { JoinedWrites, trackedResponse } from '../../../src/transports/listener/http1-server.ts';
import { SlowReaders } from '../../../src/transports/listener/slow-readers.ts';
import { afterTest, listenOn } from '../../support/peer.ts';

it('joined writes come at the end of the turn of the event loop, in their order', async () => {
  // However long this turn really takes.
  vi.spyOn(performance, 'now').mockReturnValue(0);
  const writes = new JoinedWrites();
  const written: number[] = [];
  const add = (n: number) => writes.add({ flush: () => void written.push(n) });
  add(1);
  add(2);
  await Promise.resolve();
  add(3);
  expect(written).toEqual([]);
  await nextTurn();
  expect(written).toEqual([1, 2, 3]);
  add(4);
  await nextTurn();
  expect(written).toEqual([1, 2, 3, 4]);
});

it('joined writes do not wait for a long turn', () => {
  const writes = new JoinedWrites();
  const written: number[] = [];
  writes.add({ flush: () => void written.push(1) });
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 3);
  writes.add({ flush: () => void written.push(2) });
  expect(written).toEqual([1, 2]);
});

it('joined writes are not part of the call that came first', async () => {
  const calls = new AsyncLocalStorage<string>();
  const writes = new JoinedWrites();
  const seen: unknown[] = [];
  calls.run('first', () => writes.add({ flush: () => void seen.push(calls.getStore()) }));
  await nextTurn();
  expect(seen).toEqual([undefined]);
});

describe('an answer over HTTP/1.1', () => {
  async function answer(respond: (res: ServerResponse) => void): Promise<string> {
    const server = createServer({ ServerResponse: trackedResponse(new SlowReaders()) }, (_, res) => respond(res));
    afterTest(() => server.close());
    const { port } = await listenOn(server);
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
    return response.text();
  }

  it('an answer over HTTP/1.1 has ended before it is written, and ends once', async () => {
    const states: boolean[] = [];
    const text = await answer((res) => {
      states.push(res.writableEnded);
      res.end('first');
      states.push(res.writableEnded, res.writableFinished);
      res.end('second');
    });
    expect(text).toBe('first');
    expect(states).toEqual([false, true, false]);
  });

  it('an answer over HTTP/1.1 that has begun is ended at once', async () => {
    const ended: boolean[] = [];
    const text = await answer((res) => {
      res.write('begun, ');
      res.end('ended');
      ended.push((res as ServerResponse & { finished: boolean }).finished);
    });
    expect(text).toBe('begun, ended');
    expect(ended).toEqual([true]);
  });
});
