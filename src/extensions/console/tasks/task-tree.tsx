import type { JSX } from 'preact';
import type { TaskState } from '../../../core/model/a2a.ts';
import { isInterrupted, isResting } from '../../../core/model/lifecycle.ts';
import type { TaskSummary } from '../../../gen/admin-v1/types.ts';
import { hrefOf } from '../shell/router.ts';
import { type Column, now, severityOf, Table, Text } from '../ui/index.ts';
import { wordsOfTasks } from './columns.tsx';
import { type ContextNode, type Relation, rowsOf } from './context-tree.ts';
import { spanOf } from './describe.ts';
import { Id, TraceLink } from './marks.tsx';

const relations: Readonly<Record<Relation, string>> = {
  upstream: 'opened by the agent above',
  reference: 'refers to the task above',
  trace: 'in the trace of the task above',
};

interface TreeRow extends TaskSummary {
  readonly level: number;
  readonly relation?: Relation | undefined;
  readonly traceId: string;
}

/** Tasks that led to one another, each below the one that it belongs to, with their course over time. */
export function TaskTree(props: {
  readonly label: string;
  readonly nodes: readonly ContextNode[];
  /** Key of the task that the page is about. */
  readonly selected?: string;
  readonly maxHeight?: string;
}): JSX.Element {
  const { nodes, ...table } = props;
  const rows = rowsOf(nodes).map(
    ({ level, node: { summary, relation, traceId } }): TreeRow => ({ ...summary, level, relation, traceId }),
  );
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
  const columns: readonly Column<TreeRow>[] = [
    {
      title: 'Task',
      cell: ({ level, agent, id }) => (
        <span class="tree-task" style={{ '--level': Math.min(level - 1, 8) }}>
          <Text value={agent} max={60} /> <Id value={id} />
        </span>
      ),
      width: '13rem',
    },
    ...wordsOfTasks.slice(0, 3),
    {
      title: 'Waits',
      cell: ({ state, agent }) =>
        isInterrupted(state as TaskState) && <a href={hrefOf('inbox', [], { agent })}>Answer</a>,
      width: '3.6rem',
    },
    { title: 'Course', cell: course, width: 'minmax(5rem, 5fr)' },
    ...wordsOfTasks.slice(3),
    { title: 'Why here', cell: ({ relation }) => (relation ? relations[relation] : ''), width: '13rem' },
    { title: 'Trace', cell: ({ traceId }) => traceId && <TraceLink traceId={traceId} />, width: '9rem' },
  ];
  return (
    <Table
      {...table}
      columns={columns}
      rows={rows}
      rowKey={({ key }) => key}
      href={({ key }) => hrefOf('tasks', [key])}
    />
  );
}
