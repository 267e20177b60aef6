import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { TaskState } from '../../../core/model/a2a.ts';
import { isResting } from '../../../core/model/lifecycle.ts';
import { admin, type GroupTasksRequest, type TaskGroup, type TaskSummary } from '../gateway/admin.ts';
import { useRead } from '../gateway/hooks.ts';
import type { OpenStream } from '../gateway/live.ts';
import { Drawing } from '../metrics/drawing.tsx';
import { hrefOf } from '../shell/router.ts';
import { count } from '../ui/format.ts';
import { type Column, Failure, Table, Time } from '../ui/index.ts';
import { requestOf, type TaskFilters, taskFilters, taskStates, wordsOf } from './filters.ts';
import { Following } from './following.ts';
import { Id, Line } from './marks.tsx';

/** Shortest time between two reads, in milliseconds: the gateway examines up to 10,000 tasks for one. */
const pace = 5_000;

/** The states in which a task has a reason: it has ended, or waits. */
const states = taskStates.filter(isResting);

/**
 * Returns groups of the tasks that pass the filters, read again when tasks end or wait; conversations with every
 * change.
 */
export function useGroups(filters: TaskFilters, page: Pick<GroupTasksRequest, 'by' | 'pageToken'> = {}) {
  const request = () => ({ ...requestOf<GroupTasksRequest>(taskFilters, filters, Date.now()), ...page });
  const { by, agent, contextId } = request();
  const scope = { ...(agent && { agent }), ...(contextId && { contextId }), ...(!by && { states }) };
  const changes = useSignal(0);
  const stream = useMemo(() => {
    const change = (): void => {
      changes.value = changes.peek() + 1;
    };
    const open: OpenStream<TaskSummary, number> = (_, options) => admin.stream('WatchTasks', scope, options);
    const following = new Following({ open, next: () => 0, endless: true, onEvents: change });
    // Changes while the stream was not open are read as well.
    following.state.subscribe((state) => state === 'open' && change());
    return following;
  }, [JSON.stringify(scope)]);
  useEffect(() => {
    const closed = new AbortController();
    stream.start(closed.signal);
    return () => closed.abort();
  }, [stream]);
  const read = useRead((signal) => admin.call('GroupTasks', request(), { signal }), {
    every: pace,
    changes,
    key: JSON.stringify([filters, page]),
  });
  return { ...read, stream };
}

/** Returns the link to exactly the tasks of a group. Those without a reason are found by their agent and state. */
function tasksOf({ agent, state, reason = '', contextId }: TaskGroup, filters: TaskFilters): string {
  if (contextId) return hrefOf('tasks', [], { ...filters, context: contextId });
  return hrefOf('tasks', [], { ...filters, agent, state: wordsOf([state as TaskState]), reason });
}

/** The callers of a group's tasks, those with the most first. */
const callersOf = ({ topCallers = [], callers = 0 }: TaskGroup): string =>
  [
    ...topCallers.map(({ principal, count: tasks = 0 }) => `${principal || 'anonymous'} ${count(tasks)}`),
    ...(callers > topCallers.length ? [`${count(callers - topCallers.length)} more`] : []),
  ].join(', ');

/** @param top the most tasks of a group in one step: the upper edge of every line */
const reasonColumns = (top: number): readonly Column<TaskGroup>[] => [
  { title: 'Tasks', field: 'count', cell: ({ count: tasks = 0 }) => `${count(tasks)} ×`, width: '5rem', align: 'end' },
  {
    title: 'Reason',
    field: 'reason',
    cell: ({ reason }) => (reason ? <Line value={reason} /> : <span class="muted">no reason</span>),
    width: 'minmax(11rem, 5fr)',
  },
  { title: 'State', field: 'state', as: 'state', width: '8.8rem' },
  { title: 'Agent', field: 'agent', width: 'minmax(5rem, 1fr)' },
  {
    title: 'Callers',
    sort: ({ callers = 0 }) => callers,
    cell: (group) => <Line value={callersOf(group)} />,
    width: 'minmax(7rem, 2fr)',
  },
  {
    title: 'Over time',
    cell: ({ line = [] }) => line.length > 0 && <Drawing lines={[{ values: line }]} top={top} class="spark bad" />,
    width: '5rem',
  },
  { title: 'First', field: 'firstAt', as: 'time', width: '6.5rem' },
  {
    title: 'Latest',
    field: 'latestAt',
    cell: ({ latestKey = '', latestAt }) => (
      <a href={hrefOf('tasks', [latestKey])}>
        <Time at={latestAt} />
      </a>
    ),
    width: '6.5rem',
  },
];

const contextColumns: readonly Column<TaskGroup>[] = [
  { title: 'Context', cell: ({ contextId = '' }) => <Id value={contextId} />, width: '7.6rem' },
  { title: 'Last request', cell: ({ preview }) => <Line value={preview} />, width: 'minmax(9rem, 3fr)' },
  { title: 'Agents', cell: ({ agents = [] }) => <Line value={agents.join(', ')} />, width: 'minmax(6rem, 2fr)' },
  {
    title: 'Callers',
    cell: ({ principals = [] }) => <Line value={principals.join(', ')} />,
    width: 'minmax(6rem, 2fr)',
  },
  { title: 'Tasks', field: 'count', as: 'count', width: '4rem' },
  { title: 'Changed', field: 'latestAt', as: 'time', width: '6rem', align: 'end' },
];

/** Returns the most tasks of a group in one step. */
const topOf = (groups: readonly TaskGroup[]): number => Math.max(1, ...groups.flatMap(({ line = [] }) => line));

interface ReasonsProps {
  readonly filters: TaskFilters;
  /** The time of the filters, in words. */
  readonly when?: string;
}

/** Why the tasks that pass the filters have ended or wait: those of one agent with the same reason are one row. Absent if there are none. */
export function Reasons({ filters, when = '' }: ReasonsProps): JSX.Element | null {
  const { value: { groups = [], tasks = 0, complete = true } = {}, error, reload } = useGroups(filters);
  if (groups.length === 0 && error === undefined) return null;
  return (
    <section class="reasons" aria-label="Why tasks ended">
      <h2 class="section-title">
        Why tasks ended
        <span class="muted">
          {[count(tasks), tasks === 1 ? 'task' : 'tasks', when].filter(Boolean).join(' ')}
          {!complete && ' that changed last'}, one row for reasons that differ only in ids and numbers
        </span>
      </h2>
      <Failure error={error} onRetry={reload} />
      <GroupTable groups={groups} filters={filters} />
    </section>
  );
}

/** Tasks that end for the same reason, or conversations: each links to its tasks among those that pass the filters. */
export const GroupTable = (props: {
  readonly groups: readonly TaskGroup[];
  readonly filters: TaskFilters;
  readonly byContext?: boolean;
}): JSX.Element => (
  <Table
    label={props.byContext ? 'Conversations' : 'Reasons'}
    columns={props.byContext ? contextColumns : reasonColumns(topOf(props.groups))}
    rows={props.groups}
    rowKey={({ contextId, agent, state, reason = '' }) => contextId ?? JSON.stringify([agent, state, reason])}
    href={(group) => tasksOf(group, props.filters)}
    maxHeight={props.byContext ? 'calc(100vh - 15rem)' : '20rem'}
    orderName="order"
    empty="No task passes these filters"
  />
);
