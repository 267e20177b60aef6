import type { JSX } from 'preact';
import type { TaskState } from '../../../core/model/a2a.ts';
import type { TaskGroup } from '../../../gen/admin-v1/types.ts';
import { hrefOf } from '../shell/router.ts';
import { count } from '../ui/format.ts';
import { type Column, Table, Time } from '../ui/index.ts';
import { type TaskFilters, wordsOf } from './filters.ts';
import { Line } from './marks.tsx';

/** The tasks of a group: the longest piece of its reason that has no id in it finds them. */
function tasksOf({ agent, state, reason = '' }: TaskGroup, filters: TaskFilters): string {
  const [text = ''] = reason.split('…').sort((one, other) => other.length - one.length);
  const found = text.trim() || filters.text;
  return hrefOf('tasks', [], {
    ...filters,
    agent,
    state: wordsOf([state as TaskState]),
    ...(found && { text: found }),
  });
}

const groupColumns: readonly Column<TaskGroup>[] = [
  { title: 'Tasks', field: 'count', cell: ({ count: tasks = 0 }) => `${count(tasks)} ×`, width: '5rem', align: 'end' },
  {
    title: 'Reason',
    field: 'reason',
    cell: ({ reason }) => (reason ? <Line value={reason} /> : <span class="muted">no reason</span>),
    width: 'minmax(14rem, 5fr)',
  },
  { title: 'State', field: 'state', as: 'state', width: '8.8rem' },
  { title: 'Agent', field: 'agent', width: 'minmax(6rem, 1fr)' },
  {
    title: 'Latest',
    field: 'latestAt',
    cell: ({ latestKey = '', latestAt }) => (
      <a href={hrefOf('tasks', [latestKey])}>
        <Time at={latestAt} />
      </a>
    ),
    width: '7rem',
  },
];

/** Groups of tasks that end for the same reason: each leads to its tasks among those that pass the filters. */
export const ReasonTable = (props: {
  readonly groups: readonly TaskGroup[];
  readonly filters: TaskFilters;
}): JSX.Element => (
  <Table
    label="Reasons"
    columns={groupColumns}
    rows={props.groups}
    rowKey={({ agent, state, reason = '' }) => JSON.stringify([agent, state, reason])}
    href={(group) => tasksOf(group, props.filters)}
    empty="No task passes these filters"
  />
);
