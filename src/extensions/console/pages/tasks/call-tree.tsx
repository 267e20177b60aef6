import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { TaskState } from '../../../../core/model/a2a.ts';
import { isInterrupted, isTerminal } from '../../../../core/model/lifecycle.ts';
import { admin, type FindTasksRequest, type TaskSummary } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { hrefOf } from '../../shell/router.ts';
import { bareContextTask, contextTree, rowsOf } from '../../tasks/context-tree.ts';
import { Id } from '../../tasks/marks.tsx';
import { Badge, Text } from '../../ui/index.ts';

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
  return (
    <ol class="call-tree" aria-label="Calls of agents">
      {rowsOf(contextTree([summary, ...calls].map(bareContextTask))).map(({ node, level }) => {
        const { key, id, agent, state } = node.summary;
        return (
          <li key={key} style={{ '--level': level - 1 }} aria-current={key === summary.key ? 'page' : undefined}>
            <a href={hrefOf('tasks', [key])}>
              <Text value={agent} max={60} /> <Id value={id} />
            </a>
            <Badge state={state} />
            {isInterrupted(state as TaskState) && <a href={hrefOf('inbox', [], { agent })}>Asks</a>}
          </li>
        );
      })}
    </ol>
  );
}
