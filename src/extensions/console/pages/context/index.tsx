import type { JSX } from 'preact';
import '../../tasks/tasks.css';
import type { TaskSummary } from '../../../../gen/admin-v1/types.ts';
import { admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/poll.ts';
import { hrefOf } from '../../shell/route.ts';
import { navigate, route } from '../../shell/router.ts';
import { Id } from '../../tasks/marks.tsx';
import { type Column, Empty, Page, Table, Text, TextForm } from '../../ui/index.ts';
import { ConversationPage } from './conversation.tsx';

/** A conversation by the tasks of it that changed lately. */
interface RecentContext {
  readonly contextId: string;
  readonly agents: readonly string[];
  readonly tasks: number;
  readonly updatedAt: string;
}

/** Tasks among which recent conversations are looked for. */
const looked = 300;

const columns: readonly Column<RecentContext>[] = [
  { title: 'Context', cell: ({ contextId }) => <Id value={contextId} />, width: 'minmax(7.6rem, 1.4fr)' },
  { title: 'Agents', cell: ({ agents }) => <Text value={agents.join(', ')} />, width: 'minmax(6rem, 2fr)' },
  { title: 'Tasks', field: 'tasks', as: 'count', width: '4rem' },
  { title: 'Changed', field: 'updatedAt', as: 'time', width: '6rem', align: 'end' },
];

/** One conversation, or the recent ones to choose from. */
export default function ContextPage(): JSX.Element {
  const [contextId] = route.value.path;
  return contextId === undefined ? <RecentContexts /> : <ConversationPage key={contextId} contextId={contextId} />;
}

function RecentContexts(): JSX.Element {
  const { value, error, busy, reload } = useRead(
    async (signal) => byContext((await admin.call('FindTasks', { pageSize: looked }, { signal })).tasks ?? []),
    { every: 5_000 },
  );
  return (
    <Page title="Context" busy={busy} error={error} onRetry={reload}>
      <TextForm
        label="Context id"
        action="Show"
        mono
        onSubmit={(contextId) => navigate(hrefOf('context', [contextId]))}
      />
      {value && (
        <>
          <h2>Recent conversations</h2>
          <Table
            label="Recent conversations"
            columns={columns}
            rows={value}
            rowKey={({ contextId }) => contextId}
            href={({ contextId }) => hrefOf('context', [contextId])}
            empty={
              <Empty title="No conversations yet">They appear as soon as a client sends a message to an agent.</Empty>
            }
          />
        </>
      )}
    </Page>
  );
}

/** The conversations of some tasks, in the order of the tasks. */
function byContext(tasks: readonly TaskSummary[]): RecentContext[] {
  const contexts = new Map<string, RecentContext>();
  for (const { contextId = '', agent, updatedAt = '' } of tasks) {
    if (contextId === '') continue;
    const known = contexts.get(contextId) ?? { contextId, agents: [], tasks: 0, updatedAt };
    const agents = known.agents.includes(agent) ? known.agents : [...known.agents, agent];
    contexts.set(contextId, { ...known, agents, tasks: known.tasks + 1 });
  }
  return [...contexts.values()];
}
