import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAlignment } from '../../../src/extensions/knowledge/alignment/alignment.ts';
import { importInitial } from '../../../src/extensions/knowledge/initial-import.ts';
import type { KnowledgeStore } from '../../../src/extensions/knowledge/store/port.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { add, known, memory, remove, say, space } from './alignment/fixtures.ts';

/** The initial contents of a graph: files that the configuration names. */

async function file(name: string, text: string): Promise<string> {
  const path = join(newFolder(), name);
  await writeFile(path, text);
  return path;
}

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `<urn:n:${from + i}> <urn:p> "${from + i}" .\n`).join('');

const begin = (store: KnowledgeStore, ...files: string[]) =>
  importInitial({ store, space, files, faultsOf: undefined, logger: silent });

/** A store that fails after so many updates, as a gateway does that dies. */
const dying = (store: KnowledgeStore, updates: number): KnowledgeStore =>
  new Proxy(store, {
    get(target, name: keyof KnowledgeStore) {
      if (name !== 'apply') return target[name].bind(target);
      return (...args: Parameters<KnowledgeStore['apply']>) => {
        updates -= 1;
        if (updates < 0) throw new Error('the gateway dies');
        return target.apply(...args);
      };
    },
  });

test('the first content of a knowledge graph is taken in once, and what is removed does not come back', async () => {
  const store = await memory();
  const files = [await file('a.nt', lines(0, 1_200)), await file('b.ttl', '[] <urn:p> [ <urn:q> 1 ] .')];
  await begin(store, ...files);
  expect(await known(store)).toBe(1_202);
  const [first] = (await store.find(space, { subject: 'urn:n:0' }, { first: 1 })).items;
  await store.apply(space, first ? [remove(first)] : [], {});
  await begin(store, ...files);
  expect(await known(store)).toBe(1_201);
});

test('the first content of a knowledge graph continues where a gateway died', async () => {
  const store = await memory();
  const files = [await file('a.nt', lines(0, 1_200)), await file('b.ttl', '[] <urn:p> [ <urn:q> 1 ] .')];
  for (const updates of [0, 1, 2]) {
    await expect(begin(dying(store, updates), ...files)).rejects.toThrow('dies');
    expect(await known(store)).toBe(updates * 500);
  }
  await begin(store, ...files);
  expect(await known(store)).toBe(1_202);
  const { last } = await store.extent(space);
  const changes = await store.changes(space, 0, 2_000);
  expect(changes.at(-1)?.meta).toEqual({ justification: 'Initial knowledge' });
  expect(changes).toHaveLength(last);
});

test('the first content of a knowledge graph is not imported if a caller has written', async () => {
  const store = await memory();
  await store.apply(space, [add(say('a', 'p', 1))], {});
  await begin(store, await file('a.nt', lines(0, 3)));
  expect(await known(store)).toBe(1);
});

test('the first content of a knowledge graph is taken in by several gateways together, each statement once', async () => {
  const store = await memory();
  const path = await file('a.nt', lines(0, 3_000));
  await Promise.all([begin(store, path), begin(store, path), begin(store, path)]);
  expect(await known(store)).toBe(3_000);
});

test.each([
  ['a.nt', `${lines(0, 700)}<urn:x> <urn:p> .`, /a\.nt cannot be read: .*line 701/],
  ['a.jsonl', '{"subject": "x", "predicate": {"id": "p"}, "object": {"id": "o"}}', /Line 1: not a statement/],
  ['a.jsonl', '{"subject": {"id": "x"}, "predicate": {"id": "p"}, "object": {}}', /Line 1: not a statement/],
  ['a.csv', 'a,b', /its extension belongs to no known format/],
])(
  'the first content of a knowledge graph is nothing at all where a file has a fault: %s',
  async (name, text, message) => {
    const store = await memory();
    await expect(begin(store, await file('fine.nt', lines(0, 600)), await file(name, text))).rejects.toThrow(message);
    expect(await known(store)).toBe(0);
  },
);

test('nulls in lines of JSON are absent', async () => {
  const store = await memory();
  const line = { subject: { id: 'urn:a', type: null }, predicate: { id: 'urn:p' }, graph: null, certainty: null };
  await begin(store, await file('a.jsonl', JSON.stringify({ ...line, object: { id: null, value: 1, type: null } })));
  const [found] = (await store.find(space, {}, { first: 1 })).items;
  const statement = { subject: { id: 'urn:a' }, predicate: { id: 'urn:p' }, object: { value: 1 } };
  expect(found).toEqual({ ...statement, at: expect.any(Number) });
});

test('the first content of a knowledge graph fits the shapes as a whole, or nothing is taken in', async () => {
  const shapes = await file(
    'shapes.ttl',
    `@prefix : <urn:> . @prefix sh: <http://www.w3.org/ns/shacl#> .
     :S sh:targetClass :T ; sh:property [ sh:path :name ; sh:minCount 1 ] .`,
  );
  const { faultsOf } = await createAlignment({ shapes });
  if (!faultsOf) throw new Error('there are no shapes');
  const store = await memory();
  const from = (...files: string[]) => importInitial({ store, space, files, faultsOf, logger: silent });
  // The type and the name of a node are far apart in the file.
  const typed = Array.from({ length: 600 }, (_, i) => `<urn:n:${i}> a <urn:T> .\n`).join('');
  const named = (count: number) =>
    Array.from({ length: count }, (_, i) => `<urn:n:${i}> <urn:name> "${i}" .\n`).join('');
  await expect(from(await file('a.ttl', typed + named(599)))).rejects.toThrow(
    'fail validation: urn:n:599 urn:name: Less than 1 values',
  );
  expect(await known(store)).toBe(0);
  await from(await file('a.ttl', typed + named(600)));
  expect(await known(store)).toBe(1_200);
});
