import type { JSX } from 'preact';
import type { AgentStatus } from '../../../gen/admin-v1/types.ts';
import { admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/poll.ts';
import { hrefOf } from '../../shell/route.ts';
import { Badge, type Column, Page, Table, Text } from '../../ui/index.ts';

const columns: readonly Column<AgentStatus>[] = [
  {
    id: 'name',
    title: 'Agent',
    cell: ({ name }) => <Text value={name} />,
    sort: ({ name }) => name,
    width: 'minmax(8rem, 1.2fr)',
  },
  {
    id: 'state',
    title: 'State',
    cell: ({ state = '' }) => <Badge state={state} />,
    sort: ({ state = '' }) => state,
    width: '8rem',
  },
  {
    id: 'title',
    title: 'Title',
    cell: ({ title = '' }) => <Text value={title} />,
    width: 'minmax(8rem, 2fr)',
    optional: true,
  },
];

export default function AgentsPage(): JSX.Element {
  const agents = useRead((signal) => admin.call('ListAgents', {}, { signal }), { every: 5_000 });
  return (
    <Page title="Agents" busy={agents.busy} error={agents.error} onRetry={agents.reload}>
      {agents.value && (
        <Table
          label="Agents"
          columns={columns}
          rows={agents.value.agents ?? []}
          rowKey={({ name }) => name}
          href={({ name }) => hrefOf('agents', [name])}
          empty="No agents are configured"
        />
      )}
    </Page>
  );
}
