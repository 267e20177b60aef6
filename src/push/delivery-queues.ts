import type { HostRates } from './host-rates.ts';

/** Whether a receiver answered the last attempt (`proven`), did not (`silent`), or has had none (`new`). */
export type ReceiverHealth = 'proven' | 'new' | 'silent';

/** Limits of concurrent attempts. */
export interface QueueLimits {
  /** To one proven receiver. To any other: one. */
  readonly perReceiver: number;
  /** To all receivers of one health. Separate slots, so that silent receivers do not delay others. */
  readonly slots: Readonly<Record<ReceiverHealth, number>>;
  /** Deliveries of one receiver that are held; further ones stay in the store. Of a silent one: one. */
  readonly held: number;
  /** Milliseconds: the longest pause before the next attempt to a silent receiver, which doubles up to `cap`. */
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

/** Permission for one attempt. */
export interface AttemptSlot {
  /** @param silent whether the receiver did not answer */
  release(silent: boolean): void;
}

/** The queue of one receiver. Times are in milliseconds. */
export interface ReceiverQueue {
  readonly receiver: string;
  /** For the rate limit. */
  readonly host: string;
  /** Deliveries that are held. */
  held: number;
  /** Attempts in progress. */
  active: number;
  health: ReceiverHealth;
  /** Consecutive attempts without an answer. */
  silences: number;
  /** No attempt begins before this time. */
  until: number;
  /** When the last attempt began. */
  called: number;
  /** Whether deliveries stayed in the store because this queue was full. */
  passedOver: boolean;
  /** Attempts that wait for a slot; undefined defers them. */
  readonly waiting: ((slot: AttemptSlot | undefined) => void)[];
}

/**
 * A queue for each receiver. Healthy receivers share their slots in turn; a silent one gets one attempt at a time, with
 * growing pauses.
 */
export class DeliveryQueues {
  readonly #limits: QueueLimits;
  readonly #rates: HostRates;
  readonly #queues = new Map<string, ReceiverQueue>();
  /** Attempts in progress, by the health with which they began. */
  readonly #active: Record<ReceiverHealth, number> = { proven: 0, new: 0, silent: 0 };
  /** Queues with waiting attempts, in turn. */
  readonly #turns = new Set<ReceiverQueue>();

  constructor(limits: QueueLimits, rates: HostRates) {
    this.#limits = limits;
    this.#rates = rates;
  }

  get size(): number {
    return this.#queues.size;
  }

  /** Number of silent receivers. */
  get silent(): number {
    return this.#queues.values().reduce((count, { health }) => count + (health === 'silent' ? 1 : 0), 0);
  }

  /** Receivers whose deliveries are not to be claimed. */
  full(now: number): string[] {
    const full = [...this.#queues.values()].filter(({ until, held, health }) => {
      return until > now || held >= this.#capacity(health);
    });
    for (const queue of full) queue.passedOver = true;
    return full.map(({ receiver }) => receiver);
  }

  /** Adds a claimed delivery. */
  enter(receiver: string): ReceiverQueue {
    let queue = this.#queues.get(receiver);
    if (!queue) {
      const host = URL.parse(receiver)?.hostname ?? receiver;
      const times = { until: 0, called: Date.now() };
      queue = {
        receiver,
        host,
        held: 0,
        active: 0,
        health: 'new',
        silences: 0,
        ...times,
        passedOver: false,
        waiting: [],
      };
      this.#queues.set(receiver, queue);
    }
    queue.held += 1;
    return queue;
  }

  /** Removes a delivery. Whether deliveries that stayed in the store may be claimed now. */
  leave(queue: ReceiverQueue): boolean {
    queue.held -= 1;
    if (!queue.passedOver || queue.held > this.#capacity(queue.health) / 2 || queue.health === 'silent') return false;
    queue.passedOver = false;
    return true;
  }

  /** Deletes unused queues. Deliveries that they passed over are found by the next scan. */
  sweep(now: number): void {
    this.#rates.sweep(now);
    for (const { held, called, receiver } of this.#queues.values()) {
      if (held === 0 && called + maxIdle <= now) this.#queues.delete(receiver);
    }
  }

  /** Milliseconds until a deferred delivery is retried: random, because others are deferred at the same time. */
  delayOf(queue: ReceiverQueue, now: number): number {
    return Math.max(0, queue.until - now) + Math.random() * this.#backoff(queue);
  }

  /** Resolves with a slot when it is the queue's turn, or with undefined if the delivery is deferred. */
  async take(queue: ReceiverQueue, now: number): Promise<AttemptSlot | undefined> {
    if (queue.until > now) return undefined;
    const wait = this.#rates.take(queue.host, now);
    if (wait > 0) {
      // At least the base pause, because deferring deliveries costs the store something.
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

  /** Starts waiting attempts as far as there are slots. */
  #pump(): void {
    for (const queue of this.#turns) {
      const { health } = queue;
      const max = health === 'proven' ? this.#limits.perReceiver : 1;
      if (queue.active >= max || this.#active[health] >= this.#limits.slots[health]) continue;
      const start = queue.waiting.shift();
      // Moves the queue to the end of the turns if more attempts wait.
      this.#turns.delete(queue);
      if (!start) continue;
      if (queue.waiting.length > 0) this.#turns.add(queue);
      queue.active += 1;
      this.#active[health] += 1;
      queue.called = Date.now();
      start({ release: (silent) => this.#release(queue, health, silent) });
    }
  }

  #release(queue: ReceiverQueue, began: ReceiverHealth, silent: boolean): void {
    queue.active -= 1;
    this.#active[began] -= 1;
    queue.health = silent ? 'silent' : 'proven';
    queue.silences = silent ? queue.silences + 1 : 0;
    if (silent) {
      queue.until = Date.now() + Math.random() * this.#backoff(queue);
      this.#defer(queue);
    }
    this.#pump();
  }
}
