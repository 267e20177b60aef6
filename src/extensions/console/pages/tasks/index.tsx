import '../../tasks/tasks.css';
import type { JSX, TargetedEvent } from 'preact';
import { useMemo } from 'preact/hooks';
import type { TaskSummary } from '../../../../gen/admin-v1/types.ts';
import { useOpened } from '../../gateway/hooks.ts';
import { hrefOf, route, setQuery } from '../../shell/router.ts';
import { addressOf, filtersOf, isFiltered, noFilters } from '../../tasks/filters.ts';
import { Elapsed, Id, LiveMark } from '../../tasks/marks.tsx';
import { TaskList } from '../../tasks/task-list.ts';
import { count } from '../../ui/format.ts';
import { Button, type Column, Empty, Page, Table, Text } from '../../ui/index.ts';
import { Conversation, RecentConversations } from './conversation.tsx';
import { FilePage } from './file.tsx';
import { Filters } from './filters.tsx';
import { TaskPage } from './task.tsx';

/** All tasks, one task, the tasks of one conversation as a tree, or the history of a task from a file. */
export default function TasksPage(): JSX.Element {
  const { path, query } = route.value;
  const [key] = path;
  if (key !== undefined) return <TaskPage key={key} taskKey={key} />;
  const [view, context] = [query.get('view'), query.get('context')];
  if (view === 'file') return <FilePage />;
  if (view === 'conversations') return <RecentConversations />;
  return context && view !== 'list' ? <Conversation key={context} contextId={context} /> : <TaskListPage />;
}

const columns: readonly Column<TaskSummary>[] = [
  { title: 'Task', cell: ({ id }) => <Id value={id} />, width: 'minmax(7.6rem, 1.4fr)' },
  { title: 'Agent', field: 'agent', width: 'minmax(4rem, 2fr)' },
  { title: 'State', field: 'state', as: 'state', width: 'minmax(8.8rem, 9.5rem)' },
  {
    title: 'Caller',
    cell: ({ principal = '', tenant }) => <Text value={tenant ? `${principal} (${tenant})` : principal} />,
    width: 'minmax(6rem, 2fr)',
  },
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
  { title: 'Duration', cell: (task) => <Elapsed task={task} />, width: '6rem', align: 'end' },
  { title: 'Changed', field: 'updatedAt', as: 'time', width: '6rem', align: 'end' },
];

/** The tasks of all callers, the latest change first, kept current. */
function TaskListPage(): JSX.Element {
  const { query } = route.value;
  const address = query.toString();
  const filters = useMemo(() => filtersOf(new URLSearchParams(address)), [address]);
  const [list, again] = useOpened(() => new TaskList(filters), address);

  const rows = list.rows.value;
  // Rows keep their places for who points at one, and for who has scrolled.
  const hold = ({ currentTarget: element }: TargetedEvent<HTMLElement>): void => {
    const top = element.querySelector('.table-box')?.scrollTop ?? 0;
    list.hold(top > 40 || element.matches(':hover'));
  };
  const toTop = (event: MouseEvent): void => {
    const box = (event.currentTarget as HTMLElement).closest('.page')?.querySelector('.table-box');
    list.hold(false);
    box?.scrollTo({ top: 0 });
  };
  return (
    <Page
      title="Tasks"
      beside={<LiveMark stream={list.stream} />}
      busy={list.busy.value}
      error={list.error.value}
      onRetry={again}
      actions={
        <>
          <a href="#/tasks?view=conversations">Conversations</a>
          <a href="#/tasks?view=file">Open a history file</a>
        </>
      }
    >
      <Filters filters={filters} />
      <div onScrollCapture={hold} onPointerEnter={hold} onPointerLeave={hold} class="task-list">
        <div class="list-line" role="status">
          <span class="muted">
            {rows.length === 0 && (list.busy.value || list.error.value !== undefined)
              ? list.busy.value && 'Reading tasks…'
              : `${count(rows.length)}${list.hasMore.value ? '+' : ''} ${rows.length === 1 ? 'task' : 'tasks'}`}
            {list.isLong.value && ', and the search is not at its end'}
            {list.isCut.value && '. Older ones are left out: filter by time to see them'}
          </span>
          {list.waiting.value > 0 && (
            <Button kind="quiet" onClick={toTop}>
              Show {count(list.waiting.value)} new
            </Button>
          )}
          {list.hasMore.value && list.isLong.value && (
            <Button kind="quiet" busy={list.busy.value} onClick={() => void list.more()}>
              Search on
            </Button>
          )}
        </div>
        {rows.length > 0 || (!list.busy.value && list.error.value === undefined) ? (
          <Table
            label="Tasks"
            columns={columns}
            rows={rows}
            rowKey={({ key }) => key}
            href={({ key }) => hrefOf('tasks', [key])}
            maxHeight="calc(100vh - 15rem)"
            onEnd={() => {
              // Neither after a failure nor in the middle of a long search: these go on when they are asked to.
              const isPaused = list.busy.peek() || list.isLong.peek() || list.error.peek() !== undefined;
              if (list.hasMore.peek() && !isPaused) void list.more();
            }}
            empty={
              isFiltered(filters) ? (
                <Empty title="No task passes these filters">
                  <Button onClick={() => setQuery(addressOf(noFilters))}>Remove all filters</Button>
                </Empty>
              ) : (
                <Empty title="No tasks yet">Tasks appear here as soon as a client sends a message to an agent.</Empty>
              )
            }
          />
        ) : null}
      </div>
    </Page>
  );
}
