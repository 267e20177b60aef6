import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { TaskState } from '../../../../core/model/a2a.ts';
import { isTerminal } from '../../../../core/model/lifecycle.ts';
import { admin, type FindTasksRequest, type TaskSummary } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { bareContextTask, contextTree } from '../../tasks/context-tree.ts';
import { TaskTree } from '../../tasks/task-tree.tsx';

/** Levels that are shown below a task, and tasks of each. */
const most = { levels: 3, tasks: 100 } as const;

/** The tasks whose agents led to a task, and those that agents opened for it. Some may have expired. */
async function readCalls({ key: own, parent }: TaskSummary, signal: AbortSignal): Promise<TaskSummary[]> {
  const find = async (filter: FindTasksRequest): Promise<readonly TaskSummary[]> =>
    (await admin.call('FindTasks', { ...filter, pageSize: most.tasks }, { signal })).tasks ?? [];
  const calls: TaskSummary[] = [];
  for (let above = parent; above; ) {
    const found = (await find({ id: above })).find(({ key }) => key === above);
    if (found) calls.push(found);
    above = found?.parent;
  }
  for (let level = 0, parents = [own]; level < most.levels && parents.length > 0; level += 1) {
    const opened = await find({ parents });
    calls.push(...opened);
    parents = opened.map(({ key }) => key);
  }
  return calls;
}

/** The agents that called one another for a task: those that led to it, and those that it called. Empty for most tasks. */
export function CallTree({ summary }: { readonly summary: TaskSummary }): JSX.Element | null {
  const isOver = useSignal(false);
  const { value: calls = [] } = useRead(
    async (signal) => {
      const found = await readCalls(summary, signal);
      isOver.value = [summary, ...found].every(({ state }) => isTerminal(state as TaskState));
      return found;
    },
    { ...(!isOver.value && { every: 2_000 }) },
  );
  if (calls.length === 0) return null;
  const nodes = contextTree([summary, ...calls].map(bareContextTask));
  return <TaskTree label="Calls of agents" nodes={nodes} selected={summary.key} maxHeight="13rem" />;
}
