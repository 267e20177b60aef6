import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { idOf } from '../../metrics/alerts.tsx';
import { unitOf } from '../../metrics/charts.ts';
import { isFiring, type Line, linesOf } from '../../metrics/lines.ts';
import { conditionOf, drawn, formatValue } from '../../metrics/summary.ts';
import { hrefOf, navigate } from '../../shell/router.ts';
import { Text } from '../../ui/index.ts';
import { Plot, type PlotProps } from './plot.tsx';

/** Offsets of neighbouring steps, the nearest first. */
const nearby = [0, -1, 1, -2, 2, -3, 3];

/** One chart: its lines, and the level of its alert. */
export function ChartPanel(props: Omit<PlotProps, 'lines' | 'onClick'>): JSX.Element {
  const { chart, metrics, cursor } = props;
  const { title, about, alert } = chart;
  const { times, step, end } = metrics;
  const lines = linesOf(chart, metrics);
  const shown = drawn(lines);
  const format = (value: number | null | undefined): string => formatValue(value, unitOf(chart));
  /** Returns the link of a line for a time in seconds. */
  const hrefAt = (line: string, from: number, until: number): string | undefined => {
    const [page, filters] = chart.to?.(line) ?? [];
    const [after, before] = [from, until].map((time) => new Date(time * 1_000).toISOString());
    return page && hrefOf(page, [], { ...filters, after, before });
  };
  const click = (index: number): void => {
    // A step is about a pixel wide: the nearest one to the pointer is used, and of several lines the highest.
    const at = nearby.map((by) => index + by).find((at) => shown.some(({ values }) => (values[at] ?? 0) > 0)) ?? index;
    const [line] = shown.toSorted((a, b) => (b.values[at] ?? 0) - (a.values[at] ?? 0));
    const from = times[at] ?? 0;
    const href = (line?.values[at] ?? 0) > 0 && hrefAt(line?.label ?? '', from, from + step);
    if (href) navigate(href);
  };
  return (
    <section class="panel chart" aria-label={title} id={idOf(chart)} tabIndex={-1}>
      <h3>{title}</h3>
      <div class="chart-about">
        <p class="muted">{about}</p>
        {alert && (
          <p class={isFiring(chart, lines, metrics) ? 'badge badge-error' : 'muted'}>
            {alert.name}: {conditionOf(chart)}
          </p>
        )}
      </div>
      <Plot {...props} lines={shown} onClick={click} />
      <Legend
        lines={shown}
        total={lines.length}
        cursor={cursor}
        format={format}
        href={(line) => hrefAt(line, times[0] ?? 0, end)}
      />
    </section>
  );
}

interface LegendProps {
  readonly lines: readonly Line[];
  /** Number of all lines, including those that are not drawn. */
  readonly total: number;
  readonly cursor: Signal<number | undefined>;
  readonly format: (value: number | null | undefined) => string;
  /** Returns the link of a line. */
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
            <span class="legend-key" style={{ background: `var(--line-${i + 1})` }} />
            {to ? <a href={to}>{name}</a> : name}
            <span class="number">{format(at === undefined ? values.at(-1) : values[at])}</span>
          </li>
        );
      })}
      {total > lines.length && <li class="muted">the highest of {total}</li>}
    </ul>
  );
}
