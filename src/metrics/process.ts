import { readdir, readFile } from 'node:fs/promises';
import {
  constants,
  monitorEventLoopDelay,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
} from 'node:perf_hooks';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { by, type Family, family, histogramFamily, type Join, type Values } from './family.ts';
import { bounds, getOrCreate, Histogram, Tally } from './series.ts';

/**
 * Milliseconds between two samples of the event loop. Each wakes an idle process, and those for the history never end.
 */
const resolutions = { page: 10, history: 100 } as const;

/** Milliseconds for which the event loop is observed before the first reading. */
const firstSample = 30;

/** Entry of garbage collection; missing in the types of Node.js. */
interface GcEntry extends PerformanceEntry {
  readonly detail: NodeGCPerformanceDetail;
}

const collections: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** Monitors shared by all gateways of the process, started by the first reading: before that they cost nothing. */
let monitors: ReturnType<typeof startMonitors> | undefined;

async function startMonitors() {
  const delays = monitorEventLoopDelay({ resolution: resolutions.page });
  delays.enable();
  /** Durations of garbage collection, by kind. */
  const pauses = new Map<string, Histogram>();
  const observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as GcEntry[]) {
      const kind = collections[detail.kind];
      if (kind) getOrCreate(pauses, kind, () => new Histogram(bounds.pauses)).observe(duration / 1_000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  await delay(firstSample);
  return { delays, pauses };
}

/** Returns metrics of any Node.js process, under the names that dashboards know: those of prom-client. */
export async function processFamilies(): Promise<Family[]> {
  monitors ??= startMonitors();
  const { delays, pauses } = await monitors;
  const rows = [...(await resources()), ...lags(delays), ...(await runtime())];
  return [
    ...rows.map((row) => family(row[0].endsWith('_total') ? 'counter' : 'gauge', ...row)),
    histogramFamily(
      'nodejs_gc_duration_seconds',
      'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
      [...pauses].map(([kind, durations]) => [{ kind }, durations]),
    ),
  ];
}

/** Delays for the history alone: each reading begins a new period, and other readers have their own. */
let delaysOfHistory: Delays | undefined;

/**
 * Returns the few metrics of the process that have a history. They read no files, and observe no garbage collection.
 */
export async function processUsage(): Promise<Family[]> {
  if (!delaysOfHistory) {
    delaysOfHistory = monitorEventLoopDelay({ resolution: resolutions.history });
    delaysOfHistory.enable();
  }
  const rows = [...usage(), ...lags(delaysOfHistory, resolutions.history), ...heap()];
  return rows.map((row) => family(row[0].endsWith('_total') ? 'counter' : 'gauge', ...row));
}

type Delays = ReturnType<typeof monitorEventLoopDelay>;
type Row = readonly [name: string, help: string, values: Values, join?: Join];

function usage(): Row[] {
  const cpu = process.cpuUsage();
  const user = cpu.user / 1e6;
  const system = cpu.system / 1e6;
  return [
    ['process_cpu_user_seconds_total', 'Total user CPU time spent in seconds.', user],
    ['process_cpu_system_seconds_total', 'Total system CPU time spent in seconds.', system],
    ['process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.', user + system],
    ['process_resident_memory_bytes', 'Resident memory size in bytes.', process.memoryUsage.rss()],
  ];
}

/** Returns processor time, memory and file descriptors. Values that only Linux has are undefined elsewhere. */
async function resources(): Promise<Row[]> {
  const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
  const status = await read('/proc/self/status');
  const limits = await read('/proc/self/limits');
  const descriptors = await readdir('/proc/self/fd').catch(() => undefined);
  const numberIn = (text: string, pattern: RegExp, unit: number): number | undefined => {
    const [, digits] = pattern.exec(text) ?? [];
    return digits === undefined ? undefined : Number(digits) * unit;
  };
  return [
    ...usage(),
    [
      'process_start_time_seconds',
      'Start time of the process since unix epoch in seconds.',
      Math.round(performance.timeOrigin / 1_000),
      'lowest',
    ],
    ['process_virtual_memory_bytes', 'Virtual memory size in bytes.', numberIn(status, /^VmSize:\s+(\d+)/m, 1_024)],
    ['process_heap_bytes', 'Process heap size in bytes.', numberIn(status, /^VmData:\s+(\d+)/m, 1_024)],
    // One of them was open for listing them.
    ['process_open_fds', 'Number of open file descriptors.', descriptors && descriptors.length - 1],
    ['process_max_fds', 'Maximum number of open file descriptors.', numberIn(limits, /^Max open files +(\d+)/m, 1)],
  ];
}

/**
 * Returns delays of the event loop since the last reading. Undefined if it has not been sampled since.
 *
 * @param resolution milliseconds. Node's values contain them: those of the history are made comparable with those of
 * the page
 */
function lags(delays: Delays, resolution: number = resolutions.page): Row[] {
  const excess = (resolution - resolutions.page) * 1e6;
  const { min, max, mean, stddev } = delays;
  const [p50, p90, p99] = [50, 90, 99].map((percent) => delays.percentile(percent));
  const known = delays.count > 0;
  delays.reset();
  return Object.entries({ min, max, mean, stddev, p50, p90, p99 }).map(([key, nanoseconds = 0]) => [
    `nodejs_eventloop_lag_${key}_seconds`,
    lagHelp[key] ?? `The ${key.slice(1)}th percentile of the recorded event loop delays.`,
    known ? Math.max(0, nanoseconds - (key === 'stddev' ? 0 : excess)) / 1e9 : undefined,
    'highest',
  ]);
}

const lagHelp: Readonly<Record<string, string>> = {
  min: 'The minimum recorded event loop delay.',
  max: 'The maximum recorded event loop delay.',
  mean: 'The mean of the recorded event loop delays.',
  stddev: 'The standard deviation of the recorded event loop delays.',
};

async function runtime(): Promise<Row[]> {
  const began = performance.now();
  await nextTurn();
  const lag = (performance.now() - began) / 1_000;
  const active = new Tally<string>();
  for (const type of process.getActiveResourcesInfo()) active.add(type);
  const [major = '', minor = '', patch = ''] = process.versions.node.split('.');
  return [
    ['nodejs_eventloop_lag_seconds', 'Lag of event loop in seconds.', lag, 'highest'],
    [
      'nodejs_active_resources',
      'Number of active resources that are currently keeping the event loop alive, grouped by async resource type.',
      by('type', active),
    ],
    ...heap(),
    ...heapSpaces(),
    [
      'nodejs_version_info',
      'Node.js version info.',
      [[{ version: process.version, major, minor, patch }, 1]],
      'highest',
    ],
  ];
}

function heap(): Row[] {
  const { heapTotal, heapUsed, external } = process.memoryUsage();
  return [
    ['nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.', heapTotal],
    ['nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.', heapUsed],
    ['nodejs_external_memory_bytes', 'Node.js external memory size in bytes.', external],
  ];
}

function heapSpaces(): Row[] {
  const spaces = getHeapSpaceStatistics();
  const parts = { total: 'space_size', used: 'space_used_size', available: 'space_available_size' } as const;
  return Object.entries(parts).map(([part, key]) => [
    `nodejs_heap_space_size_${part}_bytes`,
    `Process heap space size ${part} from Node.js in bytes.`,
    spaces.map((space) => [{ space: space.space_name.replace(/_space$/, '') }, space[key]]),
  ]);
}
