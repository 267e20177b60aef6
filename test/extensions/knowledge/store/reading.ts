import { describe, expect, it } from 'vitest';
import type { StatementPattern } from '../../../../src/extensions/knowledge/model/graph.ts';
import type { KnowledgeStore } from '../../../../src/extensions/knowledge/store/port.ts';
import { add, findAll, graphOf, type KnowledgeKind, remove, say, space } from './fixtures.ts';

/** Tests of searches for statements and entities. */
export function reading(kind: KnowledgeKind): void {
  const fresh = async (): Promise<KnowledgeStore> => (await kind.database()).open();

  describe('finding', () => {
    it('finding goes through any list page by page, in an order that others’ writes do not disturb', async () => {
      const store = await fresh();
      const statements = Array.from({ length: 30 }, (_, i) =>
        say(`s${i % 3}`, `p${i % 2}`, i % 5 === 0 ? 'ex:o' : i, i % 4 === 0 ? { graph: 'ex:g' } : {}),
      );
      await store.apply(space, statements.map(add), {});
      const whole = graphOf(await findAll(store));
      for (const size of [1, 4, 30]) expect(graphOf(await findAll(store, {}, { size }))).toEqual(whole);

      const pattern = { predicate: 'ex:p0' };
      const all = graphOf(await findAll(store, pattern));
      const first = await store.find(space, pattern, { first: 5 });
      expect(first).toMatchObject({ hasMore: true });
      await store.apply(space, [...first.items.slice(0, 2).map(remove), add(say('zz', 'p1', 1))], {});
      const rest: typeof first.items = await findAll(
        {
          ...store,
          find: (at, which, page) => store.find(at, which, { ...page, after: page.after || first.endCursor }),
        } as KnowledgeStore,
        pattern,
        { size: 2 },
      );
      expect(graphOf([...first.items, ...rest])).toEqual(all);
    });

    if (!kind.agentsShare) {
      it('finding ends a page by bytes, reserves memory before it reads, and returns large texts whole', async () => {
        const store = await fresh();
        const statements = [10, 5_000_000, 5_000_000, 2_000, 9_000_000, 10].map((size, i) =>
          i % 2 === 0
            ? say(`s${i}`, 'is', i, { provenance: { note: 'é'.repeat(size / 2) } })
            : say(`s${i}`, 'is', 'x'.repeat(size)),
        );
        for (const statement of statements) await store.apply(space, [add(statement)], {});
        const found: string[] = [];
        const pages: number[] = [];
        for (let after = ''; ; ) {
          const reservations: number[] = [];
          const reserve = async (bytes: number): Promise<void> => {
            reservations.push(bytes);
          };
          const page = await store.find(space, {}, { first: 4, after }, { reservation: { reserve } });
          found.push(...page.items.map(({ at, ...statement }) => JSON.stringify(statement)));
          pages.push(page.items.length);
          if (page.items.length > 1) expect(reservations[0]).toBeLessThanOrEqual(8 * 1_048_576);
          after = page.endCursor;
          if (!page.hasMore) break;
        }
        expect(found.toSorted()).toEqual(statements.map((each) => JSON.stringify(each)).toSorted());
        expect(pages).toEqual([2, 2, 1, 1]);
        const full = { reservation: { reserve: () => Promise.reject(new Error('no room')) } };
        await expect(store.find(space, {}, { first: 4 }, full)).rejects.toThrow();
        await expect(store.findEach(space, [{ subject: 'ex:s4' }], 4, full)).rejects.toThrow();
        const positions: number[] = [];
        for (let after = 0; after < statements.length; after = positions.at(-1) ?? Number.POSITIVE_INFINITY) {
          const changes = await store.changes(space, after, 100);
          positions.push(...changes.map(({ position }) => position));
        }
        expect(positions).toEqual([1, 2, 3, 4, 5, 6]);
      });
    }

    it('finding refuses cursors of other lists', async () => {
      const store = await fresh();
      await store.apply(space, [add(say('a', 'is', 1)), add(say('a', 'is', 2))], {});
      const { endCursor } = await store.find(space, { subject: 'ex:a' }, { first: 1 });
      const wrong = { kind: 'invalidParams', violations: [{ field: 'after' }] };
      await expect(store.find(space, {}, { first: 1, after: endCursor })).rejects.toMatchObject(wrong);
      await expect(store.find(space, {}, { first: 1, after: 'x' })).rejects.toMatchObject(wrong);
      await expect(store.entities(space, {}, { first: 1, after: endCursor })).rejects.toMatchObject(wrong);
    });

    it('finding distinguishes literals from resources, and datatypes from each other on request', async () => {
      const store = await fresh();
      const date = 'http://www.w3.org/2001/XMLSchema#date';
      const values = [42, '42', true, 'true', 'ex:42'].map((value, i) => say(`s${i}`, 'is', value));
      const typed = say('s5', 'is', 0, { object: { value: '42', type: date } });
      const long = say('s6', 'is', 'x'.repeat(5_000));
      await store.apply(
        space,
        [...values, typed, long, say('s7', 'is', 'y', { object: { value: 'ex:42' } })].map(add),
        {},
      );
      const subjects = async (pattern: StatementPattern, size = 1): Promise<string[]> =>
        (await findAll(store, pattern, { size })).map(({ subject }) => subject.id).toSorted();
      expect(await subjects({ value: '42' })).toEqual(['ex:s0', 'ex:s1', 'ex:s5']);
      expect(await subjects({ value: 42, predicate: 'ex:is' })).toEqual(['ex:s0', 'ex:s1', 'ex:s5']);
      expect(await subjects({ value: '42', datatype: 'xsd:integer' })).toEqual(['ex:s0']);
      expect(await subjects({ value: '42', datatype: date })).toEqual(['ex:s5']);
      expect(await subjects({ value: true })).toEqual(['ex:s2', 'ex:s3']);
      expect(await subjects({ value: 'ex:42' })).toEqual(['ex:s7']);
      expect(await subjects({ object: 'ex:42' })).toEqual(['ex:s4']);
      expect(await subjects({ object: '42' })).toEqual([]);
      expect(await subjects({ value: 'x'.repeat(5_000) })).toEqual(['ex:s6']);
      expect(await subjects({ object: 'ex:42', value: 'ex:42' })).toEqual([]);
      expect(await store.count(space, [{ value: 42 }], 2)).toEqual([{ count: 2, exact: false }]);
      expect(await store.count(space, [{ value: 42 }], 3)).toEqual([{ count: 3, exact: true }]);
    });

    it('finding answers many patterns at once', async () => {
      const store = await fresh();
      const statements = Array.from({ length: 40 }, (_, i) => say(`s${i % 4}`, `p${i % 2}`, i));
      await store.apply(space, [...statements, say('s9', 'is', 7), say('s9', 'is', '7')].map(add), {});
      const patterns: StatementPattern[] = [
        { subject: 'ex:s0' },
        { subject: 'ex:nobody' },
        { subject: 'ex:s1', predicate: 'ex:p1' },
        { subject: 'ex:s9' },
        { value: 7 },
        { subject: 'ex:s0' },
        { subject: 'ex:s9', minCertainty: 0.5 },
        {},
      ];
      const pages = await store.findEach(space, patterns, 3);
      const single = await Promise.all(patterns.map((pattern) => store.find(space, pattern, { first: 3 })));
      expect(pages).toEqual(single);
      const [first] = pages;
      const next = await store.find(space, { subject: 'ex:s0' }, { first: 100, after: first?.endCursor ?? '' });
      expect(next.items).toHaveLength(7);
      expect(await store.findEach(space, [], 3)).toEqual([]);
    });
  });

  it('entities are what statements are about, once each, page by page', async () => {
    const store = await fresh();
    const people = Array.from({ length: 25 }, (_, i) => `ex:n${i}`);
    await store.apply(
      space,
      people.flatMap((id, i) => [
        add(say(`n${i}`, 'knows', `ex:n${(i + 1) % 25}`, { subject: { id, type: i % 2 ? 'ex:Odd' : 'ex:Even' } })),
        add(say(`n${i}`, 'age', i)),
      ]),
      {},
    );
    for (const [filter, wanted] of [
      [{}, people],
      [{ type: 'ex:Odd' }, people.filter((_, i) => i % 2)],
      [{ type: 'ex:Nothing' }, []],
      [{ minCertainty: 0.5 }, people],
    ] as const) {
      const found: string[] = [];
      for (let after = ''; ; ) {
        const page = await store.entities(space, filter, { first: 4, after });
        found.push(...page.items);
        if (!page.hasMore) break;
        after = page.endCursor;
      }
      expect(found.toSorted()).toEqual(wanted.toSorted());
      expect(await store.countEntities(space, filter, 100)).toEqual({ count: wanted.length, exact: true });
    }
    expect(await store.countEntities(space, {}, 10)).toEqual({ count: 10, exact: false });
  });
}
