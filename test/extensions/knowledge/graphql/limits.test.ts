import fc from 'fast-check';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { A2AError } from '../../../../src/core/model/errors.ts';
import { GraphqlEngine } from '../../../../src/extensions/knowledge/graphql/index.ts';
import type { KnowledgePatch } from '../../../../src/extensions/knowledge/model/knowledge.ts';
import { NaiveKnowledge } from '../../../support/naive-knowledge.ts';

const graph = new NaiveKnowledge();
const ids = Array.from({ length: 15 }, (_, n) => `n${n}`);
graph.apply(
  ids.flatMap((subject) =>
    ids.map(
      (object): KnowledgePatch => ({
        op: 'add',
        statement: { subject: { id: subject }, predicate: { id: 'p' }, object: { id: object } },
      }),
    ),
  ),
);

const asking = { space: { agent: 'a', tenant: '' }, store: graph, signal: new AbortController().signal };
const engine = new GraphqlEngine();

async function outcome(query: string, ask = engine): Promise<string> {
  graph.queries.length = 0;
  try {
    await ask.query(asking, { query });
    return 'answered';
  } catch (error) {
    return error instanceof A2AError ? `${error.kind}: ${error.message}` : String(error);
  }
}

const times = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');
const around = (depth: number, before: string, middle: string, after: string) =>
  before.repeat(depth) + middle + after.repeat(depth);

/** Fragments of which each spreads the next one `width` times, by the same or by other names. */
const fan = (length: number, body: (next: string) => string) =>
  `{ entity(id: "a") { ...F0 } } ${times(length, (n) => `fragment F${n} on Entity { ${n < length - 1 ? body(`...F${n + 1}`) : 'id'} }`)}`;

