import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { admin, type TaskSummary } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { Line } from '../../tasks/columns.tsx';
import { addressOf, filtersOf, requestOf, type TaskFilters } from '../../tasks/filters.ts';
import { Id } from '../../tasks/marks.tsx';
import { ReasonTable } from '../../tasks/reasons.tsx';
import { count } from '../../ui/format.ts';
import { type Column, Empty, Page, Table, Tabs } from '../../ui/index.ts';
import { Filters } from './filters.tsx';

const views = { list: 'Tasks', reasons: 'By reason', conversations: 'Conversations' } as const;

/** The views of the tasks that pass the filters, and the filters, which all of them have. */
export function Views({ filters }: { readonly filters: TaskFilters }): JSX.Element {
  const selected = route.value.query.get('view') ?? 'list';
  const tabs = Object.entries(views).map(([id, title]) => {
    // A context without a view would be its conversation.
    const view = id === 'list' && filters.context === '' ? undefined : id;
    return { id, title, href: hrefOf('tasks', [], { ...addressOf(filters), view }) };
  });
  return (
    <>
      <Tabs label="Views of the tasks" tabs={tabs} selected={selected} />
      <Filters filters={filters} />
    </>
  );
}

/** Milliseconds between reads: the gateway looks at up to 10,000 tasks for one. */
const pace = 20_000;

/** A view that is made of what is read once and again, for the filters in the address. */
function View<T>(props: {
  readonly title: string;
  readonly read: (filters: TaskFilters, signal: AbortSignal) => Promise<T>;
  readonly children: (value: T, filters: TaskFilters) => JSX.Element;
}): JSX.Element {
  const { title, read, children } = props;
  const address = route.value.query.toString();
  const filters = useMemo(() => filtersOf(new URLSearchParams(address)), [address]);
  const key = JSON.stringify(filters);
  const { value, error, busy, reload } = useRead((signal) => read(filters, signal), { key, every: pace });
  return (
    <Page title={title} up={{ href: '#/tasks', title: 'Tasks' }} busy={busy} error={error} onRetry={reload}>
      <Views filters={filters} />
      {value && children(value, filters)}
    </Page>
  );
}

/** Tasks by agent, state and reason: which of them end for the same reason. */
export const Reasons = (): JSX.Element => (
  <View
    title="Tasks by reason"
    read={(filters, signal) => admin.call('GroupTasks', requestOf(filters, Date.now()), { signal })}
  >
    {({ groups = [], tasks = 0, complete }, filters) => (
      <>
        <p class="muted" role="status">
          {complete ? `${count(tasks)} tasks` : `The ${count(tasks)} tasks that changed last`}, by agent, state and
          reason. Ids and long numbers in reasons are left out.
        </p>
        <ReasonTable groups={groups} filters={filters} />
      </>
    )}
  </View>
);

/** A conversation by the tasks of it that changed lately. */
interface RecentContext {
  readonly contextId: string;
  readonly asked: string;
  readonly agents: string;
  readonly callers: string;
  readonly tasks: number;
  readonly updatedAt: string;
}

/** Tasks among which recent conversations are looked for: the most of one answer. */
const looked = 500;

const contextColumns: readonly Column<RecentContext>[] = [
  { title: 'Context', cell: ({ contextId }) => <Id value={contextId} />, width: '7.6rem' },
  { title: 'Asked last', cell: ({ asked }) => <Line value={asked} />, width: 'minmax(9rem, 3fr)' },
  { title: 'Agents', field: 'agents', width: 'minmax(6rem, 2fr)' },
  { title: 'Callers', field: 'callers', width: 'minmax(6rem, 2fr)' },
  { title: 'Tasks', field: 'tasks', as: 'count', width: '4rem' },
  { title: 'Changed', field: 'updatedAt', as: 'time', width: '6rem', align: 'end' },
];

/** The conversations of some tasks, in the order of the tasks. */
function byContext(tasks: readonly TaskSummary[]): RecentContext[] {
  const named = (values: readonly (string | undefined)[]) => [...new Set(values)].filter(Boolean).join(', ');
  return Array.from(
    Map.groupBy(tasks, ({ contextId = '' }) => contextId),
    ([contextId, list]) => ({
      contextId,
      asked: list[0]?.preview ?? '',
      agents: named(list.map(({ agent }) => agent)),
      callers: named(list.map(({ principal }) => principal)),
      tasks: list.length,
      updatedAt: list[0]?.updatedAt ?? '',
    }),
  ).filter(({ contextId }) => contextId !== '');
}

/** Conversations that changed lately, by their contexts. */
export const RecentConversations = (): JSX.Element => (
  <View
    title="Conversations"
    read={async (filters, signal) => {
      const request = { ...requestOf(filters, Date.now()), pageSize: looked };
      const { tasks = [], nextPageToken } = await admin.call('FindTasks', request, { signal });
      return { contexts: byContext(tasks), tasks: tasks.length, complete: !nextPageToken };
    }}
  >
    {({ contexts, tasks, complete }) => (
      <>
        <p class="muted" role="status">
          {complete
            ? 'Conversations, and how many tasks each has that pass the filters.'
            : `Those of the ${count(tasks)} tasks that changed last, and how many of these tasks they have.`}
        </p>
        <Table
          label="Recent conversations"
          columns={contextColumns}
          rows={contexts}
          rowKey={({ contextId }) => contextId}
          href={({ contextId }) => hrefOf('tasks', [], { context: contextId })}
          empty={<Empty title="No conversations">They appear as soon as a client sends a message to an agent.</Empty>}
        />
      </>
    )}
  </View>
);
