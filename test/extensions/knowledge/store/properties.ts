import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KGStatement, KnowledgePatch, KnowledgeSpace } from '../../../../src/core/model/knowledge.ts';
import type { StatementPattern } from '../../../../src/extensions/knowledge/model/graph.ts';
import type { KnowledgeStore } from '../../../../src/extensions/knowledge/store/port.ts';
import { add, findAll, graphOf, inverseOf, type KnowledgeKind, logOf } from './fixtures.ts';

const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/** Few names, so that patches meet. */
const node = fc.constantFrom('ex:a', 'ex:b', 'ex:c');
const type = fc.constantFrom('ex:T', 'ex:U');
const object = fc.oneof(
  fc.record({ id: node, type }, { requiredKeys: ['id'] }),
  type.map((id) => ({ id })),
  fc.constantFrom<(string | number | boolean)[]>(1, '1', true, 'x', '\0').map((value) => ({ value })),
  fc.constantFrom('1', 'x').map((value) => ({ value, type: 'xsd:string' })),
);
const statement: fc.Arbitrary<KGStatement> = fc.record(
  {
    subject: fc.record({ id: node, type }, { requiredKeys: ['id'] }),
    predicate: fc.constantFrom('ex:p', 'ex:q', rdfType).map((id) => ({ id })),
    object,
    graph: fc.constantFrom('ex:g', 'ex:a'),
    certainty: fc.constantFrom(0, 0.5, 1),
    provenance: fc.constantFrom({}, { by: 'x' }),
  },
  { requiredKeys: ['subject', 'predicate', 'object'] },
);
const patch: fc.Arbitrary<KnowledgePatch> = fc.record({
  op: fc.constantFrom('add', 'add', 'remove', 'replace'),
  statement,
});
const updates = fc.array(fc.array(patch, { maxLength: 6 }), { minLength: 1, maxLength: 6 });
const pattern: fc.Arbitrary<StatementPattern> = fc.record(
  {
    subject: node,
    predicate: fc.constantFrom('ex:p', rdfType),
    object: node,
    graph: fc.constantFrom('', 'ex:g', 'ex:a'),
    subjectType: type,
    minCertainty: fc.constantFrom(0.4, 1),
  },
  { requiredKeys: [] },
);

/** What tells a statement from another, as it is written here. */
function identity({ subject, predicate, object: { id, value, type: given }, graph }: KGStatement): string {
  const literal = [
    String(value),
    given ?? { string: 'xsd:string', number: 'n', boolean: 'b' }[typeof value as 'string'],
  ];
  return JSON.stringify([subject.id, predicate.id, id ?? literal, graph]);
}

/** Types by entity, for everything that occurs. */
function typesIn(statements: readonly KGStatement[]): Map<string, string[]> {
  const types = new Map<string, Set<string>>();
  const says = (id: string, ...said: (string | undefined)[]): void => {
    const all = types.get(id) ?? new Set();
    for (const each of said) if (each !== undefined) all.add(each);
    types.set(id, all);
  };
  for (const { subject, predicate, object: to } of statements) {
    says(subject.id, subject.type, predicate.id === rdfType ? to.id : undefined);
    if (to.id !== undefined) says(to.id, to.type);
  }
  return new Map([...types].map(([id, said]) => [id, [...said].toSorted()]));
}

/** A graph as it should be: the rules of patches in their simplest form. */
class Model {
  readonly statements = new Map<string, KGStatement>();
  changed = 0;

  apply({ op, statement: one }: KnowledgePatch): void {
    const before = graphOf([...this.statements.values()]).join();
    if (op === 'replace') {
      for (const [key, { subject, predicate, graph }] of this.statements) {
        const same = subject.id === one.subject.id && predicate.id === one.predicate.id && graph === one.graph;
        if (same && key !== identity(one)) this.statements.delete(key);
      }
    }
    if (op === 'remove') this.statements.delete(identity(one));
    else this.statements.set(identity(one), one);
    if (graphOf([...this.statements.values()]).join() !== before) this.changed += 1;
  }

  types(): Map<string, string[]> {
    return typesIn([...this.statements.values()]);
  }

  fits({ subject, predicate, object: to, graph, subjectType, minCertainty }: StatementPattern): KGStatement[] {
    const counting = [...this.statements.values()].filter((one) => (one.certainty ?? 1) >= (minCertainty ?? 0));
    const types = typesIn(counting);
    return counting.filter(
      (one) =>
        (subject === undefined || one.subject.id === subject) &&
        (predicate === undefined || one.predicate.id === predicate) &&
        (to === undefined || one.object.id === to) &&
        (graph === undefined || (one.graph ?? '') === graph) &&
        (subjectType === undefined || types.get(one.subject.id)?.includes(subjectType)),
    );
  }
}

