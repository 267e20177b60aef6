import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { MemoryBudget } from '../../../src/core/limits/memory-budget.ts';
import { inRequestOrder } from '../../../src/transports/listener/request-order.ts';
import { afterTest, listenOn } from '../../support/peer.ts';

async function start(listener: RequestListener, budget: MemoryBudget): Promise<Socket> {
  const server = createServer(inRequestOrder(listener, budget));
  const { port } = await listenOn(server);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  afterTest(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const request = (path: string): string => `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody`;

test('pipelined requests are handed over one at a time, in order, with their bodies', async () => {
  const budget = new MemoryBudget();
  const open: ServerResponse[] = [];
  const bodies: string[] = [];
  const socket = await start((req, res) => {
    open.push(res);
    req.on('data', (chunk: Buffer) => bodies.push(`${req.url} ${chunk}`));
  }, budget);
  let answers = '';
  socket.on('data', (chunk: Buffer) => {
    answers += chunk.toString();
  });
  const count = 100;
  socket.write(Array.from({ length: count }, (_, i) => request(String(i))).join(''));
  for (let i = 0; i < count; i += 1) {
    await expect.poll(() => bodies.length, { interval: 1 }).toBe(i + 1);
    expect(open).toHaveLength(i + 1);
    if (i < count - 1) expect(budget.total).toBeGreaterThan(0);
    open[i]?.end(`answer ${i};`);
  }
  await expect.poll(() => answers.match(/answer \d+;/g)?.length).toBe(count);
  expect(bodies).toEqual(Array.from({ length: count }, (_, i) => `/${i} body`));
  expect(budget.total).toBe(0);
});

test('a client that pipelines without end is cut off, and what waited for it is given back', async () => {
  const budget = new MemoryBudget();
  let served = 0;
  const socket = await start(() => {
    served += 1;
  }, budget);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3_000));
  await closed;
  expect(served).toBe(1);
  await expect.poll(() => budget.total).toBe(0);
});
