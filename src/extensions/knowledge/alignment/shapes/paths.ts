import { DataFactory, type NamedNode, type Term } from 'n3';
import type SHACLValidator from 'rdf-validate-shacl';
import { termKey } from './terms.ts';

/** A property path in the engine's representation. */
export type Path =
  | NamedNode
  | readonly Path[]
  | { readonly or: readonly Path[] }
  | { readonly inverse: NamedNode }
  | { readonly zeroOrOne: Path }
  | Repeated;

type Repeated = { readonly zeroOrMore: Path } | { readonly oneOrMore: Path };

const isPredicate = (path: Path): path is NamedNode => 'termType' in path;

/** Returns the nodes one step away from a node. */
export type Neighbours = (node: Term, predicate: NamedNode, isInverse: boolean) => readonly Term[];

const unique = (terms: Iterable<Term>): Term[] => [
  ...new Map([...terms].map((term) => [termKey(term), term])).values(),
];

/** Returns the nodes that a path leads to. Follows repeated paths without recursion, and visits each node once. */
export function follow(path: Path, start: Term, neighbours: Neighbours): readonly Term[] {
  if (isPredicate(path)) return neighbours(start, path, false);
  if ('or' in path) return unique(path.or.flatMap((each) => follow(each, start, neighbours)));
  if ('inverse' in path) return neighbours(start, path.inverse, true);
  if ('zeroOrOne' in path) return unique([start, ...follow(path.zeroOrOne, start, neighbours)]);
  if ('zeroOrMore' in path) return unique([start, ...reached(path.zeroOrMore, start, neighbours)]);
  if ('oneOrMore' in path) return reached(path.oneOrMore, start, neighbours);
  let nodes: readonly Term[] = [start];
  for (const step of path) nodes = unique(nodes.flatMap((node) => follow(step, node, neighbours)));
  return nodes;
}

function reached(path: Path, start: Term, neighbours: Neighbours): readonly Term[] {
  const found = new Map<string, Term>();
  const add = (node: Term): void => {
    for (const next of follow(path, node, neighbours)) found.set(termKey(next), next);
  };
  add(start);
  // Iterating a Map includes entries that are added during the iteration.
  for (const node of found.values()) add(node);
  return [...found.values()];
}

/**
 * Replaces the repeated paths of all shapes with generated predicates, which the data graph resolves (`GraphView`): the
 * engine would follow them recursively and copy all results at every step. Returns the paths by generated predicate.
 */
export function replaceRepeatedPaths({ shapesGraph }: SHACLValidator): ReadonlyMap<string, Path> {
  const paths = new Map<string, Path>();
  const replaced = (path: Path): Path => {
    if (isPredicate(path) || 'inverse' in path) return path;
    if ('or' in path) return { or: path.or.map(replaced) };
    if ('zeroOrOne' in path) return { zeroOrOne: replaced(path.zeroOrOne) };
    if (!('zeroOrMore' in path || 'oneOrMore' in path)) return path.map(replaced);
    const predicate = DataFactory.namedNode(`a2a-gateway:path/${paths.size}`);
    paths.set(predicate.value, path);
    return predicate;
  };
  const getShape = shapesGraph.getShape.bind(shapesGraph);
  const known = new WeakSet<object>();
  shapesGraph.getShape = (node) => {
    const shape = getShape(node);
    if (shape.pathObject && !known.has(shape)) {
      shape.pathObject = replaced(shape.pathObject as unknown as Path) as unknown as typeof shape.pathObject;
    }
    known.add(shape);
    return shape;
  };
  return paths;
}
