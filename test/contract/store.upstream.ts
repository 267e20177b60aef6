import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/core/ports/store.ts';
import type { Append } from '../../src/core/ports/task-store.ts';
import type { StoreKind } from './store.suite.ts';
import { alice, bob, completed, TaskWriter, type WriterOptions } from './store-fixtures.ts';

/** Binds a task that is stored. */
const bind = (store: Store, writer: TaskWriter, id: string, contextId: string): Promise<void> =>
  store.append({ key: writer.key, events: [], upstream: { id, contextId } });

/** Ways in which a task's ids become known. */
const ways: Readonly<Record<string, (store: Store, writer: TaskWriter, id: string, context: string) => Promise<void>>> =
  {
    'with the only event': (store, writer, id, context) =>
      store.append({ ...writer.create('TASK_STATE_COMPLETED'), upstream: { id, contextId: context } }),
    'with the first event': async (store, writer, id, context) => {
      await store.append({ ...writer.create(), upstream: { id, contextId: context } });
      await store.append(writer.status('TASK_STATE_COMPLETED'));
    },
    'with the last event': async (store, writer, id, context) => {
      await store.append(writer.create());
      await store.append({ ...writer.status('TASK_STATE_COMPLETED'), upstream: { id, contextId: context } });
    },
    'without an event': async (store, writer, id, context) => {
      await store.append(writer.create());
      await bind(store, writer, id, context);
      await store.append(writer.status('TASK_STATE_COMPLETED'));
    },
  };

