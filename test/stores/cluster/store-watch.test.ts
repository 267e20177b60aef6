import { type CompiledQuery, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StoreWatch, type StoreWatchOptions } from '../../../src/stores/cluster/store-watch.ts';
import { type Database, kyselyOver } from '../../../src/stores/database.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);

/** A database that has nothing but versions of topics, and the topics of each query. */
function versions(options: Partial<StoreWatchOptions> = {}) {
  const rows = new Map<string, string>();
  const queries: string[][] = [];
  const state = { failure: undefined as Error | undefined, isSilent: false };
  const dialect = {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db: never) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  const execute = async (query: CompiledQuery): Promise<{ rows: never[] }> => {
    const names = [...query.sql.matchAll(/select '([^']+)' as topic/g)].map(([, name = '']) => name);
    queries.push(names);
    if (state.failure) throw state.failure;
    if (state.isSilent) return new Promise(() => {});
    return { rows: names.map((topic) => ({ topic, version: rows.get(topic) ?? null })) as never[] };
  };
  const notified: string[] = [];
  const watch = new StoreWatch({
    database: { sql: kyselyOver(dialect, execute as never) } as Pick<Database, 'sql'> as Database,
    isAlone: () => false,
    isNotified: () => false,
    notify: (topic) => notified.push(topic),
    logger: undefined,
    ...options,
  });
  const topic = (name: string, more = {}) => watch.topic(name, () => sql`(select 1)`, more);
  return { rows, queries, state, notified, watch, topic };
}

test('a change that no notification reports is noticed by the next reading', async () => {
  const { rows, topic, watch } = versions();
  const changed = vi.fn();
  topic('stops').listen(250, changed);
  await pass(5);
  expect(changed).toHaveBeenCalledTimes(1);
  await pass(1_000);
  expect(changed).toHaveBeenCalledTimes(1);
  // A replica of any version writes the rows.
  rows.set('stops', 'another');
  await pass(251);
  expect(changed).toHaveBeenCalledTimes(2);
  watch.close();
});

test('a notification has the version read at once, and is not taken for a change', async () => {
  const { rows, queries, topic, watch } = versions({ isNotified: () => true });
  const changed = vi.fn();
  topic('stops').listen(250, changed);
  await pass(10);
  rows.set('stops', 'another');
  watch.notified(['stops', 'unknown']);
  await pass(1);
  expect(changed).toHaveBeenCalledTimes(2);
  for (let i = 0; i < 100; i += 1) watch.notified(['stops']);
  await pass(5);
  expect(changed).toHaveBeenCalledTimes(2);
  expect(queries.length).toBeLessThan(5);
  watch.close();
});

test('while notifications arrive, topics are read once a second', async () => {
  const { queries, topic, watch } = versions({ isNotified: () => true });
  topic('stops').listen(250, () => {});
  topic('tasks', { isNotified: false }).listen(5_000, () => {});
  await pass(10_100);
  const of = (name: string): number => queries.filter((names) => names.includes(name)).length;
  expect([of('stops'), of('tasks')]).toEqual([11, 3]);
  expect(queries).toHaveLength(11);
  watch.close();
});

test('one query reads all topics that are due, and none without listeners', async () => {
  const { queries, topic, watch } = versions();
  topic('sessions');
  const ends = [topic('stops').listen(250, () => {}), topic('modes').listen(1_000, () => {})];
  await pass(2_010);
  expect(queries.slice(0, 5)).toEqual([['stops', 'modes'], ['stops'], ['stops'], ['stops', 'modes'], ['stops']]);
  expect(queries).toHaveLength(9);
  for (const end of ends) end();
  await pass(60_000);
  expect(queries).toHaveLength(9);
  watch.close();
});

test('a gateway that has its store to itself reads nothing, and its own writes wake listeners at once', async () => {
  const { queries, notified, topic, watch } = versions({ isAlone: () => true });
  const changed = vi.fn();
  const modes = topic('modes');
  modes.listen(2_000, changed);
  await pass(60_000);
  expect([changed.mock.calls.length, queries.length]).toEqual([1, 0]);
  modes.wrote();
  await pass(1);
  expect(changed).toHaveBeenCalledTimes(2);
  expect(notified).toEqual(['modes']);
  topic('tasks', { changesBySelf: true }).listen(1_000, () => {});
  await pass(1);
  expect(queries).toEqual([['tasks']]);
  watch.close();
});

test('a listener whose reading fails is called again, and never twice at the same time', async () => {
  const { topic, watch } = versions();
  const held = Promise.withResolvers<void>();
  const changed = vi.fn<() => Promise<void>>(() => Promise.reject(new Error('away')));
  const stops = topic('stops');
  stops.listen(250, changed);
  await pass(5);
  expect(changed).toHaveBeenCalledTimes(1);
  changed.mockImplementation(() => held.promise);
  await pass(251);
  expect(changed).toHaveBeenCalledTimes(2);
  stops.wrote();
  await pass(5_000);
  expect(changed).toHaveBeenCalledTimes(2);
  held.resolve();
  await pass(1);
  expect(changed).toHaveBeenCalledTimes(3);
  watch.close();
});

test('listeners learn of an outage when they read, and of its end', async () => {
  const { state, topic, watch } = versions();
  const changed = vi.fn();
  topic('tasks').listen(1_000, changed);
  await pass(5);
  state.failure = new Error('no route');
  await pass(3_010);
  expect(changed).toHaveBeenCalledTimes(4);
  state.failure = undefined;
  await pass(1_000);
  expect(changed).toHaveBeenCalledTimes(5);
  await pass(10_000);
  expect(changed).toHaveBeenCalledTimes(5);
  watch.close();
});

test('a reading whose answer is lost keeps no later one back', async () => {
  const { rows, state, topic, watch } = versions();
  const changed = vi.fn();
  topic('stops').listen(250, changed);
  await pass(5);
  state.isSilent = true;
  await pass(260);
  state.isSilent = false;
  rows.set('stops', 'another');
  await pass(2_000);
  // Once since nothing is known meanwhile, and once since the rows have changed.
  expect(changed.mock.calls.length).toBeGreaterThanOrEqual(2);
  const before = changed.mock.calls.length;
  rows.set('stops', 'a third one');
  await pass(2_001);
  expect(changed.mock.calls.length).toBeGreaterThan(before);
  watch.close();
});

test('a topic that is read again since time has passed notices that its rows become what they were before', async () => {
  const { rows, topic, watch } = versions({ isNotified: () => true });
  const changed = vi.fn();
  const registrations = topic('registrations');
  rows.set('registrations', 'none has ended');
  registrations.listen(500, changed);
  await pass(5);
  // A lease ends, and is renewed before the next reading is due.
  rows.set('registrations', 'one has ended');
  registrations.reread();
  await pass(5);
  expect(changed).toHaveBeenCalledTimes(2);
  rows.set('registrations', 'none has ended');
  watch.notified(['registrations']);
  await pass(5);
  expect(changed).toHaveBeenCalledTimes(3);
  watch.close();
});
