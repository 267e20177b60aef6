import type { Query, Selector } from './queries.ts';
import type { Unit } from './units.ts';

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
  readonly unit: Unit;
  /** A line with a label of its own, or one for each value of the query's label `by`. */
  readonly lines: readonly { readonly label?: string; readonly query: Query }[];
  readonly alerts?: readonly Alert[];
  /** The largest value, where it is known, such as 1 for shares. */
  readonly top?: number;
}

export interface ChartGroup {
  readonly title: string;
  readonly charts: readonly Chart[];
}

/** Seconds over which rates and quantiles are computed: short enough to see what happens now. */
const window = 60;
const [tenMinutes, hour] = [600, 3_600];

const metric = (name: string, where?: Selector['where']): Selector => ({
  metric: name.startsWith('nodejs_') || name.startsWith('process_') ? name : `a2a_gateway_${name}`,
  ...(where && { where }),
});

const now = (of: Selector, by?: string): Query => ({ kind: 'value', of, ...(by && { by }) });
const rate = (of: Selector, by?: string): Query => ({ kind: 'rate', of, window, ...(by && { by }) });
const increase = (of: Selector, seconds: number): Query => ({ kind: 'increase', of, window: seconds });
const share = (of: Selector, among: Selector): Query => ({ kind: 'share', of, among, window });

const quantile = (name: string, value: number, by?: string): Query => ({
  kind: 'quantile',
  of: metric(`${name}_bucket`),
  quantile: value,
  window,
  ...(by && { by }),
});

/** Results that are not the caller's fault. */
const faults = { result: 'internal|unavailable|upstream.*|invalidAgentResponse' };

