import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import '../../tasks/tasks.css';
import type { TaskSummary } from '../../../../gen/admin-v1/types.ts';
import { admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/poll.ts';
import { hrefOf } from '../../shell/route.ts';
import { navigate, route } from '../../shell/router.ts';
import { Id } from '../../tasks/id.tsx';
import { Button, Empty, Time } from '../../ui/basic.tsx';
import { Field } from '../../ui/field.tsx';
import { count } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Text } from '../../ui/text.tsx';
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
  {
    id: 'context',
    title: 'Context',
    width: 'minmax(7.6rem, 1.4fr)',
    cell: ({ contextId }) => <Id value={contextId} />,
  },
  {
    id: 'agents',
    title: 'Agents',
    width: 'minmax(6rem, 2fr)',
    cell: ({ agents }) => <Text value={agents.join(', ')} />,
  },
  { id: 'tasks', title: 'Tasks', width: '4rem', align: 'end', cell: ({ tasks }) => count(tasks) },
  { id: 'changed', title: 'Changed', width: '6rem', align: 'end', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

/** One conversation, or the recent ones to choose from. */
export default function ContextPage(): JSX.Element {
  const [contextId] = route.value.path;
  return contextId === undefined ? <RecentContexts /> : <ConversationPage key={contextId} contextId={contextId} />;
}

function RecentContexts(): JSX.Element {
  const typed = useSignal('');
  const { value, error, busy, reload } = useRead(
    async (signal) => byContext((await admin.call('FindTasks', { pageSize: looked }, { signal })).tasks ?? []),
    { every: 5_000 },
  );
  return (
    <Page title="Context" busy={busy} error={error} onRetry={reload}>
      <form
        class="context-search"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.value.trim() !== '') navigate(hrefOf('context', [typed.value.trim()]));
        }}
      >
        <Field label="Context id" type="search" mono value={typed.value} onInput={(text) => (typed.value = text)} />
        <Button type="submit" disabled={typed.value.trim() === ''}>
          Show
        </Button>
      </form>
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
