import { setMaxListeners } from 'node:events';
import { A2AError } from '../core/model/errors.ts';
import type { Audit } from '../core/ports/audit.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { DeliveryQuery, PushOutbox } from '../core/ports/push-store.ts';
import type { TaskStore } from '../core/ports/task-store.ts';
import type { Dialect } from '../dialects/kernel/dialect.ts';
import { DeliveryQueues, defaultQueueLimits, type QueueLimits } from './delivery-queues.ts';
import { DeliveryRun, type DeliveryRunDeps, type PushCounts, type RetryRules } from './delivery-run.ts';
import { HostRates } from './host-rates.ts';
import type { SendNotification } from './sender.ts';

/** Deliveries in hand at once, and taken in hand at once. */
const most = { held: 2_048, claimed: 256 } as const;

/** Milliseconds between two looks for deliveries that may be tried again, and for those that nobody knows of. */
const defaultLooks = { due: 1_000, left: 5_000 } as const;
/** A look for what nobody knows of costs the more the more configurations there are: it takes at most this part of the time. */
const lookShare = 0.02;

export interface DelivererOptions {
  readonly store: PushOutbox & Pick<TaskStore, 'events' | 'now'>;
  /** The dialect with this name; the gateway's own where it has no push notifications. */
  readonly dialect: (name: string) => Dialect;
  readonly send: SendNotification;
  readonly logger: Logger;
  readonly audit: Audit;
  /** Milliseconds after which an event is given up. */
  readonly maxAge: number;
  /** Milliseconds: the longest waits after the first failure and after many. Default a second and ten minutes. */
  readonly backoff?: Pick<RetryRules, 'base' | 'cap'>;
  readonly queues?: Partial<QueueLimits>;
  /** Notifications to one host within a minute; read for each. Default: any number. */
  readonly perMinute?: number | undefined;
  readonly scanIntervals?: { readonly due: number; readonly left: number };
}

/** How delivery goes. */
export interface PushStats extends Readonly<PushCounts> {
  /** Deliveries in hand. */
  readonly held: number;
  /** Receivers that are delivered to, and those of them that do not answer. */
  readonly receivers: number;
  readonly silent: number;
}

/** Delivers push notifications out of the store. */
export interface Deliverer {
  stats(): PushStats;
  /**
   * Takes nothing more in hand and waits up to `graceMs` milliseconds for attempts under way; what is not delivered then
   * is delivered by whoever opens the store next. Never rejects.
   */
  close(graceMs?: number): Promise<void>;
}

/** Begins to deliver what the store holds, and what comes. */
export function startDeliverer(options: DelivererOptions): Deliverer {
  return new PushDeliverer(options);
}

class PushDeliverer implements Deliverer {
  readonly #options: DelivererOptions;
  readonly #queues: DeliveryQueues;
  readonly #deps: DeliveryRunDeps;
  readonly #counts: PushCounts = { delivered: 0, failed: 0, dead: 0 };
  readonly #attempts = new AbortController();
  readonly #stopping = new AbortController();
  /** By the task's key. */
  readonly #held = new Map<string, Set<DeliveryRun>>();
  readonly #finishing = new Set<Promise<void>>();
  readonly #timers: NodeJS.Timeout[];
  /** Tasks whose deliveries were let go of lately: what another gateway wrote just before, it could not take. */
  #lately: [now: Set<string>, before: Set<string>] = [new Set(), new Set()];
  /** Tasks of which something may be to be delivered. */
  readonly #woken = new Set<string>();
  /** What to look for besides. */
  #due = true;
  #left = true;
  #nextLeft = 0;
  /** Whether the store may have handed out something that did not arrive. */
  #claimUnconfirmed = false;
  #scanning: Promise<void> | undefined;

