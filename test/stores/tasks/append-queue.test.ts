import { beforeEach, expect, it, vi } from 'vitest';
import type { Store } from '../../../src/core/ports/store.ts';
import type { Database } from '../../../src/stores/database.ts';
import { TaskReader } from '../../../src/stores/tasks/reader.ts';
import { completed, logged, TaskWriter } from '../../contract/store-fixtures.ts';
import { openStoreOn } from '../../contract/store-kinds.ts';

let database: Database;
let store: Store;
beforeEach(async () => {
  ({ store, database } = await openStoreOn());
});

const batches = () => {
  const write = vi.spyOn(database, 'write');
  return () => write.mock.calls.map(([tasks]) => tasks.map(({ events }) => events.length));
};

/** So many milliseconds pass between two looks at the clock. */
const clock = (step: number): void => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += step));
};

it('what is appended in one turn of the loop is one transaction, with one write for each task', async () => {
  clock(0);
  const written = batches();
  const writers = Array.from({ length: 16 }, () => new TaskWriter());
  await Promise.all(
    writers.flatMap((writer) => [
      store.append(writer.create()),
      store.append(writer.chunk('a')),
      store.append(writer.next(writer.chunkEvent('b'), writer.chunkEvent('c'))),
    ]),
  );
  expect(written()).toEqual([writers.map(() => 4)]);
});

it('a transaction is bounded', async () => {
  clock(0);
  const written = batches();
  const writers = Array.from({ length: 600 }, () => new TaskWriter());
  await Promise.all(writers.map((writer) => store.append(writer.create())));
  expect(written().map((batch) => batch.length)).toEqual([256, 256, 88]);
});

it('a transaction of SQLite that takes long ends early; the rest follows before what came later', async () => {
  clock(1);
  const write = vi.spyOn(database, 'write');
  const writers = Array.from({ length: 5 }, () => new TaskWriter());
  const created = writers.map((writer) => store.append(writer.create()));
  await created[0];
  const chunks = writers.map((writer) => store.append(writer.chunk('later')));
  await Promise.all([...created, ...chunks]);
  const outcomes = await Promise.all(write.mock.results.map(({ value }) => value));
  expect(outcomes.map(({ length }) => length)).toEqual([3, 3, 2]);
  for (const writer of writers) expect((await store.load(writer.key))?.task).toEqual(writer.task);
});

it('an append that cannot be stored fails alone', async () => {
  const good = Array.from({ length: 5 }, () => new TaskWriter());
  const broken = new TaskWriter();
  const create = broken.create();
  const appends = good.map((writer) => writer.create());
  // Not a value that a database can hold.
  const bad = { ...create, events: create.events.map((event) => ({ ...event, at: Number.NaN })) };
  const [failed, ...others] = await Promise.allSettled([bad, ...appends].map((append) => store.append(append)));
  expect(failed).toMatchObject({ status: 'rejected', reason: { kind: 'internal' } });
  for (const other of others) expect(other.status).toBe('fulfilled');
  expect(await store.load(broken.key)).toBeUndefined();
});

it('while the database is away all are refused, and what follows succeeds', async () => {
  const away = Object.assign(new Error('disk I/O error'), { errcode: 10 });
  const working = new TaskWriter();
  await store.append(working.create());
  const write = vi.spyOn(database, 'write').mockRejectedValue(away);
  const append = working.chunk('x');
  const results = await Promise.allSettled([store.append(append), store.append(new TaskWriter().create())]);
  for (const result of results) {
    expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable', cause: away } });
  }
  write.mockRestore();
  await store.append(append);
  expect((await store.load(working.key))?.task).toEqual(working.task);
});

it('a task whose making was cut off is handed out to be taken up, unless it was not made', async () => {
  const write = database.write.bind(database);
  const [made, lost] = [new TaskWriter(), new TaskWriter()];
  vi.spyOn(database, 'write').mockImplementationOnce(async (tasks) => {
    await write(tasks.filter(({ key }) => key === made.key));
    throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
  });
  await Promise.allSettled([made, lost].map((writer) => store.append(writer.create('TASK_STATE_WORKING'))));
  expect((await store.claimOrphans(10)).map(({ key }) => key)).toEqual([made.key]);
  expect(await store.claimOrphans(10)).toEqual([]);
  await store.append(made.status('TASK_STATE_FAILED'));
});

