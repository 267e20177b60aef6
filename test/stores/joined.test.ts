import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '../../src/core/ports/store.ts';
import { createStore } from '../../src/stores/index.ts';
import { joinStores } from '../../src/stores/joined.ts';
import { TaskWriter } from '../contract/store-fixtures.ts';
import { silent } from '../support/core.ts';

/** Lists over several stores. */

const names = ['main', 'lab', 'eu'] as const;
let stores: Store[];
let joined: Store;
const keys: string[] = [];

beforeAll(async () => {
  stores = names.map((name) => createStore('memory:', { instance: name, logger: silent }));
  for (const store of stores) await store.open();
  const [main, lab, eu] = stores as [Store, Store, Store];
  const named = [
    { name: 'lab', store: lab },
    { name: 'eu', store: eu },
  ];
  joined = joinStores(main, named, ({ agent }) => (agent === 'lab' ? lab : agent === 'eu' ? eu : main)).store;
  // Some at the same time, and runs of one store, so that pages end within and between them.
  const order = [0, 0, 0, 1, 2, 1, 1, 1, 1, 1, 2, 0, 2, 2, 2, 2, 0, 1, 2, 0];
  for (const [n, at] of order.entries()) {
    const time = 1_000_000 + Math.floor(n / 2) * 10;
    const writer = new TaskWriter({
      now: () => time,
      owner: { agent: names[at] ?? '', tenant: '', principal: 'alice' },
    });
    await stores[at]?.append(writer.create());
    keys.push(writer.key);
  }
});
afterAll(async () => Promise.all(stores.map((store) => store.close())));

async function allPages(size: number, filter = {}): Promise<{ key: string; updatedAt: number }[]> {
  const found: { key: string; updatedAt: number }[] = [];
  for (let token = ''; ; ) {
    const page = await joined.searchTasks(filter, size, token);
    expect(page.tasks.length).toBeLessThanOrEqual(size);
    found.push(...page.tasks);
    token = page.nextPageToken;
    if (token === '') return found;
  }
}

test('pages of any size have every task once, the latest change first', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 25 }), async (size) => {
      const found = await allPages(size);
      expect(found.map(({ key }) => key).sort()).toEqual([...keys].sort());
      expect(found.map(({ updatedAt }) => updatedAt)).toEqual(
        found.map(({ updatedAt }) => updatedAt).sort((a, b) => b - a),
      );
    }),
  );
});

test('changes come in their order', async () => {
  const changed = await joined.changedTasks({ at: 0, key: '' }, 100);
  expect(changed.map(({ key }) => key).sort()).toEqual([...keys].sort());
  expect(changed.map(({ updatedAt }) => updatedAt)).toEqual(
    changed.map(({ updatedAt }) => updatedAt).sort((a, b) => a - b),
  );
});

test('a token of no page is refused', async () => {
  for (const token of ['x', Buffer.from('{}').toString('base64url'), Buffer.from('{"main":1}').toString('base64url')]) {
    await expect(joined.searchTasks({}, 5, token)).rejects.toThrow('pageToken');
  }
});

test('a task is found by its key alone, wherever it is', async () => {
  for (const key of keys) expect((await joined.loadRecord(key))?.key).toBe(key);
  expect(await joined.loadRecord('missing')).toBeUndefined();
});
