import { timestamp } from '../../core/model/agent-events.ts';
import type { AgentActivity } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers, KeptActivity } from '../handlers.ts';
import type { AdminParts } from '../host.ts';
import { fault, timeOf } from '../requests.ts';

/** Request for some series in a range of time. Times are milliseconds. */
interface MetricsRange {
  readonly names?: readonly string[] | undefined;
  readonly agent?: string | undefined;
  /** Milliseconds since the epoch: a multiple of ten seconds. */
  readonly from: number;
  readonly until: number;
  /** A multiple of ten seconds. */
  readonly step: number;
}

interface ReadMetrics {
  readonly series: readonly {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly values: readonly (number | null)[];
  }[];
  readonly missing: readonly string[];
  /** Time since which the values include every replica: milliseconds since the epoch. */
  readonly completeSince: number;
}

export interface MetricsHandlersDeps {
  /** Reads the metrics of all replicas, added up. */
  readonly readMetrics: (range: MetricsRange) => Promise<ReadMetrics>;
  /** Reads the activity since a time from the store. Undefined: the store keeps no activity. */
  readonly storedActivity: AdminParts['activity'];
}

/** Milliseconds of a point, and of the time without `after`. */
const point = 10_000;
const hour = 3_600_000;
/** Number of steps in an answer: the default and the maximum. */
const steps = { fallback: 360, max: 1_440 } as const;

const roundedUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

/** The operation that returns metrics of the last day. */
export function metricsHandlers({ readMetrics }: MetricsHandlersDeps): AdminHandlers<'GetMetrics'> {
  return {
    async GetMetrics({ names = [], agent, after, before, step: wanted = 0 }) {
      const end = timeOf('before', before) ?? Date.now();
      const start = timeOf('after', after) ?? end - hour;
      if (start >= end) throw fault('after', 'must be before the time in before');
      const least = (end - start) / (wanted > 0 ? steps.max : steps.fallback);
      const step = roundedUp(Math.max(wanted * 1_000, least), point);
      // Multiples of the step, so that the next answer has the same steps.
      const from = Math.floor(start / step) * step;
      const until = roundedUp(end, step);
      const range = { names: names.length > 0 ? names : undefined, agent: agent || undefined, from, until, step };
      const { series, missing, completeSince } = await readMetrics(range);
      const times: string[] = [];
      for (let at = from; at < until; at += step) times.push(timestamp(at));
      return {
        value: {
          times,
          step: step / 1_000,
          missingReplicas: [...missing],
          completeSince: timestamp(completeSince),
          series: series.map(({ name, labels, values }) => ({ name, labels: { ...labels }, values: [...values] })),
        },
      };
    },
  };
}

/** Activity of agents in the last hour, by their names. */
type AgentsActivity = Omit<KeptActivity, 'since'>;

/** Returns the activity of agents in the last hour: as the store has it, or as the replicas remember it. */
export async function activities({ readMetrics, storedActivity }: MetricsHandlersDeps): Promise<AgentsActivity> {
  const until = roundedUp(Date.now(), point);
  const stored = await storedActivity(until - hour, 'agent');
  if (stored) return stored;
  const names = ['a2a_gateway_requests_total', 'a2a_gateway_request_duration_seconds', 'a2a_gateway_tasks_ended_total'];
  const { series, missing, completeSince } = await readMetrics({ names, from: until - hour, until, step: hour });
  const byName = new Map<string, AgentActivity>();
  for (const { labels, values } of series) {
    const { agent = '', result, state, quantile } = labels;
    const value = values[0] ?? 0;
    const known = byName.get(agent) ?? { tasksEnded: 0, tasksFailed: 0, calls: 0, failedCalls: 0 };
    byName.set(agent, known);
    if (quantile === '0.95' && value > 0) known.latencyP95Ms = Math.round(value * 1e6) / 1e3;
    if (result !== undefined) add(known, 'calls', value);
    if (result !== undefined && result !== 'ok') add(known, 'failedCalls', value);
    if (state !== undefined) add(known, 'tasksEnded', value);
    if (state === 'failed' || state === 'rejected') add(known, 'tasksFailed', value);
  }
  return { byName, missing, completeSince };
}

const add = (activity: AgentActivity, name: Exclude<keyof AgentActivity, 'latencyP95Ms'>, value: number): void => {
  activity[name] = Number(activity[name] ?? 0) + value;
};
