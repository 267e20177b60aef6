import { describe, expect, it } from 'vitest';
import type { KnowledgeStore } from '../../../../src/extensions/knowledge/store/port.ts';
import { add, findAll, graphOf, type KnowledgeKind, logOf, remove, replace, say, space } from './fixtures.ts';

/** What becomes of statements that are added, removed and replaced. */
export function updating(kind: KnowledgeKind): void {
  const fresh = async (): Promise<KnowledgeStore> => (await kind.database()).open();

  describe('updates', () => {
    it('a space is empty before the first write', async () => {
      const store = await fresh();
      expect(await findAll(store)).toEqual([]);
      expect(await store.count(space, {}, 10)).toEqual({ count: 0, exact: true });
      expect(await store.extent(space)).toEqual({ first: 1, last: 0 });
      expect(await store.changes(space, 0, 10)).toEqual([]);
      expect(await store.apply(space, [remove(say('a', 'b', 'ex:c'))], {})).toEqual({
        ...{ added: 0, removed: 0, renewed: 0 },
        ...{ affectedIds: [], position: 0 },
      });
    });

    it('keep everything that a statement says', async () => {
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

    it('a statement that is there already is renewed, not doubled', async () => {
      const store = await fresh();
      await store.apply(space, [add(say('a', 'age', 30, { certainty: 0.5 }))], {});
      const one = { object: { value: '30', type: 'http://www.w3.org/2001/XMLSchema#integer' }, certainty: 0.5 };
      const again = await store.apply(space, [add(say('a', 'age', 30, { certainty: 0.5 }))], {});
      expect(again).toEqual({ added: 0, removed: 0, renewed: 0, affectedIds: [], position: 1 });
      expect(await store.apply(space, [add(say('a', 'age', 0, one))], {})).toMatchObject({ added: 0, renewed: 1 });
      expect(await store.apply(space, [add(say('a', 'age', 30, { certainty: 0.9 }))], {})).toEqual({
        ...{ added: 0, removed: 0, renewed: 1 },
        ...{ affectedIds: ['ex:a'], position: 3 },
      });
      expect(await store.apply(space, [add(say('a', 'age', '30'))], {})).toMatchObject({ added: 1 });
      expect(await findAll(store, { predicate: 'ex:age' })).toMatchObject([
        { object: { value: 30 }, certainty: 0.9 },
        { object: { value: '30' } },
      ]);
      expect((await logOf(store)).map(({ op, replaced }) => [op, replaced?.[0]?.certainty])).toEqual([
        ['add', undefined],
        ['add', 0.5],
        ['add', 0.5],
        ['add', undefined],
      ]);
    });

    it('what is stated again without change is as fresh as if it were new', async () => {
      const store = await fresh();
      await store.apply(space, [add(say('a', 'is', 1))], {});
      const [before] = await findAll(store);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await store.apply(space, [add(say('a', 'is', 1))], {});
      const [after] = await findAll(store);
      expect(after?.at).toBeGreaterThan(before?.at ?? Number.NaN);
      expect(await findAll(store, { since: after?.at ?? 0 })).toHaveLength(1);
      expect(await findAll(store, { since: (after?.at ?? 0) + 1 })).toEqual([]);
    });

    it('remove takes the very statement, whatever its certainty and provenance', async () => {
      const store = await fresh();
      const stored = say('a', 'is', 'x', { certainty: 0.5, provenance: { by: 'me' } });
      await store.apply(space, [stored, say('a', 'is', 'y'), say('a', 'is', 'x', { graph: 'ex:g' })].map(add), {});
      const nothing = await store.apply(space, [say('a', 'is', 'z'), say('b', 'is', 'x')].map(remove), {});
      expect(nothing).toMatchObject({ removed: 0, affectedIds: [], position: 3 });
      expect(await store.apply(space, [remove(say('a', 'is', 'x', { certainty: 1 }))], {})).toMatchObject({
        ...{ added: 0, removed: 1 },
        affectedIds: ['ex:a'],
      });
      expect(graphOf(await findAll(store))).toEqual(
        graphOf([say('a', 'is', 'y'), say('a', 'is', 'x', { graph: 'ex:g' })]),
      );
      expect((await logOf(store)).at(-1)).toMatchObject({ op: 'remove', statement: stored });
      expect(await store.count(space, {}, 10)).toEqual({ count: 2, exact: true });
    });

    it('replace takes those with the same subject, predicate and graph, then adds', async () => {
      const store = await fresh();
      const others = [say('a', 'is', 1, { graph: 'ex:g' }), say('a', 'was', 1), say('b', 'is', 1)];
      await store.apply(space, [say('a', 'is', 1), say('a', 'is', 2), ...others].map(add), {});
      expect(await store.apply(space, [replace(say('a', 'is', 3))], {})).toMatchObject({ added: 1, removed: 2 });
      expect(graphOf(await findAll(store))).toEqual(graphOf([say('a', 'is', 3), ...others]));
      const [last] = (await logOf(store)).slice(-1);
      expect(last).toMatchObject({ position: 6, op: 'replace', statement: say('a', 'is', 3) });
      expect(graphOf(last?.replaced ?? [])).toEqual(graphOf([say('a', 'is', 1), say('a', 'is', 2)]));
      const same = await store.apply(space, [replace(say('a', 'is', 3))], {});
      expect(same).toMatchObject({ added: 0, removed: 0, renewed: 0, position: 6 });
      const more = await store.apply(space, [replace(say('a', 'is', 3, { certainty: 0.1 }))], {});
      expect(more).toMatchObject({ added: 0, removed: 0, renewed: 1 });
      expect(await store.apply(space, [replace(say('new', 'is', 'ex:c'))], {})).toMatchObject({ added: 1, removed: 0 });
    });

    it('patches of one update see those before them', async () => {
      const store = await fresh();
      const applied = await store.apply(
        space,
        [
          add(say('a', 'is', 1)),
          remove(say('a', 'is', 1)),
          add(say('a', 'is', 2)),
          replace(say('a', 'is', 3)),
          add(say('a', 'is', 4)),
          replace(say('a', 'is', 3)),
          remove(say('c', 'is', 1)),
        ],
        {},
      );
      expect(applied).toEqual({ added: 4, removed: 3, renewed: 0, affectedIds: ['ex:a'], position: 6 });
      expect(graphOf(await findAll(store))).toEqual(graphOf([say('a', 'is', 3)]));
      const ops = (await logOf(store)).map(({ op }) => op);
      expect(ops).toEqual(['add', 'remove', 'add', 'replace', 'add', 'replace']);
    });

    it('remember who changed what, and why', async () => {
      const store = await fresh();
      const meta = {
        ...{ taskId: 't', sessionId: 's', sourceAgentId: 'agent', justification: 'seen', principal: 'alice' },
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

    it('are refused when the space moved on since it was judged', async () => {
      const store = await fresh();
      const patch = [add(say('a', 'is', 1))];
      expect(await store.apply(space, patch, {}, { expected: 1 })).toBeUndefined();
      expect(await store.apply(space, patch, {}, { expected: 0 })).toMatchObject({ position: 1 });
      const both = await Promise.all([
        store.apply(space, [add(say('a', 'is', 2))], {}, { expected: 1 }),
        store.apply(space, [add(say('a', 'is', 3))], {}, { expected: 1 }),
      ]);
      expect(both.map((each) => each?.position)).toEqual([2, undefined]);
      expect(await store.count(space, {}, 10)).toEqual({ count: 2, exact: true });
    });

    it('one that cannot be stored does not hinder those beside it', async () => {
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

    it('stay in their space', async () => {
      const store = await fresh();
      const spaces = [space, { agent: 'facts', tenant: 't' }];
      if (!kind.agentsShare) spaces.push({ agent: 'other', tenant: '' });
      for (const [i, at] of spaces.entries()) await store.apply(at, [add(say('a', 'is', i))], {});
      for (const [i, at] of spaces.entries()) {
        expect(graphOf(await findAll(store, {}, { at }))).toEqual(graphOf([say('a', 'is', i)]));
        expect((await logOf(store, at)).map(({ position }) => position)).toEqual([1]);
      }
    });

    it('terms that are of no use any more are forgotten, those that are stay', async () => {
      const store = await fresh();
      const typed = say('a', 'knows', 'ex:b', { object: { id: 'ex:b', type: 'ex:T' }, graph: 'ex:g' });
      await store.apply(space, [typed, say('b', 'is', 'text'), say('T', 'is', 'other')].map(add), {});
      await store.apply(space, [remove(typed), remove(say('b', 'is', 'text'))], {});
      await store.apply(space, [add(say('c', 'is', 'text')), add(typed)], {});
      for (let i = 0; i < 20; i += 1) await store.apply(space, [replace(say('s', 'now', i))], {});
      await store.apply(space, [remove(say('T', 'is', 'other'))], {});
      const left = [typed, say('c', 'is', 'text'), say('s', 'now', 19)];
      expect(graphOf(await findAll(store))).toEqual(graphOf(left));
      expect(await store.typesOf(space, ['ex:a', 'ex:b', 'ex:T', 'ex:c'])).toEqual(
        new Map([
          ['ex:a', []],
          ['ex:b', ['ex:T']],
          ['ex:c', []],
        ]),
      );
    });
  });

  describe('the change log', () => {
    it('is read from any position, also while others write', async () => {
      const store = await fresh();
      const writes = Array.from({ length: 200 }, (_, i) => store.apply(space, [add(say('a', 'is', i))], {}));
      const seen: number[] = [];
      while (seen.length < 200) {
        const changes = await store.changes(space, seen.at(-1) ?? 0, 7);
        seen.push(...changes.map(({ position }) => position));
        // SQLite answers without a turn of the loop, in which alone others can write.
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(writes);
      expect(seen).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    });

    it('tells those who watch, until they have seen enough', async () => {
      const store = await fresh();
      let told = 0;
      const stop = store.watch(space, () => {
        told += 1;
      });
      await store.apply({ ...space, tenant: 'other' }, [add(say('a', 'is', 1))], {});
      expect(told).toBe(0);
      await store.apply(space, [add(say('a', 'is', 1))], {});
      expect(told).toBe(1);
      stop();
      await store.apply(space, [add(say('a', 'is', 2))], {});
      expect(told).toBe(1);
    });

    it('forgets what is old, and says so', async () => {
      const store = await fresh();
      for (let i = 0; i < 5; i += 1) await store.apply(space, [add(say('a', 'is', i))], {});
      expect(await store.expireChanges(0, 100)).toBe(0);
      expect(await store.expireChanges(Date.now() + 1_000, 3)).toBe(3);
      expect(await store.extent(space)).toEqual({ first: 4, last: 5 });
      expect((await logOf(store)).map(({ position }) => position)).toEqual([4, 5]);
      expect(await store.expireChanges(Date.now() + 1_000, 100)).toBe(2);
      expect(await store.extent(space)).toEqual({ first: 6, last: 5 });
      expect(await store.apply(space, [add(say('a', 'is', 9))], {})).toMatchObject({ position: 6 });
      expect(await store.count(space, {}, 10)).toEqual({ count: 6, exact: true });
    });
  });
}
