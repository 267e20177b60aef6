import { setMaxListeners } from 'node:events';
import { A2AError } from '../core/model/errors.ts';
import type { DeliveryQuery } from '../core/ports/push-store.ts';
import { unconfirmedFor } from '../core/ports/store.ts';
import { DeliveryQueues, defaultQueueLimits, type QueueLimits } from './delivery-queues.ts';
import { type DeliveryDeps, type DeliveryOptions, DeliveryRun } from './delivery-run.ts';
import { HostRates } from './host-rates.ts';

/** Maximum number of deliveries that are held at the same time, and claimed at once. */
const max = { held: 2_048, claimed: 256 } as const;

/**
 * Milliseconds between two scans for deliveries whose retry is due (`due`), and for deliveries that were never tried
 * (`left`).
 */
const defaultScanIntervals = { due: 1_000, left: 5_000 } as const;
/** Share of the time that scans for untried deliveries may take. Their cost grows with the number of configurations. */
const scanShare = 0.02;
/**
 * Longest pause between two of these scans, in milliseconds: one slow response of the store does not predict the next.
 */
const longestPause = 60_000;

export interface DelivererOptions extends DeliveryOptions {
  /** Pauses between attempts. Default: from one second to ten minutes. */
  readonly backoff?: DeliveryDeps['backoff'];
  readonly queues?: Partial<QueueLimits>;
  /** Maximum number of notifications to one host within a minute, read for each notification. Default: no limit. */
  readonly perMinute?: number | undefined;
  readonly scanIntervals?: { readonly due: number; readonly left: number };
}

export type Deliverer = Pick<PushDeliverer, 'stats' | 'close'>;

/** Delivers the push notifications in the store, from its creation until it is closed. */
export class PushDeliverer {
  readonly #options: DelivererOptions;
  readonly #queues: DeliveryQueues;
  readonly #deps: DeliveryDeps;
  readonly #counts = { delivered: 0, failed: 0, dead: 0 };
  readonly #attempts = new AbortController();
  readonly #stopping = new AbortController();
  /** Runs by the task's key. */
  readonly #held = new Map<string, Set<DeliveryRun>>();
  readonly #finishing = new Set<Promise<void>>();
  readonly #timers: NodeJS.Timeout[];
  /**
   * Tasks whose deliveries were released recently. Before that, other replicas could not claim deliveries of events
   * that they wrote.
   */
  #released: [now: Set<string>, before: Set<string>] = [new Set(), new Set()];
  /** Tasks that may have events to deliver. */
  readonly #woken = new Set<string>();
  /** Whether a scan for due deliveries is pending. */
  #due = true;
  #left = true;
  /** Time when the next scan for untried deliveries may begin. */
  #nextLeft = 0;
  /**
   * Whether the store may contain claims of this gateway that no run holds, because a response was lost or a run has
   * failed.
   */
  #claimUnconfirmed = false;
  /** Time until which a claim whose response was lost may still take effect, on the clock of `performance.now()`. */
  #unconfirmedUntil = 0;
  #scanning: Promise<void> | undefined;

