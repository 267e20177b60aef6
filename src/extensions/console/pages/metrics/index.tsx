import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { Alerts } from '../../metrics/alerts.tsx';
import { type Chart, type ChartGroup, groups, metricNames } from '../../metrics/charts.ts';
import { linesOf, type Metrics } from '../../metrics/lines.ts';
import { readMetrics } from '../../metrics/read.ts';
import { hrefOf, route, setQuery } from '../../shell/router.ts';
import { timeOf } from '../../tasks/filters.ts';
import { clock } from '../../ui/format.ts';
import { Missing, Page, Tabs, Text } from '../../ui/index.ts';
import { ChartPanel } from './chart.tsx';
import './metrics.css';

/** The ranges that end now, by their names in the address, with the milliseconds between two reads. */
const ranges = { '1h': 10_000, '6h': 30_000, '24h': 60_000 } as const;
const titles = { '1h': '1 hour', '6h': '6 hours', '24h': '24 hours' } as const;
const ids = Object.keys(ranges) as (keyof typeof ranges)[];

/** Number of points of a chart. */
const steps = 180;

/** `#/metrics`: charts of the last hour. `after` and `before` select another range, and `agent` one agent. */
export default function MetricsPage(): JSX.Element {
  const { query } = route.value;
  const agent = query.get('agent') ?? '';
  const before = query.get('before') ?? '';
  const after = timeOf(query.get('after') ?? '', 0) === undefined ? '1h' : (query.get('after') as string);
  const preset = before === '' ? ids.find((id) => id === after) : undefined;
  const cursor = useSignal<number | undefined>(undefined);
  const read = useRead(
    (signal) => {
      const until = timeOf(before, Date.now());
      const from = timeOf(after, until ?? Date.now()) ?? 0;
      return readMetrics({ names: metricNames(), agent, from, until, steps }, signal);
    },
    { key: `${after} ${before} ${agent}`, ...(before === '' && { every: ranges[preset ?? '24h'] }) },
  );
  const { value } = read;
  const chart = query.get('chart') ?? '';
  useEffect(() => {
    const panel = document.getElementById(chart);
    panel?.scrollIntoView({ block: 'center' });
    panel?.focus({ preventScroll: true });
  }, [chart, value === undefined]);
  const select = (from: number, until: number): void => {
    const [after, before] = [from, Math.max(until, from + 60)].map((time) => new Date(time * 1_000).toISOString());
    setQuery({ after, before });
  };
  return (
    <Page title="Metrics" of={read}>
      <Tabs
        label="Range"
        selected={preset ?? 'chosen'}
        tabs={[
          ...ids.map((id) => ({ id, title: titles[id], href: hrefOf('metrics', [], { agent, after: id }) })),
          ...(preset || !value ? [] : [{ id: 'chosen', title: spanOf(value), href: hrefOf('metrics', [], query) }]),
        ]}
      />
      {value && (
        <>
          <Missing replicas={value.missing} />
          {before === '' && agent === '' && <Alerts metrics={value} />}
          <p class="muted metrics-about">
            Values {agent && <Text value={`of the agent ${agent} and the whole gateway, `} max={120} />}
            of all replicas together, one for every {value.step} s. Drag across a chart to zoom in, and click a point of
            failures to list them. Dashed lines are the thresholds of <code>alerts.yml</code>. <Since />
          </p>
          {groups.map((group) => (
            <Group key={group.title} group={group} metrics={value} cursor={cursor} onSelect={select} />
          ))}
        </>
      )}
    </Page>
  );
}

/** The time since which all replicas have values, which they keep in memory. */
function Since(): JSX.Element {
  const { value } = useRead((signal) => admin.call('ListReplicas', {}, { signal }));
  const starts = (value?.replicas ?? []).map(({ startedAt = '' }) => startedAt).toSorted();
  const last = Date.parse(starts.at(-1) ?? '');
  return <>{last > 0 && `Replicas keep them in memory: those that run have them since ${clock(last, 'exact')}.`}</>;
}

const spanOf = ({ times, end }: Metrics): string => `${clock((times[0] ?? 0) * 1_000)} to ${clock(end * 1_000)}`;

interface GroupProps {
  readonly group: ChartGroup;
  readonly metrics: Metrics;
  readonly cursor: Signal<number | undefined>;
  readonly onSelect: (from: number, until: number) => void;
}

function Group({ group, ...rest }: GroupProps): JSX.Element {
  const isShown = (chart: Chart): boolean => linesOf(chart, rest.metrics).length > 0;
  const empty = group.charts.filter((chart) => !isShown(chart));
  return (
    <section aria-label={group.title}>
      <h2 class="section-title">{group.title}</h2>
      <div class="charts">
        {group.charts.filter(isShown).map((chart) => (
          <ChartPanel key={chart.title} chart={chart} {...rest} />
        ))}
      </div>
      {empty.length > 0 && (
        <p class="muted charts-empty">Nothing but 0, or not known: {empty.map(({ title }) => title).join(', ')}.</p>
      )}
    </section>
  );
}
