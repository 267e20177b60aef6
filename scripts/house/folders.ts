import { posix } from 'node:path';
import type { SourceFile } from '../imports.ts';

/** An import between two folders beside each other, against the direction of most of them. */
export interface UpwardArrow {
  readonly from: string;
  readonly to: string;
  /** One of the imports: `src/a/b.ts -> src/c/d.ts`. */
  readonly example: string;
}

/** Attempts to find an order of folders, each from another beginning. */
const attempts = 20;

/**
 * The arrows upward between folders that stand beside each other, at every depth. Their order is the one with the fewest
 * such arrows; folders that import each other, also in a circle of several, have at least one.
 */
export function upwardArrows(files: readonly SourceFile[]): UpwardArrow[] {
  return [...arrowsByParent(files).values()].flatMap((all) => {
    const arrows = inCircles(all);
    const order = bestOrder(arrows);
    return arrows.filter(({ from, to }) => order.indexOf(to) > order.indexOf(from));
  });
}

function arrowsByParent(files: readonly SourceFile[]): Map<string, UpwardArrow[]> {
  const byParent = new Map<string, Map<string, UpwardArrow>>();
  for (const { path, imports } of files) {
    for (const { specifier } of imports) {
      if (!specifier.startsWith('.')) continue;
      const target = posix.join(posix.dirname(path), specifier);
      const arrow = arrowOf(path, target);
      if (!arrow) continue;
      const parent = posix.dirname(arrow.from);
      const known = byParent.get(parent) ?? new Map<string, UpwardArrow>();
      byParent.set(parent, known);
      const name = `${arrow.from} ${arrow.to}`;
      if (!known.has(name)) known.set(name, arrow);
    }
  }
  return new Map([...byParent].map(([parent, arrows]) => [parent, [...arrows.values()]]));
}

/** The folders beside each other that two files are in. Undefined: one file's folder contains the other's. */
function arrowOf(path: string, target: string): UpwardArrow | undefined {
  const from = posix.dirname(path).split('/');
  const to = posix.dirname(target).split('/');
  const at = from.findIndex((folder, depth) => folder !== to[depth]);
  if (at === -1 || at >= to.length) return undefined;
  const upTo = (folders: readonly string[]): string => folders.slice(0, at + 1).join('/');
  return { from: upTo(from), to: upTo(to), example: `${path} -> ${target}` };
}

/** Without the folders that nothing leads to, or that lead nowhere, again and again: no circle passes them. */
function inCircles(arrows: readonly UpwardArrow[]): UpwardArrow[] {
  const sources = new Set(arrows.map(({ from }) => from));
  const targets = new Set(arrows.map(({ to }) => to));
  const left = arrows.filter(({ from, to }) => targets.has(from) && sources.has(to));
  return left.length === arrows.length ? left : inCircles(left);
}

/** By moving one folder after the other where that leaves fewer arrows upward. Deterministic. */
function bestOrder(arrows: readonly UpwardArrow[]): readonly string[] {
  const upward = (order: readonly string[]): number => {
    const places = new Map(order.map((folder, place) => [folder, place]));
    const placeOf = (folder: string): number => places.get(folder) ?? 0;
    return arrows.filter(({ from, to }) => placeOf(to) > placeOf(from)).length;
  };
  const folders = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].sort();
  let best = folders;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const turned = folders.map((_, at) => folders[(at * (attempt + 1) + attempt) % folders.length] as string);
    const order = improved(new Set(turned).size === folders.length ? turned : folders, upward);
    if (upward(order) < upward(best)) best = order;
  }
  return best;
}

function improved(first: readonly string[], cost: (order: readonly string[]) => number): string[] {
  let order = [...first];
  for (;;) {
    const moves = order.flatMap((folder, from) =>
      order.map((_, to) => order.toSpliced(from, 1).toSpliced(to, 0, folder)),
    );
    const better = moves.find((moved) => cost(moved) < cost(order));
    if (!better) return order;
    order = better;
  }
}
