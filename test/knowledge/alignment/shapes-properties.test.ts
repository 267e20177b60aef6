import fc from 'fast-check';
import { Parser, Store } from 'n3';
import SHACLValidator from 'rdf-validate-shacl';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KGStatement, KnowledgePatch, KnowledgeSpace } from '../../../src/core/model/knowledge.ts';
import type { Store as GatewayStore } from '../../../src/core/ports/store.ts';
import { PatchedOutcome } from '../../../src/knowledge/alignment/outcome.ts';
import { createShapesJudge } from '../../../src/knowledge/alignment/shapes/judge.ts';
import { quadsOf } from '../../../src/knowledge/rdf/quads.ts';
import { createStore } from '../../../src/stores/index.ts';
import { add, ex, say } from './fixtures.ts';

/**
 * What shapes are held against lies in a database, and is fetched as the engine asks for it. Here its answers are held
 * against those that the same engine gives with the whole graph in memory.
 */

const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const subClassOf = 'http://www.w3.org/2000/01/rdf-schema#subClassOf';
const prefixes = `
  @prefix : <https://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
  @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n`;

const node = fc.constantFrom('a', 'b', 'c', 'd');
const type = fc.constantFrom('T', 'U', 'V');
const verb = fc.constantFrom('p', 'q', 'r');
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

const words = <Word extends string>(...all: Word[]): fc.Arbitrary<Word> => fc.constantFrom(...all);

/** Paths of every kind. What classes say is not carried on to instances, so that none goes through rdf:type. */
const path: fc.Arbitrary<string> = fc.letrec<{ path: string }>((tie) => ({
  path: fc.oneof(
    { maxDepth: 2 },
    verb.map((p) => `:${p}`),
    verb.map((p) => `[ sh:inversePath :${p} ]`),
    fc.tuple(tie('path'), tie('path')).map(([one, other]) => `( ${one} ${other} )`),
    fc.tuple(tie('path'), tie('path')).map(([one, other]) => `[ sh:alternativePath ( ${one} ${other} ) ]`),
    fc
      .tuple(words('zeroOrMore', 'oneOrMore', 'zeroOrOne'), tie('path'))
      .map(([kind, inner]) => `[ sh:${kind}Path ${inner} ]`),
  ),
})).path;

const value = words(':a', ':b', '1', '"1"', '"ab"', 'true', '"un"@fr', '1.5');
const onValues = fc.oneof(
  type.map((name) => `sh:class :${name}`),
  words('integer', 'string', 'boolean', 'decimal', 'date').map((name) => `sh:datatype xsd:${name}`),
  words('IRI', 'Literal', 'IRIOrLiteral', 'BlankNode').map((kind) => `sh:nodeKind sh:${kind}`),
  fc
    .tuple(words('minExclusive', 'minInclusive', 'maxExclusive', 'maxInclusive'), words('1', '2', '1.5'))
    .map(([name, bound]) => `sh:${name} ${bound}`),
  fc.tuple(words('minLength', 'maxLength'), words('1', '2')).map(([name, bound]) => `sh:${name} ${bound}`),
  words('"^[a-z]+$"', '"1"', '"^A" ; sh:flags "i"').map((pattern) => `sh:pattern ${pattern}`),
  words('"fr"', '"en" "fr"').map((tags) => `sh:languageIn ( ${tags} )`),
  fc.array(value, { minLength: 1, maxLength: 3 }).map((all) => `sh:in ( ${all.join(' ')} )`),
  value.map((one) => `sh:hasValue ${one}`),
  fc.tuple(words('equals', 'disjoint'), verb).map(([name, p]) => `sh:${name} :${p}`),
);
const onPaths = fc.oneof(
  fc.tuple(words('minCount', 'maxCount'), words('0', '1', '2')).map(([name, count]) => `sh:${name} ${count}`),
  fc.tuple(words('lessThan', 'lessThanOrEquals'), verb).map(([name, p]) => `sh:${name} :${p}`),
  fc.constant('sh:uniqueLang true'),
);

