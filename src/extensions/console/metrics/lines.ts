import type { GetMetricsResponse } from '../../../gen/admin-v1/types.ts';
import type { Chart, Series } from './charts.ts';

/** Metrics of a range of time, of all replicas. */
export interface Metrics {
  /** Start of each step, in seconds. */
  readonly times: readonly number[];
  /** Seconds of a step. */
  readonly step: number;
  /** End of the range, in seconds: the last step may not be over. */
  readonly end: number;
  readonly series: NonNullable<GetMetricsResponse['series']>;
  readonly missing: readonly string[];
}

/** One line of a chart: a value for each step. Null: unknown. */
export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** Returns the lines of a chart. Series that were always 0 have none. */
export const linesOf = (chart: Pick<Chart, 'lines'>, metrics: Metrics): Line[] =>
  chart.lines.flatMap((line) => linesOfSeries(line, metrics));

function linesOfSeries({ metric, label, by, where = {}, show }: Series, metrics: Metrics): Line[] {
  const all = metrics.series.filter(({ name }) => name === metric);
  const wanted = all.filter(({ labels = {} }) =>
    Object.entries(where).every(([name, value]) =>
      typeof value === 'string' ? value === labels[name] : value.test(labels[name] ?? ''),
    ),
  );
  const groups = Map.groupBy(wanted, ({ labels = {} }) => (by === undefined ? (label ?? metric) : (labels[by] ?? '')));
  // Of calls of which none failed, the share is 0.
  if (show === 'share' && all.length > 0 && wanted.length === 0) groups.set(label ?? metric, []);
  return Array.from(groups, ([label, group]) => ({
    label,
    values: metrics.times.map((time, at) => {
      const value = sumAt(group, at);
      if (show === 'share') {
        const total = sumAt(all, at);
        return total ? (value ?? 0) / total : null;
      }
      if (show !== 'rate' || value === null) return value;
      return value / Math.max(10, Math.min(metrics.step, metrics.end - time));
    }),
  }));
}

/** Returns the sum of the known values at a step. */
const sumAt = (series: Metrics['series'], at: number): number | null =>
  series.reduce<number | null>((sum, { values = [] }) => {
    const value = values[at];
    return typeof value === 'number' ? (sum ?? 0) + value : sum;
  }, null);

const secondsOf = (span = '0m'): number => Number.parseInt(span, 10) * (span.endsWith('h') ? 3_600 : 60);

/** Seconds for which a condition stays valid: alerts look at the last five minutes. */
const stale = 300;

/** Whether the alert of a chart would fire at the end of the range: its condition has held for the required time. */
export function isFiring({ alert }: Pick<Chart, 'alert'>, lines: readonly Line[], { times, end }: Metrics): boolean {
  if (!alert) return false;
  const { when, value: limit, lasts, within, line } = alert;
  const start = end - secondsOf(within ?? lasts);
  return lines.some(({ label, values }) => {
    if (line !== undefined && line !== label) return false;
    const holds = (at: number): boolean => (when === '>' ? (values[at] ?? 0) > limit : values[at] === limit);
    const known = [...times.keys()].filter((at) => values[at] !== null && (times[at] ?? 0) > start - stale);
    const before = known.findLastIndex((at) => (times[at] ?? 0) <= start);
    return within === undefined ? before >= 0 && known.slice(before).every(holds) : known.slice(before + 1).some(holds);
  });
}
