import fc from 'fast-check';

/** The prefixes of generated shapes. */
export const prefixes = `
  @prefix : <https://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
  @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n`;

export const node = fc.constantFrom('a', 'b', 'c', 'd');
export const type = fc.constantFrom('T', 'U', 'V');
export const verb = fc.constantFrom('p', 'q', 'r');

const words = <Word extends string>(...all: Word[]): fc.Arbitrary<Word> => fc.constantFrom(...all);

/** Paths of every kind. Shapes of classes do not apply to instances, so none of the paths goes through rdf:type. */
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
/** Shapes of every kind, about nodes `a` to `d`, types `T` to `V` and predicates `p` to `r`. */
export const shapes: fc.Arbitrary<string> = fc
  .tuple(fc.array(fc.oneof(shape, propertyShape), { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([all, isBelow]) => {
    const own = all.map((one, i) => `:S${i} ${one} .`).join('\n');
    return `${own}\n${isBelow ? ':T rdfs:subClassOf :V .' : ''}`;
  });
