import './agents.css';
import type { JSX } from 'preact';
import { type AgentStatus, admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { hrefOf, route, setQuery } from '../../shell/router.ts';
import { duration } from '../../ui/format.ts';
import { type Column, Failed, Field, Page, Table, Tagged, Text } from '../../ui/index.ts';
import { Agent } from './agent.tsx';
import { States } from './mode.tsx';

/** `#/agents`: all agents. `#/agents/NAME`: one agent. */
export default function AgentsPage(): JSX.Element {
  const [name] = route.value.path;
  return name === undefined ? <Overview /> : <Agent key={name} name={name} />;
}

/** Milliseconds between reads. */
const pace = 5_000;

/** All agents. */
function Overview(): JSX.Element {
  const { value, busy, error, reload } = useRead((signal) => admin.call('ListAgents', {}, { signal }), { every: pace });
  const agents = value?.agents ?? [];
  return (
    <Page title="Agents" busy={busy} error={error} onRetry={reload}>
      {value && <AgentTable agents={agents} />}
    </Page>
  );
}

/** Agents without calls come before all others. */
const latency = (title: string, field: 'latencyMedianMs' | 'latencyP95Ms'): Column<AgentStatus> => ({
  title,
  cell: ({ [field]: value }) => (value === undefined ? '–' : duration(value)),
  sort: ({ [field]: value = -1 }) => value,
  width: '5rem',
  align: 'end',
});

/** What the gateway speaks to an upstream agent, or what kind of agent it is. */
const speaks = ({ dialect, binding, kind }: AgentStatus): string =>
  dialect === undefined ? (kind ?? '') : binding === undefined ? dialect : `${dialect}, ${binding}`;

const columns: readonly Column<AgentStatus>[] = [
  {
    title: 'Agent',
    field: 'name',
    cell: ({ name, isDefault = false }) => (
      <Tagged tag={isDefault && 'default'}>
        <Text value={name} />
      </Tagged>
    ),
    width: 'minmax(7rem, 1.4fr)',
  },
  { title: 'Title', field: 'title', width: 'minmax(8rem, 1.4fr)' },
  { title: 'State', field: 'state', cell: (agent) => <States agent={agent} />, width: '9.5rem' },
  { title: 'Speaks', cell: (agent) => <Text value={speaks(agent)} />, sort: speaks, width: '9rem' },
  { title: 'Calls', field: 'calls', as: 'count', width: '4.2rem' },
  {
    title: 'Failed',
    field: 'failedCalls',
    as: 'count',
    cell: ({ failedCalls, name }) => <Failed calls={failedCalls} of={{ agent: name }} />,
    width: '4.2rem',
  },
  latency('Median', 'latencyMedianMs'),
  latency('95 %', 'latencyP95Ms'),
  { title: 'Live', field: 'liveTasks', as: 'count', width: '3.6rem' },
  { title: 'Card read', field: 'cardReadAt', as: 'time', width: '6rem', align: 'end' },
];

function AgentTable({ agents }: { readonly agents: readonly AgentStatus[] }): JSX.Element {
  const search = route.value.query.get('q') ?? '';
  const wanted = search.toLowerCase();
  const shown = agents.filter((agent) =>
    [agent.name, agent.title, agent.description, agent.url, speaks(agent)].some((text) =>
      text?.toLowerCase().includes(wanted),
    ),
  );
  return (
    <>
      {agents.length > 7 && (
        <div class="filters">
          <Field
            label="Search agents"
            hideLabel
            placeholder="Search agents"
            type="search"
            value={search}
            onInput={(q) => setQuery({ q }, { replace: true })}
          />
        </div>
      )}
      <Table
        label="Agents"
        columns={columns}
        rows={shown}
        rowKey={({ name }) => name}
        href={({ name }) => hrefOf('agents', [name])}
        empty={search === '' ? 'No agents are configured' : 'No agent matches the search'}
      />
    </>
  );
}
