import { expect, it } from 'vitest';
import { newId } from '../../src/core/model/ids.ts';
import type { StoreKind } from './store.suite.ts';
import { alice, bob, completed, TaskWriter } from './store-fixtures.ts';

/** Ids that callers choose, and the dialect in which a task was last used. */
export function naming(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  it('ids that callers choose are unique within their owner only', async () => {
    const store = await fresh();
    const owners = [alice, bob, { ...alice, tenant: 't' }, { ...alice, agent: 'other' }];
    const tasks = owners.map((owner) => new TaskWriter({ owner, chosenId: 'task-1' }));
    for (const task of tasks) await store.append(task.create());
    for (const task of tasks) expect((await store.find(task.owner, 'task-1'))?.key).toBe(task.key);
    const again = new TaskWriter({ owner: bob, chosenId: 'task-1' });
    await expect(store.append(again.create())).rejects.toMatchObject({ kind: 'internal' });
    expect(await store.events(again.key, 0, 10)).toHaveLength(1);
  });

  it('ids that callers choose may look like those that the gateway makes, or be the id of a task of another', async () => {
    const store = await fresh();
    const ofGateway = await completed(store);
    for (const chosenId of [newId(), ofGateway.id]) {
      const chosen = new TaskWriter({ owner: bob, chosenId });
      await store.append(chosen.create());
      expect((await store.find(bob, chosenId))?.key).toBe(chosen.key);
      expect((await store.lastUse(bob, chosenId))?.key).toBe(chosen.key);
    }
    expect((await store.find(alice, ofGateway.id))?.key).toBe(ofGateway.key);
    expect(await store.find(alice, newId())).toBeUndefined();
    // This looks like a UUID, but has characters that PostgreSQL cannot hold.
    const strange = `\0\u0001${newId().slice(2)}`;
    expect(await store.find(alice, strange)).toBeUndefined();
    const chosen = await completed(store, { chosenId: strange });
    expect((await store.find(alice, strange))?.key).toBe(chosen.key);
  });

  it('of many callers who make a task under one id, exactly one does', async () => {
    const database = await kind.database();
    const stores = [await database.open(), await database.open()];
    const writers = Array.from({ length: 12 }, (_, i) => ({
      store: stores[i % stores.length],
      writer: new TaskWriter({ chosenId: 'task-1', contextId: `c${i}` }),
    }));
    const made = await Promise.allSettled(writers.map(({ store, writer }) => store?.append(writer.create())));
    const won = writers.filter((_, i) => made[i]?.status === 'fulfilled');
    expect(won).toHaveLength(1);
    for (const result of made.filter(({ status }) => status === 'rejected')) {
      expect(result).toMatchObject({ reason: { kind: 'internal' } });
    }
    for (const store of stores) expect((await store.find(alice, 'task-1'))?.task).toEqual(won[0]?.writer.task);
    expect((await stores[0]?.list(alice, { pageSize: 10 }))?.totalSize).toBe(1);
  });

  it('ids that callers choose can be used again when the task has expired', async () => {
    const store = await fresh();
    await completed(store, { now: () => 1_000, chosenId: 'task-1' });
    await store.expire(2_000, 10);
    expect(await store.find(alice, 'task-1')).toBeUndefined();
    const next = await completed(store, { chosenId: 'task-1' });
    expect((await store.find(alice, 'task-1'))?.task).toEqual(next.task);
  });

  it('the dialect in which a task was last used is the one that made it, until it is changed', async () => {
    const store = await fresh();
    for (const chosenId of [undefined, 'task-1']) {
      const { id, key, task } = await completed(store, chosenId === undefined ? {} : { chosenId });
      expect(await store.lastUse(alice, id)).toEqual({ key, dialect: 'a2a-1.0' });
      await store.setDialect(key, 'a2a-0.1');
      await store.setDialect(key, 'a2a-0.1');
      expect(await store.lastUse(alice, id)).toEqual({ key, dialect: 'a2a-0.1' });
      expect(await store.find(alice, id)).toMatchObject({ dialect: 'a2a-0.1', seq: 4 });
      expect((await store.load(key))?.task).toEqual(task);
      expect(await store.lastUse(bob, id)).toBeUndefined();
    }
    expect(await store.lastUse(alice, 'unknown')).toBeUndefined();
    expect(await store.lastUse(alice, newId())).toBeUndefined();
    await store.setDialect('unknown', 'a2a-0.1');
  });

  it('the dialect in which a task was last used is changed while events are written, and neither is lost', async () => {
    const store = await fresh();
    const writer = new TaskWriter({ chosenId: 'task-1' });
    await store.append(writer.create());
    const writes: Promise<void>[] = [];
    for (let i = 0; i < 50; i += 1) {
      writes.push(store.append(writer.chunk(`${i}`)), store.setDialect(writer.key, `a2a-0.${i % 4}`));
    }
    await Promise.all(writes);
    await store.setDialect(writer.key, 'a2a-0.3');
    await store.append(writer.status('TASK_STATE_COMPLETED'));
    expect(await store.find(alice, 'task-1')).toMatchObject({ dialect: 'a2a-0.3', seq: 52, task: writer.task });
  });
}