/** What holds for any updates. */
export function properties(kind: KnowledgeKind): void {
  /** Every run has a space of its own: opening a database for each would take its time. */
  let spaces = 0;
  let opened: Promise<KnowledgeStore> | undefined;
  const fresh = async (): Promise<KnowledgeStore> => (await kind.database()).open();
  const space = (): KnowledgeSpace => {
    spaces += 1;
    return { agent: 'facts', tenant: String(spaces) };
  };
  const numRuns = kind.runs ?? (kind.name === 'PostgreSQL' ? 15 : 40);

  describe('properties of updates', () => {
    it('what is found is what the patches leave', async () => {
      const store = await fresh();
      const run = async (sequence: KnowledgePatch[][], patterns: StatementPattern[]): Promise<void> => {
        const at = space();
        const model = new Model();
        for (const patches of sequence) {
          for (const each of patches) model.apply(each);
          const { position } = await store.apply(at, patches, {});
          expect(position).toBe(model.changed);
        }
        expect(graphOf(await findAll(store, {}, { at }))).toEqual(graphOf([...model.statements.values()]));
        expect(await store.count(at, {}, 1_000)).toEqual({ count: model.statements.size, exact: true });
        for (const each of patterns) {
          const fitting = graphOf(model.fits(each));
          expect(graphOf(await findAll(store, each, { at, size: 2 }))).toEqual(fitting);
          expect((await store.count(at, each, 1_000)).count).toBe(fitting.length);
        }
        const pages = await store.findEach(at, patterns, 1_000);
        expect(pages.map(({ items }) => graphOf(items))).toEqual(patterns.map((each) => graphOf(model.fits(each))));
        const counts = patterns.map((each) => ({ count: model.fits(each).length, exact: true }));
        expect(await store.countEach(at, patterns, 1_000)).toEqual(counts);
        const atMostOne = counts.map(({ count }) => ({ count: Math.min(count, 1), exact: count <= 1 }));
        expect(await store.countEach(at, patterns, 1)).toEqual(atMostOne);
        const types = await store.typesOf(at, ['ex:a', 'ex:b', 'ex:c', 'ex:T', 'ex:U']);
        expect(new Map([...types].map(([id, said]) => [id, said.toSorted()]))).toEqual(model.types());
        const entities = await store.entities(at, {}, { first: 100 });
        expect(entities.items.toSorted()).toEqual([...model.types().keys()].toSorted());
      };
      await fc.assert(fc.asyncProperty(updates, fc.array(pattern, { maxLength: 4 }), run), { numRuns });
    });

    it('the change log, replayed, gives the same graph; its inverse gives the one before', async () => {
      const store = await fresh();
      const run = async (before: KnowledgePatch[], sequence: KnowledgePatch[][]): Promise<void> => {
        const [one, other] = [space(), space()];
        await store.apply(one, before, {});
        const begin = await findAll(store, {}, { at: one });
        const { position } = await store.apply(one, [], {});
        for (const patches of sequence) await store.apply(one, patches, {});
        const end = graphOf(await findAll(store, {}, { at: one }));

        const log = await logOf(store, one);
        expect(log.map((change) => change.position)).toEqual(log.map((_, i) => i + 1));
        for (const change of log) {
          const applied = await store.apply(other, [change], {});
          expect(applied.position).toBe(change.position);
        }
        expect(graphOf(await findAll(store, {}, { at: other }))).toEqual(end);

        await store.apply(one, log.slice(position).toReversed().flatMap(inverseOf), {});
        expect(graphOf(await findAll(store, {}, { at: one }))).toEqual(graphOf(begin));
        await store.apply(
          one,
          begin.map((each) => ({ op: 'remove', statement: each })),
          {},
        );
        expect(await store.typesOf(one, ['ex:a', 'ex:b', 'ex:c', 'ex:T', 'ex:U'])).toEqual(new Map());
        expect(await store.countEntities(one, {}, 10)).toEqual({ count: 0, exact: true });
      };
      await fc.assert(fc.asyncProperty(fc.array(patch, { maxLength: 8 }), updates, run), { numRuns });
    });

    it('any text comes back as it went in', async () => {
      opened ??= fresh();
      const store = await opened;
      const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 600 });
      const value = fc.oneof(
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.maxSafeInteger(),
      );
      const run = async (id: string, literal: string | number | boolean, datatype: string): Promise<void> => {
        const at = space();
        const statements: KGStatement[] = [
          { subject: { id }, predicate: { id }, object: { value: literal }, graph: id },
          {
            subject: { id },
            predicate: { id },
            object: { value: String(literal), type: `urn:${datatype.slice(0, 400)}` },
          },
        ];
        await store.apply(at, statements.map(add), {});
        const found = await findAll(store, { subject: id, value: literal }, { at });
        // There is one zero only.
        expect(graphOf(found)).toEqual(graphOf(statements));
      };
      await fc.assert(fc.asyncProperty(text, value, text, run), { numRuns });
    });
  });
}
