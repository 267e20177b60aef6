/** Unit of values. */
export type Unit = 'perSecond' | 'seconds' | 'bytes' | 'count' | 'share';

/** One line of a chart, or one for each value of the label `by`: the metric, and its presentation. */
export interface Series {
  readonly label?: string;
  readonly metric: string;
  /** Required values of labels. */
  readonly where?: Readonly<Record<string, string | RegExp>>;
  readonly by?: string;
  /**
   * Absent: gauges and quantiles unchanged. For counters: the growth per second (`rate`), or per step (`growth`);
   * `share`: the selected part of the metric's total growth.
   */
  readonly show?: 'rate' | 'growth' | 'share';
}

/** A condition of an alert in `alerts.yml`, which the Helm chart has. */
export interface Alert {
  readonly name: string;
  readonly when: '>' | '==';
  readonly value: number;
  /** Time for which the condition must hold, as in the file. Absent: it fires at once. */
  readonly lasts?: string;
  /** Time in which the condition must have been met once, for conditions about growth. */
  readonly within?: string;
  /** Label of the only line that the alert applies to. Absent: any line. */
  readonly line?: string;
}

/** One chart: its metrics, and its alert. */
export interface Chart {
  readonly title: string;
  /** Description beyond the title. */
  readonly about?: string;
  readonly lines: readonly Series[];
  readonly alert?: Alert;
  /** Returns the link of a line of failures: the page with the failed calls or tasks, and its filters. */
  readonly to?: (line: string) => readonly [page: 'calls' | 'tasks', filters: Readonly<Record<string, string>>];
}

export interface ChartGroup {
  readonly title: string;
  readonly charts: readonly Chart[];
}

const requests = 'a2a_gateway_requests_total';
const latency = { metric: 'a2a_gateway_request_duration_seconds', by: 'agent' } as const;

/** Returns the lines of the median and of the 95th percentile of a histogram. */
const quantiles = (metric: string): Series[] => [
  { label: 'p50', metric, where: { quantile: '0.5' } },
  { label: 'p95', metric, where: { quantile: '0.95' } },
];

/** Results that are not the caller's fault. */
const faults = /^(?:internal|unavailable|upstream.*|invalidAgentResponse)$/;

