import './agents.css';
import type { ComponentChildren, JSX } from 'preact';
import { type AgentStatus, admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { Alerts, alertMetrics } from '../../metrics/alerts.tsx';
import { type Metrics, sumAt } from '../../metrics/lines.ts';
import { readMetrics } from '../../metrics/read.ts';
import { hrefOf, route, setQuery } from '../../shell/router.ts';
import { noFilters } from '../../tasks/filters.ts';
import { ReasonTable } from '../../tasks/reasons.tsx';
import { count, duration } from '../../ui/format.ts';
import { type Column, Field, Missing, Page, Table, Tagged, Text } from '../../ui/index.ts';
import { Agent } from './agent.tsx';
import { isEnabled, States } from './mode.tsx';
import { Spark } from './spark.tsx';

/** `#/agents`: all agents, trouble first. `#/agents/NAME`: one agent. */
export default function AgentsPage(): JSX.Element {
  const [name] = route.value.path;
  return name === undefined ? <Overview /> : <Agent key={name} name={name} />;
}

/** Milliseconds between reads of states, and of the last hour. */
const [pace, slowPace] = [5_000, 20_000];
const hour = 3_600_000;

const [requests, ended, durations] = [
  'a2a_gateway_requests_total',
  'a2a_gateway_tasks_ended_total',
  'a2a_gateway_request_duration_seconds',
];

const shownMetrics = new Set([requests, ended, durations, ...alertMetrics]);

const failedStates = ['TASK_STATE_FAILED', 'TASK_STATE_REJECTED'] as const;

/** All agents, those in trouble first, and why their tasks failed. */
function Overview(): JSX.Element {
  const list = useRead((signal) => admin.call('ListAgents', {}, { signal }), { every: pace });
  const reasons = useRead(
    (signal) => {
      const changedAfter = new Date(Date.now() - hour).toISOString();
      return admin.call('GroupTasks', { states: [...failedStates], changedAfter }, { signal });
    },
    { every: slowPace },
  );
  const metrics = useRead(
    (signal) => readMetrics({ names: [...shownMetrics], from: Date.now() - hour, steps: 60 }, signal),
    { every: slowPace },
  );
  const { agents, missingReplicas } = list.value ?? {};
  const { groups = [], complete = true } = reasons.value ?? {};
  return (
    <Page
      title="Agents"
      busy={list.busy}
      error={list.error ?? reasons.error ?? metrics.error}
      onRetry={() => {
        for (const { reload } of [list, reasons, metrics]) reload();
      }}
    >
      <Missing replicas={missingReplicas} />
      {metrics.value && <Alerts metrics={metrics.value} />}
      {agents && <AgentTable agents={agents} metrics={metrics.value} />}
      {groups.length > 0 && (
        <section class="reasons" aria-label="Why tasks failed">
          <h2 class="section-title">
            Why tasks failed
            <span class="muted">in the last hour{!complete && ', of the tasks that changed last'}</span>
          </h2>
          <ReasonTable groups={groups.slice(0, 20)} filters={{ ...noFilters, after: '1h' }} />
        </section>
      )}
    </Page>
  );
}

/** How much is wrong with an agent: what cannot be called comes before what fails, and that before what is limited. */
function troubleOf(agent: AgentStatus): number {
  const { state = 'ok', breaker = 'closed', lastHour: { tasksFailed = 0, failedCalls = 0 } = {} } = agent;
  const failed = Math.min(tasksFailed + failedCalls, 1e6);
  if (state === 'unreachable' || breaker === 'open') return 4e6 + failed;
  if (failed > 0) return 2e6 + failed;
  return isEnabled(agent) && state === 'ok' && breaker === 'closed' ? 0 : 1e6;
}

/** The values of one agent in each minute of the last hour. Null: unknown. */
function valuesOf(
  metrics: Metrics | undefined,
  metric: string,
  agent: string,
  isWanted: (labels: Readonly<Record<string, string>>) => boolean,
): readonly (number | null)[] {
  const own = metrics?.series.filter(
    ({ name, labels = {} }) => name === metric && labels.agent === agent && isWanted(labels),
  );
  return metrics?.times.map((_, at) => sumAt(own ?? [], at)) ?? [];
}

/** A number that leads to what it counts, and how it was in the last hour. */
const Counted = (props: {
  readonly href: string;
  readonly bad: boolean;
  readonly values: readonly (number | null)[];
  readonly children: ComponentChildren;
}): JSX.Element => (
  <a href={props.href} class="trouble">
    <span class={props.bad ? 'bad' : 'muted'}>{props.children}</span>
    <Spark values={props.values} bad={props.bad} />
  </a>
);

/** Some of all. Nothing is said of agents that did nothing. */
const part = (some = 0, all = 0): string => (all === 0 ? '–' : `${count(some)} of ${count(all)}`);

/** What the gateway speaks to an upstream agent, or what kind of agent it is. */
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
  {
    title: 'Failed tasks',
    sort: ({ lastHour }) => lastHour?.tasksFailed ?? 0,
    cell: ({ name, lastHour: { tasksFailed = 0, tasksEnded } = {} }) => (
      <Counted
        href={hrefOf('tasks', [], { agent: name, state: 'failed,rejected', after: '1h' })}
        bad={tasksFailed > 0}
        values={valuesOf(metrics, ended, name, ({ state = '' }) => state === 'failed' || state === 'rejected')}
      >
        {part(tasksFailed, tasksEnded)}
      </Counted>
    ),
    width: '10.5rem',
  },
  {
    title: 'Failed calls',
    sort: ({ lastHour }) => lastHour?.failedCalls ?? 0,
    cell: ({ name, lastHour: { failedCalls = 0, calls } = {} }) => (
      <Counted
        href={hrefOf('calls', [], { agent: name, failed: 'true', after: '1h' })}
        bad={failedCalls > 0}
        values={valuesOf(metrics, requests, name, ({ result }) => result !== 'ok')}
      >
        {part(failedCalls, calls)}
      </Counted>
    ),
    width: '10.5rem',
  },
  {
    title: '95 %',
    sort: ({ lastHour }) => lastHour?.latencyP95Ms ?? -1,
    cell: ({ name, lastHour: { latencyP95Ms } = {} }) => (
      <Counted
        href={hrefOf('metrics', [], { agent: name })}
        bad={false}
        values={valuesOf(metrics, durations, name, ({ quantile }) => quantile === '0.95')}
      >
        {latencyP95Ms === undefined ? '–' : duration(latencyP95Ms)}
      </Counted>
    ),
    width: '9rem',
  },
  { title: 'Live', field: 'liveTasks', as: 'count', width: '3.6rem' },
  { title: 'Speaks', cell: (agent) => <Text value={speaks(agent)} />, sort: speaks, width: 'minmax(7rem, 1fr)' },
];

interface AgentTableProps {
  readonly agents: readonly AgentStatus[];
  readonly metrics: Metrics | undefined;
}

function AgentTable({ agents, metrics }: AgentTableProps): JSX.Element {
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
