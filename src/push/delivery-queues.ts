import type { HostRates } from './host-rates.ts';

/** What is known of a receiver: it answered when it was last called; nothing yet; it did not answer. */
export type ReceiverHealth = 'proven' | 'new' | 'silent';

/** How many attempts are under way at once. */
export interface QueueLimits {
  /** To one proven receiver. To any other: one. */
  readonly perReceiver: number;
  /** To all receivers of a health: slots of their own, so that those who do not answer delay nobody who does. */
  readonly slots: Readonly<Record<ReceiverHealth, number>>;
  /** Deliveries of one receiver that are taken in hand; beyond, they stay in the store. Of a silent one: one. */
  readonly held: number;
  /** Milliseconds: the longest time that a silent receiver is left alone, at first; it doubles up to `cap`. */
  readonly pause: { readonly base: number; readonly cap: number };
}

export const defaultQueueLimits: QueueLimits = {
  perReceiver: 8,
  slots: { proven: 128, new: 64, silent: 64 },
  held: 64,
  pause: { base: 1_000, cap: 30_000 },
};

/** Milliseconds that a receiver is remembered for after it was last called. */
const remembered = 600_000;

/** Leave to make one attempt. */
export interface AttemptSlot {
  /** @param silent whether nothing answered */
  release(silent: boolean): void;
}

/** One receiver. */
export interface ReceiverQueue {
  readonly receiver: string;
  /** What its notifications are counted under. */
  readonly host: string;
  /** Deliveries in hand. */
  held: number;
  /** Attempts under way. */
  active: number;
  health: ReceiverHealth;
  /** How often in a row nothing answered. */
  silences: number;
  /** Milliseconds: not called before. */
  until: number;
  /** Milliseconds: when it was last called. */
  called: number;
  /** Whether deliveries stayed in the store because of this queue. */
  passedOver: boolean;
  readonly waiting: WaitingAttempt[];
}

interface WaitingAttempt {
  readonly start: (slot: AttemptSlot) => void;
  readonly defer: () => void;
}

/**
 * A queue for each receiver. Healthy ones share their slots in turn; one that does not answer is called by one attempt at
 * a time, and left alone for longer and longer.
 */
export class DeliveryQueues {
  readonly #limits: QueueLimits;
  readonly #random: () => number;
  readonly #rates: HostRates | undefined;
  readonly #queues = new Map<string, ReceiverQueue>();
  /** Attempts under way, by the health that they began with. */
  readonly #active: Record<ReceiverHealth, number> = { proven: 0, new: 0, silent: 0 };
  /** queue with waiting attempts, in the order in which it is their turn. */
  readonly #turns = new Set<ReceiverQueue>();

  /** @param rates absent: receivers get any number of notifications */
  constructor(limits: QueueLimits = defaultQueueLimits, random: () => number = Math.random, rates?: HostRates) {
    this.#limits = limits;
    this.#random = random;
    this.#rates = rates;
  }

  get size(): number {
    return this.#queues.size;
  }

  /** Receivers that do not answer. */
  get silent(): number {
    return this.#queues.values().reduce((count, { health }) => count + (health === 'silent' ? 1 : 0), 0);
  }

  /** Receivers of which no more deliveries are to be taken in hand. */
  full(now: number): string[] {
    const full: string[] = [];
    for (const queue of this.#queues.values()) {
      if (queue.until <= now && queue.held < this.#capacity(queue)) continue;
      queue.passedOver = true;
      full.push(queue.receiver);
    }
    return full;
  }

  /** Takes a delivery in hand. */
  enter(receiver: string): ReceiverQueue {
    let queue = this.#queues.get(receiver);
    if (!queue) {
      const fresh = { health: 'new', silences: 0, until: 0, called: Date.now() } as const;
      const host = URL.parse(receiver)?.hostname ?? receiver;
      queue = { receiver, host, held: 0, active: 0, ...fresh, passedOver: false, waiting: [] };
      this.#queues.set(receiver, queue);
    }
    queue.held += 1;
    return queue;
  }

  /** Lets a delivery go. Whether others of the same receiver may have stayed in the store for it. */
  leave(queue: ReceiverQueue): boolean {
    queue.held -= 1;
    if (!queue.passedOver || queue.held > this.#capacity(queue) / 2 || queue.health === 'silent') return false;
    queue.passedOver = false;
    return true;
  }

  /** Forgets receivers that nothing is delivered to. */
  sweep(now: number): void {
    this.#rates?.sweep(now);
    for (const queue of this.#queues.values()) {
      // Whoever was passed over is found by the next look at the store.
      if (queue.held === 0 && queue.called + remembered <= now) this.#queues.delete(queue.receiver);
    }
  }

  /** Milliseconds that a delivery to this queue is put off by: spread out, since others are put off with it. */
  delayOf(queue: ReceiverQueue, now: number): number {
    return Math.max(0, queue.until - now) + this.#random() * this.#backoff(queue);
  }

  /** Resolves with a slot when it is the queue's turn, or with undefined when the receiver is to be left alone. */
  take(queue: ReceiverQueue, now: number): Promise<AttemptSlot | undefined> {
    if (queue.until > now) return Promise.resolve(undefined);
    const wait = this.#rates?.take(queue.host, now) ?? 0;
    if (wait > 0) {
      // For a while: putting deliveries off costs the store something, too.
      const { base, cap } = this.#limits.pause;
      queue.until = now + Math.min(Math.max(wait, base), cap);
      return Promise.resolve(undefined);
    }
    const { promise, resolve } = Promise.withResolvers<AttemptSlot | undefined>();
    queue.waiting.push({ start: resolve, defer: () => resolve(undefined) });
    this.#turns.add(queue);
    this.#pump();
    return promise;
  }

  /** Nobody waits any more. */
  deferAll(): void {
    for (const queue of this.#queues.values()) this.#defer(queue);
  }

  #capacity(queue: ReceiverQueue): number {
    return queue.health === 'silent' ? 1 : this.#limits.held;
  }

  #backoff({ silences }: ReceiverQueue): number {
    const { base, cap } = this.#limits.pause;
    return Math.min(cap, base * 2 ** Math.min(Math.max(0, silences - 1), 30));
  }

  #defer(queue: ReceiverQueue): void {
    this.#turns.delete(queue);
    for (const { defer } of queue.waiting.splice(0)) defer();
  }

  #pump(): void {
    for (const queue of this.#turns) {
      const { health } = queue;
      const most = health === 'proven' ? this.#limits.perReceiver : 1;
      if (queue.active >= most || this.#active[health] >= this.#limits.slots[health]) continue;
      const next = queue.waiting.shift();
      // To the end of the turns, or out of them.
      this.#turns.delete(queue);
      if (!next) continue;
      if (queue.waiting.length > 0) this.#turns.add(queue);
      queue.active += 1;
      this.#active[health] += 1;
      queue.called = Date.now();
      next.start({ release: (silent) => this.#release(queue, health, silent) });
    }
  }

  #release(queue: ReceiverQueue, began: ReceiverHealth, silent: boolean): void {
    queue.active -= 1;
    this.#active[began] -= 1;
    queue.health = silent ? 'silent' : 'proven';
    queue.silences = silent ? queue.silences + 1 : 0;
    if (silent) {
      queue.until = Date.now() + this.#random() * this.#backoff(queue);
      this.#defer(queue);
    }
    this.#pump();
  }
}
