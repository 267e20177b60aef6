import type { Store, Term } from 'n3';
import type { KGStatement } from '../../../core/knowledge.ts';
import type { PatchedOutcome } from '../outcome.ts';
import type { OutcomePattern } from '../rule.ts';
import { TooMuchToJudge } from '../rule.ts';
import { targetsOf } from './load.ts';
import type { Reach } from './reach.ts';
import { rdfsClass, rdfType, resourceTerm, tripleOf } from './terms.ts';
import type { View } from './view.ts';

/** Nodes whose shapes one update may make one look at. */
const mostNodes = 5_000;

/** Which nodes a shape is about (SHACL 2.1.3). */
export interface Target {
  readonly shape: Term;
  readonly nodes: ReadonlySet<string>;
  readonly classes: ReadonlySet<string>;
  readonly subjectsOf: ReadonlySet<string>;
  readonly objectsOf: ReadonlySet<string>;
}

/** The targets of a shape; a shape that is a class is about its instances. */
export function targetOf(shapes: Store, shape: Term): Target {
  const classes = new Set(targetsOf(shapes, shape, 'Class'));
  const owlClass = 'http://www.w3.org/2002/07/owl#Class';
  const isClass = shapes
    .getObjects(shape, rdfType, null)
    .some(({ value }) => value === rdfsClass.value || value === owlClass);
  if (isClass) classes.add(shape.value);
  return {
    shape,
    nodes: targetsOf(shapes, shape, 'Node'),
    classes,
    subjectsOf: targetsOf(shapes, shape, 'SubjectsOf'),
    objectsOf: targetsOf(shapes, shape, 'ObjectsOf'),
  };
}

/** Ids of the nodes whose shapes may look at one of the statements that an update changes. */
export async function nodesAround(
  changed: readonly KGStatement[],
  outcome: PatchedOutcome,
  { steps, forward, inverse }: Reach,
): Promise<ReadonlySet<string>> {
  const nodes = new Set<string>();
  let level = new Set<string>();
  for (const { subject, predicate, object } of changed) {
    nodes.add(subject.id);
    level.add(subject.id);
    if (object.id === undefined) continue;
    nodes.add(object.id);
    if (inverse.has(predicate.id)) level.add(object.id);
  }
  for (let step = 0; step < steps && level.size > 0; step++) {
    const patterns = [...level].flatMap((id): OutcomePattern[] => [
      ...[...forward].map((predicate) => ({ predicate, object: id })),
      ...[...inverse].map((predicate) => ({ subject: id, predicate })),
    ]);
    const found = (await outcome.findEach(patterns)).flat();
    const next = new Set<string>();
    for (const { subject, predicate, object } of found) {
      if (forward.has(predicate.id) && !nodes.has(subject.id)) next.add(subject.id);
      if (inverse.has(predicate.id) && object.id !== undefined && !nodes.has(object.id)) next.add(object.id);
    }
    for (const id of next) nodes.add(id);
    if (nodes.size > mostNodes)
      throw new TooMuchToJudge(`the shapes of more than ${mostNodes} nodes would have to be held against them`);
    level = next;
  }
  return nodes;
}

/** A shape, and the nodes that are held against it. */
export interface Focus {
  readonly shape: Term;
  readonly nodes: readonly Term[];
}

/** Which of these nodes, and of the literals that an update states, each shape is about. Fetches their types. */
export async function focusNodes(
  targets: readonly Target[],
  changed: readonly KGStatement[],
  nodes: ReadonlySet<string>,
  outcome: PatchedOutcome,
  view: View,
): Promise<Focus[]> {
  const ids = [...nodes];
  if (targets.some(({ classes }) => classes.size > 0)) await view.loadTypes(ids);
  const subjectsOf = new Set(targets.flatMap((target) => [...target.subjectsOf]));
  const objectsOf = new Set(targets.flatMap((target) => [...target.objectsOf]));
  const asked = ids.flatMap((id): OutcomePattern[] => [
    ...[...subjectsOf].map((predicate) => ({ subject: id, predicate })),
    ...[...objectsOf].map((predicate) => ({ predicate, object: id })),
  ]);
  const there = await outcome.someEach(asked);
  const found = new Set(asked.filter((_, index) => there[index]).map(placeKey));

  const isAbout = (target: Target, id: string): boolean =>
    target.nodes.has(id) ||
    [...target.classes].some((type) => view.isInstance(id, type)) ||
    [...target.subjectsOf].some((predicate) => found.has(placeKey({ subject: id, predicate }))) ||
    [...target.objectsOf].some((predicate) => found.has(placeKey({ predicate, object: id })));
  return targets.map((target) => {
    const literals = changed.filter(
      ({ predicate, object }) => object.id === undefined && target.objectsOf.has(predicate.id),
    );
    const resources = ids.filter((id) => isAbout(target, id)).map(resourceTerm);
    return { shape: target.shape, nodes: [...resources, ...literals.map((statement) => tripleOf(statement).object)] };
  });
}

const placeKey = ({ subject, predicate, object }: OutcomePattern): string =>
  JSON.stringify([subject, predicate, object]);
