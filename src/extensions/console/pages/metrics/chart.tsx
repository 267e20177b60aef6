import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { idOf } from '../../metrics/alerts.tsx';
import { type Chart, unitOf } from '../../metrics/charts.ts';
import { firingAlerts, type Line, linesOf, type Metrics } from '../../metrics/lines.ts';
import { conditionOf, drawn, formatValue, type LineSummary, summaryOf } from '../../metrics/summary.ts';
import { hrefOf, navigate } from '../../shell/router.ts';
import { theme } from '../../shell/theme.ts';
import { type Column, Table, Text } from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';
import type { Plot, PlotColors } from './plot.ts';

export interface ChartPanelProps {
  readonly chart: Chart;
  readonly metrics: Metrics;
  /** Index of the time that the pointer is at, in any chart. */
  readonly cursor: Signal<number | undefined>;
  /** Called with a range that was chosen by dragging, in seconds. */
  readonly onSelect: (from: number, until: number) => void;
}

/** Where a line leads to, of some seconds. */
const hrefAt = (chart: Chart, line: string, from: number, until: number): string | undefined => {
  const [page, filters] = chart.to?.(line) ?? [];
  const [after, before] = [from, until].map((time) => new Date(time * 1_000).toISOString());
  return page && hrefOf(page, [], { ...filters, after, before });
};

/** One chart: its lines, the levels of its alerts, and the same as a table. */
export function ChartPanel(props: ChartPanelProps): JSX.Element {
  const { chart, metrics, cursor } = props;
  const { title, about, alerts = [] } = chart;
  const unit = unitOf(chart);
  const lines = linesOf(chart, metrics);
  const shown = drawn(lines);
  const firing = firingAlerts(chart, lines, metrics);
  const format = (value: number | null | undefined): string => formatValue(value, unit);
  return (
    <section class="panel chart" aria-label={title} id={idOf(chart)} tabIndex={-1}>
      <h3>{title}</h3>
      <div class="chart-about">
        <p class="muted">{about}</p>
        {alerts.map((alert) => (
          <p key={alert.name} class={firing.includes(alert) ? 'badge badge-error' : 'muted'}>
            {alert.name}: {conditionOf(alert, format)}
          </p>
        ))}
      </div>
      <Drawing {...props} lines={shown} />
      <Legend
        lines={shown}
        total={lines.length}
        cursor={cursor}
        format={format}
        href={(line) => hrefAt(chart, line, metrics.times[0] ?? 0, metrics.end)}
      />
      <LineTable title={title} lines={lines} format={format} />
    </section>
  );
}

interface DrawingProps extends ChartPanelProps {
  readonly lines: readonly Line[];
}

/** uPlot formats numbers in the browser's language, which need not be a tag of BCP 47: `en-US@posix` is not. */
function repairLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US' });
  }
}

/** Steps around one, the nearest first. */
const nearby = [0, -1, 1, -2, 2, -3, 3];

