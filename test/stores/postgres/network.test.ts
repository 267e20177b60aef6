import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Store } from '../../../src/core/ports/store.ts';
import { openSqlKnowledge } from '../../../src/extensions/knowledge/store/store.ts';
import { createStore } from '../../../src/stores/index.ts';
import { alice, callKey, completed, TaskWriter } from '../../contract/store-fixtures.ts';
import { type PostgresServer, query, startPostgres } from '../../support/postgres.ts';
import { startProxy, type TcpProxy } from '../../support/proxy.ts';

/** Broken connections between a gateway and PostgreSQL, and changes that others make to its tables. */

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
  proxy = await startProxy(Number(new URL(direct).port));
  url = proxy.via(direct);
});
afterEach(async () => {
  proxy.mode = 'pass';
  proxy.onSent = () => 'pass';
  for (const store of stores.splice(0)) await store.close();
});

async function open(settings = '', instance = 'test'): Promise<Store> {
  const store = createStore(url + settings, { instance });
  stores.push(store);
  await store.open();
  return store;
}

const away = (reason: string | RegExp) => ({
  kind: 'unavailable',
  retryAfter: 5,
  message: expect.stringMatching(reason),
});

it('a database that goes away is said to be, and is used again when it is back', async () => {
  const store = await open();
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
    expect(result).toMatchObject({ status: 'rejected', reason: away('The store is unavailable') });
  }
  await server.resume();
  await vi.waitFor(() => store.ping());
  await store.append(append);
  expect((await store.load(working.key))?.task).toEqual(working.task);
  expect((await store.load(done.key))?.task).toEqual(done.task);
});

it('lines that swallow everything are given up, with all that are like them; what follows is served at once', async () => {
  const store = await open('&statement_timeout=1200&query_timeout=1500&connectionTimeoutMillis=1500');
  const done = await completed(store);
  const working = new TaskWriter();
  await store.append(working.create());
  // This takes all the connections that there may be.
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

it('a call that finds all connections in use gets an error at once', async () => {
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

it('a call that waits for a connection gets one that is free after a stall of the event loop, although its time is over', async () => {
  url = direct;
  const store = await open('&max=1&connectionTimeoutMillis=200');
  const done = await completed(store);
  const loads = [store.load(done.key), store.load(done.key)];
  // Until the first statement is sent.
  for (let i = 0; i < 50; i += 1) await undefined;
  for (const until = performance.now() + 400; performance.now() < until; );
  for (const load of await Promise.all(loads)) expect(load?.task).toEqual(done.task);
});

it('a statement that hangs is given up, and the connection is free again', async () => {
  const store = await open('&statement_timeout=1000');
  const writer = new TaskWriter();
  await store.append(writer.create());
  const blocker = new pg.Client({ connectionString: direct });
  await blocker.connect();
  await blocker.query('begin; lock table task_event in access exclusive mode');
  const append = writer.chunk('x');
  await expect(store.append(append)).rejects.toMatchObject(away('the statement timed out'));
  await blocker.query('commit');
  await blocker.end();
  await store.append(append);
  expect((await store.load(writer.key))?.task).toEqual(writer.task);
});

it('closing while the database is away ends', async () => {
  const store = await open();
  await server.halt();
  await store.close();
  await server.resume();
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
    expect((await store.list(alice, { pageSize: 5 })).texts).toHaveLength(2);
  };
  await use();
  for (const column of ['p', 'q']) {
    for (const table of ['task', 'task_event', 'task_snapshot', 'gateway', 'knowledge_space', 'knowledge_change']) {
      await query(direct, `alter table ${table} add column ${column} text`);
    }
    await use();
  }
});

it('too many clients: callers get an error that no connection is left, and are served when there is one', async () => {
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
  // An attempt that began before may still fail.
  await expect.poll(async () => (await store.load(done.key))?.task).toEqual(done.task);
  await store.ping();
});

it('a pooler that shares connections between statements is refused', async () => {
  // Behind such a pooler, two connections have one process of the server.
  await query(direct, "create function pg_backend_pid() returns integer language sql as 'select 7'");
  url = url.replace(/search_path%3D(\w+)/, 'search_path%3D$1,pg_catalog');
  await expect(open()).rejects.toMatchObject({
    message: expect.stringMatching(/pool_mode = session, or add pool_mode=transaction to the store$/),
  });
});

/** Of what is sent to write events; the same each time, so that a failure can be looked into. */
function* fates(): Generator<ReturnType<TcpProxy['onSent']>> {
  const all = ['pass', 'pass and cut', 'cut at the answer', 'pass', 'cut', 'cut at the answer', 'pass'] as const;
  for (let i = 0; ; i += 1) yield all[(3 * i) % all.length] ?? 'pass';
}

it('an append that is tried again until it is answered is written once, wherever its connection is cut', async () => {
  const counts = new Map<string, number>();
  const fate = fates();
  proxy.onSent = (data) => {
    if (!data.includes('a2a_write')) return 'pass';
    const next = fate.next().value;
    counts.set(next, (counts.get(next) ?? 0) + 1);
    return next;
  };
  const store = await open();
  const writers = Array.from({ length: 20 }, () => new TaskWriter());
  const write = async (writer: TaskWriter, round: number): Promise<void> => {
    const append = round === 0 ? writer.create('TASK_STATE_WORKING') : writer.chunk(`${round}`);
    // Like the core, this repeats the append until it is answered; any other answer than these is wrong.
    await vi
      .waitFor(
        async () => {
          const error: { kind?: string } | undefined = await store.append(append).then(
            () => undefined,
            (thrown) => thrown,
          );
          if (error && error.kind !== 'unavailable') return error;
          if (error) throw error;
        },
        { interval: 1 },
      )
      .then((wrong) => expect(wrong).toBeUndefined());
  };
  const rounds = 25;
  await Promise.all(
    writers.map(async (writer, i) => {
      for (let round = 0; round < rounds; round += 1) {
        if (i === 0 && round === 8) {
          await server.halt('kill');
          await server.resume();
        }
        if (i === 0 && round === 16)
          await query(direct, 'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()');
        await write(writer, round);
      }
    }),
  );
  for (const fate of ['cut', 'pass and cut', 'cut at the answer']) expect(counts.get(fate)).toBeGreaterThan(4);
  proxy.onSent = () => 'pass';
  for (const { key, task } of writers) {
    const events = await store.events(key, 0, 1_000);
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: rounds }, (_, i) => i + 1));
    expect((await store.load(key))?.task).toEqual(task);
  }
  expect(await query(direct, 'select count(*) as n from task_event')).toEqual([{ n: String(writers.length * rounds) }]);
});

