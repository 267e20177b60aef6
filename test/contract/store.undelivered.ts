import { expect, it } from 'vitest';
import type { UndeliveredPush } from '../../src/core/ports/admin-store.ts';
import type { Store } from '../../src/core/ports/store.ts';
import type { StoreKind } from './store.suite.ts';
import { bob, TaskWriter, type WriterOptions } from './store-fixtures.ts';

const url = 'https://hooks.example.com/path?secret';

/** A task of two events with a configuration whose delivery has failed. */
async function failing(
  store: Store,
  outcome: 'dead' | 'waiting',
  options: WriterOptions = {},
  to = url,
): Promise<TaskWriter> {
  const writer = new TaskWriter(options);
  await store.append(writer.create('TASK_STATE_WORKING'));
  await store.putPushConfig(writer.key, { id: 'hook', taskId: writer.id, url: to }, 'a2a-0.3', { after: 0 });
  await store.append(writer.status('TASK_STATE_COMPLETED'));
  const [delivery] = await store.claimDeliveries({ of: [writer.key], limit: 1, except: [] });
  if (!delivery) throw new Error('There is nothing to deliver');
  const report =
    outcome === 'dead'
      ? { cursor: 2, attempts: 0, stop: true, dead: { seq: 1, last: 2 } }
      : { cursor: 0, attempts: 3, delay: 600_000 };
  expect(await store.reportDelivery(delivery, { ...report, failure: 'HTTP 500' })).toBe(true);
  return writer;
}

async function listed(store: Store, size: number, taskId?: string): Promise<UndeliveredPush[]> {
  const all: UndeliveredPush[] = [];
  let token = '';
  do {
    const { items, nextPageToken } = await store.listUndelivered(taskId, size, token);
    expect(items.length).toBeLessThanOrEqual(size);
    all.push(...items);
    token = nextPageToken;
  } while (token !== '');
  return all;
}

/** Push notifications that were not delivered. */
export function undelivered(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  it('undelivered push notifications are listed page by page: dead letters, the latest first, then those that wait', async () => {
    const store = await fresh();
    const waiting = [await failing(store, 'waiting'), await failing(store, 'waiting', { owner: bob })];
    const dead: TaskWriter[] = [];
    for (let i = 0; i < 4; i += 1) dead.push(await failing(store, 'dead', { chosenId: `task ${i}` }));
    for (const size of [1, 2, 3, 4, 5, 6, 7, 100]) {
      const all = await listed(store, size);
      expect(all.map(({ state }) => state)).toEqual([...dead.map(() => 'dead'), 'waiting', 'waiting']);
      const keys = all.map(({ taskKey }) => taskKey);
      expect(keys.slice(0, 4).sort()).toEqual(dead.map(({ key }) => key).sort());
      expect(keys.slice(4).sort()).toEqual(waiting.map(({ key }) => key).sort());
      const times = all.map(({ at }) => at);
      expect(times.slice(0, 4)).toEqual(times.slice(0, 4).toSorted((a, b) => b - a));
      expect(times.slice(4)).toEqual(times.slice(4).toSorted((a, b) => a - b));
    }
    const [letter] = await listed(store, 10, 'task 2');
    expect(letter).toEqual({
      state: 'dead',
      taskKey: dead[2]?.key,
      taskId: 'task 2',
      configId: 'hook',
      agent: 'demo',
      principal: 'alice',
      receiver: 'https://hooks.example.com',
      dialect: 'a2a-0.3',
      first: 1,
      last: 2,
      attempts: 0,
      reason: 'HTTP 500',
      at: expect.any(Number),
    });
    expect(await listed(store, 10, waiting[1]?.id)).toMatchObject([
      { state: 'waiting', principal: 'bob', first: 1, last: 2, attempts: 3 },
    ]);
    expect(await listed(store, 10, 'none')).toEqual([]);
  });

  it('undelivered push notifications are tried again: those of one task, or all, from the first dead letter on', async () => {
    const store = await fresh();
    const waiting = await failing(store, 'waiting');
    const first = await failing(store, 'dead', { chosenId: 'one' });
    const second = await failing(store, 'dead');
    expect(await store.claimDeliveries({ of: 'due', limit: 10, except: [] })).toEqual([]);
    expect(await store.retryUndelivered('none', undefined)).toBe(0);
    expect(await store.retryUndelivered('one', undefined)).toBe(1);
    expect(await store.claimDeliveries({ of: 'due', limit: 10, except: [] })).toMatchObject([
      { key: first.key, cursor: 0, attempts: 0 },
    ]);
    expect((await listed(store, 10)).map(({ state, taskKey }) => [state, taskKey])).toEqual([
      ['dead', second.key],
      ['waiting', first.key],
      ['waiting', waiting.key],
    ]);
    expect(await store.retryUndelivered(undefined, undefined)).toBe(2);
    const claimed = await store.claimDeliveries({ of: 'due', limit: 10, except: [] });
    expect(claimed.map(({ key }) => key).sort()).toEqual([waiting.key, second.key].sort());
    expect((await listed(store, 10)).every(({ state }) => state === 'waiting')).toBe(true);
  });

  it('undelivered push notifications are tried again although they are dated later than now', async () => {
    const database = await kind.database();
    const store = await database.open();
    const { key } = await failing(store, 'dead');
    const waiting = await failing(store, 'waiting');
    await database.read('update push_dead set at = at + 60000 returning at');
    await database.read('update push_config set since = since + 60000 returning since');
    expect(await store.retryUndelivered(undefined, undefined)).toBe(2);
    const claimed = await store.claimDeliveries({ of: 'due', limit: 10, except: [] });
    expect(claimed.map((each) => each.key).sort()).toEqual([key, waiting.key].sort());
  });

  it('undelivered push notifications are tried again for one receiver', async () => {
    const store = await fresh();
    const other = 'https://other.example:8443';
    for (const outcome of ['dead', 'waiting'] as const) {
      await failing(store, outcome);
      await failing(store, outcome, { chosenId: `${outcome} elsewhere` }, `${other}/hook`);
    }
    expect(await store.retryUndelivered(undefined, 'https://nowhere.example')).toBe(0);
    expect(await store.retryUndelivered('dead elsewhere', 'https://hooks.example.com')).toBe(0);
    expect(await store.retryUndelivered(undefined, other)).toBe(2);
    expect(await store.claimDeliveries({ of: 'due', limit: 10, except: [] })).toMatchObject([
      { receiver: other, attempts: 0 },
      { receiver: other, attempts: 0 },
    ]);
  });

  it('undelivered push notifications are tried again in batches, where there are many', async () => {
    const store = await fresh();
    const many = 620;
    for (let i = 0; i < many; i += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => failing(store, n % 2 === 0 ? 'dead' : 'waiting')));
    }
    expect(await listed(store, 100)).toHaveLength(many);
    expect(await store.retryUndelivered(undefined, undefined)).toBe(many);
    const claimed = await store.claimDeliveries({ of: 'due', limit: 1_000, except: [] });
    expect(claimed).toHaveLength(many);
  });
}
