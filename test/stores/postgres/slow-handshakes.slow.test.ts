import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Store } from '../../../src/core/ports/store.ts';
import { createStore } from '../../../src/stores/index.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { paced } from '../../support/pace.ts';
import { afterTest } from '../../support/peer.ts';
import { type PostgresServer, query, startPostgres } from '../../support/postgres.ts';
import { startProxy, type TcpProxy } from '../../support/proxy.ts';
import { startReplica } from '../../support/replicas.ts';

/** A database that takes longer for a connection than callers wait for one, as one that has just crashed may. */

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

/** Milliseconds that an attempt may take at first, and more than twice as many that each connection takes. */
const [timeout, handshake] = [1_000, 2_600];

/** A way to a database of its own on which new connections may take a while, and the URL of this database by that way. */
async function slowWay(settings: string): Promise<{ way: TcpProxy; url: string; slowUrl: string }> {
  const url = await server.database();
  const way = await startProxy(Number(new URL(url).port));
  return { way, url, slowUrl: `${way.via(url)}&${settings}` };
}

it(
  'all replicas return to a database that takes more than twice as long for a connection as they wait',
  async () => {
    const { way, url, slowUrl } = await slowWay(`connectionTimeoutMillis=${timeout}`);
    const stores = await Promise.all(
      ['one', 'two', 'three'].map(async (instance) => {
        const store = createStore(slowUrl, { instance });
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
    Object.assign(way.attempts, { all: 0, mostUnderWay: 0 });
    const returned = writers.flatMap(({ store, tasks }) =>
      tasks.map(async (task) => {
        const append = task.chunk('after');
        // Like the core, this repeats the append until it is answered.
        await vi.waitFor(() => store.append(append), { timeout: paced(80_000), interval: 100 });
        acknowledged.push(task.key);
      }),
    );
    await Promise.all(returned);
    // For each replica two attempts that are too short, some that succeed, and those to listen to notifications.
    expect(way.attempts.all).toBeLessThan(60);
    expect(way.attempts.mostUnderWay).toBeLessThanOrEqual(3 * 5);
    expect(acknowledged).toHaveLength(24);
    expect(await query(url, 'select count(*) as n from task_event')).toEqual([{ n: '48' }]);
  },
  paced(100_000),
);

it('a replica starts on a database that takes longer for a connection than it waits for one', async () => {
  const { way, slowUrl } = await slowWay(`connectionTimeoutMillis=${timeout}`);
  way.handshake = handshake;
  const store = createStore(slowUrl, { instance: 'late' });
  await store.open();
  afterTest(() => store.close());
  const task = new TaskWriter();
  await vi.waitFor(() => store.append(task.create('TASK_STATE_WORKING')));
  expect((await store.load(task.key))?.task).toEqual(task.task);
});

it('a caller gets its answer although no connection could be opened for longer than one attempt may take', async () => {
  const { way, slowUrl } = await slowWay('connectionTimeoutMillis=2200');
  const replica = await startReplica(slowUrl, 'patient');
  const client = await replica.client();
  await client.send('hello');
  server.freeze();
  afterTest(() => server.thaw());
  way.cut();
  const answer = client.send('hello');
  setTimeout(() => server.thaw(), 3_000);
  expect((await answer).task?.status.state).toBe('TASK_STATE_COMPLETED');
});

/** A store that has one connection at most, which is cut while the network swallows all that is sent, and a task in it. */
async function cutStore(way: TcpProxy, url: string): Promise<{ store: Store; task: TaskWriter }> {
  const store = createStore(url, { instance: 'single' });
  await store.open();
  afterTest(() => store.close());
  const task = new TaskWriter();
  await store.append(task.create('TASK_STATE_WORKING'));
  // First, as the store's own work connects again at once.
  way.mode = 'hole';
  way.cut();
  await vi.waitFor(() => expect(store.connections?.open).toBe(0));
  return { store, task };
}

it('with one connection at most, another attempt is made while one is not answered', async () => {
  const { way, slowUrl } = await slowWay('connectionTimeoutMillis=3000&max=1');
  const { store, task } = await cutStore(way, slowUrl);
  const read = store.load(task.key);
  await new Promise((resolve) => setTimeout(resolve, 700));
  way.mode = 'pass';
  expect((await read)?.task).toEqual(task.task);
  expect(store.connections?.open).toBe(1);
});

it('with one connection at most, a caller that came during a slow attempt waits for the next one', async () => {
  const { way, slowUrl } = await slowWay('connectionTimeoutMillis=2000&max=1');
  const { store, task } = await cutStore(way, slowUrl);
  const first = store.load(task.key).catch((error: Error) => error.message);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const second = store.load(task.key);
  expect(await first).toContain('The store is unavailable');
  way.mode = 'pass';
  expect((await second)?.task).toEqual(task.task);
});
