/** What values are. */
export type Unit = 'perSecond' | 'seconds' | 'bytes' | 'count' | 'share';

/** One line of a chart, or one for each value of the label `by`: what is read, and how it is shown. */
export interface Series {
  readonly label?: string;
  readonly metric: string;
  /** The values of labels that count. */
  readonly where?: Readonly<Record<string, string | RegExp>>;
  readonly by?: string;
  /**
   * `value`: gauges and quantiles as they are. Of counters: how much they grew in a second (`rate`), or in a step (`growth`);
   * `share`: of all that the metric grew, the part of those that count.
   */
  readonly show: 'value' | 'rate' | 'growth' | 'share';
}

/** A condition of an alert in `examples/alerts.yml`. */
export interface Alert {
  readonly name: string;
  readonly when: '>' | '==';
  readonly value: number;
  /** How long the condition must hold, as in the file. Absent: at once. */
  readonly lasts?: string;
  /** The time in which it must have been met once, of conditions about what has grown. */
  readonly within?: string;
  /** Label of the only line that it is about. Absent: any line. */
  readonly line?: string;
}

/** One chart: what is read for it, and which alerts are about it. */
export interface Chart {
  readonly title: string;
  /** What is shown, and over which time. */
  readonly about: string;
  /** What the values are. Absent: as the lines are shown. */
  readonly unit?: Unit;
  readonly lines: readonly Series[];
  readonly alerts?: readonly Alert[];
  /** The largest value, where it is known, such as 1 for shares. */
  readonly top?: number;
  /** Where a line of failures leads to: the page with what it counts, and the filters there. */
  readonly to?: (line: string) => readonly [page: 'calls' | 'tasks', filters: Readonly<Record<string, string>>];
}

export interface ChartGroup {
  readonly title: string;
  readonly charts: readonly Chart[];
}

/** One line of a histogram's quantile, or one for each value of a label. */
const quantile = (metric: string, wanted: string, line: Pick<Series, 'label' | 'by'>): Series[] => [
  { ...line, metric, where: { quantile: wanted }, show: 'value' },
];

const quantiles = (metric: string): Series[] => [
  ...quantile(metric, '0.5', { label: '50 %' }),
  ...quantile(metric, '0.95', { label: '95 %' }),
];

/** Results that are not the caller's fault. */
const faults = /^(?:internal|unavailable|upstream.*|invalidAgentResponse)$/;

