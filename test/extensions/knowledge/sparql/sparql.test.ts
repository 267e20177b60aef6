import fc from 'fast-check';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { alignWith } from '../../../../src/extensions/knowledge/alignment/alignment.ts';
import type { AlignmentRule } from '../../../../src/extensions/knowledge/alignment/rule.ts';
import type { KGStatement } from '../../../../src/extensions/knowledge/model/knowledge.ts';
import {
  createSparqlKnowledge,
  type SparqlKnowledgeOptions,
} from '../../../../src/extensions/knowledge/sparql/store.ts';
import { writeTerm } from '../../../../src/extensions/knowledge/sparql/terms.ts';
import type { KnowledgeStore } from '../../../../src/extensions/knowledge/store/port.ts';
import { createHttpClient } from '../../../../src/net/http-client.ts';
import { Secret } from '../../../../src/net/secret.ts';
import { DamagedRowList } from '../../../../src/stores/damaged-rows.ts';
import { silent } from '../../../support/core.ts';
import { type SparqlServer, startSparqlServer } from '../../../support/sparql-server.ts';
import { add, ex, given, known, propose, remove, replace, say, space } from '../alignment/fixtures.ts';

const http = createHttpClient();
afterAll(() => http.close());

async function endpoint(options: Partial<SparqlKnowledgeOptions> = {}): Promise<[KnowledgeStore, SparqlServer]> {
  const server = await startSparqlServer();
  return [another(server, options), server];
}

/** One more gateway at the same database. */
function another({ query, update }: SparqlServer, options: Partial<SparqlKnowledgeOptions> = {}): KnowledgeStore {
  const store = createSparqlKnowledge({
    query,
    update,
    http,
    logger: silent,
    damaged: new DamagedRowList(undefined),
    ...options,
  });
  onTestFinished(() => store.close());
  return store;
}

const all = async (store: KnowledgeStore, pattern = {}) => (await store.find(space, pattern, { first: 100 })).items;

