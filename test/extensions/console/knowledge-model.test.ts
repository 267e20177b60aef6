import { describe, expect, test } from 'vitest';
import {
  emptyGraph,
  expand,
  type Graph,
  mostNodes,
  remove,
} from '../../../src/extensions/console/pages/knowledge/graph.ts';
import { frameOf, inDirection, layOut } from '../../../src/extensions/console/pages/knowledge/layout.ts';
import { emptyChange, patchOf, requestOf } from '../../../src/extensions/console/pages/knowledge/proposal.ts';
import {
  countText,
  entitiesFrom,
  entitiesQuery,
  entityFrom,
  entityQuery,
  filterFrom,
  type Statement,
  shortName,
  statementsFrom,
  statementsQuery,
} from '../../../src/extensions/console/pages/knowledge/statements.ts';
import { patchesOf } from '../../../src/extensions/knowledge/requests.ts';
import { ask, fact, graphOf, relation } from '../../support/graphql.ts';

const answer = async (graph: ReturnType<typeof graphOf>, query: string, variables = {}): Promise<unknown> =>
  JSON.parse(JSON.stringify((await ask(graph, query, { variables })).data));

describe('queries of the pages', () => {
  const graph = graphOf(
    relation('urn:ada', 'urn:knows', 'urn:grace', { certainty: 0.8, graph: 'urn:g', provenance: { by: 'x' } }),
    relation('urn:ada', 'rdf:type', 'urn:Person'),
    fact('urn:ada', 'urn:name', 'Ada'),
    relation('urn:charles', 'urn:knows', 'urn:ada'),
  );

  test('statements without nulls, with their number', async () => {
    const page = statementsFrom(await answer(graph, statementsQuery, { predicate: 'urn:knows', first: 1 }));
    expect(page).toMatchObject({ total: { count: 2, exact: true }, after: expect.any(String) });
    const next = statementsFrom(await answer(graph, statementsQuery, { predicate: 'urn:knows', after: page.after }));
    expect(next.after).toBeUndefined();
    expect([...page.items, ...next.items]).toContainEqual({
      subject: { id: 'urn:ada' },
      predicate: { id: 'urn:knows' },
      object: { id: 'urn:grace' },
      graph: 'urn:g',
      certainty: 0.8,
      provenance: { by: 'x' },
      timestamp: expect.any(String),
    });
  });

  test('an entity with both directions, and entities by type', async () => {
    const ada = entityFrom(await answer(graph, entityQuery, { id: 'urn:ada', first: 10 }));
    expect(ada?.types).toEqual(['urn:Person']);
    expect([ada?.out.total?.count, ada?.in.total?.count]).toEqual([3, 1]);
    expect(ada?.in.items[0]?.subject).toEqual({ id: 'urn:charles', types: [] });
    expect(ada?.out.items.find(({ object }) => object.id === 'urn:grace')?.object.types).toEqual([]);
    expect(entityFrom(await answer(graph, entityQuery, { id: 'urn:none', first: 10 }))).toBeUndefined();
    expect(entitiesFrom(await answer(graph, entitiesQuery, { type: 'urn:Person' })).items).toEqual([
      { id: 'urn:ada', types: ['urn:Person'] },
    ]);
  });

  test('an answer of another shape is an empty page', () => {
    for (const data of [null, undefined, {}, { statements: null }]) {
      expect(statementsFrom(data)).toEqual({ items: [] });
      expect(entityFrom(data)).toBeUndefined();
    }
  });
});

describe('filters in the address', () => {
  test('are read; empty and impossible ones are left out', () => {
    const from = (query: string) => filterFrom(new URLSearchParams(query));
    expect(from('subject=urn%3Aa&predicate=&minCertainty=0.5&other=1')).toEqual({
      subject: 'urn:a',
      minCertainty: 0.5,
    });
    expect(from('minCertainty=7')).toEqual({});
    expect(from('minCertainty=x&graph=')).toEqual({ graph: '' });
    expect(from('')).toEqual({});
  });
});

describe('names', () => {
  test.each([
    ['https://schema.org/name', 'name'],
    ['http://www.w3.org/1999/02/22-rdf-syntax-ns#type', 'type'],
    ['urn:example:ada', 'ada'],
    ['https://example.org/things/', 'things'],
    ['plain', 'plain'],
    [':', ':'],
    ['', ''],
  ])('%s is shown as %s', (iri, name) => {
    expect(shortName(iri)).toBe(name);
  });

  test('a bounded count says that there is more', () => {
    expect(countText({ count: 1_000, exact: false })).toBe('more than 1,000');
    expect(countText({ count: 12_345, exact: true })).toBe('12,345');
  });
});

