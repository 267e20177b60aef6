import { Parser, Store } from 'n3';
import { describe, expect, it } from 'vitest';
import { PatchedOutcome } from '../../../../src/extensions/knowledge/alignment/outcome.ts';
import { createShapesJudge } from '../../../../src/extensions/knowledge/alignment/shapes/judge.ts';
import type { ShapesJudge } from '../../../../src/extensions/knowledge/alignment/shapes/process.ts';
import type { KnowledgeSpace } from '../../../../src/extensions/knowledge/model/knowledge.ts';
import { statementFrom } from '../../../../src/extensions/knowledge/rdf/documents.ts';
import { add, ex, sharedMemory } from './fixtures.ts';

/** Every part of SHACL core, by the definitions of the W3C's recommendation of 20 July 2017; `#` is its section. */

const sh = 'http://www.w3.org/ns/shacl#';
const prefixes = `
  @prefix : <https://example.org/> . @prefix sh: <${sh}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
  @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n`;

const memory = sharedMemory();
let spaces = 0;

/** To make one takes longer than to judge. */
const judges = new Map<string, ShapesJudge>();

/** Violations in a graph: constraint components by the node that they are about. */
async function wrong(shapes: string, graph: string): Promise<string[]> {
  const at: KnowledgeSpace = { agent: 'facts', tenant: String(++spaces) };
  const statements = new Parser().parse(prefixes + graph).map((quad) => statementFrom(quad, ''));
  await memory().apply(at, statements.map(add), {});
  const judge = judges.get(shapes) ?? createShapesJudge(new Store(new Parser().parse(prefixes + shapes)));
  judges.set(shapes, judge);
  const outcome = new PatchedOutcome(memory(), at, []);
  const found = await judge(statements, outcome, new AbortController().signal);
  return found
    .map(({ focusNode, sourceConstraintComponent: component }) => {
      const node = focusNode.value.replace(ex(''), ':');
      return `${node} ${component.value.replace(sh, '').replace('ConstraintComponent', '')}`;
    })
    .toSorted();
}

/** Section, a constraint of a node shape or of the property :p, statements that are fine, and those that are not. */
type Row = readonly [section: string, constraint: string, fine: string, bad: string, component: string];