describe('queries that ask for too much', () => {
  it.each<[string, string, RegExp]>([
    ['too much text', `{ entity(id: "${'x'.repeat(100_000)}") { id } }`, /longer than 100000 characters/],
    [
      'too many words',
      `{ __typename } ${times(1_000, (n) => `fragment F${n} on Query { id }`)}`,
      /more than 4000 tokens/,
    ],
    ['too many comments', `${'#\n'.repeat(2_000)}{ __typename }`, /comments/],
    ['brackets in brackets', '{a'.repeat(1_900), /nested deeper than 64/],
    ['lists in lists', `{ a(x: ${'['.repeat(3_000)}`, /nested deeper than 64/],
    ['objects in objects', `{ a(x: ${'{a:'.repeat(1_300)}`, /nested deeper than 64/],
    ['types in types', `query ($a: ${'['.repeat(3_000)}`, /nested deeper than 64/],
    ['directives', `{ __typename ${'@skip(if: false) '.repeat(60)} }`, /more than 50 directives/],
    ['directives that are not known', `{ __typename ${'@x '.repeat(3_000)} }`, /more than 50 directives/],
    ['a directive twice', '{ __typename @skip(if: false) @skip(if: false) }', /only be used once/],
    ['aliases', `{ ${times(201, (n) => `a${n}: __typename`)} }`, /more than 200 aliases/],
    ['fields', `{ ${times(1_001, (n) => `f${n}`)} }`, /more than 1000 fields/],
    ['one field again and again', `{ ${times(300, () => 'statements { nodes { graph } }')} }`, /too often/],
    [
      'one field by many fragments',
      `{ ${times(100, (n) => `...F${n}`)} } ${times(100, (n) => `fragment F${n} on Query { __typename }`)}`,
      /too often/,
    ],
    [
      'fragments that are never spread',
      `{ __typename } ${times(3, (n) => `fragment F${n} on Query { ${times(350, (m) => `f${m}`)} }`)}`,
      /more than 1000 fields/,
    ],
    [
      'fragments that fan out',
      fan(
        20,
        (next) => `out { nodes { object { entity { ${next} } } } } in { nodes { subject { entity { ${next} } } } }`,
      ),
      /nested deeper than 30/,
    ],
    [
      'fragments that fan out on the spot',
      fan(100, (next) => `${next} ... { ${next} }`),
      /more than 1000 fields|too often/,
    ],
    [
      'fragments in a circle',
      'query { ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
      /within itself/,
    ],
    [
      'a walk that is too long',
      `{ entity(id: "a") { ${around(8, 'out(first: 1) { nodes { object { entity { ', 'id', ' } } } }')} } }`,
      /nested deeper than 30/,
    ],
    [
      'a walk that branches too much',
      `{ entity(id: "a") { ${around(4, 'out { nodes { object { entity { ', 'id', ' } } } }')} } }`,
      /could be too large/,
    ],
    [
      'counts for too many',
      `{ statements(first: 1000) { nodes { object { entity { ${times(60, (n) => `a${n}: out { nodes { object { entity { in { totalCount } } } } }`)} } } } } }`,
      /could be too large/,
    ],
    [
      'circles in the schema',
      '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
      /introspection depth/,
    ],
    [
      'the schema again and again',
      `{ ${times(60, (n) => `a${n}: __schema { types { name fields { name args { name type { name ofType { name } } } } } }`)} }`,
      /introspection query is too large/,
    ],
  ])('a query that asks for too much is refused: %s', async (_, query, expected) => {
    expect(await outcome(query)).toMatch(new RegExp(`^knowledgeQuery: .*(${expected.source})`));
    expect(graph.queries).toEqual([]);
  });

  it('a query within the limits is answered', async () => {
    expect(await outcome(getIntrospectionQuery())).toBe('answered');
    expect(await outcome(getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true }))).toBe(
      'answered',
    );
    expect(await outcome(`{ ${times(100, (n) => `a${n}: entity(id: "${n}") { id types }`)} }`)).toBe('answered');
    expect(graph.queries).toEqual(['typesOf']);
  });

  it('a walk is paid for as it goes: small graphs may be walked far', async () => {
    const walk = (first: number) =>
      `{ entity(id: "n0") { ${around(3, `out(first: ${first}) { nodes { object { entity { `, 'id', ' } } } }')} } }`;
    expect(await outcome(walk(15))).toBe('answered');
    const stingy = new GraphqlEngine({ values: 5_000 });
    expect(await outcome(walk(5), stingy)).toBe('answered');
    expect(await outcome(walk(15), stingy)).toMatch(/^knowledgeQuery: The response has more than 5000 values/);
  });

  it('an answer of many long texts is too large', async () => {
    const texts = new NaiveKnowledge();
    const text = 'x'.repeat(1_000);
    texts.apply(
      ids.map((id) => ({
        op: 'add',
        statement: { subject: { id }, predicate: { id: 'p' }, object: { value: text } },
      })),
    );
    const short = new GraphqlEngine({ characters: 10_000 });
    const ask = (first: number) =>
      short.query(
        { ...asking, store: texts },
        { query: `{ statements(first: ${first}) { nodes { object { value } } } }` },
      );
    await expect(ask(9)).resolves.toBeDefined();
    await expect(ask(10)).rejects.toThrow('The response has more than 10000 characters');
  });

  it('a client can build the schema from introspection', async () => {
    const { data } = await engine.query(asking, { query: getIntrospectionQuery() });
    const printed = printSchema(buildClientSchema(JSON.parse(JSON.stringify(data)) as IntrospectionQuery));
    expect(printed).toContain('in(predicate: ID, first: Int, after: String): StatementConnection!');
    expect(printed).toContain(
      'statementChanged(subject: ID, predicate: ID, object: ID, type: ID, graph: ID): StatementChange!',
    );
  });

  it('any text is answered, or refused for what it is', async () => {
    const signs = '{ } ( ) [ ] : $ ! @ = ... "x"  1 -1.5 & |'.split(' ');
    const names = 'query subscription fragment on F Query ID null true __typename __schema'.split(' ');
    const fields = 'statements entity entities nodes subject object id out in first skip'.split(' ');
    const soup = fc
      .array(fc.constantFrom(...signs, '#\n', ...names, ...fields), { maxLength: 40 })
      .map((list) => list.join(' '));
    const seeds = fc.constantFrom(
      '{ statements(first: 2) { nodes { subject { id } } } }',
      'query Q($id: ID = "a") { entity(id: $id) { ...F } } fragment F on Entity { id out { totalCount } }',
    );
    const broken = fc.tuple(seeds, fc.nat(80), fc.nat(5), soup).map(([seed, at, cut, more]) => {
      return seed.slice(0, at) + more + seed.slice(at + cut);
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(soup, broken, fc.string({ unit: 'binary' })), async (query) => {
        expect(await outcome(query)).toMatch(/^(answered|knowledgeQuery: )/);
        const subscribed = engine.subscribe(asking, { subscriptionQuery: query });
        const said = await subscribed?.then(
          () => 'established',
          (error: unknown) => (error instanceof A2AError ? error.kind : error),
        );
        expect(said).toMatch(/^(established|knowledgeSubscription)$/);
      }),
      { numRuns: 60 },
    );
  });
});
