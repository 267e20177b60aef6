import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GraphqlEngine } from '../../../../src/extensions/knowledge/graphql/index.ts';
import type { Hidden, KnowledgeView, StoredStatement } from '../../../../src/extensions/knowledge/model/graph.ts';
import type {
  KGStatement,
  KnowledgePatch,
  KnowledgeSpace,
} from '../../../../src/extensions/knowledge/model/knowledge.ts';
import { entitiesIn, fitting, identityOf, NaiveKnowledge, typesIn } from '../../../support/naive-knowledge.ts';
import { sharedMemory } from '../alignment/fixtures.ts';
import { patch, pattern } from '../store/properties.ts';

const engine = new GraphqlEngine();
const memory = sharedMemory();
let spaces = 0;

/** A graph that is still empty. */
function freshSpace(): KnowledgeSpace {
  spaces += 1;
  return { agent: 'facts', tenant: `t${spaces}` };
}

const patches = fc.array(patch, { minLength: 1, maxLength: 25 });
const certainty = fc.option(fc.constantFrom(0.3, 0.5, 1), { nil: undefined });

interface Asked {
  readonly requiredCertainty?: number | undefined;
  readonly hidden?: Hidden | undefined;
}

const viewOf = ({ requiredCertainty, hidden: without }: Asked): KnowledgeView => ({
  ...(requiredCertainty !== undefined && { minCertainty: requiredCertainty }),
  ...(without && { hidden: without }),
});

async function ask(space: KnowledgeSpace, query: string, variables: Record<string, unknown>, settings: Asked = {}) {
  const { requiredCertainty, hidden: without } = settings;
  const asking = { space, store: memory(), signal: new AbortController().signal };
  const { data, queryMetadata } = await engine.query(
    { ...asking, ...(without && { hidden: without }) },
    { query, variables, ...(requiredCertainty !== undefined && { requiredCertainty }) },
  );
  return { data: JSON.parse(JSON.stringify(data)), position: Number(queryMetadata?.position) };
}

const fields = `nodes { subject { id type } predicate { id } object { id value type } graph certainty provenance timestamp }
  pageInfo { endCursor hasNextPage } totalCount`;

interface Node extends KGStatement {
  readonly timestamp: string;
}

/** A statement as GraphQL answers it, again as it is kept. */
function statementOf({ timestamp, ...node }: Node): StoredStatement {
  const without = (object: object) => Object.fromEntries(Object.entries(object).filter(([, each]) => each !== null));
  const { subject, predicate: verb, object } = node;
  const parts = { subject: without(subject), predicate: verb, object: without(object) };
  return { ...without(node), ...parts, at: Date.parse(timestamp) } as StoredStatement;
}

const sorted = (statements: readonly StoredStatement[]) =>
  statements.toSorted((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1));

/** Everything that a store holds, without GraphQL. */
async function everything(space: KnowledgeSpace): Promise<readonly StoredStatement[]> {
  const { items, hasMore } = await memory().find(space, {}, { first: 1_000 });
  expect(hasMore).toBe(false);
  return items;
}

/** A connection's nodes of all pages, put together. */
async function pages<Item>(
  next: (
    after: string | null,
  ) => Promise<{ nodes: Item[]; pageInfo: { endCursor: string | null; hasNextPage: boolean } }>,
): Promise<Item[]> {
  const found: Item[] = [];
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo } = await next(after);
    found.push(...nodes);
    if (!pageInfo.hasNextPage) return found;
    after = pageInfo.endCursor;
  }
}

const runs = { numRuns: 25 };

it('statements are those that a filter of all statements finds', async () => {
  const query = `query ($subject: ID, $predicate: ID, $object: ID, $value: String, $type: ID, $graph: ID,
    $minCertainty: Float, $first: Int, $after: String) {
    statements(subject: $subject, predicate: $predicate, object: $object, value: $value, type: $type, graph: $graph,
      minCertainty: $minCertainty, first: $first, after: $after) { ${fields} }
  }`;
  await fc.assert(
    fc.asyncProperty(
      patches,
      fc.array(pattern, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 5 }),
      certainty,
      async (written, patterns, first, requiredCertainty) => {
        const space = freshSpace();
        await memory().apply(space, written, {});
        const all = await everything(space);
        for (const { hidden, subjectType: type, value, ...given } of patterns) {
          const settings = { requiredCertainty, hidden };
          const wanted = { ...given, ...(value !== undefined && { value: String(value) }) };
          const minCertainty = Math.max(wanted.minCertainty ?? 0, requiredCertainty ?? 0);
          const naive = { ...viewOf(settings), ...wanted, minCertainty, ...(type && { subjectType: type }) };
          const expected = sorted(fitting(all, naive));
          const found = await pages<Node>(async (after) => {
            const { data } = await ask(space, query, { ...wanted, type, first, after }, settings);
            expect(data.statements.totalCount).toBe(expected.length);
            return data.statements;
          });
          expect(sorted(found.map(statementOf))).toEqual(expected);
        }
      },
    ),
    runs,
  );
});

