import type { PrincipalsReceiver } from '../core/ports/push-store.ts';
import type { HostRates } from './host-rates.ts';

/**
 * Whether a receiver answered the last attempt (`proven`), did not answer it (`silent`), or has had no attempt yet
 * (`new`).
 */
export type ReceiverHealth = 'proven' | 'new' | 'silent';

/** Limits of concurrent attempts. */
export interface QueueLimits {
  /**
   * Attempts to one receiver, over all principals for whom it is proven. One principal may use at most half of them.
   */
  readonly perReceiver: number;
  /** Attempts to all receivers with one health. Slots are separate, so that silent receivers do not delay others. */
  readonly slots: Readonly<Record<ReceiverHealth, number>>;
  /** Deliveries that one queue holds; further deliveries stay in the store. A silent queue holds one. */
  readonly held: number;
  /**
   * Upper bound of the random pause before the next attempt to a silent receiver, in milliseconds. It starts at `base`
   * and doubles up to `cap`.
   */
  readonly pause: { readonly base: number; readonly cap: number };
}

export const defaultQueueLimits: QueueLimits = {
  perReceiver: 8,
  slots: { proven: 128, new: 64, silent: 64 },
  held: 64,
  pause: { base: 1_000, cap: 30_000 },
};

/** Milliseconds after which an unused queue is deleted. */
const maxIdle = 600_000;

export interface AttemptSlot {
  /** @param silent whether the receiver did not answer */
  release(silent: boolean): void;
}

/** The attempts to one receiver, over all principals for whom it is proven. */
interface ReceiverLoad {
  active: number;
  queues: number;
}

/** The queue of one principal's deliveries to one receiver. Times are in milliseconds. */
export interface ReceiverQueue extends PrincipalsReceiver {
  readonly load: ReceiverLoad;
  /** Host of the receiver, for the rate limit. */
  readonly host: string;
  held: number;
  /** Number of attempts in progress. */
  active: number;
  health: ReceiverHealth;
  /** Consecutive attempts without an answer. */
  silences: number;
  /** Time before which no attempt begins. */
  until: number;
  /** Time when the last attempt began. */
  called: number;
  /** Whether deliveries stayed in the store because this queue was full. */
  passedOver: boolean;
  /** Attempts that wait for a slot; undefined defers them. */
  readonly waiting: ((slot: AttemptSlot | undefined) => void)[];
}

/**
 * Queues by receiver and principal, so that a path that does not answer delays only its principal, and not others with
 * webhooks at the same origin. Healthy queues take turns in the use of their slots. A silent queue gets one attempt at
 * a time, with growing pauses.
 */
export class DeliveryQueues {
  readonly #limits: QueueLimits;
  readonly #rates: HostRates;
  /** Queues by receiver and principal. */
  readonly #queues = new Map<string, ReceiverQueue>();
  readonly #loads = new Map<string, ReceiverLoad>();
  /** Attempts in progress, by the health with which they began. */
  readonly #active: Record<ReceiverHealth, number> = { proven: 0, new: 0, silent: 0 };
  /** Queues with waiting attempts, in turn. */
  readonly #turns = new Set<ReceiverQueue>();

  constructor(limits: QueueLimits, rates: HostRates) {
    this.#limits = limits;
    this.#rates = rates;
  }

  get size(): number {
    return this.#loads.size;
  }

  /** Number of receivers that do not answer some principal's deliveries. */
  get silent(): number {
    const silent = this.#queues.values().filter(({ health }) => health === 'silent');
    return new Set(silent.map(({ receiver }) => receiver)).size;
  }

