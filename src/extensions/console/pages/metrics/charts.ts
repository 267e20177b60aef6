import type { Series, Show, Unit } from './history.ts';

/** How charts show their figures. */

/** Seconds over which rates and quantiles are computed: short enough to see what happens now. */
const window = 60;

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** Figures as they are. */
export const now: Show = { unit: 'count', window: 0, value: (parts) => sum(parts.values()) };

/** What counters grow in a second. */
export const rate: Show = { unit: 'perSecond', window, value: (parts, seconds) => sum(parts.values()) / seconds };

/** How much counters grew in some seconds. */
export const increase = (seconds: number): Show => ({
  unit: 'count',
  window: seconds,
  value: (parts) => sum(parts.values()),
});

/** The parts whose values of a label a regular expression matches. */
const picked = (parts: ReadonlyMap<string, number>, pick: RegExp): number[] =>
  [...parts].flatMap(([value, figure]) => (pick.test(value) ? [figure] : []));

/** What counters with some values of a label grow in a second. */
export const rateOf = (label: string, pick: RegExp): Show => ({
  ...{ unit: 'perSecond', window, parts: label, pick },
  value(parts, seconds) {
    const ones = picked(parts, pick);
    return ones.length === 0 ? undefined : sum(ones) / seconds;
  },
});

/** Of what counters grew, the share of those with some values of a label; undefined where nothing grew. */
export const share = (label: string, pick: RegExp): Show => ({
  ...{ unit: 'share', window, parts: label, pick },
  value(parts) {
    const all = sum(parts.values());
    return all === 0 ? undefined : sum(picked(parts, pick)) / all;
  },
});

/**
 * The value below which a share of a histogram's values are, interpolated within a bucket as Prometheus does. Values above
 * the last bound count as this bound. Undefined for an empty histogram.
 */
export const quantile = (wanted: number): Show => ({
  ...{ unit: 'seconds', window, parts: 'le' },
  value(parts) {
    const buckets = Array.from(parts, ([le, count]) => ({ bound: le === '+Inf' ? Infinity : Number(le), count }));
    buckets.sort((a, b) => a.bound - b.bound);
    const total = buckets.at(-1)?.count ?? 0;
    if (total === 0) return undefined;
    const rank = wanted * total;
    const at = buckets.findIndex(({ count }) => count >= rank);
    const { bound = 0, count = 0 } = buckets[at] ?? {};
    const before = buckets[at - 1] ?? { bound: 0, count: 0 };
    if (bound === Infinity) return before.bound;
    const inside = count - before.count;
    return inside === 0 ? bound : before.bound + ((bound - before.bound) * (rank - before.count)) / inside;
  },
});

/** A condition of an alert in `examples/alerts.yml`. */
export interface Alert {
  readonly name: string;
  readonly when: '>' | '==';
  readonly value: number;
  /** How long the condition must hold, as in the file. Absent: at once. */
  readonly lasts?: string;
  /** Label of the only line that it is about. Absent: any line. */
  readonly line?: string;
}

/** One chart: what is read for it, and which alerts are about it. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  /** What is shown, and over which time. */
  readonly about: string;
  /** What the values are. Absent: as the lines are shown. */
  readonly unit?: Unit;
  readonly lines: readonly Series[];
  readonly alerts?: readonly Alert[];
  /** The largest value, where it is known, such as 1 for shares. */
  readonly top?: number;
}

export interface ChartGroup {
  readonly title: string;
  readonly charts: readonly Chart[];
}

const [tenMinutes, hour] = [600, 3_600];

/** Results that are not the caller's fault. */
const faults = /^(?:internal|unavailable|upstream.*|invalidAgentResponse)$/;

