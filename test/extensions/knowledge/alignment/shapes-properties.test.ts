import fc from 'fast-check';
import { Parser, Store } from 'n3';
import SHACLValidator from 'rdf-validate-shacl';
import { expect, test } from 'vitest';
import { PatchedOutcome } from '../../../../src/extensions/knowledge/alignment/outcome.ts';
import { createShapesJudge } from '../../../../src/extensions/knowledge/alignment/shapes/judge.ts';
import type {
  KGStatement,
  KnowledgePatch,
  KnowledgeSpace,
} from '../../../../src/extensions/knowledge/model/knowledge.ts';
import { quadsOf } from '../../../../src/extensions/knowledge/rdf/documents.ts';
import { add, ex, say, sharedMemory } from './fixtures.ts';
import { node, prefixes, shapes, type, verb } from './generated-shapes.ts';

/**
 * The graph that shapes are checked against lies in a database, and is fetched as the engine asks for it. These tests
 * compare the results with those of the same engine on the whole graph in memory.
 */

const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const subClassOf = 'http://www.w3.org/2000/01/rdf-schema#subClassOf';

const literal = fc.constantFrom<KGStatement['object'][]>(
  { value: 1 },
  { value: 2 },
  { value: '1' },
  { value: 'ab' },
  { value: true },
  { value: 1.5 },
  { value: '2020-01-01', type: 'xsd:date' },
  { value: 'x', type: 'xsd:integer' },
  { value: 'un', type: 'https://www.w3.org/ns/i18n#fr' },
  { value: 'deux', type: 'https://www.w3.org/ns/i18n#fr' },
  { value: 'one', type: 'https://www.w3.org/ns/i18n#en' },
);
const resource = fc
  .record({ id: node.map(ex), type: type.map(ex) }, { requiredKeys: ['id'] })
  .map((object): KGStatement['object'] => object);
const graph = fc.constantFrom(ex('g'), ex('h'));

const plain: fc.Arbitrary<KGStatement> = fc.record(
  {
    subject: fc.record({ id: node.map(ex), type: type.map(ex) }, { requiredKeys: ['id'] }),
    predicate: verb.map((id) => ({ id: ex(id) })),
    object: fc.oneof(resource, resource, literal),
    graph,
  },
  { requiredKeys: ['subject', 'predicate', 'object'] },
);
const typing: fc.Arbitrary<KGStatement> = fc.record({
  subject: node.map((id) => ({ id: ex(id) })),
  predicate: fc.constantFrom({ id: rdfType }, { id: 'rdf:type' }),
  object: type.map((id) => ({ id: ex(id) })),
});
/** Without circles: in memory, the engine would go round in them for ever. */
const below: fc.Arbitrary<KGStatement> = fc
  .constantFrom(['T', 'U'], ['T', 'V'], ['U', 'V'])
  .map(([one = '', other = '']) => ({
    subject: { id: ex(one) },
    predicate: { id: subClassOf },
    object: { id: ex(other) },
  }));
const statement = fc.oneof(
  { weight: 6, arbitrary: plain },
  { weight: 3, arbitrary: typing },
  { weight: 1, arbitrary: below },
);
const statements = fc.array(statement, { maxLength: 14 });
const patches: fc.Arbitrary<KnowledgePatch[]> = fc.array(
  fc.record({ op: fc.constantFrom('add', 'remove', 'replace'), statement }),
  { minLength: 1, maxLength: 4 },
);

const memory = sharedMemory();
let spaces = 0;
const newSpace = (): KnowledgeSpace => ({ agent: 'facts', tenant: String(++spaces) });

const all = async (at: KnowledgeSpace): Promise<readonly KGStatement[]> =>
  (await memory().find(at, {}, { first: 1_000 })).items;

type Dataset = ConstructorParameters<typeof SHACLValidator>[0];

interface Told {
  readonly focusNode: unknown;
  readonly sourceConstraintComponent: unknown;
  readonly path: unknown;
  readonly value: unknown;
}

/** One finding; nodes without a name are alike. */
const word = ({ focusNode, sourceConstraintComponent: component, path: way, value: given }: Told): string =>
  [focusNode, component, way, given].map((term) => textOf(term as Parameters<typeof textOf>[0])).join(' ');

function textOf(term: { termType: string; value: string; language?: string; datatype?: { value: string } } | null) {
  if (!term) return '-';
  if (term.termType === 'BlankNode') return '_';
  return term.termType === 'Literal' ? `"${term.value}"${term.language}${term.datatype?.value}` : term.value;
}

/** Violations that the engine finds in a graph in memory. Shapes may name targets that are not in the graph. */
async function inWhole(text: string, graphOf: readonly KGStatement[]): Promise<string[]> {
  const file = new Store(new Parser().parse(prefixes + text));
  const data = new Store();
  for (const one of graphOf) {
    for (const { subject, predicate, object } of quadsOf(one)) data.addQuad(subject, predicate, object);
  }
  // Subclasses that the shapes declare count, too.
  for (const quad of file.getQuads(null, subClassOf, null, null)) data.addQuad(quad);
  const engine = new SHACLValidator(file as unknown as Dataset);
  engine.validationEngine.maxNodeChecks = 0;
  const { results } = await engine.validate(data as unknown as Dataset);
  return results.map((found) => word(found as unknown as Told)).toSorted();
}

const label = (value: string, tag: string) =>
  say('z', 'z', '', { object: { value, type: `https://www.w3.org/ns/i18n#${tag}` } });

/** Statements that touch the nodes that shapes name. */
const named = [...['a', 'b', 'c', 'd'].map((id) => say(id, 'z', ':z')), say('z', 'z', 1), label('un', 'fr')];

const judgeOf = (text: string) => createShapesJudge(new Store(new Parser().parse(prefixes + text)));
const { signal } = new AbortController();
const numRuns = 8;

test('shapes find in a database what they find in the whole graph', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, statements, async (text, given) => {
      const at = newSpace();
      await memory().apply(at, [...given, ...named].map(add), {});
      const known = await all(at);
      const found = await judgeOf(text)(known, new PatchedOutcome(memory(), at, []), signal);
      expect(found.map((one) => word(one)).toSorted()).toEqual(await inWhole(text, known));
    }),
    { numRuns },
  );
});

test('an update is refused for every violation of a shape, and for nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, statements, patches, async (text, given, asked) => {
      const at = newSpace();
      await memory().apply(at, given.map(add), {});
      const before = await inWhole(text, await all(at));
      const outcome = new PatchedOutcome(memory(), at, asked);
      const changed = [...asked.map((one) => one.statement), ...(await outcome.removed())];
      const found = (await judgeOf(text)(changed, outcome, signal)).map((one) => word(one));
      await memory().apply(at, asked, {});
      const after = await inWhole(text, await all(at));
      expect(after).toEqual(expect.arrayContaining(found));
      const brought = after.filter((one) => !before.includes(one));
      expect(found).toEqual(expect.arrayContaining(brought));
    }),
    { numRuns },
  );
});
