import type { TaskSummary } from '../../../gen/admin-v1/types.ts';

/** A task in a tree that is shown as a list. */
export interface TreeRow extends TaskSummary {
  /** Level in the tree; 1: no agent of another task called it. */
  readonly level: number;
}

const byCreation = (one: TaskSummary, other: TaskSummary): number =>
  (one.createdAt ?? '').localeCompare(other.createdAt ?? '') || one.key.localeCompare(other.key);

/**
 * Returns tasks as a tree, in display order: each below the task whose agent called it, which may be younger, since a row
 * is written with the first answer of its agent.
 */
export function treeOf(tasks: readonly TaskSummary[]): TreeRow[] {
  const ordered = tasks.toSorted(byCreation);
  const known = new Set(tasks.map(({ key }) => key));
  const parents = new Map<string, string>();
  for (const { key, parent = '' } of ordered) {
    if (known.has(parent) && !isBelow(parent, key, parents)) parents.set(key, parent);
  }
  const below = Map.groupBy(ordered, ({ key }) => parents.get(key));
  const rowsOf = (parent: string | undefined, level: number): TreeRow[] =>
    (below.get(parent) ?? []).flatMap((task) => [{ ...task, level }, ...rowsOf(task.key, level + 1)]);
  return rowsOf(undefined, 1);
}

/** Whether a task is below another one, or is it: other gateways may answer with circles. */
function isBelow(key: string, other: string, parents: ReadonlyMap<string, string>): boolean {
  for (let at: string | undefined = key; at !== undefined; at = parents.get(at)) if (at === other) return true;
  return false;
}
