import type { JSX } from 'preact';
import { admin } from '../../gateway/admin.ts';
import { type Read, useRead } from '../../gateway/poll.ts';
import type { AgentStatus } from '../../gateway/types.ts';
import { hrefOf } from '../../shell/route.ts';
import { route, setQuery } from '../../shell/router.ts';
import { count, duration } from '../../ui/format.ts';
import { type Column, Field, Page, Table, Tabs, Text, Time } from '../../ui/index.ts';
import { Callers } from './callers.tsx';
import { Configuration } from './configuration.tsx';
import { Losses } from './losses.tsx';
import { isEnabled } from './mode.tsx';
import { Replicas } from './replicas.tsx';
import { States } from './states.tsx';

/** Milliseconds between reads. */
const pace = 5_000;

const views = ['agents', 'callers', 'replicas', 'losses', 'configuration'] as const;
const titles = {
  agents: 'Agents',
  callers: 'Callers',
  replicas: 'Replicas',
  losses: 'Losses',
  configuration: 'Configuration',
} as const;

/** All agents, and what an operator wants to know first of the gateway. */
export function Overview(): JSX.Element {
  const agents = useRead((signal) => admin.call('ListAgents', {}, { signal }), { every: pace });
  const replicas = useRead((signal) => admin.call('ListReplicas', {}, { signal }), { every: 2 * pace });
  const callers = useRead((signal) => admin.call('ListCallers', {}, { signal }), { every: 2 * pace });
  const losses = useRead((signal) => admin.call('ListLosses', {}, { signal }), { every: 2 * pace });
  const wanted = route.value.query.get('view');
  const view = views.find((one) => one === wanted) ?? 'agents';
  const listed = agents.value?.agents ?? [];
  return (
    <Page title="Agents" busy={agents.busy} error={agents.error} onRetry={agents.reload}>
      {agents.value && (
        <>
          <Strip
            agents={listed}
            facts={[
              {
                view: 'replicas',
                title: 'Replicas',
                ...figures(replicas, ({ replicas: all = [] }) => {
                  const dead = all.filter(({ alive }) => !alive).length;
                  return {
                    value: count(all.length - dead),
                    note: dead === 0 ? 'alive' : `${dead} dead`,
                    bad: dead > 0,
                  };
                }),
              },
              {
                view: 'callers',
                title: 'Callers',
                ...figures(callers, ({ callers: all = [] }) => {
                  const active = all.filter(({ calls = 0 }) => calls > 0).length;
                  return { value: count(active), note: `of ${count(all.length)} known` };
                }),
              },
              {
                view: 'losses',
                title: 'Losses',
                ...figures(losses, ({ losses: all = [] }) => ({
                  value: count(all.reduce((sum, { count = 0 }) => sum + count, 0)),
                  note: all.length === 0 ? 'no field dropped' : `in ${count(all.length)} fields`,
                })),
              },
            ]}
          />
          <Tabs
            label="Views"
            selected={view}
            tabs={views.map((id) => ({
              id,
              title: titles[id],
              href: hrefOf('agents', [], { view: id === 'agents' ? undefined : id }),
            }))}
          />
          {view === 'agents' && <AgentTable agents={listed} />}
          {view === 'callers' && <Callers read={callers} />}
          {view === 'replicas' && <Replicas read={replicas} />}
          {view === 'losses' && <Losses read={losses} />}
          {view === 'configuration' && <Configuration />}
        </>
      )}
    </Page>
  );
}

interface Figures {
  readonly value: string;
  readonly note: string;
  readonly bad?: boolean;
}

/** What the strip says of a list; a dash while it is not known. */
function figures<T>({ value }: Read<T>, of: (value: T) => Figures): Figures {
  return value === undefined ? { value: '–', note: '' } : of(value);
}

interface Fact extends Figures {
  readonly view: string;
  readonly title: string;
}

