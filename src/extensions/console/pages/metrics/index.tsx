import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRead } from '../../gateway/hooks.ts';
import { type Chart, type ChartGroup, charts, groups, metricNames, unitOf } from '../../metrics/charts.ts';
import { firingAlerts, linesOf, type Metrics } from '../../metrics/lines.ts';
import { readMetrics } from '../../metrics/read.ts';
import { hrefOf, route, setQuery } from '../../shell/router.ts';
import { timeOf } from '../../tasks/filters.ts';
import { clock } from '../../ui/format.ts';
import { Missing, Notice, Page, Tabs } from '../../ui/index.ts';
import { ChartPanel, idOf } from './chart.tsx';
import './metrics.css';
import { conditionOf, formatValue } from './summary.ts';

/** The ranges that end now, as the address names them, with the milliseconds between two reads. */
const ranges = { '1h': 10_000, '6h': 30_000, '24h': 60_000 } as const;
const titles = { '1h': '1 hour', '6h': '6 hours', '24h': '24 hours' } as const;
const ids = Object.keys(ranges) as (keyof typeof ranges)[];

/** Points of a chart. */
const steps = 180;

/** `#/metrics`: charts of the last hour. Its range is `after` and `before`, with `agent` it is of one agent. */
export default function MetricsPage(): JSX.Element {
  const { query } = route.value;
  const [agent, before] = [query.get('agent') ?? '', query.get('before') ?? ''];
  const after = timeOf(query.get('after') ?? '', 0) === undefined ? '1h' : (query.get('after') as string);
  const preset = before === '' ? ids.find((id) => id === after) : undefined;
  const cursor = useSignal<number | undefined>(undefined);
  const { value, error, busy, reload } = useRead(
    (signal) => {
      const until = timeOf(before, Date.now());
      const from = timeOf(after, until ?? Date.now()) ?? 0;
      return readMetrics({ names: metricNames, agent, from, until, steps }, signal);
    },
    { key: `${after} ${before} ${agent}`, ...(before === '' && { every: ranges[preset ?? '24h'] }) },
  );
  const select = (from: number, until: number): void => {
    const [after, before] = [from, Math.max(until, from + 60)].map((time) => new Date(time * 1_000).toISOString());
    setQuery({ after, before });
  };
  return (
    <Page title="Metrics" busy={busy} error={error} onRetry={reload}>
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
          {before === '' && <Alerts metrics={value} />}
          <p class="muted metrics-about">
            {agent ? `Of the agent ${agent} and of the whole gateway` : 'Of all replicas together'}, one value for{' '}
            {value.step} s. Drag over a chart to choose a time, click a point of failures to see them. Dashed lines are
            the thresholds of <code>examples/alerts.yml</code>.
          </p>
          {groups.map((group) => (
            <Group key={group.title} group={group} metrics={value} cursor={cursor} onSelect={select} />
          ))}
        </>
      )}
    </Page>
  );
}

const spanOf = ({ times, end }: Metrics): string => `${clock((times[0] ?? 0) * 1_000)} to ${clock(end * 1_000)}`;

/** Which alerts would fire now. */
function Alerts({ metrics }: { readonly metrics: Metrics }): JSX.Element {
  const firing = charts.flatMap((chart) =>
    firingAlerts(chart, linesOf(chart, metrics), metrics).map((alert) => ({
      alert,
      chart,
      condition: conditionOf(alert, (value) => formatValue(value, unitOf(chart))),
    })),
  );
  if (firing.length === 0) return <Notice severity="ok">No alert would fire now.</Notice>;
  return (
    <Notice severity="warning">
      <p>These alerts would fire now.</p>
      <ul class="metrics-met">
        {firing.map(({ alert, chart, condition }) => (
          <li key={alert.name}>
            <button type="button" class="link" onClick={() => show(chart)}>
              {alert.name}
            </button>{' '}
            {chart.title}: {condition}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function show(chart: Chart): void {
  const panel = document.getElementById(idOf(chart));
  panel?.scrollIntoView({ block: 'center' });
  panel?.focus({ preventScroll: true });
}

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