/** Contract of the ids of tasks and contexts at upstream agents. */
export function upstream(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  describe('what the agent gets besides a message', () => {
    const turnRequest = '{"turn":1,"parts":{"metadata":{"secret-of-the-request":"\\u0000é"}},"extensions":[]}';

    it('what the agent gets besides a message is there until the next event, and is not a part of the task', async () => {
      const store = await fresh();
      const [writer, other] = [new TaskWriter(), new TaskWriter()];
      await store.append({ ...writer.create(), turnRequest });
      await store.append(other.create());
      expect(await store.turnRequest(writer.key)).toBe(turnRequest);
      expect(await store.turnRequest(other.key)).toBeUndefined();
      expect(await store.turnRequest('no task')).toBeUndefined();
      await bind(store, writer, 'there', 'c');
      expect(await store.turnRequest(writer.key)).toBe(turnRequest);
      const read = [
        await store.load(writer.key),
        await store.find(alice, writer.id),
        await store.findRecord(alice, writer.id),
        await store.list(alice, { pageSize: 10 }),
        await store.events(writer.key, 0, 10),
        await store.searchTasks({}, 10, ''),
        await store.overviewOf(writer.key),
      ];
      expect(JSON.stringify(read)).toContain(writer.id);
      expect(JSON.stringify(read)).not.toContain('secret-of-the-request');
      await store.append(writer.status('TASK_STATE_WORKING'));
      expect(await store.turnRequest(writer.key)).toBeUndefined();
    });

    it('what the agent gets besides a message belongs to the last of several events that are written together', async () => {
      const store = await fresh();
      const [answered, asked] = [new TaskWriter(), new TaskWriter()];
      await Promise.all([
        store.append({ ...answered.create(), turnRequest }),
        store.append(answered.chunk('one')),
        store.append(asked.create('TASK_STATE_INPUT_REQUIRED')),
        store.append({ ...asked.message('go on'), turnRequest }),
      ]);
      expect(await store.turnRequest(answered.key)).toBeUndefined();
      expect(await store.turnRequest(asked.key)).toBe(turnRequest);
      await store.append(asked.status('TASK_STATE_COMPLETED'));
      expect(await store.turnRequest(asked.key)).toBeUndefined();
    });
  });

  it.each(Object.keys(ways))(
    'ids of upstream agents that become known %s are found in both directions',
    async (way) => {
      const store = await fresh();
      const write = ways[way] as (typeof ways)[string];
      const made = new TaskWriter({ contextId: 'own\0' });
      const chosen = new TaskWriter({ chosenId: 'mine\0' });
      const others = new TaskWriter({ owner: bob });
      for (const writer of [made, chosen, others])
        await write(store, writer, `there\0-${writer.id}`, `c\0-${writer.id}`);
      for (const { key, id, owner, contextId, task } of [made, chosen, others]) {
        expect(await store.upstreamOf(key)).toEqual({ id: `there\0-${id}`, contextId: `c\0-${id}` });
        expect(await store.upstreamContextOf(owner, contextId)).toBe(`c\0-${id}`);
        expect((await store.load(key))?.task).toEqual(task);
      }
      const ids = [made.id, 'mine\0', others.id, 'unknown'];
      expect(await store.upstreamTasksOf(alice, ids)).toEqual(
        new Map([
          [made.id, `there\0-${made.id}`],
          ['mine\0', 'there\0-mine\0'],
        ]),
      );
      const there = ids.map((id) => `there\0-${id}`);
      expect(await store.ownTasksOf(bob, there)).toEqual(new Map([[`there\0-${others.id}`, others.id]]));
      expect(await store.ownTasksOf(alice, there)).toEqual(
        new Map([
          [`there\0-${made.id}`, made.id],
          ['there\0-mine\0', 'mine\0'],
        ]),
      );
      expect(await store.ownTasksOf({ ...alice, tenant: 't' }, there)).toEqual(new Map());
      expect(await store.upstreamContextOf(bob, 'own\0')).toBeUndefined();
    },
  );

  it('ids of upstream agents are unknown for a task that has none, and for no task', async () => {
    const store = await fresh();
    const { key, id, contextId } = await completed(store);
    expect(await store.upstreamOf(key)).toBeUndefined();
    expect(await store.upstreamOf('k\0')).toBeUndefined();
    expect(await store.upstreamContextOf(alice, contextId)).toBeUndefined();
    expect(await store.upstreamTasksOf(alice, [id])).toEqual(new Map());
    expect(await store.upstreamTasksOf(alice, [])).toEqual(new Map());
    expect(await store.ownTasksOf(alice, [])).toEqual(new Map());
  });

  it('ids of upstream agents are written with the events that they come with, or not at all', async () => {
    const store = await fresh();
    const [one, refused] = [new TaskWriter({ contextId: 'own' }), new TaskWriter()];
    const { create: _, ...rowless } = refused.create() as Append;
    const settled = await Promise.allSettled([
      store.append({ ...one.create(), upstream: { id: 't', contextId: 'c' } }),
      store.append({ ...rowless, upstream: { id: 't3', contextId: 'c3' } }),
      bind(store, new TaskWriter(), 't4', 'c4'),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(await store.upstreamOf(one.key)).toEqual({ id: 't', contextId: 'c' });
    expect(await store.upstreamOf(refused.key)).toBeUndefined();
    expect(await store.upstreamContextOf(alice, refused.contextId)).toBeUndefined();
    expect(await store.ownTasksOf(alice, ['t3', 't4'])).toEqual(new Map());
  });

  it('ids of upstream agents are those of the last binding', async () => {
    const store = await fresh();
    const [one, other] = [new TaskWriter({ contextId: 'own' }), new TaskWriter({ contextId: 'own' })];
    for (const writer of [one, other])
      await store.append({ ...writer.create(), upstream: { id: writer.id, contextId: 'c' } });
    await store.append({ ...one.status('TASK_STATE_WORKING'), upstream: { id: 't2', contextId: '' } });
    await bind(store, other, 't3', '');
    expect([await store.upstreamOf(one.key), await store.upstreamOf(other.key)]).toEqual([
      { id: 't2', contextId: '' },
      { id: 't3', contextId: '' },
    ]);
    // An agent that does not name its context again stays in it.
    expect(await store.upstreamContextOf(alice, 'own')).toBe('c');
    expect(await store.ownTasksOf(alice, ['t2', 't3', one.id])).toEqual(
      new Map([
        ['t2', one.id],
        ['t3', other.id],
      ]),
    );
  });

  it('ids of upstream agents of a context are those of the latest binding, by a task or without one', async () => {
    const store = await fresh();
    const at = Date.now();
    const task = async (offset: number, id: string): Promise<void> => {
      const writer = new TaskWriter({ contextId: 'own', now: () => at + offset });
      await store.append({ ...writer.create('TASK_STATE_COMPLETED'), upstream: { id: writer.id, contextId: id } });
    };
    await task(-60_000, 'first');
    expect(await store.upstreamContextOf(alice, 'own')).toBe('first');
    await task(-50_000, 'second');
    await task(-40_000, '');
    expect(await store.upstreamContextOf(alice, 'own')).toBe('second');
    await store.bindUpstreamContext(alice, 'own', 'third');
    expect(await store.upstreamContextOf(alice, 'own')).toBe('third');
    await task(60_000, 'fourth');
    expect(await store.upstreamContextOf(alice, 'own')).toBe('fourth');
  });

  it('ids of upstream agents go with their task', async () => {
    const store = await fresh();
    const write = async (options: WriterOptions): Promise<TaskWriter> => {
      const writer = new TaskWriter(options);
      await store.append({ ...writer.create('TASK_STATE_COMPLETED'), upstream: { id: writer.id, contextId: 'c' } });
      return writer;
    };
    const old = [await write({ now: () => 1_000 }), await completed(store, { now: () => 1_000 })] as const;
    await bind(store, old[1], old[1].id, 'c');
    const young = await write({});
    await store.expire(2_000, 10);
    for (const { key, id } of old) {
      expect(await store.upstreamOf(key)).toBeUndefined();
      expect(await store.ownTasksOf(alice, [id])).toEqual(new Map());
    }
    expect(await store.upstreamOf(young.key)).toEqual({ id: young.id, contextId: 'c' });
    expect(await store.upstreamContextOf(alice, old[0].contextId)).toBeUndefined();
  });

  it('a context belongs to its owner, and stays while a task of it does', async () => {
    const store = await fresh();
    const task = await completed(store, { contextId: 'used' });
    for (const contextId of ['used', 'left', '\0']) await store.bindUpstreamContext(alice, contextId, `${contextId}-1`);
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

  it('a context that a deleted task bound stays while another task of it does', async () => {
    const store = await fresh();
    const finish = async (now: number, contextId: string, id: string): Promise<void> => {
      const writer = new TaskWriter({ contextId, now: () => now });
      await store.append({ ...writer.create('TASK_STATE_COMPLETED'), upstream: { id: writer.id, contextId: id } });
    };
    for (const contextId of ['used', 'left']) {
      await finish(1_000, contextId, `${contextId}-1`);
      await finish(1_100, contextId, `${contextId}-2`);
    }
    // Its agent has not answered yet.
    const working = new TaskWriter({ contextId: 'used' });
    await store.append(working.create('TASK_STATE_WORKING'));
    for (let i = 0; i < 2; i += 1) expect(await store.expire(2_000, 10)).toBe(i === 0 ? 4 : 0);
    expect(await store.upstreamContextOf(alice, 'used')).toBe('used-2');
    expect(await store.upstreamContextOf(alice, 'left')).toBeUndefined();
  });
}
