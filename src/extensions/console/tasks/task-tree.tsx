import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { TaskState } from '../../../core/model/a2a.ts';
import { isInterrupted, isResting, isTerminal } from '../../../core/model/lifecycle.ts';
import { admin, type TaskSummary } from '../gateway/admin.ts';
import { useRead } from '../gateway/hooks.ts';
import { hrefOf } from '../shell/router.ts';
import { type Column, now, severityOf, Table, Text } from '../ui/index.ts';
import { type TreeRow, treeOf } from './call-tree.ts';
import { spanOf } from './describe.ts';
import { Id, wordsOfTasks } from './marks.tsx';

/** Column of costs, for the tree of a gateway that counts them. */
const costs: Column<TreeRow> = {
  title: 'Cost',
  cell: ({ cost }) => (cost ? cost.toLocaleString('en', { maximumSignificantDigits: 4 }) : ''),
  width: '5rem',
  align: 'end',
};

/** Returns the columns of a tree, in which a bar shows the course of each task over the time of all. */
function columnsOf(rows: readonly TreeRow[]): readonly Column<TreeRow>[] {
  // The bars of running tasks grow.
  const time = rows.some(({ state }) => !isResting(state as TaskState)) ? now.value : 0;
  const times = rows.map((row) => spanOf(row, time)).filter(({ end }) => !Number.isNaN(end));
  const start = Math.min(...times.map((span) => span.start));
  const end = Math.max(...times.map((span) => span.end), start + 1);
  const share = (at: number): number => ((at - start) / (end - start)) * 100;
  const course = (row: TreeRow): JSX.Element => {
    const own = spanOf(row, time);
    const width = `max(3px, ${share(own.end) - share(own.start)}%)`;
    return (
      <span class="course">
        <span
          class={`bar fill-${severityOf(row.state)}`}
          style={{ left: `min(100% - 3px, ${share(own.start)}%)`, width }}
        />
      </span>
    );
  };
  return [
    {
      title: 'Task',
      cell: ({ level, agent, gateway, id }) => (
        <span class="tree-task" style={{ '--level': Math.min(level - 1, 8) }}>
          <Text value={gateway ? `${agent} at ${gateway}` : agent} max={60} /> <Id value={id} />
        </span>
      ),
      width: '13rem',
    },
    ...wordsOfTasks.slice(0, 3),
    {
      title: 'Waits',
      cell: ({ state, agent }) =>
        isInterrupted(state as TaskState) && <a href={hrefOf('inbox', [], { agent })}>Answer</a>,
      width: '4.5rem',
    },
    ...(rows.some(({ cost }) => cost) ? [costs] : []),
    { title: 'Course', cell: course, width: 'minmax(5rem, 5fr)' },
    ...wordsOfTasks.slice(3),
  ];
}

interface CallTreeProps {
  readonly summary: TaskSummary;
  /** Whether one of the tasks is not over. Undefined: not known yet. */
  readonly isOpen: Signal<boolean | undefined>;
}

/**
 * The agents that called one another for a task: those that led to it, and those that it called, including other
 * gateways. Some may have expired. Empty for most tasks.
 */
export function CallTree({ summary, isOpen }: CallTreeProps): JSX.Element | null {
  const { value: { tasks: found = [], missing = [] } = {} } = useRead(
    async (signal) => {
      const answer = await admin.call('FindTasks', { root: summary.root ?? '', gateways: true }, { signal });
      isOpen.value = [summary, ...(answer.tasks ?? [])].some(({ state }) => !isTerminal(state as TaskState));
      return answer;
    },
    { ...(isOpen.value !== false && { every: 2_000 }) },
  );
  const others = found.filter(({ key }) => key !== summary.key);
  if (others.length === 0 && missing.length === 0) return null;
  // Tasks of the list have their costs.
  const all = others.length < found.length ? found : [summary, ...found];
  const rows = treeOf(all);
  return (
    <>
      <Table
        label="Calls of agents"
        columns={columnsOf(rows)}
        rows={rows}
        rowKey={({ key }) => key}
        href={({ key, gateway }) => (gateway ? undefined : hrefOf('tasks', [key]))}
        selected={summary.key}
        maxHeight="13rem"
      />
      {missing.map((text) => (
        <p key={text} class="muted">
          <Text value={text} />
        </p>
      ))}
    </>
  );
}
