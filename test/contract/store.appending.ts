import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TaskOwner } from '../../src/core/model/ids.ts';
import { isResting } from '../../src/core/model/lifecycle.ts';
import type { StoredTask } from '../../src/core/ports/task-store.ts';
import { anyText } from '../support/arbitrary-json.ts';
import type { StoreKind } from './store.suite.ts';
import { alice, bob, completed, logged, TaskWriter, tasksOf } from './store-fixtures.ts';

/** Tasks and their logs. */
export function appending(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  describe('appending', () => {
    it('a task is found as its events make it, at every position', async () => {
      const store = await fresh();
      const writer = new TaskWriter({ now: () => 1_000 });
      expect(await store.find(alice, writer.id)).toBeUndefined();
      for (const append of [
        () => writer.create(),
        () => writer.message('hello'),
        () => writer.status('TASK_STATE_WORKING'),
        () => writer.chunk('one'),
        () => writer.next(writer.chunkEvent('two'), writer.chunkEvent('three')),
        () => writer.status('TASK_STATE_COMPLETED'),
      ]) {
        await store.append(append());
        const { id, key, contextId, seq, generation, latestTurn, task } = writer;
        const state = task?.status.state;
        const facts = { createdAt: 1_000, updatedAt: 1_000, statusAt: 1_000, dialect: 'a2a-1.0' };
        const rested = state === 'TASK_STATE_COMPLETED';
        const expected = { ...alice, ...facts, id, key, contextId, seq, generation, latestTurn, state, rested, task };
        for (const read of [store.find(alice, id), store.load(key)]) {
          const found = (await read) as StoredTask;
          const { json, bytes, logBytes = bytes, ...record } = found;
          expect(bytes).toBeGreaterThan(0);
          expect(logBytes).toBeGreaterThan(0);
          expect({ ...record, task: found.task }).toEqual(expected);
          // Text that is ready to be sent is the same task.
          if (json !== undefined) expect(JSON.parse(json)).toEqual(task);
        }
      }
      expect(writer.task?.artifacts?.[0]?.parts).toHaveLength(3);
    });

    it('the log gives back what was appended, from any position', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      const first = writer.create();
      const second = writer.next(writer.chunkEvent('a'), writer.chunkEvent('b'), writer.chunkEvent('c'));
      await store.append(first);
      await store.append(second);
      const all = [...first.events, ...second.events];
      expect(await store.events(writer.key, 0, 10)).toEqual(all);
      expect(await store.events(writer.key, 1, 2)).toEqual(all.slice(1, 3));
      expect(await store.events(writer.key, 4, 10)).toEqual([]);
      expect(await store.events('unknown', 0, 10)).toEqual([]);
    });

    it('a task is only found by its owner', async () => {
      const store = await fresh();
      const { id, key } = await completed(store);
      const others: TaskOwner[] = [bob, { ...alice, agent: 'other' }, { ...alice, tenant: 'other' }];
      for (const owner of others) expect(await store.find(owner, id)).toBeUndefined();
      expect(await store.load(key)).toBeDefined();
      expect(await store.load('unknown')).toBeUndefined();
    });

    it('the latest turn is the last message, or the first event', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      await store.append(writer.create());
      expect(await store.latestTurn(writer.key)).toBe(1);
      const event = { message: { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'x' }] } };
      await store.append(writer.next(event, writer.chunkEvent('x'), event, writer.chunkEvent('"message"')));
      expect(await store.latestTurn(writer.key)).toBe(4);
      await store.append(writer.chunk('more'));
      expect(await store.latestTurn(writer.key)).toBe(4);
    });

    it('appending says where many logs are', async () => {
      const store = await fresh();
      const odd = ['', 'it\u2019s "odd"', 'nul\u0000 and \u0001', '\\', 'x'.repeat(128)];
      const writers = odd.map((chosenId) => new TaskWriter({ chosenId }));
      for (const writer of writers) await store.append(writer.create());
      for (const writer of writers.slice(1)) await store.append(writer.chunk('one'));
      const expected = new Map(writers.map(({ key, seq }) => [key, seq]));
      expect(await store.positions([...writers.map(({ key }) => key), 'unknown'])).toEqual(expected);
      expect(await store.positions([])).toEqual(new Map());
    });

    it('an append at the wrong position is refused and changes nothing', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      await store.append(writer.create());
      await store.append(writer.chunk('one'));
      const before = await store.load(writer.key);
      const event = writer.chunkEvent('other');
      for (const seq of [1, 2, 4]) {
        const append = { key: writer.key, events: [logged(seq, event)] };
        await expect(store.append(append), `at ${seq}`).rejects.toMatchObject({ name: 'A2AError', kind: 'internal' });
      }
      await expect(store.append({ key: 'unknown', events: [logged(2, event)] })).rejects.toMatchObject({
        kind: 'internal',
      });
      await expect(store.append({ key: writer.key, events: [] })).rejects.toMatchObject({ kind: 'internal' });
      expect(await store.load(writer.key)).toEqual(before);
      expect(await store.events(writer.key, 0, 10)).toHaveLength(2);
    });

    it('an append that is refused does not hurt the others of its transaction', async () => {
      const store = await fresh();
      const good = Array.from({ length: 20 }, () => new TaskWriter());
      const bad = {
        key: 'unknown',
        events: [logged(7, { task: { id: 'x', status: { state: 'TASK_STATE_WORKING' } } })],
      };
      const results = await Promise.allSettled([
        ...good.slice(0, 10).map((writer) => store.append(writer.create())),
        store.append(bad),
        ...good.slice(10).map((writer) => store.append(writer.create())),
      ]);
      expect(results.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1);
      expect(results[10]?.status).toBe('rejected');
      for (const { key } of good) expect(await store.load(key)).toBeDefined();
      expect(await store.load('unknown')).toBeUndefined();
    });

    it('appends of one task that do not wait for each other keep their order', async () => {
      const store = await fresh();
      const writers = Array.from({ length: 30 }, () => new TaskWriter());
      await Promise.all(
        writers.flatMap((writer) => [
          store.append(writer.create()),
          ...Array.from({ length: 20 }, (_, i) => store.append(writer.chunk(`${i}`))),
          store.append(writer.status('TASK_STATE_COMPLETED')),
        ]),
      );
      for (const writer of writers) expect((await store.load(writer.key))?.task).toEqual(writer.task);
    });

    it('the same append again, as after an answer that got lost, is no conflict', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      await store.append(writer.create());
      const append = writer.next(writer.chunkEvent('one'), writer.chunkEvent('two'));
      await store.append(append);
      await store.append(append);
      await store.append(writer.chunk('three'));
      expect((await store.load(writer.key))?.task).toEqual(writer.task);
    });

    it('a long log is folded, whether a snapshot was written on the way or not', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      await store.append(writer.create());
      for (const length of [255, 1_300, 3]) {
        await store.append(writer.next(...Array.from({ length }, (_, i) => writer.chunkEvent(`${i}`))));
        for (let i = 0; i < 3; i += 1) expect((await store.find(alice, writer.id))?.task).toEqual(writer.task);
      }
      await store.append(writer.status('TASK_STATE_INPUT_REQUIRED'));
      await store.append(writer.message('go on'));
      expect((await store.load(writer.key))?.task).toEqual(writer.task);
    });

    it('a task is at work from an answer to its question until the agent leaves its state, whatever it sends before', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      const rested = async () => (await store.load(writer.key))?.rested;
      await store.append(writer.create('TASK_STATE_INPUT_REQUIRED'));
      expect(await rested()).toBe(true);
      await store.append(writer.message('an answer'));
      expect(await rested()).toBe(false);
      await store.append(writer.chunk('a piece of the result'));
      await store.append(writer.chunk('another'));
      expect(await rested()).toBe(false);
      await store.append(writer.status('TASK_STATE_INPUT_REQUIRED'));
      expect(await rested()).toBe(true);
      await store.append(writer.chunk('what comes late'));
      expect(await rested()).toBe(true);
    });

    it('any text survives, in columns and in bodies', async () => {
      const store = await fresh();
      const owner = fc.record({ agent: anyText, tenant: anyText, principal: anyText });
      await fc.assert(
        fc.asyncProperty(owner, anyText, anyText, anyText, async (who, chosen, contextId, text) => {
          const unique = `${chosen}${Math.random()}`;
          const writer = new TaskWriter({ owner: who, chosenId: unique, contextId });
          await store.append(
            writer.create('TASK_STATE_WORKING', { metadata: { [text === '__proto__' ? '' : text]: text } }),
          );
          await store.append(writer.chunk(text));
          const stored = await store.find(who, unique);
          expect(stored).toMatchObject({ ...who, id: unique, key: writer.key, contextId });
          expect(stored?.task).toEqual(writer.task);
          const tasks = tasksOf(await store.list(who, { pageSize: 100, contextId, includeArtifacts: true }));
          expect(tasks).toContainEqual(writer.task);
        }),
        { numRuns: 60, examples: [[{ agent: '\0', tenant: '\u0001', principal: '\u00010' }, '\0', '\u0001\0', '\0']] },
      );
    });

    it('a key called __proto__ pollutes nothing', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      const metadata = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
      await store.append(writer.create('TASK_STATE_COMPLETED', { metadata }));
      const stored = await store.find(alice, writer.id);
      expect(JSON.stringify(stored?.task.metadata)).toBe(JSON.stringify(metadata));
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      expect(stored?.task).not.toHaveProperty('polluted');
    });
  });

  it('retention deletes what came to rest before, with all that hangs on it, and nothing else', async () => {
    const store = await fresh();
    const old = { now: () => 1_000 };
    const states = ['COMPLETED', 'FAILED', 'INPUT_REQUIRED', 'AUTH_REQUIRED', 'WORKING', 'SUBMITTED'] as const;
    const writers = [];
    for (const state of states) {
      const writer = new TaskWriter(old);
      await store.append(writer.create());
      await store.append(writer.status(`TASK_STATE_${state}`));
      await store.putPushConfig(writer.key, { id: 'p', url: 'http://localhost/' }, 'a2a-1.0');
      writers.push({ writer, rests: isResting(`TASK_STATE_${state}`) });
    }
    const young = await completed(store, { now: () => 3_000 });
    expect(await store.expire(1_000, 100)).toBe(0);
    expect(await store.expire(2_000, 3)).toBe(3);
    expect(await store.expire(2_000, 3)).toBe(1);
    expect(await store.expire(2_000, 3)).toBe(0);
    for (const { writer, rests } of writers) {
      expect(await store.load(writer.key)).toEqual(rests ? undefined : expect.anything());
      expect(await store.events(writer.key, 0, 10)).toHaveLength(rests ? 0 : 2);
      expect((await store.listPushConfigs(writer.key, { size: 10, token: '' })).configs).toHaveLength(rests ? 0 : 1);
    }
    expect((await store.load(young.key))?.task).toEqual(young.task);
    expect((await store.list(alice, { pageSize: 10 })).totalSize).toBe(3);
  });

  it('retention continues over many batches', async () => {
    const store = await fresh();
    const writers = Array.from({ length: 450 }, () => new TaskWriter({ now: () => 1_000 }));
    await Promise.all(writers.map((writer) => store.append(writer.create('TASK_STATE_COMPLETED'))));
    expect(await store.expire(2_000, 400)).toBe(400);
    expect(await store.expire(2_000, 400)).toBe(50);
  });
}