test('a database that others use, too is seen as it is', async () => {
  const [store, server] = await endpoint();
  server.store.update(`
      PREFIX : <https://example.org/>
      INSERT DATA { :ann a :Person ; :name "Ann"@en , "Änne"@de-CH ; :born "1990-01-01"^^<http://www.w3.org/2001/XMLSchema#date> ; :knows [ :name "nobody" ] .
        GRAPH :g { :ann :age 30 } }`);
  const found = (await all(store, { subject: ex('ann') })).map(({ predicate, object, graph, certainty, at }) => [
    ...[predicate.id.replace(/.*[/#]/, ''), object.id ?? object.value, object.type?.replace(/.*[/#]/, '')],
    ...[graph, certainty, at],
  ]);
  expect(found.toSorted()).toEqual([
    ['age', 30, undefined, ex('g'), undefined, 0],
    ['born', '1990-01-01', 'date', undefined, undefined, 0],
    ['name', 'Ann', 'en', undefined, undefined, 0],
    ['name', 'Änne', 'de-ch', undefined, undefined, 0],
    ['type', ex('Person'), undefined, undefined, undefined, 0],
  ]);
  expect(await all(store, { value: 'Änne' })).toHaveLength(1);
  expect(await store.typesOf(space, [ex('ann')])).toEqual(new Map([[ex('ann'), [ex('Person')]]]));
  const [name] = await all(store, { value: 'Ann' });
  expect(await store.apply(space, [remove(name as KGStatement)], {})).toMatchObject({ removed: 1 });
  expect(await store.apply(space, [replace(say('ann', 'age', 31, { graph: ex('g') }))], {})).toMatchObject({
    added: 1,
    removed: 1,
  });
  expect(await known(store)).toBe(4);
});

test('a database that others use, too holds statements as plain triples, whatever is said of them', async () => {
  const [store, server] = await endpoint();
  const sure = say('a', 'p', ':b', { certainty: 0.9, provenance: { by: 'me' } });
  await store.apply(space, [add(sure), add(say('a', 'p', 1, { graph: ex('g') }))], {});
  const ask = (query: string) => server.store.query(query);
  expect(ask(`ASK { <${ex('a')}> <${ex('p')}> <${ex('b')}> }`)).toBe(true);
  expect(ask(`ASK { GRAPH <${ex('g')}> { <${ex('a')}> <${ex('p')}> 1 } }`)).toBe(true);
  const certain = `GRAPH ?about { ?m <urn:a2a-gateway:knowledge#certainty> ?c ; <http://www.w3.org/1999/02/22-rdf-syntax-ns#object> <${ex('b')}> } FILTER(?c = 0.9)`;
  expect(ask(`ASK { ${certain} }`)).toBe(true);
  await store.apply(space, [remove(sure)], {});
  expect(ask(`ASK { ${certain} }`)).toBe(false);
});

test('a database that others use, too keeps the graphs of tenants apart, and hides the gateway’s own graphs from callers', async () => {
  const [store, server] = await endpoint();
  const names = ['urn:a2a-gateway:log:', 'urn:a2a-gateway:about:', 'urn:a2a-gateway:graph:t:', 'urn:a2a-gateway:id:x'];
  for (const graph of names) await store.apply(space, [add(say('a', 'p', graph, { graph }))], {});
  await store.apply({ ...space, tenant: 't' }, [add(say('a', 'p', 'own'))], {});
  expect((await all(store)).map(({ graph }) => graph).toSorted()).toEqual(names.toSorted());
  expect(await store.extent(space)).toEqual({ first: 1, last: 4 });
  expect((await store.find({ ...space, tenant: 't' }, {}, { first: 9 })).items).toMatchObject([
    { object: { value: 'own' } },
  ]);
  expect(server.store.match(null, null, null, null).length).toBeGreaterThan(4);
});

describe('what callers say', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      '> } ; DROP ALL #',
      '"""',
      "\\' } #",
      '\\u0022 . } ; DROP ALL #',
      '%00',
      'http://a/%zz',
      '\\',
      '\r\n',
      'a:b c',
    ),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
  );

  test('what callers say is never anything but a term', async () => {
    const [store, server] = await endpoint();
    await given(store, say('guard', 'is', 'here'));
    let runs = 0;
    const run = async (id: string, text: string, type: string): Promise<void> => {
      const at = { ...space, tenant: `${id} ${runs++}` };
      const statement: KGStatement = {
        subject: { id, type: id },
        predicate: { id },
        object: { value: text, type },
        ...(id && { graph: id }),
      };
      await store.apply(at, [add({ ...statement, subject: { id } })], { justification: text });
      const pattern = {
        subject: id,
        predicate: id,
        value: text,
        graph: id,
        hidden: { graphs: [text], predicates: [`${text}*`] },
      };
      await store.find(at, pattern, { first: 5 });
      const found = await store.find(at, { subject: id, predicate: id }, { first: 5 });
      expect(found.items).toHaveLength(1);
      expect(found.items[0]).toMatchObject({ subject: { id }, object: { value: text } });
      expect(await store.count(space, [{ subject: ex('guard') }], 5)).toMatchObject([{ count: 1 }]);
    };
    const id = nasty.filter((text) => text !== '');
    const type = nasty.map((text) => `urn:${text}`);
    await fc.assert(fc.asyncProperty(id, nasty, type, run), { numRuns: 40 });
    expect(server.store.size).toBeGreaterThan(0);
  });

  test('literals are written so that they stay themselves', () => {
    expect(writeTerm({ text: 'a"\\\n', datatype: 'xsd:string' })).toBe('"a\\"\\\\\\n"');
    expect(writeTerm({ text: '1', datatype: 'xsd:integer' })).toBe('"1"^^<http://www.w3.org/2001/XMLSchema#integer>');
    const languages = 'https://www.w3.org/ns/i18n#';
    expect(writeTerm({ text: 'a', datatype: `${languages}de-ch` })).toBe('"a"@de-ch');
    expect(writeTerm({ text: 'a', datatype: `${languages}de . } DROP ALL` })).toMatch(/\^\^<urn:a2a-gateway:id:/);
  });
});

