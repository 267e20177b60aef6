import { expect, it } from 'vitest';
import { GraphqlEngine } from '../../../../src/extensions/knowledge/graphql/index.ts';
import { ask, data, fact, graphOf, relation, space } from '../../../support/graphql.ts';

it('the generic schema answers statements with everything that is known of them', async () => {
  const graph = graphOf({
    subject: { id: 'urn:ada', type: 'Person' },
    predicate: { id: 'born' },
    object: { value: 1815, type: 'xsd:integer' },
    graph: 'urn:history',
    certainty: 0.9,
    provenance: { sourceAgentId: 'librarian', page: { number: 4 } },
  });
  const query = `{
      statements {
        nodes {
          subject { id type } predicate { id } object { id value type } graph certainty provenance timestamp __typename
        }
        pageInfo { endCursor hasNextPage }
        totalCount
        totalCountIsExact
      }
    }`;
  expect(await data(graph, query)).toEqual({
    statements: {
      nodes: [
        {
          subject: { id: 'urn:ada', type: 'Person' },
          predicate: { id: 'born' },
          object: { id: null, value: 1815, type: 'xsd:integer' },
          graph: 'urn:history',
          certainty: 0.9,
          provenance: { sourceAgentId: 'librarian', page: { number: 4 } },
          timestamp: '2025-04-13T00:00:00.000Z',
          __typename: 'Statement',
        },
      ],
      pageInfo: { endCursor: expect.any(String), hasNextPage: false },
      totalCount: 1,
      totalCountIsExact: true,
    },
  });
});

it('the generic schema keeps falsy values, and returns null for values that were not given', async () => {
  const graph = graphOf(fact('a', 'p', false), fact('a', 'q', 0), fact('a', 'r', ''));
  const answer = await data(graph, '{ statements { nodes { object { id value type } graph certainty provenance } } }');
  const nothing = { graph: null, certainty: null, provenance: null };
  expect(answer.statements.nodes).toEqual(
    [false, 0, ''].map((value) => ({ object: { id: null, value, type: null }, ...nothing })),
  );
});

it('the generic schema treats null as an absent argument, and reports on an empty page whether there is more', async () => {
  const graph = graphOf(...Array.from({ length: 5 }, (_, n) => fact(`s${n}`, 'p', n)));
  const args = 'subject: null, first: null, after: null, minCertainty: null, value: "3"';
  expect(await data(graph, `{ statements(${args}) { nodes { subject { id } } } }`)).toEqual({
    statements: { nodes: [{ subject: { id: 's3' } }] },
  });
  const none = '{ statements(first: 0) { nodes { graph } pageInfo { endCursor hasNextPage } totalCount } }';
  expect(await data(graph, none)).toEqual({
    statements: { nodes: [], pageInfo: { endCursor: null, hasNextPage: true }, totalCount: 5 },
  });
});

it('the generic schema reads only the selected fields from the store', async () => {
  const graph = graphOf(fact('a', 'p', 1));
  await ask(graph, '{ statements { totalCount totalCountIsExact } entities { __typename } __typename }');
  expect(graph.queries).toEqual(['count']);
  graph.queries.length = 0;
  await ask(graph, '{ statements { totalCount nodes { graph } pageInfo { hasNextPage } } }');
  expect(graph.queries).toEqual(['find']);
});

it('the generic schema counts for all items of a list at once', async () => {
  const graph = graphOf(relation('a', 'knows', 'b'), relation('a', 'knows', 'c'), relation('b', 'knows', 'c'));
  const query = '{ entities { nodes { id out { totalCount } in(predicate: "knows") { totalCount } } } }';
  const { entities } = await data(graph, query);
  expect(entities.nodes).toEqual([
    { id: 'a', out: { totalCount: 2 }, in: { totalCount: 0 } },
    { id: 'b', out: { totalCount: 1 }, in: { totalCount: 1 } },
    { id: 'c', out: { totalCount: 0 }, in: { totalCount: 2 } },
  ]);
  expect(graph.queries).toEqual(['entities', 'count']);
});

