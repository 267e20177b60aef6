import type { Task } from '../../../core/model/a2a.ts';
import type { TaskDetails } from '../../../gen/admin-v1/types.ts';

/** Reason why a task is below another one. */
export type Relation = 'upstream' | 'reference' | 'trace';

/** Facts about a task of a conversation. */
export type ContextTask = ReturnType<typeof contextTaskOf>;

/** A task in a tree that is shown as a list. */
export interface ContextRow extends ContextTask {
  /** Level in the tree; 1: the task is below no other one. */
  readonly level: number;
  readonly relation?: Relation;
}

/** Returns the facts that a tree needs of a task's details. Of many tasks only the row is known. */
export function contextTaskOf(details: Pick<TaskDetails, 'summary'> & Partial<TaskDetails>) {
  const { summary, task, upstreamTaskId = '', upstreamContextId = '', traceId = '' } = details;
  const { history = [], status } = (task ?? {}) as Partial<Task>;
  const references = new Set([...history, status?.message].flatMap((message) => message?.referenceTaskIds ?? []));
  references.delete(summary.id);
  return { summary, references: [...references], upstreamTaskId, upstreamContextId, traceId };
}

const byCreation = (one: ContextTask, other: ContextTask): number => {
  const a = one.summary.createdAt ?? '';
  const b = other.summary.createdAt ?? '';
  if (a !== b) return a < b ? -1 : 1;
  return one.summary.key < other.summary.key ? -1 : 1;
};

/** Parent of a task in the tree. */
interface Parent {
  readonly key: string;
  readonly relation: Relation;
}

/**
 * Returns the tasks of a conversation as a tree, in display order. A task is below the task whose agent opened it: an
 * agent of this gateway, or one behind it, that calls another agent at this gateway. Otherwise it is below the latest
 * earlier task that its messages refer to, or below the first task of another agent in the same trace.
 */
export function contextRows(tasks: readonly ContextTask[]): ContextRow[] {
  const ordered = [...tasks].sort(byCreation);
  const parents = new Map<string, Parent>();
  for (const [at, task] of ordered.entries()) {
    const { key } = task.summary;
    const parent = openerOf(task, ordered) ?? relatedOf(task, ordered.slice(0, at));
    if (parent && !isBelow(parent.key, key, parents)) parents.set(key, parent);
  }
  const below = Map.groupBy(ordered, ({ summary }) => parents.get(summary.key)?.key);
  const rowsOf = (parent: string | undefined, level: number): ContextRow[] =>
    (below.get(parent) ?? []).flatMap((task) => {
      const relation = parents.get(task.summary.key)?.relation;
      return [{ ...task, level, ...(relation && { relation }) }, ...rowsOf(task.summary.key, level + 1)];
    });
  return rowsOf(undefined, 1);
}

/** Whether a task is below another one, or is it. */
function isBelow(key: string, other: string, parents: ReadonlyMap<string, Parent>): boolean {
  for (let at: string | undefined = key; at !== undefined; at = parents.get(at)?.key) if (at === other) return true;
  return false;
}

/**
 * Returns the task whose agent opened this one. Its row may be younger: it is written with the first answer of its
 * agent.
 */
function openerOf({ summary: { id, agent, parent } }: ContextTask, tasks: readonly ContextTask[]): Parent | undefined {
  const opener =
    tasks.find(({ summary }) => summary.key === parent) ??
    tasks.find(({ upstreamTaskId, summary }) => upstreamTaskId === id && summary.agent !== agent);
  return opener && { key: opener.summary.key, relation: 'upstream' };
}

/** Returns the earlier task that this one refers to, or that began its trace. */
function relatedOf(task: ContextTask, earlier: readonly ContextTask[]): Parent | undefined {
  const referred = earlier.findLast(({ summary }) => task.references.includes(summary.id));
  if (referred) return { key: referred.summary.key, relation: 'reference' };
  const first = task.traceId === '' ? undefined : earlier.find(({ traceId }) => traceId === task.traceId);
  const isOther = first && first.summary.agent !== task.summary.agent;
  return isOther ? { key: first.summary.key, relation: 'trace' } : undefined;
}