/** Constraints of a shape, with shapes within shapes. */
const { inNode, inProperty } = fc.letrec<{ inNode: string; inProperty: string; nested: string; property: string }>(
  (tie) => ({
    nested: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'shapes' },
      tie('inNode').map((inner) => `[ ${inner} ]`),
      tie('property'),
    ),
    property: fc.tuple(path, tie('inProperty')).map(([way, inner]) => `[ sh:path ${way} ; ${inner} ]`),
    inNode: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'shapes' },
      onValues,
      tie('property').map((inner) => `sh:property ${inner}`),
      tie('property').map((inner) => `sh:property ${inner}`),
      fc.tuple(words('node', 'not'), tie('nested')).map(([name, inner]) => `sh:${name} ${inner}`),
      fc
        .tuple(words('and', 'or', 'xone'), tie('nested'), tie('nested'))
        .map(([name, one, other]) => `sh:${name} ( ${one} ${other} )`),
      fc.constant('sh:closed true ; sh:ignoredProperties ( rdf:type ) ; sh:property [ sh:path :p ]'),
      fc.constant('sh:closed true ; sh:property [ sh:path :q ]'),
    ),
    inProperty: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'shapes' },
      onPaths,
      onValues,
      fc
        .tuple(words('node', 'not', 'property'), tie('nested'))
        .map(([name, inner]) => (name === 'property' ? `sh:node ${inner}` : `sh:${name} ${inner}`)),
      fc
        .tuple(tie('nested'), words('qualifiedMinCount 1', 'qualifiedMaxCount 1'))
        .map(([inner, count]) => `sh:qualifiedValueShape ${inner} ; sh:${count}`),
    ),
  }),
);
const target = fc.oneof(
  type.map((name) => `sh:targetClass :${name}`),
  node.map((name) => `sh:targetNode :${name}`),
  words('1', '"un"@fr').map((term) => `sh:targetNode ${term}`),
  verb.map((p) => `sh:targetSubjectsOf :${p}`),
  verb.map((p) => `sh:targetObjectsOf :${p}`),
);
const shape = fc
  .tuple(fc.array(target, { minLength: 1, maxLength: 2 }), fc.array(inNode, { minLength: 1, maxLength: 2 }))
  .map(([targets, constraints]) => [...targets, ...constraints].join(' ; '));
const propertyShape = fc
  .tuple(target, path, inProperty)
  .map(([about, way, constraint]) => `${about} ; sh:path ${way} ; ${constraint}`);
const shapes = fc
  .tuple(fc.array(fc.oneof(shape, propertyShape), { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([all, isBelow]) => {
    const own = all.map((one, i) => `:S${i} ${one} .`).join('\n');
    return `${own}\n${isBelow ? ':T rdfs:subClassOf :V .' : ''}`;
  });

let store: GatewayStore;
beforeAll(async () => {
  store = createStore('memory:', { instance: 'test' });
  await store.open();
});
afterAll(() => store.close());

let spaces = 0;
const newSpace = (): KnowledgeSpace => ({ agent: 'facts', tenant: String(++spaces) });

const all = async (at: KnowledgeSpace): Promise<readonly KGStatement[]> =>
  (await store.knowledge.find(at, {}, { first: 1_000 })).items;

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

/** What the engine finds in a graph that it has as a whole. Shapes may name targets that are not in the graph. */
async function inWhole(text: string, graphOf: readonly KGStatement[]): Promise<string[]> {
  const file = new Store(new Parser().parse(prefixes + text));
  const data = new Store();
  for (const one of graphOf) {
    for (const { subject, predicate, object } of quadsOf(one)) data.addQuad(subject, predicate, object);
  }
  // What the shapes say of classes counts, too.
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
const numRuns = 15;

test('shapes find in a database what they find in the whole graph', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, statements, async (text, given) => {
      const at = newSpace();
      await store.knowledge.apply(at, [...given, ...named].map(add), {});
      const known = await all(at);
      const found = await judgeOf(text)(known, new PatchedOutcome(store.knowledge, at, []), signal);
      expect(found.map((one) => word(one)).toSorted()).toEqual(await inWhole(text, known));
    }),
    { numRuns },
  );
});

test('an update brings in nothing that shapes forbid without being told, and is told of nothing that is not there', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, statements, patches, async (text, given, asked) => {
      const at = newSpace();
      await store.knowledge.apply(at, given.map(add), {});
      const before = await inWhole(text, await all(at));
      const outcome = new PatchedOutcome(store.knowledge, at, asked);
      const changed = [...asked.map((one) => one.statement), ...(await outcome.removed())];
      const found = (await judgeOf(text)(changed, outcome, signal)).map((one) => word(one));
      await store.knowledge.apply(at, asked, {});
      const after = await inWhole(text, await all(at));
      expect(after).toEqual(expect.arrayContaining(found));
      const brought = after.filter((one) => !before.includes(one));
      expect(found).toEqual(expect.arrayContaining(brought));
    }),
    { numRuns },
  );
});