/** The plot. Its code is loaded with the first one. */
function Drawing(props: DrawingProps): JSX.Element {
  const { chart, metrics, lines } = props;
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const plot = useSignal<Plot | undefined>(undefined);
  const scheme = useSignal(0);
  useEffect(() => {
    let ended = false;
    const click = (index: number): void => {
      const { chart, lines, metrics } = latest.current;
      // A step is about a pixel wide: what is next to the pointer is meant, and of several lines the highest.
      for (const at of nearby.map((by) => index + by)) {
        const [line] = lines.toSorted((a, b) => (b.values[at] ?? 0) - (a.values[at] ?? 0));
        const from = metrics.times[at] ?? 0;
        const href = (line?.values[at] ?? 0) > 0 && hrefAt(chart, line?.label ?? '', from, from + metrics.step);
        if (!href) continue;
        navigate(href);
        return;
      }
    };
    const load = async (): Promise<void> => {
      repairLanguage();
      // Undefined where the file is gone, which the shell shows.
      const loaded: typeof import('./plot.ts') | undefined = await import('./plot.ts').catch(() => undefined);
      if (!loaded || ended || !place.current) return;
      plot.value = new loaded.Plot(place.current, {
        click,
        point: (at) => (latest.current.cursor.value = at),
        select: (from, until) => latest.current.onSelect(from, until),
      });
    };
    void load();
    const query = matchMedia('(prefers-color-scheme: dark)');
    const changed = (): void => {
      scheme.value += 1;
    };
    query.addEventListener('change', changed);
    return () => {
      ended = true;
      query.removeEventListener('change', changed);
      plot.peek()?.destroy();
    };
  }, [plot, scheme]);
  const current = plot.value;
  useEffect(() => {
    if (!current || !place.current) return;
    const { alerts = [], top } = chart;
    const thresholds = alerts.flatMap(({ when, value }) => (when === '>' && value > 0 ? [value] : []));
    const format = (value: number): string => formatValue(value, unitOf(chart));
    current.show({ times: metrics.times, lines, thresholds, top, format }, colorsAt(place.current));
  }, [current, metrics, theme.value, scheme.value]);
  const said = lines.map(({ label, values }) => `${visibleLine(label)} ${formatValue(values.at(-1), unitOf(chart))}`);
  return (
    <div
      class={chart.to ? 'plot plot-leads' : 'plot'}
      ref={place}
      role="img"
      aria-label={`${chart.title}, latest: ${said.join(', ') || 'no values'}`}
    />
  );
}

/** Number of colors of lines. */
const palette = 8;

/** The computed colors in a place. */
function colorsAt(place: HTMLElement): PlotColors {
  const probe = document.createElement('span');
  place.append(probe);
  const computed = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colors = {
    lines: Array.from({ length: palette }, (_, i) => computed(`line-${i + 1}`)),
    ink: computed('ink-muted'),
    grid: computed('line'),
    threshold: computed('error'),
  };
  probe.remove();
  return colors;
}

interface LegendProps {
  readonly lines: readonly Line[];
  /** All lines, those that are not drawn too. */
  readonly total: number;
  readonly cursor: Signal<number | undefined>;
  readonly format: (value: number | null | undefined) => string;
  /** What a line leads to. */
  readonly href: (line: string) => string | undefined;
}

/** The lines with their latest values, or with those at the pointer. */
function Legend({ lines, total, cursor, format, href }: LegendProps): JSX.Element {
  const at = cursor.value;
  return (
    <ul class="legend">
      {lines.map(({ label, values }, i) => {
        const to = href(label);
        const name = <Text value={label} max={60} />;
        return (
          <li key={label}>
            <span class="legend-key" style={{ background: `var(--line-${(i % palette) + 1})` }} />
            {to ? <a href={to}>{name}</a> : name}
            <span class="number">{format(at === undefined ? values.at(-1) : values[at])}</span>
          </li>
        );
      })}
      {total > lines.length && <li class="muted">the highest of {total}; all are in the table</li>}
    </ul>
  );
}

interface LineTableProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly format: (value: number | null | undefined) => string;
}

/** What the chart shows, in numbers. */
function LineTable({ title, lines, format }: LineTableProps): JSX.Element {
  const open = useSignal(false);
  const value = (name: string, field: 'latest' | 'lowest' | 'average' | 'highest'): Column<LineSummary> => ({
    title: name,
    cell: (line) => format(line[field]),
    align: 'end',
    width: 'minmax(3.5rem, 1fr)',
  });
  return (
    <details class="chart-table" onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>
        Table<span class="visually-hidden"> of {title}</span>
      </summary>
      {open.value && (
        <Table
          label={`${title}, in numbers`}
          columns={[
            { title: 'Line', field: 'label', width: 'minmax(2.6rem, 1.4fr)' },
            ...[value('Now', 'latest'), value('Lowest', 'lowest')],
            ...[value('Average', 'average'), value('Highest', 'highest')],
          ]}
          rows={lines.map(summaryOf)}
          rowKey={({ label }) => label}
          rowHeight={28}
          maxHeight="14rem"
        />
      )}
    </details>
  );
}