  constructor(options: DelivererOptions) {
    const { store, dialect, send, logger, audit, backoff, scanIntervals: looks = defaultLooks } = options;
    this.#options = options;
    const rates = new HostRates(() => options.perMinute);
    this.#queues = new DeliveryQueues({ ...defaultQueueLimits, ...options.queues }, Math.random, rates);
    setMaxListeners(0, this.#attempts.signal, this.#stopping.signal);
    this.#deps = {
      store,
      dialect,
      send,
      logger,
      audit,
      queues: this.#queues,
      rules: {
        get maxAge() {
          return options.maxAge;
        },
        base: 1_000,
        cap: 600_000,
        ...backoff,
      },
      counts: this.#counts,
      signal: this.#attempts.signal,
      stopping: () => this.#stopping.signal.aborted,
      sleep: (ms) => this.#sleep(ms),
    };
    store.onPushed((key, elsewhere) => this.#wake(key, elsewhere));
    this.#timers = [
      setInterval(() => {
        this.#lately = [new Set(), this.#lately[0]];
        this.#queues.sweep(Date.now());
        this.#due = true;
        this.#scan();
      }, looks.due),
      setInterval(() => {
        if (Date.now() < this.#nextLeft) return;
        this.#left = true;
        this.#scan();
      }, looks.left),
    ];
    for (const timer of this.#timers) timer.unref();
    this.#scan();
  }

  stats(): PushStats {
    const { size: receivers, silent } = this.#queues;
    return { ...this.#counts, held: this.#finishing.size, receivers, silent };
  }

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
    // Who wrote it looks for it, and finds it unless it was in this gateway's hands.
    if (elsewhere && !held && !this.#lately.some((keys) => keys.has(key))) return;
    for (const run of held ?? []) run.more = true;
    this.#woken.add(key);
    this.#scan();
  }

  /** One look at a time; whatever is noticed meanwhile is looked for next. */
  #scan(): void {
    if (this.#stopping.signal.aborted) return;
    this.#scanning ??= this.#claimAll()
      .catch((err: unknown) => {
        this.#claimUnconfirmed = true;
        this.#left = true;
        // That the store is away is in the log already.
        const level = A2AError.from(err).kind === 'unavailable' ? 'debug' : 'warn';
        this.#options.logger[level]({ err }, 'push notifications cannot be looked for');
      })
      .finally(() => {
        this.#scanning = undefined;
      });
  }

  async #claimAll(): Promise<void> {
    // What this turn of the loop wakes is looked for at once.
    await new Promise<void>((resolve) => setImmediate(resolve));
    for (let of = this.#next(); of !== undefined && !this.#stopping.signal.aborted; of = this.#next()) {
      const room = Math.min(most.claimed, most.held - this.#finishing.size);
      const began = Date.now();
      if (of === 'left' && this.#claimUnconfirmed) await this.#release();
      const taken = await this.#claim({ of, limit: room, except: this.#queues.full(began) });
      if (of === 'left') this.#nextLeft = Date.now() + (Date.now() - began) / lookShare;
      // There may be more of them.
      if (taken < room) continue;
      if (typeof of !== 'string') for (const key of of) this.#woken.add(key);
      else if (of === 'due') this.#due = true;
      else this.#left = true;
    }
  }

  /** What to look for next; undefined when there is nothing to look for, or no room for it. */
  #next(): DeliveryQuery['of'] | undefined {
    if (this.#finishing.size >= most.held) return undefined;
    if (this.#woken.size > 0) {
      const keys = this.#woken.values().take(most.claimed).toArray();
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
      const queue = this.#queues.enter(delivery.receiver);
      const run = new DeliveryRun(delivery, queue, this.#deps);
      const runs = this.#held.get(delivery.key) ?? new Set();
      this.#held.set(delivery.key, runs.add(run));
      const finishing = run.finish().finally(() => {
        runs.delete(run);
        this.#lately[0].add(delivery.key);
        if (runs.size === 0) this.#held.delete(delivery.key);
        this.#finishing.delete(finishing);
        if (this.#queues.leave(queue)) this.#left = true;
        // What came while it was let go of was nobody's to notice.
        if (run.more) this.#woken.add(delivery.key);
        if (this.#woken.size > 0 || this.#due || this.#left) this.#scan();
      });
      this.#finishing.add(finishing);
    }
    return deliveries.length;
  }

  async #release(): Promise<void> {
    this.#claimUnconfirmed = false;
    const isHeld = (key: string, id: string, lease: number): boolean =>
      [...(this.#held.get(key) ?? [])].some(({ delivery }) => delivery.config.id === id && delivery.lease === lease);
    try {
      await this.#options.store.releaseDeliveries(isHeld);
    } catch (thrown) {
      this.#claimUnconfirmed = true;
      throw thrown;
    }
  }

  async #sleep(ms: number): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    const stop = (): void => resolve();
    signal.addEventListener('abort', stop, { once: true });
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