it("a write whose answer was lost does not count as this gateway's where another replica has taken the task over", async () => {
  const writer = new TaskWriter();
  const create = writer.create('TASK_STATE_WORKING');
  const write = database.write.bind(database);
  vi.spyOn(database, 'write').mockImplementationOnce(async (tasks) => {
    await write(tasks);
    await database.sql.updateTable('task').set({ owner: 'another replica' }).execute();
    throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
  });
  await expect(store.append(create)).rejects.toMatchObject({ kind: 'unavailable' });
  const cause = expect.objectContaining({ name: 'LogConflict', isStored: true });
  await expect(store.append(create)).rejects.toMatchObject({ cause });
  await database.sql.updateTable('task').set({ owner: null }).execute();
  await store.append(writer.status('TASK_STATE_FAILED'));
});

it('tasks that were claimed but could not be read are claimed again, one of a newer form is left out', async () => {
  const [good, broken] = [new TaskWriter(), new TaskWriter()];
  for (const writer of [good, broken]) await store.append(writer.create('TASK_STATE_WORKING'));
  await database.sql.updateTable('task').set({ owner: 'a gateway that is gone' }).execute();
  await database.sql.updateTable('task_event').set({ form: 99 }).where('key', '=', broken.key).execute();
  const away = Object.assign(new Error('disk I/O error'), { errcode: 10 });
  vi.spyOn(TaskReader.prototype, 'loadReadable').mockRejectedValueOnce(away);
  await expect(store.claimOrphans(10)).rejects.toMatchObject({ kind: 'unavailable' });
  expect((await store.claimOrphans(10)).map(({ key }) => key)).toEqual([good.key]);
  expect(await store.claimOrphans(10)).toEqual([]);
  await store.append(good.status('TASK_STATE_FAILED'));
});

it('a finished task is read without its log, a long one under way once', async () => {
  const done = await completed(store);
  const long = new TaskWriter();
  await store.append(long.create());
  await store.append(long.next(...Array.from({ length: 300 }, (_, i) => long.chunkEvent(`${i}`))));
  const snapshots = async () =>
    (await database.sql.selectFrom('task_snapshot').select(['key', 'seq']).execute()).map((row) => ({ ...row }));
  expect(await snapshots()).toEqual([{ key: done.key, seq: 4 }]);
  await store.load(long.key);
  await vi.waitFor(async () => expect(await snapshots()).toContainEqual({ key: long.key, seq: 301 }));
  // With the logs gone, only what needs no log can be read.
  await database.sql.deleteFrom('task_event').execute();
  expect((await store.load(done.key))?.task).toEqual(done.task);
  expect((await store.load(long.key))?.task).toEqual(long.task);
  const event = logged(302, long.chunkEvent('last'));
  await store.append({ key: long.key, events: [event] });
  expect((await store.load(long.key))?.task.artifacts?.[0]?.parts).toHaveLength(301);
});

it('a task whose last event is the whole task has no snapshot of its own', async () => {
  const [only, last, partial] = [new TaskWriter(), new TaskWriter(), new TaskWriter()];
  const history = [{ messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hello' }] }];
  const ended = ({ id, contextId }: TaskWriter) => ({
    id,
    contextId,
    status: { state: 'TASK_STATE_COMPLETED' as const },
  });
  await store.append(only.create('TASK_STATE_COMPLETED', { history }));
  for (const writer of [last, partial]) await store.append(writer.create('TASK_STATE_SUBMITTED', { history }));
  await store.append(last.next({ task: { ...ended(last), history } }));
  // It keeps the history of the first event.
  await store.append(partial.next({ task: ended(partial) }));
  expect(await database.sql.selectFrom('task_snapshot').select('key').execute()).toEqual([{ key: partial.key }]);
  // The earlier events are not needed to read them.
  await database.sql.deleteFrom('task_event').where('seq', '=', 1).where('key', '<>', only.key).execute();
  for (const writer of [only, last, partial]) expect((await store.load(writer.key))?.task).toEqual(writer.task);
});