test('two gateways write one after the other, and lose nothing', async () => {
  const [one, server] = await endpoint();
  const other = another(server);
  const writes = Array.from({ length: 30 }, (_, i) => (i % 2 ? one : other).apply(space, [add(say('a', 'p', i))], {}));
  const positions = (await Promise.all(writes)).map(({ position }) => position);
  expect(positions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  expect((await other.changes(space, 0, 100)).map(({ position }) => position)).toHaveLength(30);
  expect(await known(one)).toBe(30);
});

test('two gateways do not both let in what is not fine together', async () => {
  const [one, server] = await endpoint();
  const stores = [one, another(server)];
  const few: AlignmentRule = {
    name: 'few',
    verify: async ({ outcome }) =>
      (await outcome.find({ subject: ex('a') })).length > 2 ? { status: 'rejected' } : undefined,
  };
  const done = await Promise.all(
    stores.flatMap((store, i) => [0, 1].map((j) => propose(alignWith([few]), store, [add(say('a', 'p', 2 * i + j))]))),
  );
  expect(done.filter(({ status }) => status === 'verified')).toHaveLength(2);
  expect(await known(one)).toBe(2);
});

test('two gateways are notified of what the other wrote', async () => {
  const [one, server] = await endpoint();
  const notified = Promise.withResolvers<void>();
  onTestFinished(one.watch(space, notified.resolve));
  await another(server).apply(space, [add(say('a', 'p', 1))], {});
  await notified.promise;
});

test('an endpoint gets credentials with every request', async () => {
  const key = { type: 'apiKey', key: new Secret('s3cret'), header: 'X-Key' } as const;
  const [store, server] = await endpoint({ auth: key });
  await store.apply(space, [add(say('a', 'p', 1))], {});
  expect(server.requests.length).toBeGreaterThan(2);
  for (const { headers } of server.requests) expect(headers['x-key']).toBe('s3cret');
});

test.each([500, 401, 404, 'nonsense', 'hang'] as const)(
  'an endpoint that answers with %s is unavailable',
  async (answer) => {
    const [store, server] = await endpoint({ timeout: 200 });
    server.answer = () => answer;
    await expect(all(store)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(store.apply(space, [add(say('a', 'p', 1))], {})).rejects.toMatchObject({ kind: 'unavailable' });
    server.answer = () => undefined;
    // The time limit is short for a busy machine, too.
    await expect.poll(() => known(store)).toBe(0);
  },
);

test('an endpoint that is not there is unavailable, and so is one that says too much', async () => {
  const [store, server] = await endpoint({ maxAnswer: 300 });
  await given(store, say('a', 'p', 'x'.repeat(400)));
  await expect(all(store)).rejects.toMatchObject({ kind: 'unavailable' });
  await server.close();
  await expect(known(store)).rejects.toMatchObject({ kind: 'unavailable' });
});

test('an endpoint whose answer to an update is lost gets a query whether it has the update', async () => {
  const [store, server] = await endpoint();
  let lost = 0;
  const carryOut = server.answer;
  server.answer = (request) => {
    if (request.path !== '/update' || lost++ > 0) return carryOut(request);
    server.store.update(request.body);
    return 500;
  };
  // The log begins with an update of its own.
  await expect(store.apply(space, [add(say('a', 'p', 1))], {})).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await known(store)).toBe(0);
  lost = 0;
  expect(await store.apply(space, [add(say('a', 'p', 1))], {})).toMatchObject({ added: 1, position: 1 });
  expect(await store.changes(space, 0, 9)).toHaveLength(1);
  expect(await known(store)).toBe(1);
});