export const groups: readonly ChartGroup[] = [
  {
    title: 'Calls',
    charts: [
      {
        ...{ title: 'Call rate', about: 'Answered calls by agent.' },
        lines: [{ metric: 'a2a_gateway_requests_total', by: 'agent', show: 'rate' }],
      },
      {
        ...{ title: 'Failed calls', about: "Calls that failed, and not by their callers' fault, by agent." },
        to: (agent) => ['calls', { agent, failed: 'true' }],
        lines: [{ metric: 'a2a_gateway_requests_total', by: 'agent', where: { result: faults }, show: 'rate' }],
      },
      {
        title: 'Share of failed calls',
        about: "Of all calls, those that failed, and not by their callers' fault.",
        to: () => ['calls', { failed: 'true' }],
        lines: [{ label: 'failed', metric: 'a2a_gateway_requests_total', where: { result: faults }, show: 'share' }],
        alerts: [{ name: 'CallsFail', when: '>', value: 0.05, lasts: '10m' }],
      },
      {
        title: 'Latency, half of the calls',
        about: 'Time to the answer, or to the beginning of a stream, of half of the calls, by agent.',
        ...{ unit: 'seconds', lines: quantile('a2a_gateway_request_duration_seconds', '0.5', { by: 'agent' }) },
      },
      {
        ...{ title: 'Latency, 95 % of the calls', about: 'The same of 95 of 100 calls.' },
        ...{ unit: 'seconds', lines: quantile('a2a_gateway_request_duration_seconds', '0.95', { by: 'agent' }) },
      },
      {
        ...{ title: 'Refused requests', about: 'Requests that never became calls, by the kind of error.' },
        to: (error) => ['calls', { error, failed: 'true' }],
        lines: [{ metric: 'a2a_gateway_requests_refused_total', by: 'kind', show: 'rate' }],
      },
      {
        ...{ title: 'Wrong credentials', about: 'Failed authentications.' },
        to: () => ['calls', { error: 'unauthenticated' }],
        lines: [
          {
            label: 'failed',
            metric: 'a2a_gateway_security_events_total',
            where: { event: 'authentication.failed' },
            show: 'rate',
          },
        ],
        alerts: [{ name: 'CredentialsGuessed', when: '>', value: 1, lasts: '5m' }],
      },
      {
        ...{ title: 'Open streams', about: 'Streams that are open.' },
        lines: [{ label: 'open', metric: 'a2a_gateway_streams_open', show: 'value' }],
      },
      {
        ...{ title: 'Slow readers', about: 'Connections closed because the client read too slowly.' },
        lines: [{ label: 'closed', metric: 'a2a_gateway_slow_readers_total', show: 'rate' }],
        alerts: [{ name: 'ReadersCutOff', when: '>', value: 0.1, lasts: '10m' }],
      },
    ],
  },
  {
    title: 'Agents and tasks',
    charts: [
      {
        ...{ title: 'Unreachable agents', about: '1 while the gateway cannot reach the agent.' },
        top: 1,
        lines: [{ metric: 'a2a_gateway_agent_state', where: { state: 'unreachable' }, by: 'agent', show: 'value' }],
        alerts: [{ name: 'AgentUnreachable', when: '==', value: 1, lasts: '5m' }],
      },
      {
        title: 'Open circuit breakers',
        about: '1 while the circuit breaker of an upstream agent is open, so that calls fail at once.',
        top: 1,
        lines: [{ metric: 'a2a_gateway_upstream_breaker_state', where: { state: 'open' }, by: 'agent', show: 'value' }],
      },
      {
        ...{ title: 'Tasks in memory', about: 'Tasks that are running, or have listeners.' },
        lines: [{ label: 'live', metric: 'a2a_gateway_tasks_live', show: 'value' }],
      },
      {
        ...{ title: 'Ended tasks', about: 'Tasks that ended, by their last state.' },
        to: (state) => ['tasks', { state }],
        lines: [{ metric: 'a2a_gateway_tasks_ended_total', by: 'state', show: 'rate' }],
      },
      {
        ...{ title: 'Share of failed tasks', about: 'Of the tasks that ended, those that failed.' },
        to: () => ['tasks', { state: 'failed' }],
        lines: [
          { label: 'failed', metric: 'a2a_gateway_tasks_ended_total', where: { state: 'failed' }, show: 'share' },
        ],
        alerts: [{ name: 'TasksFail', when: '>', value: 0.2, lasts: '15m' }],
      },
      {
        ...{ title: 'Tasks taken over', about: 'Tasks of dead replicas that others took over.' },
        lines: [{ label: 'taken over', metric: 'a2a_gateway_tasks_taken_over_total', show: 'growth' }],
        alerts: [{ name: 'TasksTakenOver', when: '>', value: 0, within: '10m' }],
      },
    ],
  },
  {
    title: 'Push notifications',
    charts: [
      {
        ...{ title: 'Deliveries', about: 'Attempts to deliver notifications, by result.' },
        lines: [{ metric: 'a2a_gateway_push_deliveries_total', by: 'result', show: 'rate' }],
      },
      {
        title: 'Queue',
        about: 'Push configurations with events to deliver: due now, or waiting after a failure.',
        lines: [{ metric: 'a2a_gateway_push_queue', by: 'state', show: 'value' }],
      },
      {
        ...{ title: 'Oldest event', about: 'Age of the oldest event to deliver.' },
        ...{ unit: 'seconds', lines: [{ label: 'age', metric: 'a2a_gateway_push_oldest_seconds', show: 'value' }] },
        alerts: [{ name: 'PushLate', when: '>', value: 3_600, lasts: '5m' }],
      },
      {
        ...{ title: 'Dead letters', about: 'Events that were given up.' },
        lines: [{ label: 'given up', metric: 'a2a_gateway_push_dead_total', show: 'growth' }],
        alerts: [{ name: 'PushGivenUp', when: '>', value: 0, within: '1h' }],
      },
    ],
  },
  {
    title: 'Store and replicas',
    charts: [
      {
        ...{ title: 'Database', about: '1 while the database answers within two seconds, otherwise 0.' },
        ...{ top: 1, lines: [{ label: 'up', metric: 'a2a_gateway_store_up', show: 'value' }] },
        alerts: [{ name: 'StoreDown', when: '==', value: 0, lasts: '1m' }],
      },
      {
        title: 'Transactions',
        about: 'Time of 50 and 95 of 100 transactions that write events. The alert is about 99 of 100.',
        ...{ unit: 'seconds', lines: quantiles('a2a_gateway_store_batch_duration_seconds') },
        alerts: [{ name: 'StoreSlow', when: '>', value: 0.25, lasts: '10m', line: '95 %' }],
      },
      {
        ...{ title: 'Accesses to the store', about: 'Time of 50 and 95 of 100 accesses.' },
        ...{ unit: 'seconds', lines: quantiles('a2a_gateway_store_access_duration_seconds') },
      },
      {
        title: 'Awaited connections',
        about: 'Accesses that wait for a connection to PostgreSQL. SQLite has no connections.',
        lines: [{ label: 'awaited', metric: 'a2a_gateway_store_connections_awaited', show: 'value' }],
        alerts: [{ name: 'StoreConnectionsAwaited', when: '>', value: 0, lasts: '5m' }],
      },
      {
        title: 'Replicas',
        about: 'Live gateways on the store. The alert GatewayLost compares them with the last hour.',
        lines: [{ label: 'live', metric: 'a2a_gateway_gateways', show: 'value' }],
      },
    ],
  },
  {
    title: 'Process',
    charts: [
      {
        ...{ title: 'Event loop lag', about: 'The 99th percentile, of the replica with the highest.' },
        ...{ unit: 'seconds', lines: [{ label: '99 %', metric: 'nodejs_eventloop_lag_p99_seconds', show: 'value' }] },
        alerts: [{ name: 'EventLoopLags', when: '>', value: 0.25, lasts: '10m' }],
      },
      {
        ...{ title: 'Processor', about: 'Of one processor core, all replicas together.' },
        ...{ unit: 'share', lines: [{ label: 'all replicas', metric: 'process_cpu_seconds_total', show: 'rate' }] },
      },
      {
        ...{ title: 'Memory', about: 'Resident memory of all replicas, and the used part of the JavaScript heap.' },
        unit: 'bytes',
        lines: [
          { label: 'resident', metric: 'process_resident_memory_bytes', show: 'value' },
          { label: 'heap', metric: 'nodejs_heap_size_used_bytes', show: 'value' },
        ],
      },
      {
        ...{ title: 'Refused reloads', about: 'Configurations that were refused.' },
        lines: [
          {
            label: 'refused',
            metric: 'a2a_gateway_reloads_total',
            where: { result: 'refused' },
            show: 'growth',
          },
        ],
        alerts: [{ name: 'ReloadRefused', when: '>', value: 0, within: '10m' }],
      },
    ],
  },
];

export const charts: readonly Chart[] = groups.flatMap((group) => group.charts);

/** Names of the metrics that charts are made of. */
export const metricNames: readonly string[] = [
  ...new Set(charts.flatMap(({ lines }) => lines.map(({ metric }) => metric))),
];

/** What the values of a chart are. */
export const unitOf = ({ unit, lines }: Pick<Chart, 'unit' | 'lines'>): Unit =>
  unit ?? ({ rate: 'perSecond', share: 'share', growth: 'count', value: 'count' } as const)[lines[0]?.show ?? 'value'];