it('entities, their types and what goes out of them and into them are those of all statements', async () => {
  const query = `query ($type: ID, $predicate: ID, $first: Int, $after: String) {
    entities(type: $type, first: $first, after: $after) {
      nodes { id types out(predicate: $predicate) { ${fields} } in(predicate: $predicate) { ${fields} } }
      pageInfo { endCursor hasNextPage } totalCount
    }
    a: entity(id: "ex:a") { id types out { nodes { object { id entity { types in { totalCount } } } } } }
  }`;
  interface EntityNode {
    readonly id: string;
    readonly types: string[];
    readonly out: { nodes: Node[]; totalCount: number };
    readonly in: { nodes: Node[]; totalCount: number };
  }
  await fc.assert(
    fc.asyncProperty(
      patches,
      pattern,
      fc.integer({ min: 1, max: 3 }),
      certainty,
      async (written, { subjectType: type, predicate, hidden }, first, requiredCertainty) => {
        const space = freshSpace();
        await memory().apply(space, written, {});
        const settings = { requiredCertainty, hidden };
        const view = viewOf(settings);
        const seen = fitting(await everything(space), view);
        const by = predicate === undefined ? {} : { predicate };
        const expected = entitiesIn(seen, type === undefined ? {} : { type });
        let a: {
          types: string[];
          out: { nodes: { object: { id: string | null; entity: EntityNode | null } }[] };
        } | null;
        const found = await pages<EntityNode>(async (after) => {
          const { data } = await ask(space, query, { type, predicate, first, after }, settings);
          expect(data.entities.totalCount).toBe(expected.length);
          a = data.a;
          return data.entities;
        });
        expect(found.map(({ id }) => id).sort()).toEqual(expected);
        for (const { id, types, out, in: into } of found) {
          expect(types.toSorted()).toEqual(typesIn(seen, id));
          expect(sorted(out.nodes.map(statementOf))).toEqual(sorted(fitting(seen, { subject: id, ...by })));
          expect(sorted(into.nodes.map(statementOf))).toEqual(sorted(fitting(seen, { object: id, ...by })));
          expect([out.totalCount, into.totalCount]).toEqual([out.nodes.length, into.nodes.length]);
        }
        a ??= null;
        expect(a?.types.toSorted()).toEqual(typesIn(seen, 'ex:a'));
        for (const { object } of a?.out.nodes ?? []) {
          expect(object.entity?.types.toSorted()).toEqual(object.id === null ? undefined : typesIn(seen, object.id));
          expect(object.entity?.in.totalCount).toBe(
            object.id === null ? undefined : fitting(seen, { object: object.id }).length,
          );
        }
      },
    ),
    runs,
  );
});

it('a graph that is read while others write, and then followed from where the reading began, is the same graph', async () => {
  const query = `query ($first: Int, $after: String) { statements(first: $first, after: $after) { ${fields} } }`;
  const all = 'subscription { statementChanged { op } }';
  await fc.assert(
    fc.asyncProperty(patches, patches, patches, async (before, during, later) => {
      const space = freshSpace();
      const copy = new NaiveKnowledge();
      await memory().apply(space, before, {});
      const rest = [...during];
      let begun: number | undefined;
      const nodes = await pages<Node>(async (after) => {
        const { data, position } = await ask(space, query, { first: 2, after });
        begun ??= position;
        await memory().apply(space, rest.splice(0, 3), {});
        return data.statements;
      });
      copy.apply(nodes.map((node): KnowledgePatch => ({ op: 'add', statement: withoutTime(statementOf(node)) })));
      const end = new AbortController();
      const asking = { space, store: memory(), signal: end.signal };
      const changes = await engine.subscribe(asking, { subscriptionQuery: all }, begun);
      const { position: last } = await memory().apply(space, later, {});
      for await (const { seq, event } of last === begun ? [] : (changes ?? [])) {
        copy.apply([{ op: event.op, statement: event.statement } as KnowledgePatch]);
        if (seq === last) break;
      }
      end.abort();
      const graphs = [copy.all, await everything(space)].map((statements) => sorted(statements).map(withoutTime));
      expect(graphs[0]).toEqual(graphs[1]);
    }),
    runs,
  );
});

function withoutTime({ at: _, ...stated }: StoredStatement): KGStatement {
  return stated;
}
