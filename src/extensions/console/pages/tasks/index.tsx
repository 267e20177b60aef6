import '../../tasks/tasks.css';
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { stateWord } from '../../../../core/model/lifecycle.ts';
import type { TaskSummary } from '../../gateway/admin.ts';
import { useOpened } from '../../gateway/hooks.ts';
import { hrefOf, route, setQuery } from '../../shell/router.ts';
import { FilterForm, type Toggle } from '../../tasks/filter-fields.tsx';
import { filtersOf, type TaskFilters, taskFilters, taskStates } from '../../tasks/filters.ts';
import { GroupTable, Reasons, useGroups } from '../../tasks/groups.tsx';
import { taskList } from '../../tasks/live-list.ts';
import { LiveTable } from '../../tasks/live-table.tsx';
import { Id, Line, LiveMark, wordsOfTasks } from '../../tasks/marks.tsx';
import { count, words } from '../../ui/format.ts';
import { Button, type Column, Empty, Page, type PageProps, Tabs } from '../../ui/index.ts';
import { useMany } from './many.tsx';
import { TaskPage } from './task.tsx';

/** All tasks, one task, or all conversations. */
export default function TasksPage(): JSX.Element {
  const { path, query } = route.value;
  const [key] = path;
  if (key !== undefined) return <TaskPage key={key} taskKey={key} />;
  return query.get('view') === 'conversations' ? <Conversations /> : <TaskList />;
}

/** Returns the filters in the address: the same object until they change. */
function useFilters() {
  const address = JSON.stringify(filtersOf(taskFilters, route.value.query));
  return useMemo(() => ({ address, filters: JSON.parse(address) as TaskFilters }), [address]);
}

const views = { list: 'Tasks', conversations: 'Conversations' } as const;

const toggles = taskStates.map((state): Toggle => ['state', stateWord(state), words(state)]);

/** The frame of a view of the tasks that pass the filters. */
function View({
  view,
  children,
  ...page
}: Omit<PageProps, 'title'> & { readonly view: keyof typeof views }): JSX.Element {
  const { filters } = useFilters();
  const tabs = Object.entries(views).map(([id, title]) => {
    return { id, title, href: hrefOf('tasks', [], { ...filters, view: id }) };
  });
  return (
    <Page {...page} title={views[view]}>
      <Tabs label="Views of the tasks" tabs={tabs} selected={view} />
      <FilterForm of="tasks" table={taskFilters} toggles={toggles} />
      {children}
    </Page>
  );
}

const columns: readonly Column<TaskSummary>[] = [
  { title: 'Task', cell: ({ id }) => <Id value={id} />, width: '9rem' },
  ...wordsOfTasks.slice(0, 3),
  { title: 'Agent', field: 'agent', cell: ({ agent }) => <Line value={agent} />, width: '5.6rem' },
  ...wordsOfTasks.slice(3),
  {
    title: 'Context',
    cell: ({ contextId }) =>
      contextId && (
        <a href={hrefOf('tasks', [], { context: contextId })}>
          <Id value={contextId} />
        </a>
      ),
    width: '8.4rem',
  },
  { title: 'Events', field: 'lastPosition', as: 'count', width: '4.4rem' },
];

/** The tasks of all callers, the latest change first: kept current. */
function TaskList(): JSX.Element {
  const { address, filters } = useFilters();
  const [list, read] = useOpened(() => taskList(filters), address);
  const picked = useMemo(() => signal<ReadonlyMap<string, TaskSummary>>(new Map()), [address]);
  const { buttons, said } = useMany(list, picked, filters);
  const byReason = route.value.query.get('view') === 'reasons';
  const showReasons = (wanted: boolean): void => setQuery({ view: wanted ? 'reasons' : undefined }, { replace: true });
  return (
    <View view="list" beside={<LiveMark stream={list.stream} />} of={read}>
      {said}
      <details
        open={byReason}
        onToggle={({ currentTarget }) => currentTarget.open !== byReason && showReasons(!byReason)}
      >
        <summary>By reason</summary>
        {byReason && <Reasons filters={filters} />}
      </details>
      <LiveTable
        list={list}
        filters={taskFilters}
        picked={picked}
        what="task"
        columns={columns}
        href={({ key }) => hrefOf('tasks', [key])}
        empty={<Empty title="No tasks yet">Tasks appear here as soon as a client sends a message to an agent.</Empty>}
      >
        {buttons}
      </LiveTable>
    </View>
  );
}

/** Tasks by conversation, page by page. */
function Conversations(): JSX.Element {
  const { address, filters } = useFilters();
  const token = useMemo(() => signal(''), [address]);
  const page = { by: 'TASK_GROUPING_CONTEXT', pageToken: token.value } as const;
  const read = useGroups(filters, page);
  const { value, stream } = read;
  const { groups = [], tasks = 0, complete, nextPageToken = '' } = value ?? {};
  return (
    <View view="conversations" beside={<LiveMark stream={stream} />} of={read}>
      <div class="list-line" role="status">
        {value && (
          <span class="muted">
            {`${count(groups.length)} conversation${groups.length === 1 ? '' : 's'} of `}
            {count(tasks)} {tasks === 1 ? 'task' : 'tasks'}
            {!complete && !token.value && ' that changed last'}
          </span>
        )}
        {token.value && <Button onClick={() => (token.value = '')}>Latest</Button>}
        {nextPageToken && <Button onClick={() => (token.value = nextPageToken)}>Older</Button>}
      </div>
      {value && <GroupTable groups={groups} filters={filters} byContext />}
    </View>
  );
}
