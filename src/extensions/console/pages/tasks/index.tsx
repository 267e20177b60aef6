import '../../tasks/tasks.css';
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { stateWord } from '../../../../core/model/lifecycle.ts';
import { admin, type GroupTasksRequest, type TaskSummary } from '../../gateway/admin.ts';
import { useOpened, useRead } from '../../gateway/hooks.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { FilterForm, type Toggle } from '../../tasks/filter-fields.tsx';
import { filtersOf, requestOf, type TaskFilters, taskFilters, taskStates } from '../../tasks/filters.ts';
import { taskList } from '../../tasks/live-list.ts';
import { LiveTable } from '../../tasks/live-table.tsx';
import { Id, Line, LiveMark, wordsOfTasks } from '../../tasks/marks.tsx';
import { ReasonTable } from '../../tasks/reasons.tsx';
import { count, words } from '../../ui/format.ts';
import { type Column, Empty, Page, type PageProps, Tabs } from '../../ui/index.ts';
import { Conversation } from './conversation.tsx';
import { FilePage } from './file.tsx';
import { useMany } from './many.tsx';
import { TaskPage } from './task.tsx';

/** All tasks, one task, the tasks of one conversation as a tree, or the history of a task from a file. */
export default function TasksPage(): JSX.Element {
  const { path, query } = route.value;
  const [key] = path;
  if (key !== undefined) return <TaskPage key={key} taskKey={key} />;
  const [view, context] = [query.get('view'), query.get('context')];
  if (view === 'file') return <FilePage />;
  if (view === 'reasons') return <Reasons />;
  return context && !view ? <Conversation key={context} contextId={context} /> : <TaskLists view={view ?? 'list'} />;
}

/** The filters in the address: the same object until they change. */
function useFilters() {
  const address = JSON.stringify(filtersOf(taskFilters, route.value.query));
  return useMemo(() => ({ address, filters: JSON.parse(address) as TaskFilters }), [address]);
}

const views = { list: 'Tasks', reasons: 'By reason', conversations: 'Conversations' } as const;

const toggles = taskStates.map((state): Toggle => ['state', stateWord(state), words(state)]);

/** A view of the tasks that pass the filters, which all views have. */
function View({ view, children, ...page }: Omit<PageProps, 'title'> & { readonly view: string }): JSX.Element {
  const { filters } = useFilters();
  const tabs = Object.entries(views).map(([id, title]) => {
    // A context without a view would be its conversation.
    const named = id === 'list' && filters.context === undefined ? undefined : id;
    return { id, title, href: hrefOf('tasks', [], { ...filters, view: named }) };
  });
  return (
    <Page {...page} title={view === 'reasons' ? 'Tasks by reason' : (views[view as keyof typeof views] ?? 'Tasks')}>
      <Tabs label="Views of the tasks" tabs={tabs} selected={view} />
      <FilterForm of="tasks" table={taskFilters} filters={filters} toggles={toggles} />
      {children}
    </Page>
  );
}

const columns: readonly Column<TaskSummary>[] = [
  { title: 'Task', cell: ({ id }) => <Id value={id} />, width: '9.4rem' },
  ...wordsOfTasks.slice(0, 3),
  { title: 'Agent', cell: ({ agent }) => <Line value={agent} />, width: '6rem' },
  ...wordsOfTasks.slice(3),
  {
    title: 'Context',
    cell: ({ contextId }) =>
      contextId && (
        <a href={hrefOf('tasks', [], { context: contextId })}>
          <Id value={contextId} />
        </a>
      ),
    width: '9rem',
  },
  { title: 'Events', field: 'lastPosition', as: 'count', width: '5rem' },
];

/** The tasks of all callers, the latest change first, or their conversations: kept current. */
function TaskLists({ view }: { readonly view: string }): JSX.Element {
  const { address, filters } = useFilters();
  const [list, again] = useOpened(() => taskList(filters), address);
  const picked = useMemo(() => signal<ReadonlyMap<string, TaskSummary>>(new Map()), [address]);
  const { buttons, said } = useMany(list, picked);
  const rows = list.rows.value;
  const shared = { list, filters: taskFilters };
  return (
    <View
      view={view}
      beside={<LiveMark stream={list.stream} />}
      busy={list.busy.value}
      error={list.error.value}
      onRetry={again}
      actions={<a href="#/tasks?view=file">Open a history file</a>}
    >
      {said}
      {view === 'conversations' ? (
        <LiveTable
          {...shared}
          rows={byContext(rows)}
          what="conversation"
          columns={contextColumns}
          href={({ key }) => hrefOf('tasks', [], { context: key })}
          empty={<Empty title="No conversations">They appear as soon as a client sends a message to an agent.</Empty>}
        >
          {list.hasMore.value && <span class="muted">of the {count(rows.length)} tasks that changed last</span>}
        </LiveTable>
      ) : (
        <LiveTable
          {...shared}
          rows={rows}
          picked={picked}
          what="task"
          columns={columns}
          href={({ key }) => hrefOf('tasks', [key])}
          empty={<Empty title="No tasks yet">Tasks appear here as soon as a client sends a message to an agent.</Empty>}
        >
          {buttons}
        </LiveTable>
      )}
    </View>
  );
}

/** Milliseconds between reads: the gateway looks at up to 10,000 tasks for one. */
const pace = 20_000;

/** Tasks by agent, state and reason: which of them end for the same reason. */
function Reasons(): JSX.Element {
  const { address, filters } = useFilters();
  const { value, error, busy, reload } = useRead(
    (signal) => admin.call('GroupTasks', requestOf<GroupTasksRequest>(taskFilters, filters, Date.now()), { signal }),
    { key: address, every: pace },
  );
  return (
    <View view="reasons" up={{ href: '#/tasks', title: 'Tasks' }} busy={busy} error={error} onRetry={reload}>
      {value && (
        <>
          <p class="muted" role="status">
            {value.complete ? '' : 'The '}
            {count(value.tasks ?? 0)} tasks{value.complete ? '' : ' that changed last'}, by agent, state and reason. Ids
            and long numbers in reasons are left out.
          </p>
          <ReasonTable groups={value.groups ?? []} filters={filters} />
        </>
      )}
    </View>
  );
}

const contextColumns: readonly Column<ReturnType<typeof byContext>[number]>[] = [
  { title: 'Context', cell: ({ key }) => <Id value={key} />, width: '7.6rem' },
  { title: 'Asked last', cell: ({ asked }) => <Line value={asked} />, width: 'minmax(9rem, 3fr)' },
  { title: 'Agents', field: 'agents', width: 'minmax(6rem, 2fr)' },
  { title: 'Callers', field: 'callers', width: 'minmax(6rem, 2fr)' },
  { title: 'Tasks', field: 'tasks', as: 'count', width: '4rem' },
  { title: 'Changed', field: 'updatedAt', as: 'time', width: '6rem', align: 'end' },
];

/** The conversations of some tasks, in the order of the tasks. */
function byContext(tasks: readonly TaskSummary[]) {
  const named = (values: readonly (string | undefined)[]) => [...new Set(values)].filter(Boolean).join(', ');
  const contexts = Map.groupBy(tasks, ({ contextId = '' }) => contextId);
  contexts.delete('');
  return Array.from(contexts, ([key, list]) => ({
    key,
    asked: list[0]?.preview ?? '',
    agents: named(list.map(({ agent }) => agent)),
    callers: named(list.map(({ principal }) => principal)),
    tasks: list.length,
    updatedAt: list[0]?.updatedAt ?? '',
  }));
}
