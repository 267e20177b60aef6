import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryBudget } from '../../../src/core/limits/memory-budget.ts';
import type { SecurityEvent } from '../../../src/core/ports/audit.ts';
import { trackedResponse } from '../../../src/transports/listener/http1-server.ts';
import { readTimeoutFor, SlowReaders } from '../../../src/transports/listener/slow-readers.ts';
import { afterTest, listenOn } from '../../support/peer.ts';

const reader = (pendingBytes: number) => ({
  pendingBytes,
  progress: 0,
  remoteAddress: '192.0.2.1',
  disconnect: vi.fn(),
});

describe('slow readers', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('slow readers are disconnected when they take nothing for too long, and not while they take a little', () => {
    const slow = new SlowReaders({ timeout: 10_000 });
    const [dead, alive, done] = [reader(1_000), reader(1_000), reader(1_000)];
    for (const each of [dead, alive, done]) slow.add(each);
    done.pendingBytes = 0;
    for (let second = 0; second < 30; second++) {
      alive.progress += 1;
      vi.advanceTimersByTime(1_000);
      if (second < 10) expect(dead.disconnect).not.toHaveBeenCalled();
    }
    expect(dead.disconnect).toHaveBeenCalledOnce();
    expect(alive.disconnect).not.toHaveBeenCalled();
    expect([slow.size, slow.budget.total]).toEqual([1, 1_000]);
    alive.pendingBytes = 0;
    vi.advanceTimersByTime(5_000);
    expect([slow.size, slow.budget.total]).toEqual([0, 0]);
    // The timer rests with them.
    expect(vi.getTimerCount()).toBe(0);
  });

  it('slow readers have longer for much', () => {
    expect(readTimeoutFor(1_000, 30_000)).toBe(30_000);
    expect(readTimeoutFor(10 * 1_048_576, 30_000)).toBe(300_000);
  });

  it('slow readers are disconnected, the one with the most first, when too much waits for all of them', () => {
    const audited: SecurityEvent[] = [];
    const slow = new SlowReaders({ budget: new MemoryBudget(1_000), audit: (event) => void audited.push(event) });
    const readers = [300, 500, 100].map(reader);
    const [three, five, one] = readers;
    for (const each of readers) slow.add(each);
    expect(slow.budget.total).toBe(900);
    const late = reader(200);
    slow.add(late);
    expect(five?.disconnect).toHaveBeenCalledOnce();
    expect([slow.size, slow.budget.total]).toEqual([3, 600]);
    for (const each of [three, one, late]) expect(each?.disconnect).not.toHaveBeenCalled();
    expect(audited).toMatchObject([{ event: 'limit.exceeded', address: '192.0.2.1' }]);
  });

  it('slow readers that have read on in the meantime are no reason to disconnect a client', () => {
    const slow = new SlowReaders({ budget: new MemoryBudget(1_000) });
    const [first, second] = [reader(900), reader(900)];
    slow.add(first);
    first.pendingBytes = 0;
    slow.add(second);
    expect(first.disconnect).not.toHaveBeenCalled();
    expect(second.disconnect).not.toHaveBeenCalled();
    slow.delete(second);
    slow.delete(second);
    expect(slow.budget.total).toBe(0);
  });
});

describe('a server’s answers', () => {
  const body = Buffer.alloc(16 * 1_048_576);

  async function start(slow: SlowReaders) {
    const server = createServer({ ServerResponse: trackedResponse(slow) }, (req, res) =>
      req.url === '/small' ? res.end('small') : res.end(body),
    );
    const { port } = await listenOn(server);
    return { server, port, url: `http://127.0.0.1:${port}` };
  }

  /** A client that asks, and never reads. */
  async function deaf(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    afterTest(() => socket.destroy());
    socket.on('error', () => {}).pause();
    await once(socket, 'connect');
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    return socket;
  }

  it('a server’s answers that the client does not read do not wait for ever, however they were written', async () => {
    const slow = new SlowReaders({ timeout: 300 });
    const { server, port, url } = await start(slow);
    await deaf(port);
    await expect.poll(() => slow.size).toBe(1);
    // Others are served meanwhile.
    expect(await (await fetch(`${url}/large`)).arrayBuffer()).toHaveProperty('byteLength', body.length);
    expect(await (await fetch(`${url}/small`)).text()).toBe('small');
    const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    await expect.poll(connections).toBeLessThanOrEqual(2);
    await expect.poll(() => [slow.size, slow.budget.total]).toEqual([0, 0]);
    server.closeAllConnections();
    server.close();
  });

  it('a server’s answers that wait beyond the bound cost those connections that have the most', async () => {
    const audited: SecurityEvent[] = [];
    const slow = new SlowReaders({
      budget: new MemoryBudget(20 * 1_048_576),
      audit: (event) => void audited.push(event),
    });
    const { server, port } = await start(slow);
    // More than the buffers of the system take, for each.
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => deaf(port)));
    await expect.poll(() => audited.length).toBe(1);
    expect(slow.budget.total).toBeGreaterThan(0);
    expect(slow.budget.total).toBeLessThanOrEqual(20 * 1_048_576);
    server.closeAllConnections();
    server.close();
    await expect.poll(() => [slow.size, slow.budget.total]).toEqual([0, 0]);
  });
});