export const groups: readonly ChartGroup[] = [
  {
    title: 'Calls',
    charts: [
      {
        id: 'calls',
        title: 'Call rate',
        about: 'Answered calls by agent, over the last minute.',
        unit: 'perSecond',
        lines: [{ query: rate(metric('requests_total'), 'agent') }],
      },
      {
        id: 'failures',
        title: 'Failed calls',
        about: "Calls that failed, and not by their callers' fault, by agent, over the last minute.",
        unit: 'perSecond',
        lines: [{ query: rate(metric('requests_total', faults), 'agent') }],
      },
      {
        id: 'failure-share',
        title: 'Share of failed calls',
        about: "Of all calls, those that failed, and not by their callers' fault, over the last minute.",
        unit: 'share',
        lines: [{ label: 'failed', query: share(metric('requests_total', faults), metric('requests_total')) }],
        alerts: [{ name: 'CallsFail', when: '>', value: 0.05, lasts: '10m' }],
      },
      {
        id: 'latency',
        title: 'Latency',
        about: 'Time to the answer, or to the beginning of a stream, of 50, 95 and 99 of 100 calls in the last minute.',
        unit: 'seconds',
        lines: [
          { label: '50 %', query: quantile('request_duration_seconds', 0.5) },
          { label: '95 %', query: quantile('request_duration_seconds', 0.95) },
          { label: '99 %', query: quantile('request_duration_seconds', 0.99) },
        ],
      },
      {
        id: 'agent-latency',
        title: 'Latency by agent',
        about: 'Time within which 95 of 100 calls of the last minute were answered.',
        unit: 'seconds',
        lines: [{ query: quantile('request_duration_seconds', 0.95, 'agent') }],
      },
      {
        id: 'refused',
        title: 'Refused requests',
        about: 'Requests that never became calls, by the kind of error, over the last minute.',
        unit: 'perSecond',
        lines: [{ query: rate(metric('requests_refused_total'), 'kind') }],
      },
      {
        id: 'credentials',
        title: 'Wrong credentials',
        about: 'Failed authentications over the last minute.',
        unit: 'perSecond',
        lines: [{ label: 'failed', query: rate(metric('security_events_total', { event: 'authentication.failed' })) }],
        alerts: [{ name: 'CredentialsGuessed', when: '>', value: 1, lasts: '5m' }],
      },
      {
        id: 'streams',
        title: 'Open streams',
        about: 'Streams that are open now, by binding.',
        unit: 'count',
        lines: [{ query: now(metric('streams_open'), 'binding') }],
      },
      {
        id: 'slow-readers',
        title: 'Slow readers',
        about: 'Connections closed because the client read too slowly, over the last minute.',
        unit: 'perSecond',
        lines: [{ label: 'closed', query: rate(metric('slow_readers_total')) }],
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
        unit: 'count',
        top: 1,
        lines: [{ query: now(metric('agent_state', { state: 'unreachable' }), 'agent') }],
        alerts: [{ name: 'AgentUnreachable', when: '==', value: 1, lasts: '5m' }],
      },
      {
        id: 'breakers',
        title: 'Open circuit breakers',
        about: '1 while the circuit breaker of an upstream agent is open, so that calls fail at once.',
        unit: 'count',
        top: 1,
        lines: [{ query: now(metric('upstream_breaker_state', { state: 'open' }), 'agent') }],
      },
      {
        id: 'tasks',
        title: 'Tasks in memory',
        about: 'Tasks that are running, or have listeners.',
        unit: 'count',
        lines: [{ label: 'live', query: now(metric('tasks_live')) }],
      },
      {
        id: 'ended',
        title: 'Ended tasks',
        about: 'Tasks that ended, by their last state, over the last minute.',
        unit: 'perSecond',
        lines: [{ query: rate(metric('tasks_ended_total'), 'state') }],
      },
      {
        id: 'failed-tasks',
        title: 'Share of failed tasks',
        about: 'Of the tasks that ended, those that failed, over the last minute.',
        unit: 'share',
        lines: [
          {
            label: 'failed',
            query: share(metric('tasks_ended_total', { state: 'failed' }), metric('tasks_ended_total')),
          },
        ],
        alerts: [{ name: 'TasksFail', when: '>', value: 0.2, lasts: '15m' }],
      },
      {
        id: 'taken-over',
        title: 'Tasks taken over',
        about: 'Tasks of dead replicas that this one took over, over the last 10 minutes.',
        unit: 'count',
        lines: [{ label: 'taken over', query: increase(metric('tasks_taken_over_total'), tenMinutes) }],
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
        unit: 'perSecond',
        lines: [{ query: rate(metric('push_deliveries_total'), 'result') }],
      },
      {
        id: 'queue',
        title: 'Queue',
        about: 'Push configurations with events to deliver: due now, or waiting after a failure.',
        unit: 'count',
        lines: [{ query: now(metric('push_queue'), 'state') }],
      },
      {
        id: 'oldest',
        title: 'Oldest event',
        about: 'Age of the oldest event to deliver.',
        unit: 'seconds',
        lines: [{ label: 'age', query: now(metric('push_oldest_seconds')) }],
        alerts: [{ name: 'PushLate', when: '>', value: 3_600, lasts: '5m' }],
      },
      {
        id: 'dead',
        title: 'Dead letters',
        about: 'Events that were given up, over the last hour.',
        unit: 'count',
        lines: [{ label: 'given up', query: increase(metric('push_dead_total'), hour) }],
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
        unit: 'count',
        top: 1,
        lines: [{ label: 'up', query: now(metric('store_up')) }],
        alerts: [{ name: 'StoreDown', when: '==', value: 0, lasts: '1m' }],
      },
      {
        id: 'transactions',
        title: 'Transactions',
        about: 'Time of 50 and 99 of 100 transactions that write events, over the last minute.',
        unit: 'seconds',
        lines: [
          { label: '50 %', query: quantile('store_batch_duration_seconds', 0.5) },
          { label: '99 %', query: quantile('store_batch_duration_seconds', 0.99) },
        ],
        alerts: [{ name: 'StoreSlow', when: '>', value: 0.25, lasts: '10m', line: '99 %' }],
      },
      {
        id: 'accesses',
        title: 'Accesses to the store',
        about: 'Time of 95 of 100 accesses of each kind, over the last minute.',
        unit: 'seconds',
        lines: [{ query: quantile('store_access_duration_seconds', 0.95, 'access') }],
      },
      {
        id: 'awaited',
        title: 'Awaited connections',
        about: 'Accesses that wait for a connection to PostgreSQL. SQLite has no connections.',
        unit: 'count',
        lines: [{ label: 'awaited', query: now(metric('store_connections_awaited')) }],
        alerts: [{ name: 'StoreConnectionsAwaited', when: '>', value: 0, lasts: '5m' }],
      },
      {
        id: 'replicas',
        title: 'Replicas',
        about: 'Live gateways on the store. The alert GatewayLost compares them with the last hour.',
        unit: 'count',
        lines: [{ label: 'live', query: now(metric('gateways')) }],
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
        lines: [{ label: '99 %', query: now(metric('nodejs_eventloop_lag_p99_seconds')) }],
        alerts: [{ name: 'EventLoopLags', when: '>', value: 0.25, lasts: '10m' }],
      },
      {
        id: 'processor',
        title: 'Processor',
        about: 'Share of one processor core, over the last minute.',
        unit: 'share',
        lines: [
          { label: 'user', query: rate(metric('process_cpu_user_seconds_total')) },
          { label: 'system', query: rate(metric('process_cpu_system_seconds_total')) },
        ],
      },
      {
        id: 'memory',
        title: 'Memory',
        about: 'Resident memory of the process, and the used part of the JavaScript heap.',
        unit: 'bytes',
        lines: [
          { label: 'resident', query: now(metric('process_resident_memory_bytes')) },
          { label: 'heap', query: now(metric('nodejs_heap_size_used_bytes')) },
        ],
      },
      {
        id: 'reloads',
        title: 'Refused reloads',
        about: 'Configurations that were refused, over the last 10 minutes.',
        unit: 'count',
        lines: [{ label: 'refused', query: increase(metric('reloads_total', { result: 'refused' }), tenMinutes) }],
        alerts: [{ name: 'ReloadRefused', when: '>', value: 0 }],
      },
    ],
  },
];

export const charts: readonly Chart[] = groups.flatMap((group) => group.charts);

/** Whether the condition of an alert is met by the latest value of a line. */
export function isMet({ when, value, line }: Alert, label: string, latest: number | null | undefined): boolean {
  if (latest === null || latest === undefined) return false;
  if (line !== undefined && line !== label) return false;
  return when === '>' ? latest > value : latest === value;
}
