import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentHealth } from '../core/model/agent.ts';
import { shared } from '../core/model/timing.ts';
import type { Audit, SecurityEventName } from '../core/ports/audit.ts';
import type { Store, StoreFigures } from '../core/ports/store.ts';
import { CallLog } from '../core/telemetry/call-log.ts';
import { Meters } from '../core/telemetry/meters.ts';
import { Callers, LossCounts } from '../core/telemetry/records.ts';
import { CallMetrics } from './call-metrics.ts';
import { by, counter, type Family, gauge } from './family.ts';
import { agentFamilies, meterFamilies, type PushFigures, pushFamilies, storeFamilies } from './gauges.ts';
import { type HistoryRange, MetricHistory, type SeriesValues } from './history.ts';
import { processFamilies, processUsage } from './process.ts';
import { Tally } from './series.ts';
import { StoreMetrics } from './store-metrics.ts';
import { UpstreamMetrics } from './upstream-metrics.ts';

/** The current state, read together with the metrics. */
export interface MetricInputs {
  /** Returns the number of tasks in memory. */
  live(): number;
  agents(): Readonly<Record<string, AgentHealth>>;
  push(): PushFigures;
  /** Metrics of modules. Absent: none. */
  added?(): readonly Family[];
  readonly store: Pick<Store, 'figures' | 'connections' | 'damaged' | 'now'>;
}

/** Milliseconds for which the latest point of the history is current. */
const newest = 1_000;

/** Milliseconds for which figures of the database are reused. */
const figuresAge = 5_000;
/** Milliseconds that a query for figures may take. */
const figuresTimeout = 2_000;

/**
 * All metrics of one gateway. Hot code changes plain numbers, and text is written when the metrics are read. No label
 * has a value that callers choose.
 */
export class Metrics {
  readonly meters: Meters = new Meters();
  readonly upstreams = new UpstreamMetrics();
  readonly stores = new StoreMetrics();
  /** Calls of each principal: callers choose such names, so that no metric has them. */
  readonly callers = new Callers();
  /** Losses of conversions, by field. */
  readonly losses = new LossCounts();
  /** The latest calls. */
  readonly log = new CallLog();
  readonly calls: CallMetrics = new CallMetrics(this.meters, this);
  readonly #version: string;
  readonly #audited = new Tally<SecurityEventName>();
  readonly #history = new MetricHistory();
  #sampledAt = 0;
  #historySince = 0;
  #sample: () => Promise<void> = async () => {};
  #figures: { readonly at: number; readonly known: Promise<StoreFigures | undefined> } | undefined;

  /** @param version of the gateway */
  constructor(version: string) {
    this.#version = version;
    this.meters.onRefused.push(this.log.noteRefused);
  }

  /** Wraps an audit so that its events are counted. */
  audit(audit: Audit): Audit {
    return (event) => {
      this.#audited.add(event.event);
      audit(event);
    };
  }

  /** Reads the metrics every ten seconds from now on, and stores the history. Returns a function that stops it. */
  keepHistory(inputs: MetricInputs): () => void {
    this.#historySince = inputs.store.now();
    const sample = async (at: () => number): Promise<void> => {
      this.#history.add(await this.families(inputs, true), at());
      this.#sampledAt = performance.now();
    };
    this.#sample = shared(() => sample(() => inputs.store.now()));
    let timer: NodeJS.Timeout;
    const schedule = (): void => {
      const rest = MetricHistory.pointMs - (inputs.store.now() % MetricHistory.pointMs);
      timer = setTimeout(() => {
        // Counts up to the end of a point belong to this point.
        void sample(() => inputs.store.now() - MetricHistory.pointMs / 2).then(schedule);
      }, rest).unref();
    };
    schedule();
    return () => clearTimeout(timer);
  }

  /** Time since which the history has every metric: milliseconds since the epoch, a day ago at the earliest. */
  get historySince(): number {
    return Math.max(this.#historySince, this.#history.since);
  }

  /** Returns the metrics of this process in a range, until now. */
  async readHistory(range: HistoryRange): Promise<SeriesValues[]> {
    if (performance.now() - this.#sampledAt > newest) await this.#sample();
    return this.#history.read(range);
  }

  /**
   * The 99th percentile of the event loop's delays in the last ten seconds: milliseconds. Undefined: not measured yet.
   */
  get eventLoopLag(): number | undefined {
    const seconds = this.#history.latest('nodejs_eventloop_lag_p99_seconds');
    return seconds === undefined ? undefined : Math.round(seconds * 10_000) / 10;
  }

  /**
   * Returns the current values. Never rejects: unknown ones are left out.
   *
   * @param forHistory restricts them to the families of the history, with their labels
   */
  async families({ live, agents, push, added, store }: MetricInputs, forHistory = false): Promise<Family[]> {
    const ofThisProcess = forHistory ? processUsage() : processFamilies();
    const [figures, ofProcess] = await Promise.all([this.#figuresOf(store), ofThisProcess]);
    return [
      gauge(
        'build_info',
        'The versions of the gateway and of Node.js.',
        [[{ version: this.#version, node: process.versions.node }, 1]],
        'highest',
      ),
      ...this.calls.families(forHistory),
      ...meterFamilies(this.meters),
      ...(added?.() ?? []),
      gauge('tasks_live', 'Tasks in memory: they are running, or have listeners.', live()),
      ...this.stores.families(),
      ...storeFamilies(figures, store.connections, store.damaged.count),
      ...agentFamilies(agents()),
      ...this.upstreams.families(),
      ...pushFamilies(push(), figures, store.now()),
      counter('security_events', 'Lines of the audit log, by event.', by('event', this.#audited)),
      ...ofProcess,
    ];
  }

  /**
   * Queries the database every few seconds at most, however often the metrics are read. Undefined if it does not
   * answer.
   */
  #figuresOf(store: MetricInputs['store']): Promise<StoreFigures | undefined> {
    const now = performance.now();
    if (!this.#figures || now - this.#figures.at >= figuresAge) {
      const late = sleep(figuresTimeout, undefined, { ref: false });
      this.#figures = { at: now, known: Promise.race([store.figures(), late]).catch(() => undefined) };
    }
    return this.#figures.known;
  }
}