const onValues: readonly Row[] = [
  ['4.1.1', 'sh:class :T', ':x :p :y . :y a :T .', ':x :p :y . :y a :U .', 'Class'],
  [
    '4.1.1',
    'sh:class :T',
    ':x :p :y . :y a :U . :U rdfs:subClassOf :V . :V rdfs:subClassOf :T .',
    ':x :p "T" .',
    'Class',
  ],
  ['4.1.2', 'sh:datatype xsd:integer', ':x :p 1, -2 .', ':x :p "1" .', 'Datatype'],
  ['4.1.2', 'sh:datatype xsd:integer', ':x :q "no" .', ':x :p "many"^^xsd:integer .', 'Datatype'],
  ['4.1.2', 'sh:datatype rdf:langString', ':x :p "one"@en .', ':x :p "one" .', 'Datatype'],
  ['4.1.3', 'sh:nodeKind sh:IRI', ':x :p :y .', ':x :p "y" .', 'NodeKind'],
  ['4.1.3', 'sh:nodeKind sh:Literal', ':x :p 1 .', ':x :p :y .', 'NodeKind'],
  ['4.1.3', 'sh:nodeKind sh:BlankNode', ':x :p [] .', ':x :p :y .', 'NodeKind'],
  ['4.1.3', 'sh:nodeKind sh:BlankNodeOrIRI', ':x :p [], :y .', ':x :p 1 .', 'NodeKind'],
  ['4.1.3', 'sh:nodeKind sh:BlankNodeOrLiteral', ':x :p [], 1 .', ':x :p :y .', 'NodeKind'],
  ['4.1.3', 'sh:nodeKind sh:IRIOrLiteral', ':x :p :y, 1 .', ':x :p [] .', 'NodeKind'],
  ['4.3.1', 'sh:minExclusive 1', ':x :p 2, 1.5 .', ':x :p 1 .', 'MinExclusive'],
  ['4.3.2', 'sh:minInclusive 1', ':x :p 1, 1e9 .', ':x :p 0.9 .', 'MinInclusive'],
  ['4.3.3', 'sh:maxExclusive 1', ':x :p 0 .', ':x :p 1.0 .', 'MaxExclusive'],
  ['4.3.4', 'sh:maxInclusive 1', ':x :p 1 .', ':x :p "none" .', 'MaxInclusive'],
  [
    '4.3.4',
    'sh:maxInclusive "2020-01-01T00:00:00Z"^^xsd:dateTime',
    ':x :p "2019-12-31T23:00:00-01:00"^^xsd:dateTime .',
    ':x :p "2020-01-01T00:00:00"^^xsd:dateTime .',
    'MaxInclusive',
  ],
  ['4.4.1', 'sh:minLength 3', ':x :p "abc", 100, :y .', ':x :p "ab" .', 'MinLength'],
  ['4.4.2', 'sh:maxLength 3', ':x :p "abc" .', ':x :p [] .', 'MaxLength'],
  ['4.4.3', 'sh:pattern "^a.c$"', ':x :p "abc" .', ':x :p "ABC" .', 'Pattern'],
  ['4.4.3', 'sh:pattern "^a.c$" ; sh:flags "i"', ':x :p "ABC" .', ':x :p "ABCD" .', 'Pattern'],
  ['4.4.3', 'sh:pattern "^(?!b)(.)\\\\1$" ; sh:flags "g"', ':x :p "aa", "cc" .', ':x :p "ab", "bb" .', 'Pattern'],
  ['4.4.4', 'sh:languageIn ( "en" "de" )', ':x :p "a"@en, "b"@de-AT .', ':x :p "c"@fr .', 'LanguageIn'],
  ['4.4.4', 'sh:languageIn ( "en" )', ':x :p "a"@en .', ':x :p "a" .', 'LanguageIn'],
  ['4.5.2', 'sh:disjoint :q', ':x :p 1 ; :q 2 .', ':x :p 1, 3 ; :q 1 .', 'Disjoint'],
  ['4.6.1', 'sh:not [ sh:class :T ]', ':x :p :y .', ':x :p :y . :y a :T .', 'Not'],
  ['4.6.2', 'sh:and ( [ sh:minLength 2 ] [ sh:maxLength 3 ] )', ':x :p "ab" .', ':x :p "abcd" .', 'And'],
  ['4.6.3', 'sh:or ( [ sh:nodeKind sh:IRI ] [ sh:datatype xsd:string ] )', ':x :p :y, "y" .', ':x :p 1 .', 'Or'],
  ['4.6.4', 'sh:xone ( [ sh:minLength 2 ] [ sh:maxLength 3 ] )', ':x :p "a", "abcd" .', ':x :p "ab" .', 'Xone'],
  ['4.7.1', 'sh:node [ sh:property [ sh:path :q ; sh:minCount 1 ] ]', ':x :p :y . :y :q 1 .', ':x :p :y .', 'Node'],
  ['4.8.1', 'sh:closed true ; sh:ignoredProperties ( :r )', ':x :p :y . :y :r 1 .', ':x :p :y . :y :s 1 .', 'Closed'],
  ['4.8.3', 'sh:in ( :y 1 "a"@en )', ':x :p :y, 1, "a"@en .', ':x :p "a" .', 'In'],
];

const onProperties: readonly Row[] = [
  ['4.2.1', 'sh:minCount 1', ':x :p 1 .', ':x :q 1 .', 'MinCount'],
  ['4.2.2', 'sh:maxCount 1', ':x :p 1 .', ':x :p 1, 2 .', 'MaxCount'],
  ['4.4.5', 'sh:uniqueLang true', ':x :p "a"@en, "b"@de, "c", "d" .', ':x :p "a"@en, "b"@en .', 'UniqueLang'],
  ['4.5.1', 'sh:equals :q', ':x :p 1, :y ; :q 1, :y .', ':x :p 1 ; :q 1, 2 .', 'Equals'],
  ['4.5.3', 'sh:lessThan :q', ':x :p 1 ; :q 2, 3 .', ':x :p 1 ; :q 1 .', 'LessThan'],
  ['4.5.4', 'sh:lessThanOrEquals :q', ':x :p 1 ; :q 1 .', ':x :p 2 ; :q 1 .', 'LessThanOrEquals'],
  [
    '4.7.3',
    'sh:qualifiedValueShape [ sh:class :T ] ; sh:qualifiedMinCount 1',
    ':x :p :y, 1 . :y a :T .',
    ':x :p :y .',
    'QualifiedMinCount',
  ],
  [
    '4.7.3',
    'sh:qualifiedValueShape [ sh:class :T ] ; sh:qualifiedMaxCount 1',
    ':x :p :y, :z . :y a :T .',
    ':x :p :y, :z . :y a :T . :z a :T .',
    'QualifiedMaxCount',
  ],
  ['4.8.2', 'sh:hasValue :y', ':x :p :y, 1 .', ':x :p 1 .', 'HasValue'],
];

it.each([...onValues, ...onProperties])(
  'the constraint #%s %s of a property is validated',
  async (_, constraint, fine, bad, component) => {
    const shapes = `:S sh:targetNode :x ; sh:property [ sh:path :p ; ${constraint} ] .`;
    expect(await wrong(shapes, fine)).toEqual([]);
    const found = new Set((await wrong(shapes, bad)).map((one) => one.split(' ').at(-1)));
    expect([...found]).toEqual([component]);
  },
);

