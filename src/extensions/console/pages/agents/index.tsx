import './agents.css';
import type { JSX } from 'preact';
import { type AgentStatus, admin, type ListNumbersResponse } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { Alerts, firingIn } from '../../metrics/alerts.tsx';
import { charts, metricNames } from '../../metrics/charts.ts';
import { failingShare, figureColumns, NumbersLine, useNumbers } from '../../metrics/numbers.tsx';
import { readMetrics } from '../../metrics/read.ts';
import { hrefOf, route, setQuery } from '../../shell/router.ts';
import { Reasons } from '../../tasks/groups.tsx';
import { type Column, Field, Missing, Page, Table, Tagged, Text } from '../../ui/index.ts';
import { Agent } from './agent.tsx';
import { isEnabled, States } from './mode.tsx';
import { WaitingLine } from './waiting.tsx';

/** `#/agents`: all agents, trouble first. `#/agents/NAME`: one agent. */
export default function AgentsPage(): JSX.Element {
  const [name] = route.value.path;
  return name === undefined ? <Overview /> : <Agent key={name} name={name} />;
}

/** Names of the metrics that alerts are about. */
const alertMetrics = metricNames(charts.filter(({ alert }) => alert));

/** All agents, those in trouble first, and the reasons for failed tasks. */
function Overview(): JSX.Element {
  const list = useRead((signal) => admin.call('ListAgents', {}, { signal }), { every: 10_000 });
  const numbers = useNumbers('agent', 60);
  const metrics = useRead(
    (signal) => readMetrics({ names: alertMetrics, from: Date.now() - 3_600_000, steps: 60 }, signal),
    { every: 20_000 },
  );
  const { agents, missingReplicas } = list.value ?? {};
  const reload = (): void => {
    for (const one of [list, numbers, metrics]) one.reload();
  };
  return (
    <Page title="Agents" of={{ busy: list.busy, error: list.error ?? numbers.error ?? metrics.error, reload }}>
      <Missing replicas={missingReplicas ?? numbers.value?.missingReplicas} />
      <WaitingLine alerts={metrics.value && firingIn(metrics.value).length} />
      {metrics.value && <Alerts metrics={metrics.value} />}
      {agents && <AgentTable agents={agents} numbers={numbers.value} />}
      {numbers.value && <NumbersLine of={numbers.value} />}
      <Reasons filters={{ state: 'failed,rejected', after: '1h' }} when="in the last hour" />
    </Page>
  );
}

/** Ranks the trouble of an agent: unreachable ones come first, then those that fail, by the share of failures, then limited ones. */
function troubleOf(agent: AgentStatus, failing: number): number {
  const { state = 'ok', breaker = 'closed' } = agent;
  if (state === 'unreachable' || breaker === 'open') return 4 + failing;
  if (failing > 0) return 2 + failing;
  return isEnabled(agent) && state === 'ok' && breaker === 'closed' ? 0 : 1;
}

/** Returns the protocol of the gateway's calls to an upstream agent, or the kind of the agent. */
const speaks = ({ dialect, binding, kind }: AgentStatus): string =>
  dialect === undefined ? (kind ?? '') : binding === undefined ? dialect : `${dialect}, ${binding}`;

const columnsOf = (
  numbers: ListNumbersResponse | undefined,
  failing: (agent: AgentStatus) => number,
): readonly Column<AgentStatus>[] => [
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
  {
    title: 'State',
    sort: (agent) => troubleOf(agent, failing(agent)),
    cell: (agent) => <States agent={agent} failing={failing(agent)} />,
    width: '9.5rem',
  },
  ...figureColumns('agent', numbers, ({ name }: AgentStatus) => name),
  { title: 'Live tasks', field: 'liveTasks', as: 'count', width: '5.4rem' },
  { title: 'Protocol', cell: (one) => <Text value={speaks(one)} />, sort: speaks, width: 'minmax(7rem, 1fr)' },
];

interface AgentTableProps {
  readonly agents: readonly AgentStatus[];
  readonly numbers: ListNumbersResponse | undefined;
}

function AgentTable({ agents, numbers }: AgentTableProps): JSX.Element {
  const shares = new Map(numbers?.groups?.map((group) => [group.agent ?? '', failingShare(group.numbers)]));
  const failing = ({ name }: AgentStatus): number => shares.get(name) ?? 0;
  const rank = (agent: AgentStatus): number => troubleOf(agent, failing(agent));
  const search = route.value.query.get('q') ?? '';
  const searchFor = (q: string): void => setQuery({ q }, { replace: true });
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
          <Field label="Search agents" type="search" value={search} onInput={searchFor} />
        </div>
      )}
      <Table
        label="Agents"
        columns={columnsOf(numbers, failing)}
        rows={shown.toSorted((a, b) => rank(b) - rank(a))}
        rowKey={({ name }) => name}
        href={({ name }) => hrefOf('agents', [name])}
        empty={search === '' ? 'No agents are configured' : 'No agent matches the search'}
      />
    </>
  );
}
