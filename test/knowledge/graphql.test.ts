import { describe, expect, it } from 'vitest';
import type { KGStatement, KnowledgePatch } from '../../src/core/knowledge.ts';
import { createGraphqlEngine } from '../../src/knowledge/graphql/index.ts';
import { NaiveKnowledge } from '../support/naive-knowledge.ts';

const space = { agent: 'facts', tenant: '' };
const engine = createGraphqlEngine();

const add = (statement: KGStatement): KnowledgePatch => ({ op: 'add', statement });
const link = (subject: string, predicate: string, object: string, more: Partial<KGStatement> = {}): KGStatement => ({
  subject: { id: subject },
  predicate: { id: predicate },
  object: { id: object },
  ...more,
});
const fact = (subject: string, predicate: string, value: string | number | boolean): KGStatement => ({
  subject: { id: subject },
  predicate: { id: predicate },
  object: { value },
});

function graphOf(...statements: KGStatement[]): NaiveKnowledge {
  const graph = new NaiveKnowledge();
  graph.apply(statements.map(add), {}, Date.UTC(2025, 3, 13));
  return graph;
}

const asking = (graph: NaiveKnowledge) => ({ space, reader: graph, log: graph, signal: new AbortController().signal });
const ask = async (graph: NaiveKnowledge, query: string, more: object = {}) =>
  engine.query(asking(graph), { query, ...more });
const data = async (graph: NaiveKnowledge, query: string, more: object = {}) =>
  JSON.parse(JSON.stringify((await ask(graph, query, more)).data));

describe('the generic schema', () => {
  it('answers statements with everything that is known of them', async () => {
    const graph = graphOf({
      subject: { id: 'urn:ada', type: 'Person' },
      predicate: { id: 'born' },
      object: { value: 1815, type: 'xsd:integer' },
      graph: 'urn:history',
      certainty: 0.9,
      provenance: { sourceAgentId: 'librarian', page: { number: 4 } },
    });
    expect(
      await data(
        graph,
        `{ statements { nodes { subject { id type } predicate { id } object { id value type } graph certainty provenance timestamp }
           pageInfo { endCursor hasNextPage } totalCount } }`,
      ),
    ).toEqual({
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
          },
        ],
        pageInfo: { endCursor: expect.any(String), hasNextPage: false },
        totalCount: 1,
      },
    });
  });

  it('goes through the graph in both directions, one question for a level', async () => {
    const friends = Array.from({ length: 20 }, (_, n) => `urn:friend-${n}`);
    const graph = graphOf(
      ...friends.map((friend) => link('urn:ada', 'knows', friend)),
      ...friends.flatMap((friend) => [link(friend, 'lives', 'urn:london'), fact(friend, 'age', 36)]),
    );
    const answer = await data(
      graph,
      `{ entity(id: "urn:ada") { id types out(predicate: "knows") { nodes { object { entity {
           out(predicate: "lives") { nodes { object { id entity { in(predicate: "lives") { totalCount } } } } } } } } } } }`,
    );
    expect(answer.entity.out.nodes).toHaveLength(20);
    for (const { object } of answer.entity.out.nodes) {
      expect(object.entity.out.nodes).toEqual([{ object: { id: 'urn:london', entity: { in: { totalCount: 20 } } } }]);
    }
    expect(graph.asked.filter((name) => name !== 'count')).toEqual(['typesOf', 'find', 'findEach']);
  });
});
