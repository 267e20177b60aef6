import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { A2AError } from '../../../../src/core/model/errors.ts';
import { GraphqlEngine } from '../../../../src/extensions/knowledge/graphql/index.ts';
import { graphqlLimits } from '../../../../src/extensions/knowledge/graphql/limits.ts';
import type { KnowledgePatch } from '../../../../src/extensions/knowledge/model/knowledge.ts';
import { turnWork, workOfLongestTurn } from '../../../../src/extensions/knowledge/turns.ts';
import { errorsOf } from '../../../support/graphql.ts';
import { sharedMemory } from '../alignment/fixtures.ts';
import { query } from '../generated-queries.ts';

const memory = sharedMemory();
const space = { agent: 'facts', tenant: '' };
const engine = new GraphqlEngine();
/** Each of 45 resources is connected with nearly all others: 2,000 statements. */
const resources = 45;

beforeAll(async () => {
  const patches = Array.from({ length: 2_000 }, (_, n): KnowledgePatch => {
    const [subject, object] = [n % resources, Math.floor(n / resources)].map((each) => ({ id: `urn:n${each}` }));
    const provenance = { sourceAgentId: `agent ${n % 7}` };
    return {
      op: 'add',
      statement: { subject: subject ?? { id: '' }, predicate: { id: 'p' }, object: object ?? { id: '' }, provenance },
    };
  });
  await memory().apply(space, patches, {});
});

const ask = (query: string, variables: Record<string, unknown> = {}, signal = new AbortController().signal) =>
  engine.query({ space, store: memory(), signal }, { query, variables });

/** Walks over all entities: `levels` times to their neighbours. */
const walk = (levels: number, first: number): string =>
  levels === 0 ? 'id' : `id out(first: ${first}) { nodes { object { entity { ${walk(levels - 1, first)} } } } }`;

/** Members and items of a result. */
const sizeOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, each) => sum + 1 + sizeOf(each), 0)
    : 0;

/** A turn ends after the object, or the request to the store, that goes beyond the work of a turn. */
const mostWork = turnWork + 10_000 + 2_000;

describe('the cost of a query', () => {
  it('no generated query works for long without giving way to others, and no result is too large', async () => {
    workOfLongestTurn();
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const outcomes = await Promise.all(
          Array.from({ length: 3 }, () => ask(text).catch((thrown: unknown) => thrown)),
        );
        expect(workOfLongestTurn()).toBeLessThan(mostWork);
        for (const outcome of outcomes) {
          if (outcome instanceof Error) {
            expect(outcome).toBeInstanceOf(A2AError);
            expect(outcome).toMatchObject({ kind: 'knowledgeQuery' });
            continue;
          }
          answered += 1;
          const { data, queryMetadata } = outcome as Awaited<ReturnType<typeof ask>>;
          expect(sizeOf(data)).toBeLessThanOrEqual(graphqlLimits.values);
          expect(JSON.stringify(data).length).toBeLessThanOrEqual(graphqlLimits.characters);
          expect(queryMetadata).toMatchObject({ position: 2_000 });
        }
      }),
      { numRuns: 20 },
    );
    expect(answered).toBeGreaterThan(0);
  });

  it('a walk of four levels is refused with its cost, the limit and the path, before anything is read', async () => {
    const error = await ask(`{ entities(first: 50) { nodes { ${walk(3, 50)} } } }`).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      kind: 'knowledgeQuery',
      message: expect.stringMatching(
        /costs 19,897,856 if all pages are full, of which 6,250,000 for entities\.nodes\.out\.nodes.*limit is 5,000,000/,
      ),
    });
  });

  it('a walk that exceeds the limit while it runs ends at the field, and gives way on its way there', async () => {
    workOfLongestTurn();
    let others = 0;
    let isOver = false;
    const count = (): void => {
      others += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const error = await ask(`{ entities(first: 40) { nodes { ${walk(2, 40)} } } }`).catch((thrown: unknown) => thrown);
    isOver = true;
    expect(error).toMatchObject({ message: expect.stringContaining(`more than ${graphqlLimits.values} values`) });
    expect(errorsOf(error as A2AError)).toMatchObject([{ path: expect.arrayContaining(['entities', 'nodes', 'out']) }]);
    expect(workOfLongestTurn()).toBeLessThan(mostWork);
    expect(others).toBeGreaterThan(graphqlLimits.values / mostWork);
  });

  it('a long alias counts as often as it is written', async () => {
    const alias = 'a'.repeat(50_000);
    const error = await ask(`{ statements(first: 1000) { nodes { ${alias}: graph } } }`).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      message: expect.stringContaining(`more than ${graphqlLimits.characters} characters`),
    });
  });

  it('pages of large statements end early enough to be answered, and too many of them are refused', async () => {
    const large = { agent: 'large', tenant: '' };
    const note = 'n'.repeat(graphqlLimits.characters * 0.4);
    const patches = ['a', 'b', 'c'].map((id): KnowledgePatch => {
      const statement = { subject: { id }, predicate: { id: 'p' }, object: { value: 1 }, provenance: { note } };
      return { op: 'add', statement };
    });
    await memory().apply(large, patches, {});
    const askLarge = (query: string) =>
      engine.query({ space: large, store: memory(), signal: new AbortController().signal }, { query });
    const { data } = await askLarge('{ statements { nodes { provenance } pageInfo { hasNextPage } } }');
    expect(data).toEqual({ statements: { nodes: [{ provenance: { note } }], pageInfo: { hasNextPage: true } } });
    const pages = ['a', 'b', 'c'].map((id) => `${id}: statements(subject: "${id}") { nodes { timestamp } }`);
    await expect(askLarge(`{ ${pages.join(' ')} }`)).rejects.toMatchObject({
      kind: 'knowledgeQuery',
      message: expect.stringContaining(`more than ${graphqlLimits.characters} characters`),
    });
  });

  it('an alias may be a name that objects inherit', async () => {
    const { data } = await ask('{ __proto__: entity(id: "urn:n1") { constructor: id toString: __typename } }');
    expect(JSON.stringify(data)).toBe('{"__proto__":{"constructor":"urn:n1","toString":"Entity"}}');
  });

  it('what is skipped costs nothing', async () => {
    const text = `query ($no: Boolean!) { entities(first: 50) { nodes { id ... @include(if: $no) { ${walk(3, 50)} } } } }`;
    await expect(ask(text, { no: false })).resolves.toHaveProperty('data');
    await expect(ask(text, { no: true })).rejects.toThrow('could be too large');
  });

  it('a query ends soon after its caller has left', async () => {
    const caller = new AbortController();
    const answer = ask(`{ entities(first: 40) { nodes { ${walk(2, 40)} } } }`, {}, caller.signal);
    setImmediate(() => caller.abort());
    await expect(answer).rejects.toMatchObject({ kind: 'canceled' });
  });
});