it('a task whose making was cut off is found also when its row is locked for a while', async () => {
  const store = await open();
  proxy.onSent = (data) => (data.includes('a2a_write') ? 'cut at the answer' : 'pass');
  const writer = new TaskWriter();
  await expect(store.append(writer.create('TASK_STATE_WORKING'))).rejects.toMatchObject({ kind: 'unavailable' });
  proxy.onSent = () => 'pass';
  await expect.poll(() => query(direct, 'select key from task')).toHaveLength(1);

  const lock = await lockTasks();
  expect(await store.claimOrphans(10)).toEqual([]);
  await lock.release();
  const [found, ...others] = await store.claimOrphans(10);
  expect(found?.key).toBe(writer.key);
  expect(others).toEqual([]);
  expect(await store.claimOrphans(10)).toEqual([]);
});

it('tasks whose takeover was cut off are taken over', async () => {
  const dead = await open('', 'dead');
  const writer = new TaskWriter();
  await dead.append(writer.create('TASK_STATE_WORKING'));
  const store = await open();
  await dead.close();
  proxy.onSent = (data) => (data.includes('update "task" set "owner"') ? 'cut at the answer' : 'pass');
  await expect(store.claimOrphans(10)).rejects.toMatchObject({ kind: 'unavailable' });
  proxy.onSent = () => 'pass';
  await expect.poll(() => query(direct, "select key from task where owner like 'test%'")).toHaveLength(1);
  expect((await store.claimOrphans(10)).map(({ key }) => key)).toEqual([writer.key]);
  expect(await store.claimOrphans(10)).toEqual([]);
});

it('a gateway that was paused during a takeover leaves the tasks to the gateway that has them by now', async () => {
  const dead = await open('', 'dead');
  await dead.append(new TaskWriter().create('TASK_STATE_WORKING'));
  const store = await open();
  await dead.close();
  proxy.onSent = (data) => {
    // The database gets the statement; its answer comes after the pause.
    if (data.includes('update "task" set "owner"')) queueMicrotask(() => proxy.freeze());
    return 'pass';
  };
  const claimed = store.claimOrphans(10);
  await expect.poll(() => query(direct, "select key from task where owner like 'test%'")).toHaveLength(1);
  await query(direct, "update task set owner = 'other'");
  const now = performance.now() + 9_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  proxy.thaw();
  expect(await claimed).toEqual([]);
});

/** Locks the rows of all tasks, as a transaction that was cut off does until the server notices. */
async function lockTasks(): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: direct });
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
