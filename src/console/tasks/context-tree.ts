import type { Message, Task } from '../../core/model/a2a.ts';
import type { TaskDetails, TaskSummary } from '../../gen/admin-v1/types.ts';

/** Why a task stands below another one. */
export type Relation = 'upstream' | 'reference' | 'trace';

/** What is known about a task of a conversation. */
export interface ContextTask {
  readonly summary: TaskSummary;
  /** Ids of tasks that its messages refer to. */
  readonly references: readonly string[];
  readonly upstreamTaskId: string;
  readonly upstreamContextId: string;
  readonly traceId: string;
}

/** A task with the tasks below it, in the order of their creation. */
export interface ContextNode extends ContextTask {
  readonly relation?: Relation;
  readonly children: readonly ContextNode[];
}

const messagesOf = (task: Task): Message[] => [
  ...(task.history ?? []),
  ...(task.status?.message ? [task.status.message] : []),
];

/** What a tree needs of a task's details. */
export function contextTaskOf({ summary, task, upstreamTaskId, upstreamContextId, traceId }: TaskDetails): ContextTask {
  const messages = task ? messagesOf(task as unknown as Task) : [];
  const references = new Set(messages.flatMap(({ referenceTaskIds }) => referenceTaskIds ?? []));
  references.delete(summary.id);
  return {
    summary,
    references: [...references],
    upstreamTaskId: upstreamTaskId ?? '',
    upstreamContextId: upstreamContextId ?? '',
    traceId: traceId ?? '',
  };
}

/** A task of which only the row is known. */
export const bareContextTask = (summary: TaskSummary): ContextTask => ({
  summary,
  references: [],
  upstreamTaskId: '',
  upstreamContextId: '',
  traceId: '',
});

const byCreation = (one: ContextTask, other: ContextTask): number => {
  const [a, b] = [one.summary.createdAt ?? '', other.summary.createdAt ?? ''];
  if (a !== b) return a < b ? -1 : 1;
  return one.summary.key < other.summary.key ? -1 : 1;
};

/**
 * The tasks of a conversation as a tree. A task stands below the task whose agent opened it: an agent behind this gateway
 * that calls another agent at this gateway. Otherwise below the latest task that its messages refer to, or below the task
 * of another agent that belongs to the same trace. A task never stands below a later one.
 */
export function contextTree(tasks: readonly ContextTask[]): ContextNode[] {
  const ordered = [...tasks].sort(byCreation);
  const order = new Map(ordered.map((task, at) => [task.summary.key, at]));
  const parents = ordered.map((task, at) => parentOf(task, ordered.slice(0, at)));
  const children = new Map<string, ContextNode[]>();
  const roots: ContextNode[] = [];
  // The latest task first: its children are complete then.
  for (const task of ordered.toReversed()) {
    const parent = parents[order.get(task.summary.key) ?? 0];
    const below = (children.get(task.summary.key) ?? []).toReversed();
    const node: ContextNode = { ...task, ...(parent && { relation: parent.relation }), children: below };
    if (!parent) roots.push(node);
    else children.set(parent.key, [...(children.get(parent.key) ?? []), node]);
  }
  return roots.toReversed();
}

function parentOf(
  task: ContextTask,
  earlier: readonly ContextTask[],
): { readonly key: string; readonly relation: Relation } | undefined {
  const { id, agent } = task.summary;
  const opener = earlier.findLast(({ upstreamTaskId, summary }) => upstreamTaskId === id && summary.agent !== agent);
  if (opener) return { key: opener.summary.key, relation: 'upstream' };
  const referred = earlier.findLast(({ summary }) => task.references.includes(summary.id));
  if (referred) return { key: referred.summary.key, relation: 'reference' };
  const traced = task.traceId === '' ? undefined : earlier.find(({ traceId }) => traceId === task.traceId);
  if (traced && traced.summary.agent !== agent) return { key: traced.summary.key, relation: 'trace' };
  return undefined;
}

/** One row of a tree that is shown as a list. */
export interface ContextRow {
  readonly node: ContextNode;
  readonly level: number;
}

/** The nodes of a tree in the order in which they are shown. */
export function rowsOf(nodes: readonly ContextNode[], level = 1): ContextRow[] {
  return nodes.flatMap((node) => [{ node, level }, ...rowsOf(node.children, level + 1)]);
}
