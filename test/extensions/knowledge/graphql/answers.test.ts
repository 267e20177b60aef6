import { describe, expect, it } from 'vitest';
import { A2AError, errorTable } from '../../../../src/core/model/errors.ts';
import { ask, data, errorsOf, graphOf, refusal, relation } from '../../../support/graphql.ts';

describe('what counts', () => {
  const graph = graphOf(
    relation('a', 'p', 'b', { certainty: 0.2 }),
    relation('a', 'p', 'c', { certainty: 0.8 }),
    relation('a', 'p', 'd'),
    relation('c', 'p', 'd', { certainty: 0.1 }),
  );
  graph.apply([{ op: 'add', statement: relation('d', 'secret', 'a', { graph: 'hr/pay' }) }], {}, Date.now());
  const query = `{
    statements { totalCount nodes { subject { id } object { id } } }
    b: entity(id: "b") { id }
    a: entity(id: "a") { out { totalCount nodes { object { id entity { out { nodes { object { id } } } } } } } in { totalCount } }
    entities { totalCount nodes { id } }
  }`;
  const ids = (list: { nodes: { id: string }[] }) => list.nodes.map(({ id }) => id);

  it('what counts is what is young enough, everywhere', async () => {
    const { statements, b, a, entities } = await data(graph, query, { maxAgeSeconds: 60 });
    expect(statements.nodes).toEqual([{ subject: { id: 'd' }, object: { id: 'a' } }]);
    expect([b, a.out.totalCount, a.in.totalCount]).toEqual([null, 0, 1]);
    expect(ids(entities)).toEqual(['a', 'd']);
  });
});

it('the metadata of an answer counts statements, names sources, and has a cursor for the next page', async () => {
  const graph = graphOf(
    relation('a', 'p', 'b', { provenance: { sourceAgentId: 'zoe' } }),
    relation('a', 'p', 'c', { provenance: { sourceAgentId: 'amy' } }),
    relation('a', 'p', 'd', { provenance: { sourceAgentId: 7 } }),
  );
  const all = await ask(graph, '{ statements { nodes { graph } } }');
  expect(all.queryMetadata).toEqual({
    count: 3,
    truncated: false,
    sources: ['amy', 'zoe'],
    position: 3,
    milliseconds: expect.any(Number),
  });
  const some = await ask(graph, '{ statements(first: 1) { nodes { graph } } }');
  expect(some.queryMetadata).toMatchObject({ count: 1, truncated: true });
  const none = await ask(graph, '{ entity(id: "x") { id } }');
  expect(none.queryMetadata).toEqual({ position: 3, milliseconds: expect.any(Number) });
  const total = await ask(graph, '{ statements { totalCount } }');
  expect(Object.keys(total.queryMetadata ?? {})).toEqual(['position', 'milliseconds']);
});

describe('what cannot be answered', () => {
  const graph = graphOf(relation('a', 'p', 'b'));

  it.each<
    [
      query: string,
      said: string,
      at?: [line: number, column: number, ...path: string[]] | undefined,
      variables?: object,
    ]
  >([
    ['{ statements(', 'Syntax Error', [1, 14]],
    ['{\n  statement { id }\n}', 'Did you mean', [2, 3]],
    ['query ($id: ID!) { entity(id: $id) { id } }', '$id', [1, 8]],
    ['query ($n: Int) { statements(first: $n) { totalCount } }', '$n', undefined, { n: 'x' }],
    ['{ statements(first: 1001) { totalCount } }', '`first` must be between 0 and 1000', [1, 3]],
    ['query ($n: Int) { statements(first: $n) { totalCount } }', '`first` must be between', undefined, { n: -1 }],
    ['{ statements(minCertainty: 1.5) { totalCount } }', '`minCertainty` must be between 0 and 1'],
    ['{ statements(after: "x") { nodes { graph } } }', 'after', [1, 28, 'statements', 'nodes']],
    ['mutation { add }', 'mutation'],
    ['subscription { statementChanged { op } }', 'This is a subscription; expected a query', [1, 1]],
    ['query A { __typename } query B { __typename }', 'The document must contain exactly one operation'],
    ['', 'Syntax Error: Unexpected <EOF>.'],
  ])('the query %j cannot be answered', async (query, said, at, variables = {}) => {
    const error = await refusal(ask(graph, query, { variables: { ...variables } }));
    expect(error.kind).toBe('knowledgeQuery');
    expect(errorTable[error.kind].jsonrpc).toBe(-32010);
    const [line, column, ...path] = at ?? [];
    const place = { ...(at && { locations: [{ line, column }] }), ...(path.length > 0 && { path }) };
    const expected = { message: expect.stringContaining(said), ...place };
    expect(errorsOf(error)).toEqual(expect.arrayContaining([expect.objectContaining(expected)]));
  });

  it('an internal failure has its kind of error, without its message', async () => {
    const broken = graphOf();
    broken.find = async () => {
      throw new Error('password=hunter2');
    };
    const query = '{ statements { nodes { graph } } }';
    const internal = await refusal(ask(broken, query));
    expect([internal.kind, internal.message]).toEqual(['internal', 'Internal error']);
    broken.find = async () => {
      throw new A2AError('unavailable');
    };
    expect((await refusal(ask(broken, query))).kind).toBe('unavailable');
  });

  it('a query that fails after its caller has left leaves no unhandled rejection', async () => {
    const late = graphOf(relation('a', 'p', 'b'), relation('b', 'p', 'a'));
    const caller = new AbortController();
    const failed: unknown[] = [];
    const note = (reason: unknown) => failed.push(reason);
    process.on('unhandledRejection', note);
    late.findEach = async () => {
      caller.abort();
      await new Promise(setImmediate);
      throw new Error('too late');
    };
    const query =
      '{ a: entity(id: "a") { out { totalCount nodes { graph } } } b: entity(id: "b") { in { totalCount nodes { graph } } } }';
    expect((await refusal(ask(late, query, { signal: caller.signal }))).kind).toBe('canceled');
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    expect(failed).toEqual([]);
  });

  it('what cannot be answered ends when the caller goes, or its time is over', async () => {
    const slow = graphOf();
    const caller = new AbortController();
    slow.find = async () => {
      caller.abort();
      return new Promise(() => undefined);
    };
    const query = '{ statements { nodes { graph } } }';
    expect((await refusal(ask(slow, query, { signal: caller.signal }))).kind).toBe('canceled');
    const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
    expect((await refusal(ask(slow, query, { signal: late }))).kind).toBe('deadlineExceeded');
  });
});
