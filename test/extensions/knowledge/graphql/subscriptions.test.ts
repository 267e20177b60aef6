import { expect, it } from 'vitest';
import { A2AError, queryErrorsType } from '../../../../src/core/model/errors.ts';
import type { Hidden } from '../../../../src/extensions/knowledge/model/graph.ts';
import type { KnowledgeChangeEvent } from '../../../../src/extensions/knowledge/model/knowledge.ts';
import { isKnowledgeGraphChangeEvent } from '../../../../src/gen/knowledge-v1/guards.ts';
import { engine, refusal, relation, space } from '../../../support/graphql.ts';
import { NaiveKnowledge } from '../../../support/naive-knowledge.ts';
import { add, remove, replace } from '../store/fixtures.ts';

const all = 'subscription { statementChanged { op statement { subject { id } } } }';

interface Settings {
  readonly after?: number;
  readonly hidden?: Hidden;
  readonly principal?: string;
  readonly signal?: AbortSignal;
  readonly variables?: Record<string, unknown>;
}

async function subscribe(graph: NaiveKnowledge, query: string, settings: Settings = {}) {
  const { after, hidden, principal, signal = new AbortController().signal, variables = {} } = settings;
  const asking = {
    space,
    store: graph,
    signal,
    ...(hidden && { hidden }),
    ...(principal && { principal }),
  };
  const stream = await engine.subscribe(asking, { subscriptionQuery: query, variables }, after);
  return stream[Symbol.asyncIterator]();
}

const short = ({ seq, event: { op, statement } }: KnowledgeChangeEvent) =>
  `${seq} ${op} ${statement.subject.id} ${statement.predicate.id} ${statement.object.id ?? statement.object.value}`;

/** Events of a subscription up to the current end of the log. */
async function eventsOf(graph: NaiveKnowledge, query: string, settings: Settings = {}): Promise<string[]> {
  const until = graph.log.length;
  const end = new AbortController();
  const stream = await subscribe(graph, query, { after: 0, ...settings, signal: end.signal });
  const events: string[] = [];
  try {
    for (let step = stream.next(); ; step = stream.next()) {
      // Whatever is in the log of this store comes before anything that had to be waited for.
      const next = await Promise.race([step, new Promise<void>((resolve) => setImmediate(resolve))]);
      if (!next || next.done) return events;
      events.push(short(next.value));
      if (next.value.seq === until) return events;
    }
  } finally {
    end.abort();
  }
}

it('events are whole changes, whatever is selected', async () => {
  const graph = new NaiveKnowledge();
  const stream = await subscribe(graph, 'subscription { statementChanged { op } }');
  const statement = relation('a', 'p', 'b', { graph: 'g', certainty: 0.5, provenance: { sourceAgentId: 'x' } });
  const next = stream.next();
  const meta = { taskId: 't', sessionId: 's', sourceAgentId: 'x', justification: 'since' };
  graph.apply([add(statement)], { ...meta, principal: 'alice' }, Date.UTC(2025, 3, 13));
  const { value } = await next;
  const event = {
    op: 'add',
    statement,
    changeId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    timestamp: '2025-04-13T00:00:00.000Z',
    changeMetadata: { ...meta, position: 1 },
  };
  expect(value).toEqual({ seq: 1, at: Date.UTC(2025, 3, 13), generation: 0, event, json: expect.any(String) });
  expect(JSON.parse(value.json)).toEqual(event);
  expect(isKnowledgeGraphChangeEvent(value.event)).toBe(true);
});

it('events name the author of a change only to the author, and rule details only to callers that see all data', async () => {
  const graph = new NaiveKnowledge();
  const verification = { status: 'Pending Review', details: 'shapes: urn:salary: 100000 is too much' };
  graph.apply([add(relation('a', 'p', 'b'))], { principal: 'alice', verification });
  const metadataFor = async (settings: Settings) => {
    const stream = await subscribe(graph, '{}', { after: 0, ...settings });
    return (await stream.next()).value?.event.changeMetadata;
  };
  expect(await metadataFor({ principal: 'alice' })).toEqual({ principal: 'alice', verification, position: 1 });
  expect(await metadataFor({ principal: 'bob' })).toEqual({ verification, position: 1 });
  expect(await metadataFor({ hidden: { predicates: ['urn:salary'] } })).toEqual({
    verification: { status: 'Pending Review' },
    position: 1,
  });
});