  constructor(options: DelivererOptions) {
    const { store, backoff = { base: 1_000, cap: 600_000 }, scanIntervals = defaultScanIntervals } = options;
    this.#options = options;
    const rates = new HostRates(() => options.perMinute);
    this.#queues = new DeliveryQueues({ ...defaultQueueLimits, ...options.queues }, rates);
    const attempts = this.#attempts.signal;
    const stopping = this.#stopping.signal;
    setMaxListeners(0, attempts, stopping);
    this.#deps = { options, backoff, queues: this.#queues, counts: this.#counts, attempts, stopping };
    store.onPushed((key, elsewhere) => this.#wake(key, elsewhere));
    this.#timers = [
      setInterval(() => {
        this.#released = [new Set(), this.#released[0]];
        this.#queues.sweep(performance.now());
        this.#due = true;
        this.#scan();
      }, scanIntervals.due).unref(),
      setInterval(() => {
        if (performance.now() < this.#nextLeft) return;
        this.#left = true;
        this.#scan();
      }, scanIntervals.left).unref(),
    ];
    this.#scan();
  }

  /** Returns counts of deliveries. `silent` is the number of `receivers` that do not answer. */
  stats() {
    const { size: receivers, silent } = this.#queues;
    return { ...this.#counts, held: this.#finishing.size, receivers, silent };
  }

  /**
   * Stops claiming, and waits up to `graceMs` milliseconds for attempts in progress. Other deliveries stay in the
   * store. Never rejects.
   */
  async close(graceMs = 2_000): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopping.abort();
    this.#queues.deferAll();
    const grace = setTimeout(() => this.#attempts.abort(), graceMs);
    await this.#scanning;
    while (this.#finishing.size > 0) await Promise.all(this.#finishing);
    clearTimeout(grace);
  }

  #wake(key: string, elsewhere = false): void {
    const held = this.#held.get(key);
    // The replica that wrote the event claims its delivery, unless this one held it.
    if (elsewhere && !held && !this.#released.some((keys) => keys.has(key))) return;
    for (const run of held ?? []) run.more = true;
    this.#woken.add(key);
    this.#scan();
  }

  /** Starts a scan. Only one scan runs at a time; further requests are handled by the running scan. */
  #scan(): void {
    if (this.#stopping.signal.aborted) return;
    this.#scanning ??= this.#claimAll()
      .catch((err: unknown) => {
        this.#claimUnconfirmed = true;
        this.#unconfirmedUntil = performance.now() + unconfirmedFor;
        this.#left = true;
        // Outages of the store are logged elsewhere.
        const level = A2AError.from(err).kind === 'unavailable' ? 'debug' : 'warn';
        this.#options.logger[level]({ err }, 'cannot scan the store for push notifications; trying again');
      })
      .finally(() => {
        this.#scanning = undefined;
      });
  }

  async #claimAll(): Promise<void> {
    // Includes all tasks that are woken in this turn of the event loop.
    await new Promise<void>((resolve) => setImmediate(resolve));
    for (let of = this.#next(); of !== undefined && !this.#stopping.signal.aborted; of = this.#next()) {
      const limit = Math.min(max.claimed, max.held - this.#finishing.size);
      const began = performance.now();
      if (of === 'left' && this.#claimUnconfirmed) await this.#release();
      const claimed = await this.#claim({ of, limit, except: this.#queues.full(began) });
      const ended = performance.now();
      if (of === 'left') this.#nextLeft = ended + Math.min((ended - began) / scanShare, longestPause);
      // A full claim means that there may be more.
      if (claimed < limit) continue;
      if (typeof of !== 'string') for (const key of of) this.#woken.add(key);
      else if (of === 'due') this.#due = true;
      else this.#left = true;
    }
  }

  /** Returns the deliveries to claim next. Undefined if there is nothing to claim, or no room for it. */
  #next(): DeliveryQuery['of'] | undefined {
    if (this.#finishing.size >= max.held) return undefined;
    if (this.#woken.size > 0) {
      const keys = this.#woken.values().take(max.claimed).toArray();
      for (const key of keys) this.#woken.delete(key);
      return keys;
    }
    if (this.#due) {
      this.#due = false;
      return 'due';
    }
    if (!this.#left) return undefined;
    this.#left = false;
    return 'left';
  }

  async #claim(query: DeliveryQuery): Promise<number> {
    const deliveries = await this.#options.store.claimDeliveries(query);
    for (const delivery of deliveries) {
      const queue = this.#queues.enter(delivery.receiver, delivery.owner.principal);
      const run = new DeliveryRun(delivery, queue, this.#deps);
      const runs = this.#held.get(delivery.key) ?? new Set();
      this.#held.set(delivery.key, runs.add(run));
      const finishing = run.finish().then((isReleased) => {
        // The next scan for untried deliveries releases the claim.
        if (!isReleased) this.#claimUnconfirmed = true;
        runs.delete(run);
        this.#released[0].add(delivery.key);
        if (runs.size === 0) this.#held.delete(delivery.key);
        this.#finishing.delete(finishing);
        if (this.#queues.leave(queue)) this.#left = true;
        // Events were written while the delivery was being released.
        if (run.more) this.#woken.add(delivery.key);
        if (this.#woken.size > 0 || this.#due || this.#left) this.#scan();
      });
      this.#finishing.add(finishing);
    }
    return deliveries.length;
  }

  /** Releases claims that no run holds. */
  async #release(): Promise<void> {
    const isHeld = (key: string, id: string, lease: number): boolean =>
      [...(this.#held.get(key) ?? [])].some(({ delivery }) => delivery.config.id === id && delivery.lease === lease);
    // A run that fails meanwhile is still held now: the next scan releases its claim.
    this.#claimUnconfirmed = performance.now() < this.#unconfirmedUntil;
    await this.#options.store.releaseDeliveries(isHeld);
  }
}
