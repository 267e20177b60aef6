import type { Graph } from './graph.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Places of entities, by id. */
export type Layout = ReadonlyMap<string, Point>;

/** The wanted length of an edge. */
const length = 120;
const rounds = 200;
/** How far nodes repel each other. */
const reach = 2 * length;
/** Radians between new nodes around a known one, so that no two have the same direction. */
const goldenAngle = Math.PI * (3 - Math.sqrt(5));

/**
 * Places the entities of a graph: connected ones near each other, all others apart. Entities that were placed before move
 * little, and `root` stays in the middle. The same graph is always placed in the same way.
 */
export function layOut(graph: Graph, before: Layout, root: string): Layout {
  const ids = [...graph.nodes.keys()];
  const index = new Map(ids.map((id, i) => [id, i]));
  const edges = [...graph.edges.values()].flatMap(({ from, to }) => {
    const [a, b] = [index.get(from), index.get(to)];
    return a === undefined || b === undefined || a === b ? [] : [[a, b] as const];
  });
  const start = startPoints(ids, edges, before);
  const xs = start.map(({ x }) => x);
  const ys = start.map(({ y }) => y);
  const isKnown = ids.map((id) => before.has(id));
  for (let round = 0; round < rounds; round++) {
    const step = length * (1 - round / rounds) * 0.3;
    const [fx, fy] = forces(xs, ys, edges);
    for (let i = 0; i < ids.length; i++) {
      const [x = 0, y = 0] = [fx[i], fy[i]];
      const size = Math.hypot(x, y);
      if (size === 0 || ids[i] === root) continue;
      const most = Math.min(size, step * (isKnown[i] ? 0.02 : 1));
      xs[i] = (xs[i] as number) + (x / size) * most;
      ys[i] = (ys[i] as number) + (y / size) * most;
    }
  }
  return new Map(ids.map((id, i) => [id, { x: Math.round(xs[i] as number), y: Math.round(ys[i] as number) }]));
}

/** Known points, and points around a neighbour for others. */
function startPoints(
  ids: readonly string[],
  edges: readonly (readonly [number, number])[],
  before: Layout,
): readonly Point[] {
  const points = ids.map((id) => before.get(id));
  return ids.map((_, i) => {
    const known = points[i];
    if (known) return known;
    const edge = edges.find(([a, b]) => (a === i && points[b]) || (b === i && points[a]));
    const near = edge && points[edge[0] === i ? edge[1] : edge[0]];
    const angle = i * goldenAngle;
    const distance = i === 0 ? 0 : length * (near ? 0.8 : 0.5 + Math.sqrt(i) * 0.4);
    const point = { x: (near?.x ?? 0) + Math.cos(angle) * distance, y: (near?.y ?? 0) + Math.sin(angle) * distance };
    points[i] = point;
    return point;
  });
}

/** Nodes repel each other; edges attract their ends. */
function forces(
  xs: readonly number[],
  ys: readonly number[],
  edges: readonly (readonly [number, number])[],
): readonly [Float64Array, Float64Array] {
  const count = xs.length;
  const fx = new Float64Array(count);
  const fy = new Float64Array(count);
  const push = (i: number, j: number, dx: number, dy: number, force: number): void => {
    fx[i] = (fx[i] as number) + dx * force;
    fy[i] = (fy[i] as number) + dy * force;
    fx[j] = (fx[j] as number) - dx * force;
    fy[j] = (fy[j] as number) - dy * force;
  };
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < i; j++) {
      // Labels are wide, so that nodes need more room beside each other than above.
      const dx = ((xs[i] as number) - (xs[j] as number)) * 0.7;
      const dy = (ys[i] as number) - (ys[j] as number);
      const square = Math.max(1, dx * dx + dy * dy);
      // Distant nodes leave each other alone, so that the picture stays dense.
      if (square > reach * reach) continue;
      push(i, j, dx, dy, (length * length) / square);
    }
  }
  for (const [a, b] of edges) {
    const [dx, dy] = [(xs[a] as number) - (xs[b] as number), (ys[a] as number) - (ys[b] as number)];
    push(a, b, dx, dy, -Math.hypot(dx, dy) / length);
  }
  return [fx, fy];
}

export type Direction = 'left' | 'right' | 'up' | 'down';

/** The entity to which an arrow key leads: the nearest one in about this direction. */
export function inDirection(layout: Layout, from: string, direction: Direction): string | undefined {
  const start = layout.get(from);
  if (!start) return undefined;
  let best: { readonly id: string; readonly cost: number } | undefined;
  for (const [id, { x, y }] of layout) {
    const [dx, dy] = [x - start.x, y - start.y];
    const [along, across] = {
      left: [-dx, dy],
      right: [dx, dy],
      up: [-dy, dx],
      down: [dy, dx],
    }[direction] as [number, number];
    if (id === from || along * 2 <= Math.abs(across)) continue;
    const cost = along + 2 * Math.abs(across);
    if (!best || cost < best.cost) best = { id, cost };
  }
  return best?.id;
}

/** The rectangle around all places, with room for labels. */
export function frameOf(layout: Layout, room = 90): { x: number; y: number; width: number; height: number } {
  const points = [...layout.values()];
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, right] = [Math.min(0, ...xs) - room, Math.max(0, ...xs) + room];
  const [top, bottom] = [Math.min(0, ...ys) - room / 2, Math.max(0, ...ys) + room / 2];
  return { x: left, y: top, width: right - left, height: bottom - top };
}
