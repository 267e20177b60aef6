import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { SqlStore } from '../../src/stores/store.ts';
import { alice, bob } from '../contract/store-fixtures.ts';

const hour = 60 * 60 * 1000;
let database: Awaited<ReturnType<typeof openSqlite>>;
let store: SqlStore;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  database = await openSqlite({ path: ':memory:', flush: false });
  store = new SqlStore({ shown: 'test', instance: 'test', logger: undefined, connect: async () => database });
  await store.open();
});
afterEach(async () => {
  await store.close();
  vi.useRealTimers();
});

it('a key is remembered for a day, and then it is new', async () => {
  await store.rememberCall(alice, 'k', 'one');
  await store.settleCall(alice, 'k', { task: { key: 't', seq: 0 }, answer: '{}' });
  vi.setSystemTime(Date.now() + 23 * hour);
  expect(await store.rememberCall(alice, 'k', 'two')).toMatchObject({ digest: 'one', answer: '{}' });
  vi.setSystemTime(Date.now() + 2 * hour);
  expect(await store.rememberCall(alice, 'k', 'two')).toBeUndefined();
  expect(await store.rememberCall(alice, 'k', 'two')).toEqual({ digest: 'two', alive: expect.any(Boolean) });
});

it('keys of over a day ago are deleted, at most so many at once', async () => {
  for (let i = 0; i < 5; i += 1) await store.rememberCall(alice, `old ${i}`, 'd');
  vi.setSystemTime(Date.now() + 25 * hour);
  await store.rememberCall(bob, 'young', 'd');
  const left = async () => (await database.sql.selectFrom('idempotency').select('key').execute()).length;
  await store.expire(0, 3);
  expect(await left()).toBe(3);
  await store.expire(0, 3);
  expect(await left()).toBe(1);
});