export const groups: readonly ChartGroup[] = [
  {
    title: 'Calls',
    charts: [
      {
        title: 'Call rate',
        about: 'Answered calls by agent.',
        lines: [{ metric: requests, by: 'agent', show: 'rate' }],
      },
      {
        title: 'Failed calls',
        about: "Calls that failed, and not by their callers' fault, by agent.",
        lines: [{ metric: requests, by: 'agent', where: { result: faults }, show: 'rate' }],
        to: (agent) => ['calls', { agent, outcome: 'failed' }],
      },
      {
        title: 'Share of failed calls',
        about: "Of all calls, those that failed, and not by their callers' fault.",
        lines: [{ label: 'failed', metric: requests, where: { result: faults }, show: 'share' }],
        to: () => ['calls', { outcome: 'failed' }],
        alert: { name: 'CallsFail', when: '>', value: 0.05, lasts: '10m' },
      },
      {
        title: 'Latency p50',
        about: 'Half of the calls are answered, or their streams begin, within this time, by agent.',
        lines: [{ ...latency, where: { quantile: '0.5' } }],
      },
      { title: 'Latency p95', lines: [{ ...latency, where: { quantile: '0.95' } }] },
      {
        title: 'Refused requests',
        about: 'Requests that never became calls, by the kind of error.',
        lines: [{ metric: 'a2a_gateway_requests_refused_total', by: 'kind', show: 'rate' }],
        to: (error) => ['calls', { error, outcome: 'refused' }],
      },
      {
        title: 'Failed authentications',
        lines: [
          {
            label: 'failed',
            metric: 'a2a_gateway_security_events_total',
            where: { event: 'authentication.failed' },
            show: 'rate',
          },
        ],
        to: () => ['calls', { error: 'unauthenticated' }],
        alert: { name: 'CredentialsGuessed', when: '>', value: 1, lasts: '5m' },
      },
      { title: 'Open streams', lines: [{ label: 'open', metric: 'a2a_gateway_streams_open' }] },
      {
        title: 'Slow readers',
        about: 'Connections closed because the client read too slowly.',
        lines: [{ label: 'closed', metric: 'a2a_gateway_slow_readers_total', show: 'rate' }],
        alert: { name: 'ReadersCutOff', when: '>', value: 0.1, lasts: '10m' },
      },
    ],
  },
  {
    title: 'Agents and tasks',
    charts: [
      {
        title: 'Unreachable agents',
        about: '1 while the gateway cannot reach the agent.',
        lines: [{ metric: 'a2a_gateway_agent_state', where: { state: 'unreachable' }, by: 'agent' }],
        alert: { name: 'AgentUnreachable', when: '==', value: 1, lasts: '5m' },
      },
      {
        title: 'Open circuit breakers',
        about: '1 while the circuit breaker of an upstream agent is open, so that calls fail at once.',
        lines: [{ metric: 'a2a_gateway_upstream_breaker_state', where: { state: 'open' }, by: 'agent' }],
      },
      {
        title: 'Tasks in memory',
        about: 'Tasks that are running, or have listeners.',
        lines: [{ label: 'live', metric: 'a2a_gateway_tasks_live' }],
      },
      {
        title: 'Ended tasks',
        about: 'Tasks that ended, by their last state.',
        lines: [{ metric: 'a2a_gateway_tasks_ended_total', by: 'state', show: 'rate' }],
        to: (state) => ['tasks', { state }],
      },
      {
        title: 'Share of failed tasks',
        about: 'Of the tasks that ended, those that failed.',
        lines: [
          { label: 'failed', metric: 'a2a_gateway_tasks_ended_total', where: { state: 'failed' }, show: 'share' },
        ],
        to: () => ['tasks', { state: 'failed' }],
        alert: { name: 'TasksFail', when: '>', value: 0.2, lasts: '15m' },
      },
      {
        title: 'Tasks taken over',
        about: 'Tasks of dead replicas that others took over.',
        lines: [{ label: 'taken over', metric: 'a2a_gateway_tasks_taken_over_total', show: 'growth' }],
        alert: { name: 'TasksTakenOver', when: '>', value: 0, within: '10m' },
      },
    ],
  },
  {
    title: 'Push notifications',
    charts: [
      {
        title: 'Deliveries',
        about: 'Attempts to deliver notifications, by result.',
        lines: [{ metric: 'a2a_gateway_push_deliveries_total', by: 'result', show: 'rate' }],
      },
      {
        title: 'Queue',
        about: 'Push configurations with events to deliver: due now, or waiting after a failure.',
        lines: [{ metric: 'a2a_gateway_push_queue', by: 'state' }],
      },
      {
        title: 'Oldest event',
        about: 'Age of the oldest event to deliver.',
        lines: [{ label: 'age', metric: 'a2a_gateway_push_oldest_seconds' }],
        alert: { name: 'PushLate', when: '>', value: 3_600, lasts: '5m' },
      },
      {
        title: 'Dead letters',
        about: 'Events that were given up.',
        lines: [{ label: 'given up', metric: 'a2a_gateway_push_dead_total', show: 'growth' }],
        alert: { name: 'PushGivenUp', when: '>', value: 0, within: '1h' },
      },
    ],
  },
  {
    title: 'Store and replicas',
    charts: [
      {
        title: 'Database',
        about: '1 while the database answers within two seconds, otherwise 0.',
        lines: [{ label: 'up', metric: 'a2a_gateway_store_up' }],
        alert: { name: 'StoreDown', when: '==', value: 0, lasts: '1m' },
      },
      {
        title: 'Transactions',
        about: 'Time of transactions that write events. The alert in the file is about p99.',
        lines: quantiles('a2a_gateway_store_batch_duration_seconds'),
        alert: { name: 'StoreSlow', when: '>', value: 0.25, lasts: '10m', line: 'p95' },
      },
      { title: 'Access time of the store', lines: quantiles('a2a_gateway_store_access_duration_seconds') },
      {
        title: 'Awaited connections',
        about: 'Accesses that wait for a connection to PostgreSQL. SQLite has no connections.',
        lines: [{ label: 'awaited', metric: 'a2a_gateway_store_connections_awaited' }],
        alert: { name: 'StoreConnectionsAwaited', when: '>', value: 0, lasts: '5m' },
      },
      {
        title: 'Replicas',
        about: 'Live gateways on the store. The alert GatewayLost compares them with the last hour.',
        lines: [{ label: 'live', metric: 'a2a_gateway_gateways' }],
      },
    ],
  },
  {
    title: 'Process',
    charts: [
      {
        title: 'Event loop lag',
        about: 'Of the replica with the most.',
        lines: [{ label: 'p99', metric: 'nodejs_eventloop_lag_p99_seconds' }],
        alert: { name: 'EventLoopLags', when: '>', value: 0.25, lasts: '10m' },
      },
      {
        title: 'Processor',
        about: 'All replicas together; 100 % is one core.',
        lines: [{ label: 'all replicas', metric: 'process_cpu_seconds_total', show: 'rate' }],
      },
      {
        title: 'Memory',
        about: 'Resident memory of all replicas, and the used part of the JavaScript heap.',
        lines: [
          { label: 'resident', metric: 'process_resident_memory_bytes' },
          { label: 'heap', metric: 'nodejs_heap_size_used_bytes' },
        ],
      },
      {
        title: 'Refused reloads',
        about: 'Configurations that were refused.',
        lines: [
          { label: 'refused', metric: 'a2a_gateway_reloads_total', where: { result: 'refused' }, show: 'growth' },
        ],
        alert: { name: 'ReloadRefused', when: '>', value: 0, within: '10m' },
      },
    ],
  },
];

export const charts: readonly Chart[] = groups.flatMap((group) => group.charts);

/** Returns the names of the metrics that charts need. */
export const metricNames = (some: readonly Chart[] = charts): readonly string[] => [
  ...new Set(some.flatMap(({ lines }) => lines.map(({ metric }) => metric))),
];

/** Returns the unit of a chart, by the name of its metric: seconds in a second are a share. */
export function unitOf({ lines: [{ metric = '', show } = {} as Series] }: Pick<Chart, 'lines'>): Unit {
  if (show === 'share' || show === 'growth') return show === 'share' ? 'share' : 'count';
  if (metric.includes('_seconds')) return show === 'rate' ? 'share' : 'seconds';
  return show === 'rate' ? 'perSecond' : metric.endsWith('_bytes') ? 'bytes' : 'count';
}