it('events come from the moment of subscribing on, in order, none missing', async () => {
  const graph = new NaiveKnowledge();
  graph.apply([add(relation('before', 'p', 'b'))]);
  const stream = await subscribe(graph, all);
  for (let n = 0; n < 600; n += 1) graph.apply([add(relation(`s${n}`, 'p', 'b'))]);
  for (let n = 0; n < 600; n += 1) {
    const { value } = await stream.next();
    expect(short(value)).toBe(`${n + 2} add s${n} p b`);
  }
  const next = stream.next();
  graph.apply([add(relation('late', 'p', 'b')), remove(relation('late', 'p', 'b'))]);
  expect(short((await next).value)).toBe('602 add late p b');
  expect(short((await stream.next()).value)).toBe('603 remove late p b');
});

it('events come after a position, when one is given', async () => {
  const graph = new NaiveKnowledge();
  graph.apply(['a', 'b', 'c'].map((subject) => add(relation(subject, 'p', 'x'))));
  expect(await eventsOf(graph, all, { after: 1 })).toEqual(['2 add b p x', '3 add c p x']);
  expect(await eventsOf(graph, all, { after: 3 })).toEqual([]);
});

it('events fit every argument, by what came or by what went', async () => {
  const graph = new NaiveKnowledge();
  graph.apply([
    add(relation('a', 'p', 'x')),
    add(relation('a', 'q', 'y', { graph: 'g' })),
    add(relation('b', 'p', 'x')),
    replace(relation('a', 'p', 'z')),
    remove(relation('b', 'p', 'x')),
  ]);
  const args = (text: string) => eventsOf(graph, `subscription { statementChanged(${text}) { op } }`);
  expect(await args('subject: "b"')).toEqual(['3 add b p x', '5 remove b p x']);
  expect(await args('predicate: "q"')).toEqual(['2 add a q y']);
  expect(await args('graph: "g"')).toEqual(['2 add a q y']);
  expect(await args('graph: "", subject: "a"')).toEqual(['1 add a p x', '4 replace a p z']);
  expect(await args('object: "x"')).toEqual(['1 add a p x', '3 add b p x', '4 replace a p z', '5 remove b p x']);
  expect(await args('object: "z", predicate: null')).toEqual(['4 replace a p z']);
  expect(await args('object: "z", subject: "b"')).toEqual([]);
});

it('events fit the type that the subject has, or that changes beside them give or take', async () => {
  const graph = new NaiveKnowledge();
  graph.apply([
    add(relation('ada', 'rdf:type', 'Person')),
    add(relation('ada', 'knows', 'bob')),
    add(relation('bob', 'knows', 'ada')),
    add({ ...relation('carl', 'knows', 'ada'), subject: { id: 'carl', type: 'Person' } }),
  ]);
  const people = 'subscription { statementChanged(type: "Person") { op } }';
  expect(await eventsOf(graph, people)).toEqual([
    '1 add ada rdf:type Person',
    '2 add ada knows bob',
    '4 add carl knows ada',
  ]);
  expect(await eventsOf(graph, people, { after: 1 })).toEqual(['2 add ada knows bob', '4 add carl knows ada']);
  graph.apply([remove(relation('ada', 'rdf:type', 'Person')), remove(relation('ada', 'knows', 'bob'))]);
  expect(await eventsOf(graph, people, { after: 4 })).toEqual([
    '5 remove ada rdf:type Person',
    '6 remove ada knows bob',
  ]);
  expect(await eventsOf(graph, people, { after: 5 })).toEqual([]);
});

it('events are those that the caller may see', async () => {
  const graph = new NaiveKnowledge();
  graph.apply([
    add(relation('a', 'pay', 'x')),
    add(relation('a', 'p', 'x', { graph: 'hr/1' })),
    add(relation('a', 'rdf:type', 'Spy', { graph: 'hr/1' })),
    add(relation('a', 'p', 'y')),
  ]);
  const hidden = { graphs: ['hr/*'], predicates: ['pay'] };
  expect(await eventsOf(graph, all, { hidden })).toEqual(['4 add a p y']);
  expect(await eventsOf(graph, 'subscription { statementChanged(type: "Spy") { op } }', { hidden })).toEqual([]);
});

it('events can be requested with variables, fragments and aliases', async () => {
  const graph = new NaiveKnowledge();
  graph.apply([add(relation('a', 'p', 'x')), add(relation('b', 'p', 'x'))]);
  const query = `subscription Changes($who: ID) { ...On }
      fragment On on Subscription { mine: statementChanged(subject: $who) { op } }`;
  expect(await eventsOf(graph, query, { variables: { who: 'b' } })).toEqual(['2 add b p x']);
  expect(await eventsOf(graph, query)).toHaveLength(2);
});

