import type { AgentHealth } from '../core/model/agent.ts';
import type { Invoke } from '../core/model/call.ts';
import type { Audit, SecurityEventName } from '../core/ports/audit.ts';
import type { Store, StoreBatch, StoreFigures } from '../core/ports/store.ts';
import { Meters } from '../core/telemetry/meters.ts';
import { CallMetrics, type KnownNames } from './call-metrics.ts';
import { edgeFamilies } from './edges.ts';
import { counter, type Family, gauge, unlabeled } from './family.ts';
import { agentFamilies, type PushFigures, pushFamilies, storeFamilies } from './gauges.ts';
import { processFamilies } from './process.ts';
import { StoreMetrics } from './store-metrics.ts';
import { UpstreamMetrics, type UpstreamObserver } from './upstream-metrics.ts';

/** What is asked when somebody reads the metrics: how things stand. */
export interface MetricInputs {
  /** Tasks in memory. */
  live(): number;
  agents(): Readonly<Record<string, AgentHealth>>;
  push(): PushFigures;
  readonly store: Pick<Store, 'figures' | 'connections' | 'now'>;
}

/** Milliseconds that figures of the database are kept, and that they may take. */
const figuresAge = 5_000;
const figuresTime = 2_000;

/**
 * Everything that one gateway counts. What is hot counts in plain numbers of its own; texts are made when somebody
 * reads. No label's value is a caller's choice.
 */
export class Metrics {
  readonly meters: Meters = new Meters();
  readonly #version: string;
  readonly #calls = new CallMetrics(this.meters);
  readonly #stores = new StoreMetrics();
  readonly #upstreams = new UpstreamMetrics();
  readonly #audited = new Map<SecurityEventName, number>();
  #figures: { readonly at: number; readonly known: Promise<StoreFigures | undefined> } | undefined;

  /** @param version of the gateway */
  constructor(version: string) {
    this.#version = version;
  }

  /** Middleware that counts calls, the outermost. */
  calls(known: KnownNames): (next: Invoke) => Invoke {
    return this.#calls.middleware(known);
  }

  /** What is told of the calls of upstream agents, by the agent's name in the configuration. */
  get upstreams(): UpstreamObserver {
    return this.#upstreams;
  }

  /** The same store, its accesses counted. */
  store(store: Store): Store {
    return this.#stores.observe(store);
  }

  /** To be told of what the store writes at once. */
  readonly onBatch = (batch: StoreBatch): void => this.#stores.onBatch(batch);

  /** The same audit, its events counted. */
  audit(audit: Audit): Audit {
    return (event) => {
      this.#audited.set(event.event, (this.#audited.get(event.event) ?? 0) + 1);
      audit(event);
    };
  }

  /** Everything as it stands. Never rejects: what cannot be found out is left out. */
  async families(standing: MetricInputs): Promise<Family[]> {
    const [figures, ofProcess] = await Promise.all([this.#figuresOf(standing.store), processFamilies()]);
    return [
      gauge('build_info', 'The version of the gateway, and of Node.js.', [
        [{ version: this.#version, node: process.versions.node }, 1],
      ]),
      ...this.#calls.families(),
      ...edgeFamilies(this.meters),
      gauge(
        'tasks_live',
        'Tasks that are in memory, since somebody works on them or listens.',
        unlabeled(standing.live()),
      ),
      ...this.#stores.families(),
      ...storeFamilies(figures, standing.store.connections),
      ...agentFamilies(standing.agents()),
      ...this.#upstreams.families(),
      ...pushFamilies(standing.push(), figures, standing.store.now()),
      counter(
        'security_events',
        'Lines of the audit, by event.',
        Array.from(this.#audited, ([event, count]) => [{ event }, count] as const),
      ),
      ...ofProcess,
    ];
  }

  /** Asked of the database now and then only, however often somebody reads. Undefined: it does not answer. */
  #figuresOf(store: MetricInputs['store']): Promise<StoreFigures | undefined> {
    const now = performance.now();
    if (!this.#figures || now - this.#figures.at >= figuresAge) {
      this.#figures = { at: now, known: inTime(store.figures()).catch(() => undefined) };
    }
    return this.#figures.known;
  }
}

/** Undefined when it takes too long. */
async function inTime<T>(found: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), figuresTime);
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(timer);
  }
}