// Values of the property are the nodes themselves that the shape is about.
it.each(onValues.filter(([, , , bad]) => !bad.includes(':q')))(
  'the constraint #%s %s of a node is validated',
  async (_, constraint, fine, bad, component) => {
    const shapes = `:S sh:targetObjectsOf :p ; ${constraint} .`;
    expect(await wrong(shapes, fine)).toEqual([]);
    const found = new Set((await wrong(shapes, bad)).map((one) => one.split(' ').at(-1)));
    expect([...found]).toEqual([component]);
  },
);

it('the constraint #4.7.3 of siblings is not fitted by the same value', async () => {
  const shapes = `:S sh:targetNode :x ;
      sh:property [ sh:path :p ; sh:qualifiedValueShapesDisjoint true ; sh:qualifiedValueShape [ sh:class :T ] ; sh:qualifiedMinCount 1 ] ,
                  [ sh:path :p ; sh:qualifiedValueShapesDisjoint true ; sh:qualifiedValueShape [ sh:class :U ] ; sh:qualifiedMinCount 1 ] .`;
  expect(await wrong(shapes, ':x :p :y, :z . :y a :T . :z a :U .')).toEqual([]);
  const both = await wrong(shapes, ':x :p :y . :y a :T, :U .');
  expect(both).toEqual([':x QualifiedMinCount', ':x QualifiedMinCount']);
});

it('the constraint #4.7.2 of properties of properties is validated', async () => {
  const shapes = ':S sh:targetNode :x ; sh:property [ sh:path :p ; sh:property [ sh:path :q ; sh:minCount 1 ] ] .';
  expect(await wrong(shapes, ':x :p :y . :y :q 1 .')).toEqual([]);
  expect(await wrong(shapes, ':x :p :y .')).toEqual([':y MinCount']);
});

describe('targets (#2.1.3)', () => {
  const row = (target: string, graph: string, about: readonly string[]) => [target, graph, about] as const;
  it.each([
    row('sh:targetNode :x, 1', ':x :p 1 . :y :p 2 .', ['1 MinCount', ':x MinCount']),
    row('sh:targetClass :T', ':x a :T . :y a :U . :U rdfs:subClassOf :T . :z a :V .', [':x MinCount', ':y MinCount']),
    row('a rdfs:Class, sh:NodeShape', ':x a :S .', [':x MinCount']),
    row('a owl:Class, sh:NodeShape', ':x a :S .', [':x MinCount']),
    row('sh:targetSubjectsOf :p', ':x :p :y .', [':x MinCount']),
    row('sh:targetObjectsOf :p', ':x :p :y, "z" .', [':y MinCount', 'z MinCount']),
    row('sh:targetClass :T ; sh:targetNode :x', ':x a :T ; :p 1 .', [':x MinCount']),
  ])('the targets (#2.1.3) of a shape are its focus nodes: %s', async (target, graph, about) => {
    expect(await wrong(`:S ${target} ; sh:property [ sh:path :never ; sh:minCount 1 ] .`, graph)).toEqual(about);
  });

  it('targets (#2.1.3) are about nothing where there is none, or the shape is deactivated (#2.1.6)', async () => {
    const constraint = 'sh:property [ sh:path :never ; sh:minCount 1 ]';
    expect(await wrong(`:S ${constraint} .`, ':x :p 1 .')).toEqual([]);
    expect(await wrong(`:S sh:targetNode :x ; sh:deactivated true ; ${constraint} .`, ':x :p 1 .')).toEqual([]);
  });
});

describe('paths (#2.3.1)', () => {
  const graph = ':x :p :y ; :q :z . :y :p :z ; :q 1 . :z :p :x . :w :p :x .';
  const paths: readonly (readonly [path: string, leadsTo: number])[] = [
    [':p', 1],
    ['[ sh:inversePath :p ]', 2],
    ['( :p :q )', 1],
    ['( :p [ sh:inversePath :p ] )', 1],
    ['[ sh:alternativePath ( :p :q ) ]', 2],
    ['[ sh:zeroOrMorePath :p ]', 3],
    ['[ sh:oneOrMorePath :p ]', 3],
    ['[ sh:zeroOrOnePath :p ]', 2],
    ['[ sh:oneOrMorePath ( :p :p ) ]', 3],
    ['( [ sh:zeroOrMorePath :p ] :q )', 2],
  ];
  it('paths (#2.3.1) lead to as many as they should', async () => {
    const shapes = (more: number) =>
      paths.map(([path, count], i) => `:S${i} sh:targetNode :x ; sh:path ${path} ; sh:minCount ${count + more} .`);
    expect(await wrong(shapes(0).join('\n'), graph)).toEqual([]);
    expect(await wrong(shapes(1).join('\n'), graph)).toEqual(paths.map(() => ':x MinCount'));
  });
});