it('events can be requested with a plain filter', async () => {
  const graph = new NaiveKnowledge();
  graph.apply([add(relation('a', 'p', 'x')), add(relation('b', 'p', 'x', { graph: 'g' }))]);
  expect(await eventsOf(graph, '{"subject": "a", "object": "x", "graph": null}')).toEqual(['1 add a p x']);
  expect(await eventsOf(graph, ' {"graph": ""}')).toEqual(['1 add a p x']);
  expect(await eventsOf(graph, '{}')).toHaveLength(2);
});

it.each<[string, string, RegExp]>([
  ['syntax', 'subscription {', /^Syntax Error: .* \(line 1, column 15\)$/],
  ['another field', 'subscription { changed { op } }', /Cannot query field "changed"/],
  ['two fields', 'subscription { a: statementChanged { op } b: statementChanged { op } }', /only one top level field/],
  [
    'a field and a fragment',
    'subscription { statementChanged { op } ...F } fragment F on Subscription { b: statementChanged { op } }',
    /only one top level field/,
  ],
  ['no field', 'subscription { }', /must select one top level field/],
  ['a selection that is not valid', 'subscription { statementChanged { op when } }', /Cannot query field "when"/],
  ['a field that may be skipped', 'subscription ($no: Boolean!) { statementChanged @skip(if: $no) { op } }', /@skip/],
  ['no selection', 'subscription { statementChanged }', /must have a selection/],
  ['a query', '{ statements { totalCount } }', /This is a query; expected a subscription/],
  ['a variable that is missing', 'subscription ($id: ID!) { statementChanged(subject: $id) { op } }', /\$id/],
  [
    'a selection that is too large',
    `subscription { statementChanged { statement { ${'a '.repeat(500)} } } }`,
    /too often/,
  ],
  ['a filter by something else', '{"verb": "p"}', /has an unknown field verb; known fields: subject, /],
  ['a filter by a number', '{"subject": 1}', /must have a string as its subject/],
])('a subscription is not established with %s', async (_, query, expected) => {
  const graph = new NaiveKnowledge();
  const error = await refusal(subscribe(graph, query));
  expect([error.kind, error.row.jsonrpc, error.row.http]).toEqual(['knowledgeSubscription', -32012, 400]);
  expect(error.message).toMatch(expected);
  if (!query.startsWith('{"')) expect(error.details().map((detail) => detail['@type'])).toContain(queryErrorsType);
  expect(graph.listeners).toBe(0);
});

it('a subscription is refused when the store cannot report changes', async () => {
  const graph = new NaiveKnowledge();
  graph.apply(['a', 'b', 'c'].map((subject) => add(relation(subject, 'p', 'x'))));
  graph.forgotten = 2;
  expect((await refusal(subscribe(graph, all, { after: 1 }))).message).toMatch(/Changes after 1 have expired/);
  expect((await refusal(subscribe(graph, all, { after: 4 }))).message).toMatch(/no change 4 .* last one is 3/);
  expect(await eventsOf(graph, all, { after: 2 })).toEqual(['3 add c p x']);
});

it('a subscription says so when its reader was so slow that changes were forgotten', async () => {
  const graph = new NaiveKnowledge();
  const stream = await subscribe(graph, all);
  graph.apply(['a', 'b', 'c'].map((subject) => add(relation(subject, 'p', 'x'))));
  graph.forgotten = 2;
  expect((await refusal(stream.next())).message).toMatch(/Changes after 0 have expired/);
  expect(graph.listeners).toBe(0);
});

it('a subscription ends with its signal, also while it waits, and releases everything that it holds', async () => {
  const graph = new NaiveKnowledge();
  const end = new AbortController();
  const stream = await subscribe(graph, all, { signal: end.signal });
  const next = refusal(stream.next());
  await new Promise(setImmediate);
  expect(graph.listeners).toBe(1);
  end.abort(new A2AError('unavailable', 'The gateway is stopping'));
  expect((await next).message).toBe('The gateway is stopping');
  expect(graph.listeners).toBe(0);
  const other = await subscribe(graph, all);
  graph.apply([add(relation('a', 'p', 'x'))]);
  await other.next();
  await other.return?.();
  expect(graph.listeners).toBe(0);
  expect((await refusal(subscribe(graph, all, { signal: AbortSignal.abort() }))).kind).toBe('canceled');
});
