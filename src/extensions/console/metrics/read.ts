import { admin, type GetMetricsResponse } from '../gateway/admin.ts';
import { GatewayError } from '../gateway/error.ts';
import type { Alert, Chart, Series } from './charts.ts';

/** Metrics of a range of time, of all replicas. */
export interface Metrics {
  /** When each step begins, in seconds. */
  readonly times: readonly number[];
  /** Seconds of a step. */
  readonly step: number;
  /** When the range ends, in seconds: the last step may not be over. */
  readonly end: number;
  readonly series: NonNullable<GetMetricsResponse['series']>;
  readonly missing: readonly string[];
}

/** Which metrics to read. */
export interface MetricsRange {
  readonly names: readonly string[];
  readonly agent?: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
  /** How many steps are wanted. */
  readonly steps: number;
}

/** Reads metrics; in fewer steps where the gateway has too many series for so many. Rejects with a GatewayError. */
export async function readMetrics(range: MetricsRange, signal: AbortSignal): Promise<Metrics> {
  const { names, agent, from, until } = range;
  for (let { steps } = range; ; steps /= 2) {
    const request = {
      ...{ names: [...names], after: new Date(from).toISOString(), before: new Date(until).toISOString() },
      ...{ step: Math.ceil((until - from) / 1_000 / steps), ...(agent && { agent }) },
    };
    try {
      const {
        times = [],
        step = 10,
        series = [],
        missingReplicas = [],
      } = await admin.call('GetMetrics', request, { signal });
      const seconds = times.map((time) => Date.parse(time) / 1_000);
      return { times: seconds, step, end: until / 1_000, series, missing: missingReplicas };
    } catch (error) {
      if (!(error instanceof GatewayError && error.field === 'names') || steps < 20) throw error;
    }
  }
}

/** One line of a chart: a value for each step. Null: unknown. */
export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** The lines of a chart. Series that were always 0 have none. */
export const linesOf = (chart: Chart, metrics: Metrics): Line[] =>
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

/** The sum of the known values at a step. */
const sumAt = (series: Metrics['series'], at: number): number | null =>
  series.reduce<number | null>((sum, { values = [] }) => {
    const value = values[at];
    return typeof value === 'number' ? (sum ?? 0) + value : sum;
  }, null);

const minutesOf = (span = '1m'): number => Number.parseInt(span, 10) * (span.endsWith('h') ? 60 : 1);

/** The alerts of a chart that would fire at the end of the range: whose conditions hold for as long as they have to. */
export const firingAlerts = (
  { alerts = [] }: Pick<Chart, 'alerts'>,
  lines: readonly Line[],
  metrics: Metrics,
): Alert[] =>
  alerts.filter(({ when, value: limit, lasts, within, line }) => {
    const from = metrics.end - 60 * minutesOf(within ?? lasts) - metrics.step;
    const holds = (value: number): boolean => (when === '>' ? value > limit : value === limit);
    return lines.some(({ label, values }) => {
      if (line !== undefined && line !== label) return false;
      const latest = values.filter((value, at) => value !== null && (metrics.times[at] ?? 0) > from) as number[];
      return within === undefined ? latest.length > 0 && latest.every(holds) : latest.some(holds);
    });
  });
