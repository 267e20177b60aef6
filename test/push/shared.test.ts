import { beforeAll, expect, it } from 'vitest';
import type { Store } from '../../src/core/ports/store.ts';
import { createStore } from '../../src/stores/index.ts';
import { type SharedPostgres, sharedPostgres } from '../support/postgres.ts';
import { startPushBench } from './bench.ts';
import { startReceiver } from './receiver.ts';

let server: SharedPostgres;
beforeAll(async () => {
  server = await sharedPostgres();
});

it('gateways on one database share what is to be delivered, and deliver nothing twice', async () => {
  const url = await server.database();
  const hook = await startReceiver();
  const open = async (instance: string): Promise<Store> => {
    const store = createStore(url, { instance });
    await store.open();
    return store;
  };
  const stores = await Promise.all(['one', 'two'].map(open));
  const benches = await Promise.all(stores.map((store) => startPushBench({ store })));
  try {
    const [one, two] = benches;
    if (!one || !two) throw new Error('two gateways');
    const tasks = await Promise.all(Array.from({ length: 60 }, (_, i) => (i % 2 ? one : two).task(hook.url)));
    // Wherever the configuration was made, the other one works on the task.
    await Promise.all(
      tasks.map(async (task, i) => {
        const { store } = i % 2 ? one : two;
        for (const text of ['a', 'b', 'c']) await store.append(task.chunk(text));
        await store.append(task.status('TASK_STATE_COMPLETED'));
      }),
    );
    const got = await hook.until((all) => all.length >= 60 * 5);
    for (const { id } of tasks) {
      const kinds = got
        .map(({ body }) => body)
        .filter(
          ({ task, statusUpdate, artifactUpdate }) => (task?.id ?? (statusUpdate ?? artifactUpdate)?.taskId) === id,
        )
        .map(({ artifactUpdate, task }) => artifactUpdate?.artifact.parts[0].text ?? (task ? 'task' : 'status'));
      expect(kinds).toEqual(['task', 'a', 'b', 'c', 'status']);
    }
    // The last answer may still be on its way.
    for (const bench of benches) await bench.close();
    const [first, second] = [one.deliverer.stats(), two.deliverer.stats()];
    expect(first.delivered + second.delivered).toBe(60 * 5);
    expect(Math.min(first.delivered, second.delivered)).toBeGreaterThan(0);
  } finally {
    for (const bench of benches) await bench.close();
    for (const store of stores) await store.close();
    await hook.close();
  }
});
