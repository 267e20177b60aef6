import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  AppliedUpdate,
  Hidden,
  KnowledgeChange,
  StatementPattern,
  StoredStatement,
} from '../../../../src/extensions/knowledge/model/graph.ts';
import type {
  KGStatement,
  KnowledgePatch,
  KnowledgeSpace,
} from '../../../../src/extensions/knowledge/model/knowledge.ts';
import type { KnowledgeStore } from '../../../../src/extensions/knowledge/store/port.ts';
import { entitiesIn, fitting, identityOf, typesIn } from '../../../support/naive-knowledge.ts';
import { add, findAll, graphOf, inverseOf, type KnowledgeKind, logOf } from './fixtures.ts';

const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/** A name that is too long for an index. */
const long = `ex:g${'long'.repeat(500)}`;
const ids = ['ex:a', 'ex:b', 'ex:c', 'ex:T', 'ex:U'];
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
    graph: fc.constantFrom('ex:g', 'ex:a', long),
    certainty: fc.constantFrom(0, 0.5, 1),
    provenance: fc.constantFrom({}, { by: 'x' }),
  },
  { requiredKeys: ['subject', 'predicate', 'object'] },
);
export const patch: fc.Arbitrary<KnowledgePatch> = fc.record({
  op: fc.constantFrom('add', 'add', 'remove', 'replace'),
  statement,
});
const updates = fc.array(fc.array(patch, { maxLength: 6 }), { minLength: 1, maxLength: 6 });
/** Patterns that do not fit everything. */
export const pattern: fc.Arbitrary<StatementPattern> = fc
  .record(
    {
      subject: node,
      predicate: fc.constantFrom('ex:p', rdfType),
      object: node,
      value: fc.constantFrom<(string | number | boolean)[]>('1', 1, 'x', true),
      graph: fc.constantFrom('', 'ex:g', 'ex:a', long),
      subjectType: type,
      minCertainty: fc.constantFrom(0.4, 1),
      hidden: fc.constantFrom<Hidden[]>(
        { graphs: ['ex:g'] },
        { graphs: ['ex:g*', 'urn:other'], predicates: ['ex:q'] },
        { graphs: [''], predicates: ['http*'] },
        { graphs: ['*'] },
      ),
    },
    { requiredKeys: [] },
  )
  .filter((each) => Object.keys(each).length > 0);

type Effect = Pick<KnowledgeChange, 'op' | 'statement' | 'replaced'>;

/** A graph as it should be: the rules of patches in their simplest form. */
class Model {
  readonly #statements = new Map<string, StoredStatement>();
  readonly log: Effect[] = [];

  get all(): StoredStatement[] {
    return [...this.#statements.values()];
  }

  /** Applies the patches of an update, and resolves with its result. */
  apply(patches: readonly KnowledgePatch[]): AppliedUpdate {
    const sum = { added: 0, removed: 0, renewed: 0 };
    const affected = new Set<string>();
    for (const { op, statement: one } of patches) {
      const key = identityOf(one);
      const before = this.#statements.get(key);
      const [subject, predicate, inGraph] = [one.subject.id, one.predicate.id, one.graph ?? ''];
      const own = before ? [before] : [];
      const meant = op === 'replace' ? fitting(this.all, { subject, predicate, graph: inGraph }) : own;
      const removed = op === 'remove' ? own : meant.filter((other) => other !== before);
      const isNew = op !== 'remove' && !before;
      const isRenewed = op !== 'remove' && before && graphOf([before])[0] !== graphOf([one])[0];
      for (const gone of removed) this.#statements.delete(identityOf(gone));
      if (op !== 'remove') this.#statements.set(key, { ...one, at: 0 });
      if (!isNew && !isRenewed && removed.length === 0) continue;
      if (isNew) sum.added += 1;
      if (isRenewed) sum.renewed += 1;
      sum.removed += removed.length;
      affected.add(subject);
      this.log.push({ op, statement: (op === 'remove' && before) || one, replaced: op === 'remove' ? [] : meant });
    }
    return { ...sum, affectedIds: [...affected], position: this.log.length };
  }
}

const effectOf = ({ op, statement: one, replaced = [] }: Effect) => [op, graphOf([one]), graphOf(replaced)];

/** Properties that hold for any sequence of updates. */
export function properties(kind: KnowledgeKind): void {
  /** Every run has a space of its own: opening a database for each would take its time. */
  let spaces = 0;
  let opened: Promise<KnowledgeStore> | undefined;
  const fresh = async (): Promise<KnowledgeStore> => (await kind.database()).open();
  const space = (): KnowledgeSpace => {
    spaces += 1;
    return { agent: 'facts', tenant: String(spaces) };
  };
  const numRuns = kind.runs ?? (kind.name === 'PostgreSQL' ? 6 : 15);

  describe('properties of updates', () => {
    it('updates are answered and logged as what they change, and what is found is what they leave', async () => {
      const store = await fresh();
      const run = async (sequence: KnowledgePatch[][], patterns: StatementPattern[]): Promise<void> => {
        const at = space();
        const model = new Model();
        for (const patches of sequence) expect(await store.apply(at, patches, {})).toEqual(model.apply(patches));
        expect((await logOf(store, at)).map(effectOf)).toEqual(model.log.map(effectOf));
        const { all } = model;
        for (const each of [{}, ...patterns]) {
          const found = graphOf(fitting(all, each));
          expect(graphOf(await findAll(store, each, { at, size: 2 }))).toEqual(found);
          const { subjectType: type, minCertainty = 0, hidden } = each;
          const view = { minCertainty, ...(hidden && { hidden }) };
          const filter = { ...view, ...(type && { type }) };
          const { items } = await store.entities(at, filter, { first: 100 });
          expect(items.toSorted()).toEqual(entitiesIn(all, filter));
          expect(await store.countEntities(at, filter, 100)).toEqual({ count: items.length, exact: true });
          const types = await store.typesOf(at, ids, view);
          const seen = fitting(all, view);
          expect(ids.map((id) => types.get(id)?.toSorted())).toEqual(ids.map((id) => typesIn(seen, id)));
        }
        const pages = await store.findEach(at, patterns, 1_000);
        expect(pages.map(({ items }) => graphOf(items))).toEqual(patterns.map((each) => graphOf(fitting(all, each))));
        const counts = patterns.map((each) => ({ count: fitting(all, each).length, exact: true }));
        expect(await store.count(at, patterns, 1_000)).toEqual(counts);
        expect(await store.count(at, [{}], 1_000)).toEqual([{ count: all.length, exact: true }]);
        const atMostOne = counts.map(({ count }) => ({ count: Math.min(count, 1), exact: count <= 1 }));
        expect(await store.count(at, patterns, 1)).toEqual(atMostOne);
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
        expect(await store.typesOf(one, ids)).toEqual(new Map());
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
