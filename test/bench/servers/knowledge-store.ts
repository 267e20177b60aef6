/**
 * Fills a store of knowledge and measures it: CPU for each operation in microseconds, of this process, and of a database
 * server on this machine. The arguments are the store's URL, the number of statements and the server's folder, where there
 * is one; the result goes to the parent.
 */
import type { KGStatement } from '../../../src/core/model/knowledge.ts';
import { readStatements } from '../../../src/extensions/knowledge/rdf/documents.ts';
import { openSqlKnowledge } from '../../../src/extensions/knowledge/store/store.ts';
import { createStore } from '../../../src/stores/index.ts';
import { importStatements } from '../../support/import-statements.ts';
import { cpuOfPostgres } from '../scaling/machine.ts';

/** Operation by operation: microseconds of CPU. */
export type KnowledgeCosts = Readonly<Record<string, number>>;

const [url = 'memory:', count = '100000', serverData = ''] = process.argv.slice(2);
const people = Math.floor(Number(count) / 5);
const base = 'http://example.com/';
const space = { agent: 'bench', tenant: '' };

/** Five statements about each of many people, as lines of N-Quads. */
async function* document(): AsyncGenerator<string> {
  const type = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>';
  for (let i = 0; i < people; i += 1) {
    const s = `<${base}person/${i}>`;
    yield [
      `${s} ${type} <${base}Person> .\n`,
      `${s} <${base}name> "Person number ${i}" .\n`,
      `${s} <${base}age> "${i % 90}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n`,
      `${s} <${base}knows> <${base}person/${(i * 7 + 1) % people}> .\n`,
      `${s} <${base}worksFor> <${base}team/${Math.floor(i / 10)}> .\n`,
    ].join('');
  }
}

const store = createStore(url, { instance: 'bench' });
await store.open();
const knowledge = await store.extend(openSqlKnowledge);

const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system + (serverData === '' ? 0 : cpuOfPostgres({ data: serverData }) * 1_000);
};

async function costOf(times: number, operation: (i: number) => Promise<unknown>): Promise<number> {
  for (let i = 0; i < times / 4; i += 1) await operation(i); // warm up
  const before = cpu();
  for (let i = 0; i < times; i += 1) await operation(i);
  return (cpu() - before) / times;
}

/** Someone else each time, all over the graph. */
const person = (i: number): string => `${base}person/${(i * 7_919) % people}`;
const age = (i: number, value: number): KGStatement => ({
  subject: { id: person(i) },
  predicate: { id: `${base}age` },
  object: { value },
});

const before = cpu();
await importStatements(knowledge, space, readStatements(document(), 'nquads'));
const imported = (cpu() - before) / (people * 5);

const costs: KnowledgeCosts = {
  'import of a statement': imported,
  'point query': await costOf(2_000, (i) =>
    knowledge.find(space, { subject: person(i), predicate: `${base}name` }, { first: 10 }),
  ),
  'by value': await costOf(2_000, (i) =>
    knowledge.find(space, { value: `Person number ${(i * 7_919) % people}` }, { first: 10 }),
  ),
  'page of 20 of a predicate': await costOf(500, () =>
    knowledge.find(space, { predicate: `${base}knows` }, { first: 20 }),
  ),
  'page of 20 of a type': await costOf(500, () => knowledge.entities(space, { type: `${base}Person` }, { first: 20 })),
  'two-step traversal': await costOf(500, async (i) => {
    const team = `${base}team/${(i * 7_919) % Math.floor(people / 10)}`;
    const { items } = await knowledge.find(space, { predicate: `${base}worksFor`, object: team }, { first: 10 });
    const patterns = items.map(({ subject }) => ({ subject: subject.id, predicate: `${base}knows` }));
    return knowledge.findEach(space, patterns, 10);
  }),
  update: await costOf(1_000, (i) => knowledge.apply(space, [{ op: 'replace', statement: age(i, 1_000 + i) }], {})),
};
await store.close();
process.send?.(costs);
