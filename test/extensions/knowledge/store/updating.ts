import { describe, expect, it } from 'vitest';
import type { KnowledgeStore } from '../../../../src/extensions/knowledge/store/port.ts';
import { add, findAll, graphOf, type KnowledgeKind, logOf, remove, say, space } from './fixtures.ts';

/** Results of adding, removing and replacing statements. */
export function updating(kind: KnowledgeKind): void {
  const fresh = async (): Promise<KnowledgeStore> => (await kind.database()).open();

  describe('updates', () => {
    it('a space is empty before the first write', async () => {
      const store = await fresh();
      expect(await findAll(store)).toEqual([]);
      expect(await store.count(space, [{}], 10)).toEqual([{ count: 0, exact: true }]);
      expect(await store.extent(space)).toEqual({ first: 1, last: 0 });
      expect(await store.changes(space, 0, 10)).toEqual([]);
      expect(await store.apply(space, [remove(say('a', 'b', 'ex:c'))], {})).toEqual({
        added: 0,
        removed: 0,
        renewed: 0,
        affectedIds: [],
        position: 0,
      });
    });

    it('updates keep everything that a statement says', async () => {
      const store = await fresh();
      const statements = [
        say('a', 'knows', 'ex:b', {
          subject: { id: 'ex:a', type: 'ex:Person' },
          object: { id: 'ex:b', type: 'ex:Person' },
          graph: 'ex:g',
          certainty: 0.25,
          provenance: { sourceAgentId: 'x', nested: { list: [1, null, '\0'] } },
        }),
        ...['text', '', '\0\u0001', 'ü'.repeat(2_000), true, false, 0, -1.5, 1e300, 42].map((value) =>
          say('a', 'is', value),
        ),
        say('a', 'is', 0, { object: { value: '2026-01-01', type: 'http://www.w3.org/2001/XMLSchema#date' } }),
        say('a', 'is', 0, { object: { value: '008', type: 'xsd:integer' } }),
        say('a', 'is', 0, { object: { value: 'x', type: 'xsd:string' } }),
        say('a', 'is', 0, { object: { value: 7, type: 'http://www.w3.org/2001/XMLSchema#integer' } }),
        say('a\0', 'p'.repeat(3_000), 'ex:b', { graph: 'g'.repeat(3_000), certainty: 0 }),
      ];
      const applied = await store.apply(space, statements.map(add), {});
      expect(applied).toMatchObject({ added: statements.length, affectedIds: ['ex:a', 'ex:a\0'] });
      expect(graphOf(await findAll(store))).toEqual(graphOf(statements));
      expect((await logOf(store)).map(({ statement }) => statement)).toEqual(statements);
    });

    it('a statement that is there already is renewed by another name of its datatype', async () => {
      const store = await fresh();
      await store.apply(space, [add(say('a', 'age', 30))], {});
      const object = { value: '30', type: 'http://www.w3.org/2001/XMLSchema#integer' };
      expect(await store.apply(space, [add(say('a', 'age', 0, { object }))], {})).toMatchObject({
        added: 0,
        renewed: 1,
      });
      expect(await findAll(store)).toMatchObject([{ object: { value: 30, type: object.type } }]);
    });

    it('what is stated again without change is as fresh as if it were new', async () => {
      const store = await fresh();
      await store.apply(space, [add(say('a', 'is', 1))], {});
      const [before] = await findAll(store);
      const again = async (): Promise<number | undefined> => {
        await store.apply(space, [add(say('a', 'is', 1))], {});
        return (await findAll(store))[0]?.at;
      };
      await expect.poll(again).toBeGreaterThan(before?.at ?? Number.NaN);
      const [after] = await findAll(store);
      expect(await findAll(store, { since: after?.at ?? 0 })).toHaveLength(1);
      expect(await findAll(store, { since: (after?.at ?? 0) + 1 })).toEqual([]);
    });

    it('updates remember who changed what, and why', async () => {
      const store = await fresh();
      const meta = {
        taskId: 't',
        sessionId: 's',
        sourceAgentId: 'agent',
        justification: 'seen',
        principal: 'alice',
        metadata: { more: [1] },
      };
      const provenance = { sourceAgentId: 'agent', x: 1 };
      await store.apply(space, [add(say('a', 'is', 1, { provenance }))], meta);
      const before = Date.now();
      await store.apply(space, [remove(say('a', 'is', 1))], { taskId: 'u' });
      const [added, removed] = await logOf(store);
      expect(added).toMatchObject({ op: 'add', meta, position: 1, statement: { provenance } });
      expect(removed).toMatchObject({ op: 'remove', meta: { taskId: 'u' }, position: 2, statement: { provenance } });
      expect(removed?.at).toBeGreaterThanOrEqual(before - 1);
      const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
      expect(added?.changeId).toMatch(uuid);
      expect(removed?.changeId).not.toBe(added?.changeId);
    });

    it('updates are refused when the space moved on since it was judged', async () => {
      const store = await fresh();
      const patch = [add(say('a', 'is', 1))];
      expect(await store.apply(space, patch, {}, { expected: 1 })).toBeUndefined();
      expect(await store.apply(space, patch, {}, { expected: 0 })).toMatchObject({ position: 1 });
      const both = await Promise.all([
        store.apply(space, [add(say('a', 'is', 2))], {}, { expected: 1 }),
        store.apply(space, [add(say('a', 'is', 3))], {}, { expected: 1 }),
      ]);
      expect(both.map((each) => each?.position)).toEqual([2, undefined]);
      expect(await store.count(space, [{}], 10)).toEqual([{ count: 2, exact: true }]);
    });

    it('an update that cannot be stored does not hinder the others', async () => {
      const store = await fresh();
      const bad = add(say('a', 'is', 0, { object: { value: 'x', type: 'x'.repeat(501) } }));
      const settled = await Promise.allSettled([
        store.apply(space, [add(say('a', 'is', 1))], {}),
        store.apply(space, [add(say('a', 'is', 2)), bad], {}),
        store.apply(space, [add(say('a', 'is', 3))], {}),
      ]);
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(settled[1]).toMatchObject({ reason: { kind: 'invalidParams' } });
      expect(graphOf(await findAll(store))).toEqual(graphOf([say('a', 'is', 1), say('a', 'is', 3)]));
    });

    it('updates stay in their space', async () => {
      const store = await fresh();
      const spaces = [space, { agent: 'facts', tenant: 't' }];
      if (!kind.agentsShare) spaces.push({ agent: 'other', tenant: '' });
      for (const [i, at] of spaces.entries()) await store.apply(at, [add(say('a', 'is', i))], {});
      for (const [i, at] of spaces.entries()) {
        expect(graphOf(await findAll(store, {}, { at }))).toEqual(graphOf([say('a', 'is', i)]));
        expect((await logOf(store, at)).map(({ position }) => position)).toEqual([1]);
      }
    });
  });

  it('the change log is read from any position, also while others write', async () => {
    const store = await fresh();
    const writes = Array.from({ length: 50 }, (_, i) => store.apply(space, [add(say('a', 'is', i))], {}));
    const seen: number[] = [];
    while (seen.length < 50) {
      const changes = await store.changes(space, seen.at(-1) ?? 0, 7);
      seen.push(...changes.map(({ position }) => position));
      // SQLite answers without a turn of the loop, in which alone others can write.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(writes);
    expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  it('the change log notifies watchers until they stop watching', async () => {
    const store = await fresh();
    let notifications = 0;
    const stop = store.watch(space, () => {
      notifications += 1;
    });
    await store.apply({ ...space, tenant: 'other' }, [add(say('a', 'is', 1))], {});
    expect(notifications).toBe(0);
    await store.apply(space, [add(say('a', 'is', 1))], {});
    expect(notifications).toBe(1);
    stop();
    await store.apply(space, [add(say('a', 'is', 2))], {});
    expect(notifications).toBe(1);
  });

  it('the change log forgets what is old, and says so', async () => {
    const store = await fresh();
    for (let i = 0; i < 5; i += 1) await store.apply(space, [add(say('a', 'is', i))], {});
    expect(await store.expireChanges(0, 100)).toBe(0);
    expect(await store.expireChanges(Date.now() + 1_000, 3)).toBe(3);
    expect(await store.extent(space)).toEqual({ first: 4, last: 5 });
    expect((await logOf(store)).map(({ position }) => position)).toEqual([4, 5]);
    expect(await store.expireChanges(Date.now() + 1_000, 100)).toBe(2);
    expect(await store.extent(space)).toEqual({ first: 6, last: 5 });
    expect(await store.apply(space, [add(say('a', 'is', 9))], {})).toMatchObject({ position: 6 });
    expect(await store.count(space, [{}], 10)).toEqual([{ count: 6, exact: true }]);
  });
}
