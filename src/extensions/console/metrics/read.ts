import { admin } from '../gateway/admin.ts';
import { GatewayError } from '../gateway/error.ts';
import type { Metrics } from './lines.ts';

/** The metrics to read. */
interface MetricsRange {
  readonly names: readonly string[];
  /** Only series of this agent, and those of no agent. '' and absent: of all agents. */
  readonly agent?: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  /** End of the range in milliseconds. Absent: now. */
  readonly until?: number | undefined;
  /** Number of steps. */
  readonly steps: number;
}

/** Reads metrics; in fewer steps if the gateway has too many series. Rejects with a GatewayError. */
export async function readMetrics(range: MetricsRange, signal: AbortSignal): Promise<Metrics> {
  const { names, agent, from, until } = range;
  const end = until ?? Date.now();
  for (let { steps } = range; ; steps /= 2) {
    const request = {
      names: [...names],
      ...(agent && { agent }),
      after: new Date(from).toISOString(),
      step: Math.max(1, Math.round((end - from) / 1_000 / steps)),
      // The gateway's clock determines the current time.
      ...(until !== undefined && { before: new Date(until).toISOString() }),
    };
    try {
      const {
        times = [],
        step = 10,
        series = [],
        missingReplicas = [],
      } = await admin.call('GetMetrics', request, { signal });
      const seconds = times.map((time) => Date.parse(time) / 1_000);
      // A step that has just begun may have no values yet.
      if (series.every(({ values = [] }) => values.at(-1) === null)) seconds.pop();
      return { times: seconds, step, end: end / 1_000, series, missing: missingReplicas };
    } catch (error) {
      if (!(error instanceof GatewayError && error.field === 'names') || steps < 20) throw error;
    }
  }
}
