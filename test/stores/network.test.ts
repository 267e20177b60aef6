import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Store } from '../../src/core/ports/store.ts';
import { openSqlKnowledge } from '../../src/extensions/knowledge/store/store.ts';
import { createStore } from '../../src/stores/index.ts';
import { alice, completed, TaskWriter } from '../contract/store-fixtures.ts';
import { type PostgresServer, query, startPostgres } from '../support/postgres.ts';
import { startProxy, type TcpProxy } from '../support/proxy.ts';

/** What a network does to the connections between a gateway and PostgreSQL, and what others do to its tables. */

let server: PostgresServer;
let proxy: TcpProxy;
let direct: string;
/** The database as the store reaches it: through the proxy. */
let url: string;
const stores: Store[] = [];
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());
beforeEach(async () => {
  direct = await server.database();
  const port = Number(new URL(direct).port);
  proxy = await startProxy(port);
  url = direct.replace(`:${port}`, `:${proxy.port}`);
});
afterEach(async () => {
  proxy.mode = 'pass';
  for (const store of stores.splice(0)) await store.close();
  await proxy.close();
});

async function open(settings = ''): Promise<Store> {
  const store = createStore(url + settings, { instance: 'test' });
  stores.push(store);
  await store.open();
  return store;
}

const away = (reason: string | RegExp) => ({
  kind: 'unavailable',
  retryAfter: 5,
  message: expect.stringMatching(reason),
});

it('lines that swallow everything are given up, with all that are like them; what follows is served at once', async () => {
  const store = await open('&statement_timeout=300&query_timeout=500&connectionTimeoutMillis=400');
  const done = await completed(store);
  const working = new TaskWriter();
  await store.append(working.create());
  // As many connections as there may be.
  await Promise.all(Array.from({ length: 10 }, () => store.load(done.key)));
  proxy.mode = 'hole';
  const append = working.chunk('x');
  for (const _ of [1, 2]) {
    const attempts = [store.append(append), store.list(alice, { pageSize: 1 }), store.load(done.key), store.ping()];
    for (const result of await Promise.allSettled(attempts)) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: away(/^The store is unavailable: it (?:does not answer|cannot be)/),
      });
    }
  }
  proxy.mode = 'pass';
  // Not one of the lines that are dead and do not know it is used again.
  await Promise.all([store.append(append), ...Array.from({ length: 9 }, () => store.load(done.key))]);
  await store.ping();
  expect((await store.load(working.key))?.task).toEqual(working.task);
});

it('who finds all connections in use is told so, and not kept waiting', async () => {
  const store = await open('&max=1&connectionTimeoutMillis=200');
  const done = await completed(store);
  const blocker = new pg.Client({ connectionString: direct });
  await blocker.connect();
  await blocker.query('begin; lock table task in access exclusive mode');
  const waiting = store.load(done.key);
  await expect(store.load(done.key)).rejects.toMatchObject(away('all connections to it are in use'));
  await blocker.query('rollback');
  await blocker.end();
  expect((await waiting)?.task).toEqual(done.task);
  await store.ping();
});

it('columns that a newer gateway adds disturb no statement that is prepared, on any connection', async () => {
  const store = await open();
  const done = await completed(store);
  const working = new TaskWriter();
  await store.append(working.create());
  const space = { agent: 'demo', tenant: '' };
  const knowledge = await store.extend(openSqlKnowledge);
  const use = async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.load(done.key)));
    for (const answer of answers) expect(answer?.task).toEqual(done.task);
    await store.append(working.chunk('x'));
    await knowledge.extent(space);
    expect(await store.claimOrphans(1)).toEqual([]);
    expect((await store.list(alice, { pageSize: 5 })).tasks).toHaveLength(2);
  };
  await use();
  for (const column of ['p', 'q']) {
    for (const table of ['task', 'task_event', 'task_snapshot', 'gateway', 'knowledge_space', 'knowledge_change']) {
      await query(direct, `alter table ${table} add column ${column} text`);
    }
    await use();
  }
});

it('a server that is killed outright recovers with all that was acknowledged, and is used again', async () => {
  const store = await open();
  const writers: TaskWriter[] = [];
  for (const how of ['kill', 'immediate'] as const) {
    writers.push(await completed(store));
    await server.halt(how);
    // The server's processes outlive a master that is killed, for a moment.
    await vi.waitFor(() =>
      expect(store.load(writers[0]?.key ?? '')).rejects.toMatchObject(away('The store is unavailable')),
    );
    await expect(store.ping()).rejects.toMatchObject(away('The store is unavailable'));
    await server.resume();
    await vi.waitFor(() => store.ping(), { timeout: 10_000 });
    for (const { key, task } of writers) expect((await store.load(key))?.task).toEqual(task);
  }
});

it('too many clients: callers are told that no connection is left, and served when there is one', async () => {
  const schema = new URL(direct).searchParams.get('options')?.split('=')[1];
  await query(direct, `create role crowd login password 'crowd'; grant all on schema ${schema} to crowd`);
  url = url.replace('postgres:gateway', 'crowd:crowd');
  const store = await open();
  const done = await completed(store);
  await query(direct, 'alter role crowd connection limit 0');
  proxy.cut();
  const refused = await vi.waitFor(async () => {
    const error = await store.load(done.key).catch((thrown: Error) => thrown);
    expect(error).toMatchObject(away('it has no connections left'));
    return error;
  });
  expect(refused).toMatchObject({ cause: { code: '53300' } });
  await query(direct, 'alter role crowd connection limit -1');
  expect((await store.load(done.key))?.task).toEqual(done.task);
  await store.ping();
});

it('a database that takes no writes any more is away until it does', async () => {
  const store = await open();
  const working = new TaskWriter();
  await store.append(working.create());
  await query(direct, 'alter system set default_transaction_read_only = on');
  await query(direct, 'select pg_reload_conf()');
  const append = working.chunk('x');
  await vi.waitFor(() => expect(store.append(append)).rejects.toMatchObject(away('it is read-only')));
  await expect(store.ping()).rejects.toMatchObject(away('it is read-only'));
  await query(direct, 'alter system reset default_transaction_read_only');
  await query(direct, 'select pg_reload_conf()');
  await vi.waitFor(() => store.ping(), { timeout: 5_000 });
  await store.append(append);
  expect((await store.load(working.key))?.task).toEqual(working.task);
});

it('a pooler that shares connections between statements is refused', async () => {
  // As such a pooler has it: two connections, and one process of the server.
  await query(direct, "create function pg_backend_pid() returns integer language sql as 'select 7'");
  url = url.replace(/search_path%3D(\w+)/, 'search_path%3D$1,pg_catalog');
  await expect(open()).rejects.toMatchObject({
    message: expect.stringMatching(/set PgBouncer to pool_mode = session$/),
  });
});
