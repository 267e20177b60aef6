import pg from 'pg';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createStore } from '../../src/stores/index.ts';
import { TaskWriter } from '../contract/store-fixtures.ts';
import { afterTest } from '../support/peer.ts';
import { query, type SharedPostgres, sharedPostgres } from '../support/postgres.ts';
import { startProxy, type TcpProxy } from '../support/proxy.ts';

let server: SharedPostgres;
beforeAll(async () => {
  server = await sharedPostgres();
});

let proxy: TcpProxy;
afterEach(() => proxy?.close());

it('a task whose making was cut off is found also when its row is locked for a while', async () => {
  const url = await server.database();
  const port = Number(new URL(url).port);
  proxy = await startProxy(port);
  const store = createStore(url.replace(`:${port}`, `:${proxy.port}`), { instance: 'test' });
  await store.open();
  afterTest(() => store.close());
  proxy.onSent = (data) => (data.includes('a2a_write') ? 'cut at the answer' : 'pass');
  const writer = new TaskWriter();
  await expect(store.append(writer.create('TASK_STATE_WORKING'))).rejects.toMatchObject({ kind: 'unavailable' });
  proxy.onSent = () => 'pass';
  await expect.poll(() => query(url, 'select key from task')).toHaveLength(1);

  const lock = await lockTasks(url);
  expect(await store.claimOrphans(10)).toEqual([]);
  await lock.release();
  const [found, ...others] = await store.claimOrphans(10);
  expect(found?.key).toBe(writer.key);
  expect(others).toEqual([]);
  expect(await store.claimOrphans(10)).toEqual([]);
});

it('tasks whose takeover was cut off are taken over', async () => {
  const url = await server.database();
  const port = Number(new URL(url).port);
  const dead = createStore(url, { instance: 'dead' });
  await dead.open();
  const writer = new TaskWriter();
  await dead.append(writer.create('TASK_STATE_WORKING'));
  proxy = await startProxy(port);
  const store = createStore(url.replace(`:${port}`, `:${proxy.port}`), { instance: 'test' });
  await store.open();
  afterTest(() => store.close());
  await dead.close();
  proxy.onSent = (data) => (data.includes('update "task" set "owner"') ? 'cut at the answer' : 'pass');
  await expect(store.claimOrphans(10)).rejects.toMatchObject({ kind: 'unavailable' });
  proxy.onSent = () => 'pass';
  await expect.poll(() => query(url, "select key from task where owner like 'test%'")).toHaveLength(1);
  expect((await store.claimOrphans(10)).map(({ key }) => key)).toEqual([writer.key]);
  expect(await store.claimOrphans(10)).toEqual([]);
});

it('a gateway that was paused during a takeover leaves the tasks to the gateway that has them by now', async () => {
  const url = await server.database();
  const { port } = new URL(url);
  const dead = createStore(url, { instance: 'dead' });
  await dead.open();
  await dead.append(new TaskWriter().create('TASK_STATE_WORKING'));
  proxy = await startProxy(Number(port));
  const store = createStore(url.replace(`:${port}`, `:${proxy.port}`), { instance: 'test' });
  await store.open();
  afterTest(() => store.close());
  await dead.close();
  afterTest(() => vi.restoreAllMocks());
  proxy.onSent = (data) => {
    // The database gets the statement; its answer comes after the pause.
    if (data.includes('update "task" set "owner"')) queueMicrotask(() => proxy.freeze());
    return 'pass';
  };
  const claimed = store.claimOrphans(10);
  await expect.poll(() => query(url, "select key from task where owner like 'test%'")).toHaveLength(1);
  await query(url, "update task set owner = 'other'");
  const now = performance.now() + 9_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  proxy.thaw();
  expect(await claimed).toEqual([]);
});

/** Locks the rows of all tasks, as a transaction that was cut off does until the server notices. */
async function lockTasks(url: string): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query('select key from task for update');
  return {
    async release() {
      await client.query('rollback');
      await client.end();
    },
  };
}
