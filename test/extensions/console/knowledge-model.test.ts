import { describe, expect, test } from 'vitest';
import {
  filterFrom,
  pageOf,
  shortName,
  statementsQuery,
} from '../../../src/extensions/console/pages/knowledge/statements.ts';
import { ask, fact, graphOf, refusal, relation } from '../../support/graphql.ts';

const answer = async (graph: ReturnType<typeof graphOf>, query: string, variables = {}): Promise<unknown> =>
  JSON.parse(JSON.stringify((await ask(graph, query, { variables })).data));

describe('queries of the pages', () => {
  const graph = graphOf(
    relation('urn:ada', 'urn:knows', 'urn:grace', { certainty: 0.8, graph: 'urn:g', provenance: { by: 'x' } }),
    relation('urn:ada', 'rdf:type', 'urn:Person'),
    fact('urn:ada', 'urn:name', 'Ada'),
    relation('urn:charles', 'urn:knows', 'urn:ada'),
  );

  test('the pages read statements page by page, with their number', async () => {
    const page = pageOf(await answer(graph, statementsQuery, { predicate: 'urn:knows', first: 1 }));
    expect(page).toMatchObject({ total: '2', after: expect.any(String) });
    const next = pageOf(await answer(graph, statementsQuery, { predicate: 'urn:knows', after: page.after }));
    expect(next.after).toBeUndefined();
    expect([...page.items, ...next.items]).toContainEqual({
      subject: { id: 'urn:ada', type: null },
      predicate: { id: 'urn:knows' },
      object: { id: 'urn:grace', value: null, type: null },
      graph: 'urn:g',
      certainty: 0.8,
      provenance: { by: 'x' },
      timestamp: expect.any(String),
    });
  });

  test('the pages read the neighbours of an entity with their types', async () => {
    const incoming = pageOf(await answer(graph, statementsQuery, { object: 'urn:grace', types: true }));
    expect(incoming.items[0]?.subject).toMatchObject({ id: 'urn:ada', entity: { types: ['urn:Person'] } });
    const literal = pageOf(await answer(graph, statementsQuery, { value: 'Ada', types: true }));
    expect(literal.items[0]?.object).toMatchObject({ value: 'Ada', entity: null });
  });

  test('an answer of another shape is an empty page', () => {
    for (const data of [null, undefined, {}, { statements: null }]) expect(pageOf(data).items).toEqual([]);
  });

  test('a bounded number says that there is more', () => {
    const totalOf = (totalCount: number, totalCountIsExact: boolean) =>
      pageOf({ statements: { totalCount, totalCountIsExact } }).total;
    expect(totalOf(1_000, false)).toBe('more than 1,000');
    expect(totalOf(12_345, true)).toBe('12,345');
  });
});

test('filters in the address are read; empty ones and those of others are left out', () => {
  const from = (query: string) => filterFrom(new URLSearchParams(query));
  expect(from('subject=urn%3Aa&predicate=&minCertainty=0.5&other=1')).toEqual({
    subject: 'urn:a',
    minCertainty: 0.5,
  });
  expect(from('minCertainty=0')).toEqual({ minCertainty: 0 });
  expect(from('')).toEqual({});
});

test('a certainty that is no number goes to the gateway, which refuses it', async () => {
  const variables = filterFrom(new URLSearchParams('minCertainty=high'));
  expect((await refusal(ask(graphOf(), statementsQuery, { variables }))).message).toContain('$minCertainty');
});

test.each([
  ['https://schema.org/name', 'name'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#type', 'type'],
  ['urn:example:ada', 'ada'],
  ['https://example.org/things/', 'things'],
  ['plain', 'plain'],
  [':', ':'],
  ['', ''],
])('the name %s is shown as %s', (iri, name) => {
  expect(shortName(iri)).toBe(name);
});