const between = (from: string, to: string, more: Partial<Statement> = {}): Statement => ({
  subject: { id: from },
  predicate: { id: 'urn:knows' },
  object: { id: to },
  ...more,
});

const walk = (graph: Graph, id: string, ...statements: Statement[]): Graph =>
  expand(graph, { id, types: ['urn:T'], statements, more: false });

describe('the graph to walk in', () => {
  test('an expanded entity brings its neighbours, and literals are no nodes', () => {
    const literal: Statement = { subject: { id: 'a' }, predicate: { id: 'urn:name' }, object: { value: 'A' } };
    const graph = walk(emptyGraph, 'a', between('a', 'b', { certainty: 0.4 }), between('c', 'a'), literal);
    expect([...graph.nodes.values()]).toEqual([
      { id: 'a', types: ['urn:T'], expanded: true, hidden: 0 },
      { id: 'b', types: [], expanded: false, hidden: 0 },
      { id: 'c', types: [], expanded: false, hidden: 0 },
    ]);
    expect([...graph.edges.values()].map(({ from, to, certainty }) => [from, to, certainty])).toEqual([
      ['a', 'b', 0.4],
      ['c', 'a', 1],
    ]);
  });

  test('the same statement in two graphs is one edge, as certain as the more certain one', () => {
    const graph = walk(
      emptyGraph,
      'a',
      between('a', 'b', { certainty: 0.4 }),
      between('a', 'b', { certainty: 0.9, graph: 'g' }),
    );
    expect([...graph.edges.values()].map(({ certainty }) => certainty)).toEqual([0.9]);
  });

  test('is bounded, and says how much is hidden', () => {
    const many = Array.from({ length: 500 }, (_, i) => between('a', `n${i}`));
    const graph = walk(emptyGraph, 'a', ...many);
    expect(graph.nodes.size).toBe(mostNodes);
    expect(graph.nodes.get('a')?.hidden).toBe(500 - (mostNodes - 1));
    const full = walk(graph, 'n1', between('n1', 'n2'), between('n1', 'new'));
    expect(full.nodes.size).toBe(mostNodes);
    expect(full.nodes.get('n1')).toMatchObject({ expanded: true, hidden: 1 });
    expect([...full.edges.values()].some(({ from, to }) => from === 'n1' && to === 'n2')).toBe(true);
    expect(walk(graph, 'unknown')).toBe(graph);
  });

  test('types are properties of nodes, not nodes; removed entities stay away', () => {
    const typed = between('a', 'b', { object: { id: 'b', types: ['urn:B'] } });
    const isA = between('a', 'urn:T', { predicate: { id: 'rdf:type' } });
    const neighbourhood = { id: 'a', types: [], statements: [typed, isA, between('a', 'c')], more: false };
    const graph = expand(emptyGraph, neighbourhood, new Set(['c']));
    expect([...graph.nodes.keys()]).toEqual(['a', 'b']);
    expect(graph.nodes.get('b')?.types).toEqual(['urn:B']);
    expect(graph.nodes.get('a')?.hidden).toBe(1);
  });

  test('a removed entity takes along what nothing else connects to the root', () => {
    const graph = walk(
      walk(emptyGraph, 'a', between('a', 'b'), between('a', 'c')),
      'b',
      between('b', 'd'),
      between('b', 'c'),
    );
    const rest = remove(graph, 'b', 'a');
    expect([...rest.nodes.keys()]).toEqual(['a', 'c']);
    expect([...rest.edges.values()].map(({ from, to }) => [from, to])).toEqual([['a', 'c']]);
  });
});

