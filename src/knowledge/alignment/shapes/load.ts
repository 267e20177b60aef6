import type { Store, Term } from 'n3';
import { UnusableShapes } from './reach.ts';
import { owlClass, rdfsClass, sh, subClassOf } from './terms.ts';

/** The vocabulary of SHACL core (SHACL, sections 2 to 4), with annotations and paths. */
const core: ReadonlySet<string> = new Set(
  `targetClass targetNode targetSubjectsOf targetObjectsOf severity message deactivated path node property class datatype
   nodeKind minCount maxCount minExclusive minInclusive maxExclusive maxInclusive minLength maxLength pattern flags
   languageIn uniqueLang equals disjoint lessThan lessThanOrEquals not and or xone qualifiedValueShape
   qualifiedMinCount qualifiedMaxCount qualifiedValueShapesDisjoint closed ignoredProperties hasValue in
   name description order group defaultValue
   alternativePath inversePath zeroOrMorePath oneOrMorePath zeroOrOnePath
   shapesGraph entailment declare prefix namespace suggestedShapesGraph`
    .split(/\s+/)
    .map((name) => sh + name),
);

/** Direct superclasses of each class. */
export type Superclasses = ReadonlyMap<string, readonly string[]>;

/** The contents of a shapes file. */
export interface ShapesFile {
  readonly shapes: Store;
  /** As the file states them. */
  readonly classes: Superclasses;
}

/** Rejects unsupported constraints: one that was silently ignored would accept everything. */
function requireCore(shapes: Store): void {
  for (const { value } of shapes.getPredicates(null, null, null)) {
    if (value === 'http://www.w3.org/2002/07/owl#imports') throw new UnusableShapes('owl:imports is not followed');
    if (value.startsWith(sh) && !core.has(value)) {
      throw new UnusableShapes(`sh:${value.slice(sh.length)} is not a part of SHACL core`);
    }
  }
  for (const { subject, object } of shapes.getQuads(null, `${sh}pattern`, null, null)) {
    const [flags] = shapes.getObjects(subject, `${sh}flags`, null);
    try {
      new RegExp(object.value, flags?.value);
    } catch (cause) {
      throw new UnusableShapes(`the pattern ${JSON.stringify(object.value)} is not a valid regular expression`, {
        cause,
      });
    }
  }
}

/** Checks shapes. Throws UnusableShapes for what is not SHACL core. */
export function takeShapes(shapes: Store): ShapesFile {
  requireCore(shapes);
  const classes = Map.groupBy(shapes.getQuads(null, subClassOf, null, null), ({ subject }) => subject.value);
  // OWL's own axiom, which shapes files do not repeat.
  shapes.addQuad(owlClass, subClassOf, rdfsClass);
  return {
    shapes,
    classes: new Map([...classes].map(([name, quads]) => [name, quads.map((quad) => quad.object.value)])),
  };
}

/** The values of a kind of target of a shape. */
export const targetsOf = (shapes: Store, shape: Term, kind: string): readonly Term[] =>
  shapes.getObjects(shape, `${sh}target${kind}`, null);

/** Classes that `sh:class` constraints require. */
export const askedClasses = (shapes: Store): readonly string[] =>
  shapes.getObjects(null, `${sh}class`, null).map(({ value }) => value);