function Strip({
  agents,
  facts,
}: {
  readonly agents: readonly AgentStatus[];
  readonly facts: readonly Fact[];
}): JSX.Element {
  const unreachable = agents.filter(({ state }) => state === 'unreachable').length;
  const limited = agents.filter((agent) => !isEnabled(agent)).length;
  const calls = agents.reduce((sum, { calls = 0 }) => sum + calls, 0);
  const failed = agents.reduce((sum, { failedCalls = 0 }) => sum + failedCalls, 0);
  const live = agents.reduce((sum, { liveTasks = 0 }) => sum + liveTasks, 0);
  const troubles = [unreachable > 0 && `${unreachable} unreachable`, limited > 0 && `${limited} limited`].filter(
    Boolean,
  );
  return (
    <dl class="strip">
      <Figure
        title="Agents"
        value={count(agents.length)}
        note={troubles.join(', ') || 'all reachable'}
        bad={unreachable > 0}
      />
      <Figure
        title="Calls"
        value={count(calls)}
        note={failed === 0 ? 'none failed' : `${count(failed)} failed`}
        bad={failed > 0 && failed > calls / 20}
      />
      <Figure title="Live tasks" value={count(live)} note="at this replica" href={hrefOf('tasks')} />
      {facts.map(({ view, ...fact }) => (
        <Figure key={view} {...fact} href={hrefOf('agents', [], { view })} />
      ))}
    </dl>
  );
}

interface FigureProps extends Figures {
  readonly title: string;
  readonly href?: string;
}

const Figure = ({ title, value, note, bad = false, href }: FigureProps): JSX.Element => (
  <div class="figure">
    <dt>{href ? <a href={href}>{title}</a> : title}</dt>
    <dd class="figure-value">{value}</dd>
    <dd class={bad ? 'figure-note bad' : 'figure-note'}>{note}</dd>
  </div>
);

const milliseconds = (value: number | undefined): string => (value === undefined ? '–' : duration(value));

/** What the gateway speaks to an upstream agent, or what kind of agent it is. */
const speaks = ({ dialect, binding, kind }: AgentStatus): string =>
  dialect === undefined ? (kind ?? '') : binding === undefined ? dialect : `${dialect}, ${binding}`;

const columns: readonly Column<AgentStatus>[] = [
  {
    id: 'name',
    title: 'Agent',
    cell: ({ name, isDefault }) => (
      <>
        <Text value={name} />
        {isDefault && <span class="tag">default</span>}
      </>
    ),
    sort: ({ name }) => name,
    width: 'minmax(7rem, 1.4fr)',
  },
  {
    id: 'title',
    title: 'Title',
    cell: ({ title = '' }) => <Text value={title} max={120} />,
    sort: ({ title = '' }) => title,
    width: 'minmax(8rem, 1.4fr)',
    optional: true,
  },
  {
    id: 'state',
    title: 'State',
    cell: (agent) => <States agent={agent} />,
    sort: ({ state = '' }) => state,
    width: '9.5rem',
  },
  {
    id: 'speaks',
    title: 'Speaks',
    cell: (agent) => <Text value={speaks(agent)} />,
    sort: speaks,
    width: '9rem',
    optional: true,
  },
  {
    id: 'calls',
    title: 'Calls',
    cell: ({ calls = 0 }) => count(calls),
    sort: ({ calls = 0 }) => calls,
    width: '4.2rem',
    align: 'end',
  },
  {
    id: 'failed',
    title: 'Failed',
    cell: ({ failedCalls = 0 }) => <span class={failedCalls > 0 ? 'bad' : 'muted'}>{count(failedCalls)}</span>,
    sort: ({ failedCalls = 0 }) => failedCalls,
    width: '4.2rem',
    align: 'end',
    optional: true,
  },
  {
    id: 'median',
    title: 'Median',
    cell: ({ latencyMedianMs }) => milliseconds(latencyMedianMs),
    sort: ({ latencyMedianMs = -1 }) => latencyMedianMs,
    width: '5rem',
    align: 'end',
    optional: true,
  },
  {
    id: 'p95',
    title: '95 %',
    cell: ({ latencyP95Ms }) => milliseconds(latencyP95Ms),
    sort: ({ latencyP95Ms = -1 }) => latencyP95Ms,
    width: '5rem',
    align: 'end',
    optional: true,
  },
  {
    id: 'live',
    title: 'Live',
    cell: ({ liveTasks = 0 }) => count(liveTasks),
    sort: ({ liveTasks = 0 }) => liveTasks,
    width: '3.6rem',
    align: 'end',
    optional: true,
  },
  {
    id: 'card',
    title: 'Card read',
    cell: ({ cardReadAt }) => <Time at={cardReadAt} />,
    sort: ({ cardReadAt = '' }) => cardReadAt,
    width: '6rem',
    align: 'end',
    optional: true,
  },
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