export const groups: readonly ChartGroup[] = [
  {
    title: 'Calls',
    charts: [
      {
        id: 'calls',
        title: 'Call rate',
        about: 'Answered calls by agent, over the last minute.',
        lines: [{ metric: 'a2a_gateway_requests_total', by: 'agent', show: rate }],
      },
      {
        id: 'failures',
        title: 'Failed calls',
        about: "Calls that failed, and not by their callers' fault, by agent, over the last minute.",
        lines: [{ metric: 'a2a_gateway_requests_total', by: 'agent', show: rateOf('result', faults) }],
      },
      {
        id: 'failure-share',
        title: 'Share of failed calls',
        about: "Of all calls, those that failed, and not by their callers' fault, over the last minute.",
        lines: [{ label: 'failed', metric: 'a2a_gateway_requests_total', show: share('result', faults) }],
        alerts: [{ name: 'CallsFail', when: '>', value: 0.05, lasts: '10m' }],
      },
      {
        id: 'latency',
        title: 'Latency',
        about: 'Time to the answer, or to the beginning of a stream, of 50, 95 and 99 of 100 calls in the last minute.',
        lines: [
          { label: '50 %', metric: 'a2a_gateway_request_duration_seconds_bucket', show: quantile(0.5) },
          { label: '95 %', metric: 'a2a_gateway_request_duration_seconds_bucket', show: quantile(0.95) },
          { label: '99 %', metric: 'a2a_gateway_request_duration_seconds_bucket', show: quantile(0.99) },
        ],
      },
      {
        id: 'agent-latency',
        title: 'Latency by agent',
        about: 'Time within which 95 of 100 calls of the last minute were answered.',
        lines: [{ metric: 'a2a_gateway_request_duration_seconds_bucket', by: 'agent', show: quantile(0.95) }],
      },
      {
        id: 'refused',
        title: 'Refused requests',
        about: 'Requests that never became calls, by the kind of error, over the last minute.',
        lines: [{ metric: 'a2a_gateway_requests_refused_total', by: 'kind', show: rate }],
      },
      {
        id: 'credentials',
        title: 'Wrong credentials',
        about: 'Failed authentications over the last minute.',
        lines: [
          {
            label: 'failed',
            metric: 'a2a_gateway_security_events_total',
            where: { event: 'authentication.failed' },
            show: rate,
          },
        ],
        alerts: [{ name: 'CredentialsGuessed', when: '>', value: 1, lasts: '5m' }],
      },
      {
        id: 'streams',
        title: 'Open streams',
        about: 'Streams that are open now, by binding.',
        lines: [{ metric: 'a2a_gateway_streams_open', by: 'binding', show: now }],
      },
      {
        id: 'slow-readers',
        title: 'Slow readers',
        about: 'Connections closed because the client read too slowly, over the last minute.',
        lines: [{ label: 'closed', metric: 'a2a_gateway_slow_readers_total', show: rate }],
        alerts: [{ name: 'ReadersCutOff', when: '>', value: 0.1, lasts: '10m' }],
      },
    ],
  },
  {
    title: 'Agents and tasks',
    charts: [
      {
        id: 'unreachable',
        title: 'Unreachable agents',
        about: '1 while the gateway cannot reach the agent.',
        top: 1,
        lines: [{ metric: 'a2a_gateway_agent_state', where: { state: 'unreachable' }, by: 'agent', show: now }],
        alerts: [{ name: 'AgentUnreachable', when: '==', value: 1, lasts: '5m' }],
      },
      {
        id: 'breakers',
        title: 'Open circuit breakers',
        about: '1 while the circuit breaker of an upstream agent is open, so that calls fail at once.',
        top: 1,
        lines: [{ metric: 'a2a_gateway_upstream_breaker_state', where: { state: 'open' }, by: 'agent', show: now }],
      },
      {
        id: 'tasks',
        title: 'Tasks in memory',
        about: 'Tasks that are running, or have listeners.',
        lines: [{ label: 'live', metric: 'a2a_gateway_tasks_live', show: now }],
      },
      {
        id: 'ended',
        title: 'Ended tasks',
        about: 'Tasks that ended, by their last state, over the last minute.',
        lines: [{ metric: 'a2a_gateway_tasks_ended_total', by: 'state', show: rate }],
      },
      {
        id: 'failed-tasks',
        title: 'Share of failed tasks',
        about: 'Of the tasks that ended, those that failed, over the last minute.',
        lines: [{ label: 'failed', metric: 'a2a_gateway_tasks_ended_total', show: share('state', /^(?:failed)$/) }],
        alerts: [{ name: 'TasksFail', when: '>', value: 0.2, lasts: '15m' }],
      },
      {
        id: 'taken-over',
        title: 'Tasks taken over',
        about: 'Tasks of dead replicas that this one took over, over the last 10 minutes.',
        lines: [{ label: 'taken over', metric: 'a2a_gateway_tasks_taken_over_total', show: increase(tenMinutes) }],
        alerts: [{ name: 'TasksTakenOver', when: '>', value: 0 }],
      },
    ],
  },
  {
    title: 'Push notifications',
    charts: [
      {
        id: 'deliveries',
        title: 'Deliveries',
        about: 'Attempts to deliver notifications, by result, over the last minute.',
        lines: [{ metric: 'a2a_gateway_push_deliveries_total', by: 'result', show: rate }],
      },
      {
        id: 'queue',
        title: 'Queue',
        about: 'Push configurations with events to deliver: due now, or waiting after a failure.',
        lines: [{ metric: 'a2a_gateway_push_queue', by: 'state', show: now }],
      },
      {
        id: 'oldest',
        title: 'Oldest event',
        about: 'Age of the oldest event to deliver.',
        unit: 'seconds',
        lines: [{ label: 'age', metric: 'a2a_gateway_push_oldest_seconds', show: now }],
        alerts: [{ name: 'PushLate', when: '>', value: 3_600, lasts: '5m' }],
      },
      {
        id: 'dead',
        title: 'Dead letters',
        about: 'Events that were given up, over the last hour.',
        lines: [{ label: 'given up', metric: 'a2a_gateway_push_dead_total', show: increase(hour) }],
        alerts: [{ name: 'PushGivenUp', when: '>', value: 0 }],
      },
    ],
  },
  {
    title: 'Store and replicas',
    charts: [
      {
        id: 'store',
        title: 'Database',
        about: '1 while the database answers within two seconds, otherwise 0.',
        top: 1,
        lines: [{ label: 'up', metric: 'a2a_gateway_store_up', show: now }],
        alerts: [{ name: 'StoreDown', when: '==', value: 0, lasts: '1m' }],
      },
      {
        id: 'transactions',
        title: 'Transactions',
        about: 'Time of 50 and 99 of 100 transactions that write events, over the last minute.',
        lines: [
          { label: '50 %', metric: 'a2a_gateway_store_batch_duration_seconds_bucket', show: quantile(0.5) },
          { label: '99 %', metric: 'a2a_gateway_store_batch_duration_seconds_bucket', show: quantile(0.99) },
        ],
        alerts: [{ name: 'StoreSlow', when: '>', value: 0.25, lasts: '10m', line: '99 %' }],
      },
      {
        id: 'accesses',
        title: 'Accesses to the store',
        about: 'Time of 95 of 100 accesses of each kind, over the last minute.',
        lines: [{ metric: 'a2a_gateway_store_access_duration_seconds_bucket', by: 'access', show: quantile(0.95) }],
      },
      {
        id: 'awaited',
        title: 'Awaited connections',
        about: 'Accesses that wait for a connection to PostgreSQL. SQLite has no connections.',
        lines: [{ label: 'awaited', metric: 'a2a_gateway_store_connections_awaited', show: now }],
        alerts: [{ name: 'StoreConnectionsAwaited', when: '>', value: 0, lasts: '5m' }],
      },
      {
        id: 'replicas',
        title: 'Replicas',
        about: 'Live gateways on the store. The alert GatewayLost compares them with the last hour.',
        lines: [{ label: 'live', metric: 'a2a_gateway_gateways', show: now }],
      },
    ],
  },
  {
    title: 'Process',
    charts: [
      {
        id: 'event-loop',
        title: 'Event loop lag',
        about: 'The 99th percentile since the metrics were last read.',
        unit: 'seconds',
        lines: [{ label: '99 %', metric: 'nodejs_eventloop_lag_p99_seconds', show: now }],
        alerts: [{ name: 'EventLoopLags', when: '>', value: 0.25, lasts: '10m' }],
      },
      {
        id: 'processor',
        title: 'Processor',
        about: 'Share of one processor core, over the last minute.',
        unit: 'share',
        lines: [
          { label: 'user', metric: 'process_cpu_user_seconds_total', show: rate },
          { label: 'system', metric: 'process_cpu_system_seconds_total', show: rate },
        ],
      },
      {
        id: 'memory',
        title: 'Memory',
        about: 'Resident memory of the process, and the used part of the JavaScript heap.',
        unit: 'bytes',
        lines: [
          { label: 'resident', metric: 'process_resident_memory_bytes', show: now },
          { label: 'heap', metric: 'nodejs_heap_size_used_bytes', show: now },
        ],
      },
      {
        id: 'reloads',
        title: 'Refused reloads',
        about: 'Configurations that were refused, over the last 10 minutes.',
        lines: [
          {
            label: 'refused',
            metric: 'a2a_gateway_reloads_total',
            where: { result: 'refused' },
            show: increase(tenMinutes),
          },
        ],
        alerts: [{ name: 'ReloadRefused', when: '>', value: 0 }],
      },
    ],
  },
];

export const charts: readonly Chart[] = groups.flatMap((group) => group.charts);

/** What the values of a chart are. */
export const unitOf = ({ unit, lines }: Pick<Chart, 'unit' | 'lines'>): Unit => unit ?? lines[0]?.show.unit ?? 'count';
