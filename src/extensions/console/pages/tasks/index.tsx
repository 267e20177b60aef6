import '../../tasks/tasks.css';
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { TaskSummary } from '../../../../gen/admin-v1/types.ts';
import { useOpened } from '../../gateway/hooks.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { Line, wordsOfTasks } from '../../tasks/columns.tsx';
import { addressOf, filtersOf, isFiltered, noFilters } from '../../tasks/filters.ts';
import { LiveTable } from '../../tasks/live-table.tsx';
import { Id, LiveMark } from '../../tasks/marks.tsx';
import { TaskList } from '../../tasks/task-list.ts';
import { type Column, Empty, Page } from '../../ui/index.ts';
import { Conversation } from './conversation.tsx';
import { FilePage } from './file.tsx';
import { useMany } from './many.tsx';
import { TaskPage } from './task.tsx';
import { Reasons, RecentConversations, Views } from './views.tsx';

/** All tasks, one task, the tasks of one conversation as a tree, or the history of a task from a file. */
export default function TasksPage(): JSX.Element {
  const { path, query } = route.value;
  const [key] = path;
  if (key !== undefined) return <TaskPage key={key} taskKey={key} />;
  const [view, context] = [query.get('view'), query.get('context')];
  if (view === 'file') return <FilePage />;
  if (view === 'conversations') return <RecentConversations />;
  if (view === 'reasons') return <Reasons />;
  return context && view !== 'list' ? <Conversation key={context} contextId={context} /> : <TaskListPage />;
}

const columns: readonly Column<TaskSummary>[] = [
  { title: 'Task', cell: ({ id }) => <Id value={id} />, width: '9.4rem' },
  ...wordsOfTasks.slice(0, 3),
  { title: 'Agent', cell: ({ agent }) => <Line value={agent} />, width: '6rem' },
  ...wordsOfTasks.slice(3),
  {
    title: 'Context',
    cell: ({ contextId }) =>
      contextId ? (
        <a href={hrefOf('tasks', [], { context: contextId })}>
          <Id value={contextId} />
        </a>
      ) : null,
    width: '9rem',
  },
  { title: 'Events', field: 'lastPosition', as: 'count', width: '5rem' },
];

/** The tasks of all callers, the latest change first, kept current. */
function TaskListPage(): JSX.Element {
  const { query } = route.value;
  const address = query.toString();
  const filters = useMemo(() => filtersOf(new URLSearchParams(address)), [address]);
  const [list, again] = useOpened(() => new TaskList(filters), address);
  const picked = useMemo(() => signal<ReadonlyMap<string, TaskSummary>>(new Map()), [address]);
  const { buttons, said } = useMany(list, picked);
  return (
    <Page
      title="Tasks"
      beside={<LiveMark stream={list.stream} />}
      busy={list.busy.value}
      error={list.error.value}
      onRetry={again}
      actions={<a href="#/tasks?view=file">Open a history file</a>}
    >
      <Views filters={filters} />
      {said}
      <LiveTable
        list={list}
        picked={picked}
        what="task"
        columns={columns}
        href={({ key }) => hrefOf('tasks', [key])}
        noFilters={isFiltered(filters) ? addressOf(noFilters) : undefined}
        empty={<Empty title="No tasks yet">Tasks appear here as soon as a client sends a message to an agent.</Empty>}
      >
        {buttons}
      </LiveTable>
    </Page>
  );
}
