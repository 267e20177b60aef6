import type { Statement } from './statements.ts';

/** Most entities in the picture: more than this is read in lists. */
export const mostNodes = 120;

export interface GraphNode {
  readonly id: string;
  readonly types: readonly string[];
  /** Whether its statements are in the picture. */
  readonly expanded: boolean;
  /** Statements that are left out, since they are on further pages or the picture is full. */
  readonly hidden: number;
}

/** The statements between two entities with one predicate: one line of the picture. */
export interface GraphEdge {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly predicate: string;
  /** The highest one of these statements; 1 where none is stated. */
  readonly certainty: number;
}

export interface Graph {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly edges: ReadonlyMap<string, GraphEdge>;
}

/** The statements around an entity, as far as they were read. */
export interface Neighbourhood {
  readonly id: string;
  readonly types: readonly string[];
  readonly statements: readonly Statement[];
  /** Whether there are further pages. */
  readonly more: boolean;
}

export const emptyGraph: Graph = { nodes: new Map(), edges: new Map() };

/** Statements about the type of an entity are shown by its color, not as edges. */
const typePredicates: ReadonlySet<string> = new Set(['http://www.w3.org/1999/02/22-rdf-syntax-ns#type', 'rdf:type']);

/**
 * The graph with what is around one entity. Literals and types are no nodes. When it is full, only edges between known nodes
 * are added.
 *
 * @param without ids of entities that were removed, which stay away
 */
export function expand(
  graph: Graph,
  { id, types, statements, more }: Neighbourhood,
  without: ReadonlySet<string> = new Set(),
): Graph {
  const nodes = new Map(graph.nodes);
  const edges = new Map(graph.edges);
  let hidden = more ? 1 : 0;
  const add = (other: string, itsTypes: readonly string[]): boolean => {
    const known = nodes.get(other);
    if (!known && (nodes.size >= mostNodes || without.has(other))) return false;
    const all = [...new Set([...(known?.types ?? []), ...itsTypes])];
    nodes.set(other, { expanded: false, hidden: 0, ...known, id: other, types: all });
    return true;
  };
  if (!add(id, types)) return graph;
  for (const { subject, predicate, object, certainty = 1 } of statements) {
    if (object.id === undefined || typePredicates.has(predicate.id)) continue;
    const other = subject.id === id ? object : subject;
    if (!add(other.id ?? '', other.types ?? (other.type ? [other.type] : []))) {
      hidden += 1;
      continue;
    }
    const key = JSON.stringify([subject.id, predicate.id, object.id]);
    const before = edges.get(key)?.certainty ?? 0;
    const edge = { key, from: subject.id, to: object.id, predicate: predicate.id };
    edges.set(key, { ...edge, certainty: Math.max(before, certainty) });
  }
  nodes.set(id, { ...(nodes.get(id) as GraphNode), expanded: true, hidden });
  return { nodes, edges };
}

/** The graph without one entity, and without those that are connected to the rest by it alone. */
export function remove(graph: Graph, id: string, root: string): Graph {
  const nodes = new Map(graph.nodes);
  nodes.delete(id);
  const edges = [...graph.edges].filter(([, { from, to }]) => from !== id && to !== id);
  const reached = reachable(
    root,
    edges.map(([, edge]) => edge),
  );
  for (const other of [...nodes.keys()]) if (!reached.has(other)) nodes.delete(other);
  return { nodes, edges: new Map(edges.filter(([, { from, to }]) => nodes.has(from) && nodes.has(to))) };
}

function reachable(root: string, edges: readonly GraphEdge[]): ReadonlySet<string> {
  const reached = new Set([root]);
  for (const id of reached) {
    for (const { from, to } of edges) {
      if (from === id) reached.add(to);
      if (to === id) reached.add(from);
    }
  }
  return reached;
}
