import { describe, expect, it } from 'vitest';
import type { StoreKind } from './store.suite.ts';
import { alice, bob, completed, TaskWriter } from './store-fixtures.ts';

/** What tasks and contexts are called at upstream agents. */
export function upstream(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  describe('ids of upstream agents', () => {
    it('are found by the task, before it is made too, and the last binding counts', async () => {
      const store = await fresh();
      expect(await store.upstreamOf('k\0')).toBeUndefined();
      await store.bindUpstream(alice, { key: 'k\0', id: 'i\0', contextId: 'own\0' }, { id: 't\0', contextId: 'c\0' });
      expect(await store.upstreamOf('k\0')).toEqual({ id: 't\0', contextId: 'c\0' });
      expect(await store.upstreamContextOf(alice, 'own\0')).toBe('c\0');
      await store.bindUpstream(alice, { key: 'k\0', id: 'i\0', contextId: 'own\0' }, { id: 't2', contextId: '' });
      expect(await store.upstreamOf('k\0')).toEqual({ id: 't2', contextId: '' });
      expect(await store.upstreamContextOf(alice, 'own\0')).toBe('c\0');
    });

    it('are written with the events that they come with, or not at all', async () => {
      const store = await fresh();
      const [one, other, refused] = [
        new TaskWriter({ contextId: 'own\0' }),
        new TaskWriter({ contextId: 'own\0' }),
        new TaskWriter(),
      ];
      const named = (writer: TaskWriter, id: string, contextId: string) => ({
        binding: {
          task: { ...writer.owner, key: writer.key, id: writer.id, contextId: writer.contextId },
          upstream: { id, contextId },
        },
      });
      const { create: _, ...rowless } = refused.create();
      const settled = await Promise.allSettled([
        store.append({ ...one.create(), ...named(one, 't\0', 'c\0') }),
        store.append({ ...other.create(), ...named(other, 't2', 'c\0') }),
        store.append({ ...rowless, ...named(refused, 't3', 'c3') }),
      ]);
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
      expect(await store.upstreamOf(one.key)).toEqual({ id: 't\0', contextId: 'c\0' });
      expect(await store.upstreamOf(other.key)).toEqual({ id: 't2', contextId: 'c\0' });
      expect(await store.upstreamContextOf(alice, 'own\0')).toBe('c\0');
      expect(await store.upstreamOf(refused.key)).toBeUndefined();
      expect(await store.upstreamContextOf(alice, refused.contextId)).toBeUndefined();
      await store.append({ ...one.status('TASK_STATE_WORKING'), ...named(one, 't4', '') });
      await store.append({ key: other.key, events: [], ...named(other, 't5', '') });
      expect([await store.upstreamOf(one.key), await store.upstreamOf(other.key)]).toEqual([
        { id: 't4', contextId: '' },
        { id: 't5', contextId: '' },
      ]);
    });

    it('are told of the owner’s tasks only, whichever way', async () => {
      const store = await fresh();
      const made = new TaskWriter();
      const chosen = new TaskWriter({ chosenId: 'mine' });
      const others = new TaskWriter({ owner: bob });
      for (const { owner, key, id, contextId } of [made, chosen, others]) {
        await store.bindUpstream(owner, { key, id, contextId }, { id: `there-${id}`, contextId: '' });
      }
      const ids = [made.id, 'mine', others.id, 'unknown'];
      expect(await store.upstreamTasksOf(alice, ids)).toEqual(
        new Map([
          [made.id, `there-${made.id}`],
          ['mine', 'there-mine'],
        ]),
      );
      const there = ids.map((id) => `there-${id}`);
      expect(await store.ownTasksOf(bob, there)).toEqual(new Map([[`there-${others.id}`, others.id]]));
      expect(await store.ownTasksOf({ ...alice, tenant: 't' }, there)).toEqual(new Map());
      expect(await store.upstreamTasksOf(alice, [])).toEqual(new Map());
    });

    it('go with their task', async () => {
      const store = await fresh();
      const old = await completed(store, { now: () => 1_000 });
      const young = await completed(store);
      for (const { owner, key, id, contextId } of [old, young]) {
        await store.bindUpstream(owner, { key, id, contextId }, { id: 'there', contextId: 'c' });
      }
      await store.expire(2_000, 10);
      expect(await store.upstreamOf(old.key)).toBeUndefined();
      expect(await store.upstreamOf(young.key)).toBeDefined();
    });

    it('a context belongs to its owner, and stays while a task of it does', async () => {
      const store = await fresh();
      const task = await completed(store, { contextId: 'used' });
      for (const contextId of ['used', 'left', '\0'])
        await store.bindUpstreamContext(alice, contextId, `${contextId}-1`);
      await store.bindUpstreamContext(alice, 'left', 'left-2');
      expect(await store.upstreamContextOf(bob, 'left')).toBeUndefined();
      expect(await store.upstreamContextOf(alice, 'left')).toBe('left-2');
      expect(await store.upstreamContextOf(alice, '\0')).toBe('\0-1');
      await store.expire(1_000, 10);
      expect(await store.upstreamContextOf(alice, 'left')).toBe('left-2');
      const later = Date.now() + 60_000;
      const busy = new TaskWriter({ contextId: task.contextId });
      await store.append(busy.create());
      await store.expire(later, 10);
      await store.expire(later, 10);
      expect(await store.upstreamContextOf(alice, 'left')).toBeUndefined();
      expect(await store.upstreamContextOf(alice, 'used')).toBe('used-1');
    });
  });
}
