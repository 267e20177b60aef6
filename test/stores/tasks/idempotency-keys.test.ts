import { beforeEach, expect, it } from 'vitest';
import type { Store } from '../../../src/core/ports/store.ts';
import type { Database } from '../../../src/stores/database.ts';
import { alice, bob, callKey, TaskWriter } from '../../contract/store-fixtures.ts';
import { openStoreOn } from '../../contract/store-kinds.ts';

const hour = 60 * 60 * 1000;
let database: Database;
let store: Store;
beforeEach(async () => {
  ({ store, database } = await openStoreOn());
});

/** Makes keys older by some time, by the database's clock. */
const age = (ms: number) =>
  database.sql
    .updateTable('idempotency')
    .set((eb) => ({ created_at: eb('created_at', '-', ms) }))
    .execute();

it('a key is remembered for a day, and then it is new', async () => {
  const call = callKey('k');
  await store.claimCall(call);
  await store.answerCall(call, '{}');
  await age(23 * hour);
  expect(await store.claimCall(callKey('k', { digest: 'two' }))).toMatchObject({ digest: 'd', answer: '{}' });
  await age(2 * hour);
  expect(await store.findCall(alice, 'k')).toBeUndefined();
  expect(await store.claimCall(callKey('k', { digest: 'two' }))).toBeUndefined();
  expect((await store.findCall(alice, 'k'))?.answer).toBeUndefined();
});

it('the same of a message', async () => {
  const first = new TaskWriter();
  await store.append({ ...first.create(), keys: [{ call: callKey('k'), seq: 0 }] });
  await age(25 * hour);
  const second = new TaskWriter();
  await store.append({ ...second.create(), keys: [{ call: callKey('k'), seq: 0 }] });
  expect((await store.findCall(alice, 'k'))?.turn?.key).toBe(second.key);
});

it('keys of over a day ago are deleted, at most so many at once', async () => {
  for (let i = 0; i < 5; i += 1) await store.claimCall(callKey(`old ${i}`));
  await age(25 * hour);
  await store.claimCall(callKey('young', { owner: bob }));
  const left = async () => (await database.sql.selectFrom('idempotency').select('key').execute()).length;
  await store.expire(0, 3);
  expect(await left()).toBe(3);
  await store.expire(0, 3);
  expect(await left()).toBe(1);
});
