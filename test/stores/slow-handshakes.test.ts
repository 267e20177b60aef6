import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createStore } from '../../src/stores/index.ts';
import { TaskWriter } from '../contract/store-fixtures.ts';
import { afterTest } from '../support/peer.ts';
import { type PostgresServer, query, startPostgres } from '../support/postgres.ts';

/** A database that takes longer for a connection than callers wait for one, as one that has just crashed may. */

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

/** Milliseconds: each connection takes more than twice as long as an attempt may take at first. */
const [timeout, handshake] = [600, 1_600];

/** A way to the database on which each new connection takes a while. */
class SlowWay {
  handshake = 0;
  attempts = 0;
  underWay = 0;
  mostUnderWay = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(target: number) {
    this.#server = createServer((near) => {
      this.attempts += 1;
      this.underWay += 1;
      this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
      const far = connect(target, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => undefined);
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
      let isOver = false;
      const over = (): void => {
        if (!isOver) this.underWay -= 1;
        isOver = true;
      };
      near.once('close', over);
      near.pipe(far);
      const begin = (): void => {
        over();
        far.pipe(near);
      };
      if (this.handshake === 0) begin();
      else setTimeout(begin, this.handshake);
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

it('all replicas return to a database that takes longer for a connection than they wait for one', async () => {
  const url = await server.database();
  const { port } = new URL(url);
  const way = new SlowWay(Number(port));
  const near = await way.listen();
  afterTest(() => way.close());
  const settings = `connectionTimeoutMillis=${timeout}`;
  const slowUrl = url.replace(`:${port}`, `:${near}`);
  const stores = await Promise.all(
    ['one', 'two', 'three'].map(async (instance) => {
      const store = createStore(`${slowUrl}${slowUrl.includes('?') ? '&' : '?'}${settings}`, { instance });
      await store.open();
      afterTest(() => store.close());
      return store;
    }),
  );
  const writers = stores.map((store) => ({ store, tasks: Array.from({ length: 8 }, () => new TaskWriter()) }));
  const acknowledged: string[] = [];
  await Promise.all(
    writers.flatMap(({ store, tasks }) => tasks.map((task) => store.append(task.create('TASK_STATE_WORKING')))),
  );
  way.handshake = handshake;
  await server.halt('kill');
  await server.resume();
  way.attempts = 0;
  way.mostUnderWay = 0;
  const returned = writers.flatMap(({ store, tasks }) =>
    tasks.map(async (task) => {
      const append = task.chunk('after');
      // As the core does it: the same append again, until it is answered.
      await vi.waitFor(() => store.append(append), { timeout: 40_000, interval: 100 });
      acknowledged.push(task.key);
    }),
  );
  await Promise.all(returned);
  // For each replica two attempts that are too short, some that succeed, and those to listen to notifications.
  expect(way.attempts).toBeLessThan(60);
  expect(way.mostUnderWay).toBeLessThanOrEqual(3 * 5);
  expect(acknowledged).toHaveLength(24);
  expect(await query(url, 'select count(*) as n from task_event')).toEqual([{ n: '48' }]);
}, 60_000);