  /** Returns the principals and receivers whose deliveries must not be claimed. */
  full(now: number): PrincipalsReceiver[] {
    const full = [...this.#queues.values()].filter(({ until, held, health }) => {
      return until > now || held >= this.#capacity(health);
    });
    for (const queue of full) queue.passedOver = true;
    return full;
  }

  /** Adds a claimed delivery. */
  enter(receiver: string, principal: string): ReceiverQueue {
    const name = nameOf(receiver, principal);
    let queue = this.#queues.get(name);
    if (!queue) {
      const load = this.#loads.get(receiver) ?? { active: 0, queues: 0 };
      this.#loads.set(receiver, load);
      load.queues += 1;
      const host = URL.parse(receiver)?.hostname ?? receiver;
      const times = { until: 0, called: performance.now() };
      queue = {
        receiver,
        principal,
        load,
        host,
        held: 0,
        active: 0,
        health: 'new',
        silences: 0,
        ...times,
        passedOver: false,
        waiting: [],
      };
      this.#queues.set(name, queue);
    }
    queue.held += 1;
    return queue;
  }

  /** Removes a delivery. Returns whether deliveries that stayed in the store may be claimed now. */
  leave(queue: ReceiverQueue): boolean {
    queue.held -= 1;
    if (!queue.passedOver || queue.held > this.#capacity(queue.health) / 2 || queue.health === 'silent') return false;
    queue.passedOver = false;
    return true;
  }

  /** Deletes unused queues. Deliveries that they passed over are found by the next scan. */
  sweep(now: number): void {
    this.#rates.sweep(now);
    for (const [name, { held, called, receiver, load }] of this.#queues) {
      if (held > 0 || called + maxIdle > now) continue;
      this.#queues.delete(name);
      load.queues -= 1;
      if (load.queues === 0) this.#loads.delete(receiver);
    }
  }

  /**
   * Returns the milliseconds until a deferred delivery is retried. They are random, because others are deferred at the
   * same time.
   */
  delayOf(queue: ReceiverQueue, now: number): number {
    return Math.max(0, queue.until - now) + Math.random() * this.#backoff(queue);
  }

  /** Resolves with a slot when it is the queue's turn, or with undefined if the delivery is deferred. */
  async take(queue: ReceiverQueue, now: number): Promise<AttemptSlot | undefined> {
    if (queue.until > now) return undefined;
    const wait = this.#rates.take(queue.host, now);
    if (wait > 0) {
      // At least the base pause, because deferring deliveries burdens the store.
      const { base, cap } = this.#limits.pause;
      queue.until = now + Math.min(Math.max(wait, base), cap);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<AttemptSlot | undefined>();
    queue.waiting.push(resolve);
    this.#turns.add(queue);
    this.#pump();
    return promise;
  }

  /** Defers all waiting attempts. */
  deferAll(): void {
    for (const queue of this.#queues.values()) this.#defer(queue);
  }

  #capacity(health: ReceiverHealth): number {
    return health === 'silent' ? 1 : this.#limits.held;
  }

  #backoff({ silences }: ReceiverQueue): number {
    const { base, cap } = this.#limits.pause;
    return Math.min(cap, base * 2 ** Math.min(Math.max(0, silences - 1), 30));
  }

  #defer(queue: ReceiverQueue): void {
    this.#turns.delete(queue);
    for (const start of queue.waiting.splice(0)) start(undefined);
  }

  /** Starts waiting attempts while there are slots. */
  #pump(): void {
    for (const queue of this.#turns) {
      const { health } = queue;
      const { perReceiver, slots } = this.#limits;
      const max = health === 'proven' ? Math.ceil(perReceiver / 2) : 1;
      if (queue.active >= max || this.#active[health] >= slots[health]) continue;
      if (health === 'proven' && queue.load.active >= perReceiver) continue;
      const start = queue.waiting.shift();
      // Moves the queue to the end of the turns if more attempts wait.
      this.#turns.delete(queue);
      if (!start) continue;
      if (queue.waiting.length > 0) this.#turns.add(queue);
      queue.active += 1;
      this.#active[health] += 1;
      if (health === 'proven') queue.load.active += 1;
      queue.called = performance.now();
      start({ release: (silent) => this.#release(queue, health, silent) });
    }
  }

  #release(queue: ReceiverQueue, began: ReceiverHealth, silent: boolean): void {
    queue.active -= 1;
    this.#active[began] -= 1;
    if (began === 'proven') queue.load.active -= 1;
    queue.health = silent ? 'silent' : 'proven';
    queue.silences = silent ? queue.silences + 1 : 0;
    if (silent) {
      queue.until = performance.now() + Math.random() * this.#backoff(queue);
      this.#defer(queue);
    }
    this.#pump();
  }
}

const nameOf = (receiver: string, principal: string): string => JSON.stringify([receiver, principal]);
