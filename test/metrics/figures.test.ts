import { beforeAll, describe, expect, it } from 'vitest';
import { TaskWriter } from '../contract/store-fixtures.ts';
import { storeKinds } from '../contract/store-kinds.ts';
import { sharedPostgres } from '../support/postgres.ts';

/** Figures about the state of the gateway that are read from the database. */

const hook = (task: TaskWriter) => ({ id: 'p', taskId: task.id, url: 'https://hooks.example.com/in' });

beforeAll(sharedPostgres);

describe.each(storeKinds)('$name', (kind) => {
  it(`${kind.name} counts pending deliveries, their age, and the replicas`, async () => {
    const store = await (await kind.database()).open();
    const none = { due: 0, waiting: 0, oldest: undefined };
    expect(await store.figures()).toEqual({ replicas: 1, push: none });

    const [late, failing, over] = [1_000, 2_000, 3_000].map((now) => new TaskWriter({ now: () => now })) as [
      TaskWriter,
      TaskWriter,
      TaskWriter,
    ];
    for (const task of [late, failing, over]) {
      await store.append(task.create('TASK_STATE_WORKING'));
      await store.putPushConfig(task.key, hook(task), 'a2a-1.0');
    }
    expect((await store.figures()).push).toEqual(none);

    for (const task of [late, failing, over]) await store.append(task.chunk('a'));
    expect((await store.figures()).push).toEqual({ due: 3, waiting: 0, oldest: 1_000 });

    const claimed = await store.claimDeliveries({ of: [failing.key, over.key], limit: 10, except: [] });
    // In hand, it is still to be delivered.
    expect((await store.figures()).push).toEqual({ due: 3, waiting: 0, oldest: 1_000 });
    for (const delivery of claimed) {
      const fails = delivery.key === failing.key;
      const report = fails
        ? { cursor: 1, attempts: 1, delay: 60_000, failure: 'HTTP 500' }
        : { cursor: 2, attempts: 0 };
      await store.reportDelivery(delivery, report);
    }
    expect((await store.figures()).push).toEqual({ due: 1, waiting: 1, oldest: 1_000 });
    await store.deletePushConfig(late.key, 'p');
    expect((await store.figures()).push).toEqual({ due: 0, waiting: 1, oldest: 2_000 });
  });

  it(`${kind.name} knows its connections, where it has any`, async () => {
    const store = await (await kind.database()).open();
    await store.ping();
    if (kind.name !== 'PostgreSQL') return expect(store.connections).toBeUndefined();
    expect(store.connections).toEqual({ open: expect.any(Number), idle: expect.any(Number), waiting: 0 });
    expect(store.connections?.open).toBeGreaterThan(0);
  });
});
