import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { TaskFilter } from '../../../src/core/ports/admin-store.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { createStore } from '../../../src/stores/index.ts';
import { completed } from '../../contract/store-fixtures.ts';
import { newFolder } from '../../support/folders.ts';
import { paced } from '../../support/pace.ts';
import { afterTest } from '../../support/peer.ts';

const many = 45_000;

/** A store with very many tasks that are copies of one: `k1`, `k2` and so on, in the order of their changes. */
async function largeStore(): Promise<Store> {
  const folder = newFolder();
  const path = join(folder, 'gateway.db');
  const store = createStore(`sqlite:${path}`, { instance: 'test' });
  await store.open();
  afterTest(() => store.close());
  await completed(store, { now: () => 1 });
  const database = new DatabaseSync(path, { timeout: paced(10_000) });
  const columns = Object.keys(database.prepare('select * from task').get() ?? {});
  const own: Record<string, string> = {
    key: "'k' || n",
    id: "'k' || n",
    context_id: "'k' || n",
    updated_at: '1000 + n',
  };
  const values = columns.map((name) => own[name] ?? name).join(', ');
  database.exec(`
    insert into task (${columns.join(', ')}) select ${values} from task, (
      with recursive c(n) as (select 1 union all select n + 1 from c where n < ${many}) select n from c)`);
  database.close();
  return store;
}

/** The number of tasks on each page of a search. */
async function pages(store: Store, filter: TaskFilter): Promise<number[]> {
  const counts: number[] = [];
  let token = '';
  do {
    const { tasks, nextPageToken } = await store.searchTasks(filter, 500, token);
    counts.push(tasks.length);
    token = nextPageToken;
  } while (token !== '');
  return counts;
}

test('a call of a search in very many tasks reads a bounded number of them, whatever matches', async () => {
  const store = await largeStore();
  const text = (wanted: string): TaskFilter => ({ text: { text: wanted, namesOnly: false } });
  // Each call reads some 20,000 tasks, and stops with nothing found.
  for (const nothing of [text('no task has this'), { dialect: 'a2a-0.1' }, { binding: 'grpc' }, { agent: 'none' }]) {
    expect(await pages(store, nothing), JSON.stringify(nothing)).toEqual([0, 0, 0]);
  }
  for (const all of [text('demo'), { dialect: 'a2a-1.0' }, {}]) {
    const { tasks, nextPageToken } = await store.searchTasks(all, 500, '');
    expect([tasks.length, tasks[0]?.key, nextPageToken === '']).toEqual([500, `k${many}`, false]);
  }
});