it('the generic schema goes through the graph in both directions, one question for a level', async () => {
  const friends = Array.from({ length: 20 }, (_, n) => `friend-${n}`);
  const graph = graphOf(
    ...friends.map((friend) => relation('ada', 'knows', friend)),
    ...friends.flatMap((friend) => [relation(friend, 'lives', `town-${friend}`), fact(friend, 'age', 36)]),
  );
  const answer = await data(
    graph,
    `{ entity(id: "ada") { out(predicate: "knows") { nodes { object { entity {
           out(predicate: "lives") { nodes { object { id entity { types in { nodes { subject { id entity { id } } } } } } } }
         } } } } } }`,
  );
  expect(answer.entity.out.nodes).toHaveLength(20);
  for (const { object } of answer.entity.out.nodes) {
    const [town] = object.entity.out.nodes;
    const [{ subject }] = town.object.entity.in.nodes;
    expect(town.object.id).toBe(`town-${subject.id}`);
    expect(subject.entity.id).toBe(subject.id);
  }
  expect(graph.queries).toEqual(['typesOf', 'find', 'findEach', 'typesOf', 'findEach']);
});

it('the generic schema reads nothing twice from the store', async () => {
  const graph = graphOf(
    ...Array.from({ length: 30 }, (_, n) => relation(`a${n}`, 'in', 'town')),
    relation('town', 'in', 'land'),
  );
  const query = '{ statements(object: "town") { nodes { object { entity { out { nodes { object { id } } } } } } } }';
  const answer = await data(graph, query);
  expect(answer.statements.nodes).toHaveLength(30);
  expect(graph.queries).toEqual(['find', 'find']);
});

it('the generic schema continues after a cursor in the middle of a traversal', async () => {
  const graph = graphOf(...['x', 'y', 'z'].map((object) => relation('a', 'p', object)));
  const query = `query ($after: String) { entity(id: "a") {
      out(first: 2, after: $after) { nodes { object { id } } pageInfo { endCursor hasNextPage } totalCount }
    } }`;
  const first = (await data(graph, query)).entity.out;
  const second = (await data(graph, query, { variables: { after: first.pageInfo.endCursor } })).entity.out;
  expect([...first.nodes, ...second.nodes].map(({ object }) => object.id)).toEqual(['x', 'y', 'z']);
  expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false]);
  expect([first.totalCount, second.totalCount]).toEqual([3, 3]);
});

it('the generic schema says how far it counted', async () => {
  const graph = graphOf(...Array.from({ length: 30 }, (_, n) => relation('a', 'p', `b${n}`)), relation('b1', 'p', 'a'));
  const small = new GraphqlEngine({ count: 20, repeatedCount: 10 });
  const asking = { space, store: graph, signal: new AbortController().signal };
  const query = `{
      statements(first: 1) { totalCount totalCountIsExact }
      entity(id: "b1") { out { nodes { object { entity { out(first: 1) { totalCount totalCountIsExact nodes { graph } } } } } } }
    }`;
  const answer = JSON.parse(JSON.stringify((await small.query(asking, { query })).data));
  expect(answer.statements).toEqual({ totalCount: 20, totalCountIsExact: false });
  expect(answer.entity.out.nodes[0].object.entity.out).toMatchObject({ totalCount: 10, totalCountIsExact: false });
});

it('the generic schema takes variables, fragments, directives and one named operation', async () => {
  const graph = graphOf(relation('a', 'knows', 'b'), fact('a', 'age', 42));
  const query = `
      query People($who: ID!, $ages: Boolean!, $first: Int = 1) {
        entity(id: $who) { ...Known out(predicate: "age") @include(if: $ages) { nodes { object { value } } } }
      }
      fragment Known on Entity { known: out(predicate: "knows", first: $first) { nodes { object { ... on Object { id } } } } }`;
  const known = { nodes: [{ object: { id: 'b' } }] };
  expect(await data(graph, query, { variables: { who: 'a', ages: false, unknown: 1 } })).toEqual({
    entity: { known },
  });
  expect(await data(graph, query, { variables: { who: 'a', ages: true } })).toEqual({
    entity: { known, out: { nodes: [{ object: { value: 42 } }] } },
  });
});

it('the generic schema answers introspection', async () => {
  const graph = graphOf();
  const { __schema, __type } = await data(
    graph,
    '{ __schema { queryType { name fields { name } } subscriptionType { fields { name args { name } } } } __type(name: "Entity") { fields { name } } }',
  );
  const names = (list: { name: string }[]) => list.map(({ name }) => name);
  expect(names(__schema.queryType.fields)).toEqual(['statements', 'entity', 'entities']);
  expect(names(__schema.subscriptionType.fields[0].args)).toEqual(['subject', 'predicate', 'object', 'type', 'graph']);
  expect(names(__type.fields)).toEqual(['id', 'types', 'out', 'in']);
  expect(graph.queries).toEqual([]);
});
