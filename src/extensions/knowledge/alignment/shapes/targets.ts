import type { Store, Term } from 'n3';
import type { KGStatement } from '../../model/knowledge.ts';
import { sh } from '../../rdf/iris.ts';
import { type ReadOutcome, typesStated } from '../outcome.ts';
import { TooMuchToJudge } from '../rule.ts';
import type { Reach, Superclasses } from './load.ts';
import { owlClass, patternOf, rdfsClass, rdfType, resourceTerm, subClassOf, termKey, tripleOf } from './terms.ts';
import type { GraphView } from './view.ts';

/** Maximum number of nodes whose shapes an update may affect. */
const mostNodes = 5_000;

/** The targets of a shape (SHACL 2.1.3). */
export interface ShapeTarget {
  readonly shape: Term;
  /** Keys of the targeted terms. */
  readonly nodes: ReadonlySet<string>;
  /** IRIs of classes; the following lists contain IRIs of predicates. */
  readonly classes: readonly string[];
  readonly subjectsOf: readonly string[];
  readonly objectsOf: readonly string[];
}

/** Returns the targets of a shape. A shape that is a class also targets its instances. */
export function targetOf(shapes: Store, shape: Term): ShapeTarget {
  const targetsOf = (kind: string): Term[] => shapes.getObjects(shape, `${sh}target${kind}`, null);
  const valuesOf = (kind: string): string[] => targetsOf(kind).map(({ value }) => value);
  const isClass = shapes
    .getObjects(shape, rdfType, null)
    .some((type) => type.equals(rdfsClass) || type.equals(owlClass));
  return {
    shape,
    nodes: new Set(targetsOf('Node').map(termKey)),
    classes: isClass ? [...valuesOf('Class'), shape.value] : valuesOf('Class'),
    subjectsOf: valuesOf('SubjectsOf'),
    objectsOf: valuesOf('ObjectsOf'),
  };
}

/** Whether a shape targets a node, judging by the statements loaded so far. */
export const isTarget = ({ nodes, classes, subjectsOf, objectsOf }: ShapeTarget, node: Term, view: GraphView) =>
  nodes.has(termKey(node)) ||
  classes.some((type) => view.isInstance(node, type)) ||
  subjectsOf.some((predicate) => view.has(patternOf(node, { value: predicate }, null))) ||
  objectsOf.some((predicate) => view.has(patternOf(null, { value: predicate }, node)));

/** Nodes of a graph, including literals, by term key. */
class NodeMap extends Map<string, Term> {
  put(term: Term): void {
    this.set(termKey(term), term);
    if (this.size <= mostNodes) return;
    throw new TooMuchToJudge(`the update affects more than ${mostNodes} nodes that shapes may target`);
  }
}

/**
 * Returns the nodes whose shapes may read a statement that the update changes.
 *
 * @param retyped ids of entities whose classes may change although no statement about them changes
 */
export async function nodesAround(
  changed: readonly KGStatement[],
  retyped: ReadonlySet<string>,
  outcome: ReadOutcome,
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
    for (const [, type] of typesStated(statement)) {
      nodes.put(resourceTerm(type));
      if (inverse.has(rdfType.value)) level.put(resourceTerm(type));
    }
  }
  for (const term of level.values()) nodes.put(term);
  for (let step = 0; step < steps && level.size > 0; step++) {
    const patterns = [...level.values()].flatMap((term) => [
      ...[...forward].flatMap((predicate) => patternOf(null, { value: predicate }, term) ?? []),
      ...[...inverse].flatMap((predicate) => patternOf(term, { value: predicate }, null) ?? []),
    ]);
    level = new NodeMap();
    for (const statement of (await outcome.findEach(patterns)).flat()) {
      const { subject, predicate, object } = tripleOf(statement);
      if (forward.has(predicate.value) && !nodes.has(termKey(subject))) level.put(subject);
      if (inverse.has(predicate.value) && !nodes.has(termKey(object))) level.put(object);
    }
    for (const term of level.values()) nodes.put(term);
  }
  return [...nodes.values()];
}

/** A subclass relation: the class is the `subject`, a direct superclass the `object`. */
type Edge = Readonly<Record<'subject' | 'object', string>>;

/**
 * Returns the ids of instances of the classes whose superclasses the update changes: constraints of the superclasses
 * begin or cease to apply to these instances.
 *
 * @param classes direct superclasses stated in the shapes file
 * @param named classes that shapes target or require; other superclasses are irrelevant
 */
export async function movedInstances(
  changed: readonly KGStatement[],
  outcome: ReadOutcome,
  classes: Superclasses,
  named: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const moved = changed.flatMap(({ subject, predicate, object }): Edge[] =>
    predicate.id === subClassOf.value && object.id !== undefined ? [{ subject: subject.id, object: object.id }] : [],
  );
  const instances = new Set<string>();
  if (moved.length === 0 || named.size === 0) return instances;
  // Added, removed and configured relations. Including too many is harmless here.
  const known = [
    ...moved,
    ...[...classes].flatMap(([subject, above]) => [...above].map((object) => ({ subject, object }))),
  ];

  /** Returns classes and everything reachable from them: superclasses from subjects, subclasses from objects. */
  const reached = async (from: keyof Edge, start: Iterable<string>): Promise<ReadonlySet<string>> => {
    const to = from === 'subject' ? 'object' : 'subject';
    const all = new Set(start);
    for (let level = [...all]; level.length > 0; ) {
      const stored = await outcome.findEach(level.map((id) => ({ [from]: id, predicate: subClassOf.value })));
      const next = new Set([
        ...stored.flat().flatMap((statement) => statement[to].id ?? []),
        ...known.filter((edge) => level.includes(edge[from])).map((edge) => edge[to]),
      ]);
      level = [...next.difference(all)];
      for (const one of level) all.add(one);
    }
    return all;
  };

  const concerned = new Set<string>();
  for (const { subject, object } of moved) {
    if (!(await reached('subject', [object])).isDisjointFrom(named)) concerned.add(subject);
  }
  for (const type of await reached('object', concerned)) {
    for (const id of await outcome.instancesOf(type)) instances.add(id);
  }
  return instances;
}
