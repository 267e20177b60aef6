import type { Store, Term } from 'n3';
import type { KGStatement } from '../../../core/model/knowledge.ts';
import { type PatchedOutcome, typesSaid } from '../outcome.ts';
import type { OutcomePattern } from '../rule.ts';
import { TooMuchToJudge } from '../rule.ts';
import { targetsOf } from './load.ts';
import type { Reach } from './reach.ts';
import { idOf, owlClass, patternOf, rdfsClass, rdfType, resourceTerm, termKey, tripleOf } from './terms.ts';
import type { GraphView } from './view.ts';

/** Maximum of nodes whose shapes an update may affect. */
const mostNodes = 5_000;

/** The targets of a shape (SHACL 2.1.3). */
export interface ShapeTarget {
  readonly shape: Term;
  /** Keys of terms. */
  readonly nodes: ReadonlySet<string>;
  /** IRIs, like the following. */
  readonly classes: ReadonlySet<string>;
  readonly subjectsOf: ReadonlySet<string>;
  readonly objectsOf: ReadonlySet<string>;
}

/** The targets of a shape; a shape that is a class targets its instances. */
export function targetOf(shapes: Store, shape: Term): ShapeTarget {
  const valuesOf = (kind: string): Set<string> => new Set(targetsOf(shapes, shape, kind).map(({ value }) => value));
  const classes = valuesOf('Class');
  const isClass = shapes
    .getObjects(shape, rdfType, null)
    .some((type) => type.equals(rdfsClass) || type.equals(owlClass));
  if (isClass) classes.add(shape.value);
  return {
    shape,
    nodes: new Set(targetsOf(shapes, shape, 'Node').map(termKey)),
    classes,
    subjectsOf: valuesOf('SubjectsOf'),
    objectsOf: valuesOf('ObjectsOf'),
  };
}

/** Nodes of a graph, literals included, by identity. */
class NodeMap extends Map<string, Term> {
  put(term: Term): void {
    this.set(termKey(term), term);
    if (this.size <= mostNodes) return;
    throw new TooMuchToJudge(`the update affects more than ${mostNodes} nodes that shapes may target`);
  }
}

/**
 * The nodes whose shapes may read one of the statements that an update changes.
 *
 * @param retyped ids of entities whose classes may change although no statement about them changes
 */
export async function nodesAround(
  changed: readonly KGStatement[],
  retyped: ReadonlySet<string>,
  outcome: PatchedOutcome,
  { steps, forward, inverse }: Reach,
): Promise<readonly Term[]> {
  const nodes = new NodeMap();
  let level = new NodeMap();
  for (const id of retyped) level.put(resourceTerm(id));
  for (const statement of changed) {
    const { subject, predicate, object } = tripleOf(statement);
    level.put(subject);
    nodes.put(object);
    if (inverse.has(predicate.value) || (statement.object.id && statement.object.type)) level.put(object);
    for (const [, type] of typesSaid(statement)) {
      nodes.put(resourceTerm(type));
      if (inverse.has(rdfType.value)) level.put(resourceTerm(type));
    }
  }
  for (const term of level.values()) nodes.put(term);
  for (let step = 0; step < steps && level.size > 0; step++) {
    const patterns = [...level.values()].flatMap((term) =>
      [
        ...[...forward].map((predicate) => patternOf(null, { value: predicate }, term)),
        ...[...inverse].map((predicate) => patternOf(term, { value: predicate }, null)),
      ].filter((pattern) => pattern !== undefined),
    );
    const found = (await outcome.findEach(patterns)).flat();
    const next = new NodeMap();
    for (const statement of found) {
      const { subject, predicate, object } = tripleOf(statement);
      if (forward.has(predicate.value) && !nodes.has(termKey(subject))) next.put(subject);
      if (inverse.has(predicate.value) && !nodes.has(termKey(object))) next.put(object);
    }
    for (const term of next.values()) nodes.put(term);
    level = next;
  }
  return [...nodes.values()];
}

/** A shape, and the focus nodes to validate against it. */
export interface Focus {
  readonly shape: Term;
  readonly nodes: readonly Term[];
}

/** Finds the focus nodes of each shape among some nodes. Loads their types. */
export async function focusNodes(
  targets: readonly ShapeTarget[],
  nodes: readonly Term[],
  outcome: PatchedOutcome,
  view: GraphView,
): Promise<Focus[]> {
  if (targets.some(({ classes }) => classes.size > 0)) await view.loadTypes(nodes.flatMap((term) => idOf(term) ?? []));
  const subjectsOf = new Set(targets.flatMap((target) => [...target.subjectsOf]));
  const objectsOf = new Set(targets.flatMap((target) => [...target.objectsOf]));
  const places = nodes.flatMap((term) => [
    ...[...subjectsOf].map((predicate) => placeOf(term, predicate, true)),
    ...[...objectsOf].map((predicate) => placeOf(term, predicate, false)),
  ]);
  const asked = places.flatMap(({ key, pattern }) => (pattern ? [{ key, pattern }] : []));
  const there = await outcome.someEach(asked.map(({ pattern }) => pattern));
  const found = new Set(asked.filter((_, index) => there[index]).map(({ key }) => key));

  const isAbout = (target: ShapeTarget, term: Term): boolean => {
    const id = idOf(term);
    return (
      target.nodes.has(termKey(term)) ||
      (id !== undefined && [...target.classes].some((type) => view.isInstance(id, type))) ||
      [...target.subjectsOf].some((predicate) => found.has(placeOf(term, predicate, true).key)) ||
      [...target.objectsOf].some((predicate) => found.has(placeOf(term, predicate, false).key))
    );
  };
  return targets.map((target) => ({ shape: target.shape, nodes: nodes.filter((term) => isAbout(target, term)) }));
}

/** A node as the subject, or the object, of statements with a predicate; without a pattern if it cannot be one. */
function placeOf(
  term: Term,
  predicate: string,
  isSubject: boolean,
): { readonly key: string; readonly pattern: OutcomePattern | undefined } {
  const verb = { value: predicate };
  return {
    key: `${isSubject ? '>' : '<'} ${predicate} ${termKey(term)}`,
    pattern: isSubject ? patternOf(term, verb, null) : patternOf(null, verb, term),
  };
}
