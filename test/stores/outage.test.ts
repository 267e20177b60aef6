import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Store } from '../../src/core/ports/store.ts';
import { createStore } from '../../src/stores/index.ts';
import { alice, callKey, completed, TaskWriter } from '../contract/store-fixtures.ts';
import { type PostgresServer, query, startPostgres } from '../support/postgres.ts';

let server: PostgresServer;
let url: string;
let store: Store;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());
beforeEach(async () => {
  url = await server.database();
  store = createStore(url, { instance: 'test' });
  await store.open();
});
afterEach(() => store.close());

const away = { name: 'A2AError', kind: 'unavailable' };

it('a database that goes away is said to be, and is used again when it is back', async () => {
  const done = await completed(store);
  const working = new TaskWriter();
  await store.append(working.create());
  await server.halt();
  const append = working.chunk('x');
  const attempts = [
    store.append(append),
    store.append(new TaskWriter().create()),
    store.load(done.key),
    store.find(alice, done.id),
    store.list(alice, { pageSize: 1 }),
    store.claimCall(callKey('k')),
    store.findCall(alice, 'k'),
    store.append({ ...new TaskWriter().create(), keys: [{ call: callKey('k'), seq: 0 }] }),
    store.retract(done.key, undefined, undefined),
    store.claimOrphans(1),
    store.expire(0, 1),
    store.ping(),
  ];
  for (const result of await Promise.allSettled(attempts)) {
    expect(result).toMatchObject({ status: 'rejected', reason: away });
  }
  await server.resume();
  await vi.waitFor(() => store.ping(), { timeout: 10_000 });
  await store.append(append);
  expect((await store.load(working.key))?.task).toEqual(working.task);
  expect((await store.load(done.key))?.task).toEqual(done.task);
});

it('connections that are cut in the middle of many appends lose nothing that was acknowledged', async () => {
  const writers = Array.from({ length: 50 }, () => new TaskWriter());
  await Promise.all(writers.map((writer) => store.append(writer.create())));
  const cut = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'a2a-gateway'";
  const cuts: Promise<unknown>[] = [];
  await Promise.all(
    writers.map(async (writer, i) => {
      for (let round = 0; round < 12; round += 1) {
        const append = writer.chunk(`${round}`);
        if (i === 0 && round % 3 === 0) cuts.push(query(url, cut));
        // As the core does it: the same append again until it is answered.
        await vi.waitFor(() => store.append(append), { timeout: 10_000, interval: 5 });
      }
    }),
  );
  await Promise.all(cuts);
  for (const { key, task } of writers) {
    const stored = await vi.waitFor(() => store.load(key), { timeout: 10_000, interval: 5 });
    expect(stored?.task).toEqual(task);
  }
});

it('a statement that hangs is given up, and the connection is free again', async () => {
  const hasty = createStore(`${url}&statement_timeout=150`, { instance: 'hasty' });
  await hasty.open();
  const writer = new TaskWriter();
  await hasty.append(writer.create());
  const blocker = new pg.Client({ connectionString: url });
  await blocker.connect();
  await blocker.query('begin; lock table task_event in access exclusive mode');
  const append = writer.chunk('x');
  await expect(hasty.append(append)).rejects.toMatchObject(away);
  await blocker.query('commit');
  await blocker.end();
  await hasty.append(append);
  expect((await hasty.load(writer.key))?.task).toEqual(writer.task);
  await hasty.close();
});

it('closing while the database is away ends', async () => {
  await server.halt();
  await store.close();
  await server.resume();
});