describe('the layout', () => {
  const star = walk(emptyGraph, 'a', ...Array.from({ length: 30 }, (_, i) => between('a', `n${i}`)));

  test('is always the same, has the root in the middle, and no two entities in one place', () => {
    const layout = layOut(star, new Map(), 'a');
    expect(layOut(star, new Map(), 'a')).toEqual(layout);
    expect(layout.get('a')).toEqual({ x: 0, y: 0 });
    const points = [...layout.values()];
    const distances = points.flatMap((one, i) =>
      points.slice(0, i).map(({ x, y }) => Math.hypot(one.x - x, one.y - y)),
    );
    expect(Math.min(...distances)).toBeGreaterThan(25);
  });

  test('entities that were placed stay about where they are', () => {
    const before = layOut(star, new Map(), 'a');
    const after = layOut(walk(star, 'n3', between('n3', 'x'), between('n3', 'y')), before, 'a');
    const moved = [...before].map(([id, { x, y }]) =>
      Math.hypot((after.get(id)?.x ?? 0) - x, (after.get(id)?.y ?? 0) - y),
    );
    expect(moved.toSorted((a, b) => a - b)[15]).toBeLessThan(60);
    expect(after.size).toBe(33);
  });

  test('a full graph is placed in less than a blink', () => {
    const full = walk(
      emptyGraph,
      'a',
      ...Array.from({ length: 200 }, (_, i) => between(i % 2 ? 'a' : `n${i - 1}`, `n${i}`)),
    );
    const layout = layOut(full, new Map(), 'a');
    expect([...layout.values()].every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
  });

  test('arrow keys lead to the nearest entity in their direction', () => {
    const layout = new Map([
      ['a', { x: 0, y: 0 }],
      ['right', { x: 100, y: 10 }],
      ['far', { x: 300, y: 0 }],
      ['up', { x: 20, y: -90 }],
    ]);
    expect(inDirection(layout, 'a', 'right')).toBe('right');
    expect(inDirection(layout, 'right', 'right')).toBe('far');
    expect(inDirection(layout, 'a', 'up')).toBe('up');
    expect(inDirection(layout, 'a', 'down')).toBeUndefined();
    expect(inDirection(layout, 'gone', 'down')).toBeUndefined();
  });

  test('the frame holds all entities with their labels', () => {
    expect(
      frameOf(
        new Map([
          ['a', { x: 0, y: 0 }],
          ['b', { x: 100, y: -40 }],
        ]),
        90,
      ),
    ).toEqual({
      ...{ x: -90, y: -85, width: 280, height: 130 },
    });
  });
});

describe('a proposed change', () => {
  const change = { ...emptyChange, subject: ' urn:a ', predicate: 'urn:p', object: 'urn:b' };

  test.each([
    [change, { subject: { id: 'urn:a' }, predicate: { id: 'urn:p' }, object: { id: 'urn:b' } }],
    [
      {
        ...change,
        objectKind: 'number',
        object: '4.5',
        objectType: 'xsd:decimal',
        certainty: '0.5',
        graph: 'urn:g',
      } as const,
      {
        subject: { id: 'urn:a' },
        predicate: { id: 'urn:p' },
        object: { value: 4.5, type: 'xsd:decimal' },
        graph: 'urn:g',
        certainty: 0.5,
      },
    ],
    [
      { ...change, objectKind: 'text', object: ' spaces ', subjectType: 'urn:T', provenance: '{ "by": "x" }' } as const,
      {
        subject: { id: 'urn:a', type: 'urn:T' },
        predicate: { id: 'urn:p' },
        object: { value: ' spaces ' },
        provenance: { by: 'x' },
      },
    ],
    [
      { ...change, objectKind: 'boolean', object: 'false', certainty: '0' } as const,
      { subject: { id: 'urn:a' }, predicate: { id: 'urn:p' }, object: { value: false }, certainty: 0 },
    ],
  ])('becomes a statement that the service takes', (given, statement) => {
    const made = patchOf(given);
    expect(made).toEqual({ patch: { op: 'add', statement } });
    if ('patch' in made) expect(patchesOf([made.patch])).toHaveLength(1);
  });

  test('names each field that is wrong', () => {
    const wrong = { ...emptyChange, objectKind: 'number', object: 'x', certainty: '2', provenance: '[]' } as const;
    const made = patchOf(wrong);
    expect('problems' in made && Object.keys(made.problems).toSorted()).toEqual([
      ...['certainty', 'object', 'predicate', 'provenance', 'subject'],
    ]);
    expect(patchOf({ ...change, objectKind: 'boolean', object: 'yes' })).toEqual({
      problems: { object: 'Enter true or false.' },
    });
    expect(patchOf({ ...change, object: '' })).toEqual({ problems: { object: 'Enter the id of the object.' } });
  });

  test('goes with its justification and its source, where they are given', () => {
    expect(requestOf([], { justification: ' a letter ', sourceAgentId: '' })).toEqual({
      mutations: [],
      justification: 'a letter',
    });
  });
});
