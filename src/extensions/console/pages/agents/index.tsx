import './agents.css';
import type { JSX } from 'preact';
import { type AgentStatus, admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { Alerts, firingIn } from '../../metrics/alerts.tsx';
import { charts, metricNames } from '../../metrics/charts.ts';
import type { Metrics } from '../../metrics/lines.ts';
import { hrefOf, route, setQuery } from '../../shell/router.ts';
import { Reasons } from '../../tasks/groups.tsx';
import { type Column, Field, Missing, Page, Table, Tagged, Text } from '../../ui/index.ts';
import { figuresOf, useLastHour } from './activity.tsx';
import { Agent } from './agent.tsx';
import { isEnabled, States } from './mode.tsx';
import { WaitingLine } from './waiting.tsx';

/** `#/agents`: all agents, trouble first. `#/agents/NAME`: one agent. */
export default function AgentsPage(): JSX.Element {
  const [name] = route.value.path;
  return name === undefined ? <Overview /> : <Agent key={name} name={name} />;
}

/** All agents, those in trouble first, and the reasons for failed tasks. */
function Overview(): JSX.Element {
  const list = useRead((signal) => admin.call('ListAgents', {}, { signal }), { every: 10_000 });
  const metrics = useLastHour('', metricNames(charts.filter(({ alert }) => alert)));
  const { agents, missingReplicas } = list.value ?? {};
  return (
    <Page
      title="Agents"
      busy={list.busy}
      error={list.error ?? metrics.error}
      onRetry={() => {
        for (const { reload } of [list, metrics]) reload();
      }}
    >
      <Missing replicas={missingReplicas} />
      <WaitingLine alerts={metrics.value && firingIn(metrics.value).length} />
      {metrics.value && <Alerts metrics={metrics.value} />}
      {agents && <AgentTable agents={agents} metrics={metrics.value} />}
      <Reasons filters={{ state: 'failed,rejected', after: '1h' }} when="in the last hour" />
    </Page>
  );
}

/** Ranks the trouble of an agent: unreachable agents come before failing ones, and those before limited ones. */
function troubleOf(agent: AgentStatus): number {
  const { state = 'ok', breaker = 'closed', lastHour: { tasksFailed = 0, failedCalls = 0 } = {} } = agent;
  const failed = Math.min(tasksFailed + failedCalls, 1e6);
  if (state === 'unreachable' || breaker === 'open') return 4e6 + failed;
  if (failed > 0) return 2e6 + failed;
  return isEnabled(agent) && state === 'ok' && breaker === 'closed' ? 0 : 1e6;
}

/** Returns the protocol of the gateway's calls to an upstream agent, or the kind of the agent. */
const speaks = ({ dialect, binding, kind }: AgentStatus): string =>
  dialect === undefined ? (kind ?? '') : binding === undefined ? dialect : `${dialect}, ${binding}`;

const columnsOf = (metrics: Metrics | undefined): readonly Column<AgentStatus>[] => [
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
  { title: 'State', sort: troubleOf, cell: (agent) => <States agent={agent} />, width: '9.5rem' },
  ...figuresOf(metrics).map(({ title, value, cell }) => ({ title, sort: value, cell, width: '10rem' })),
  { title: 'Live', field: 'liveTasks', as: 'count', width: '3.6rem' },
  { title: 'Speaks', cell: (agent) => <Text value={speaks(agent)} />, sort: speaks, width: 'minmax(7rem, 1fr)' },
];

function AgentTable(props: { readonly agents: readonly AgentStatus[]; readonly metrics: Metrics | undefined }) {
  const { agents, metrics } = props;
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
        columns={columnsOf(metrics)}
        rows={shown.toSorted((a, b) => troubleOf(b) - troubleOf(a))}
        rowKey={({ name }) => name}
        href={({ name }) => hrefOf('agents', [name])}
        empty={search === '' ? 'No agents are configured' : 'No agent matches the search'}
      />
    </>
  );
}
