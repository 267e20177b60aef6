import type { HostRates } from './host-rates.ts';

/** What is known of a receiver: it answered when it was last called; nothing yet; it did not answer. */
export type Standing = 'proven' | 'new' | 'silent';

/** How many attempts are under way at once. */
export interface LaneLimits {
  /** To one proven receiver. To any other: one. */
  readonly perReceiver: number;
  /** To all receivers of a standing: slots of their own, so that those who do not answer delay nobody who does. */
  readonly slots: Readonly<Record<Standing, number>>;
  /** Deliveries of one receiver that are taken in hand; beyond, they stay in the store. Of a silent one: one. */
  readonly held: number;
  /** Milliseconds: the longest time that a silent receiver is left alone, at first; it doubles up to `cap`. */
  readonly pause: { readonly base: number; readonly cap: number };
}

export const laneLimits: LaneLimits = {
  perReceiver: 8,
  slots: { proven: 128, new: 64, silent: 64 },
  held: 64,
  pause: { base: 1_000, cap: 30_000 },
};

/** Milliseconds that a receiver is remembered for after it was last called. */
const remembered = 600_000;

/** Leave to make one attempt. */
export interface Slot {
  /** @param silent whether nothing answered */
  release(silent: boolean): void;
}

/** One receiver. */
export interface Lane {
  readonly receiver: string;
  /** What its notifications are counted under. */
  readonly host: string;
  /** Deliveries in hand. */
  held: number;
  /** Attempts under way. */
  active: number;
  standing: Standing;
  /** How often in a row nothing answered. */
  silences: number;
  /** Milliseconds: not called before. */
  until: number;
  /** Milliseconds: when it was last called. */
  called: number;
  /** Whether deliveries stayed in the store because of this lane. */
  passedOver: boolean;
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly start: (slot: Slot) => void;
  readonly defer: () => void;
}

/**
 * A lane for each receiver. Healthy ones share their slots in turn; one that does not answer is called by one attempt at
 * a time, and left alone for longer and longer.
 */
export class Lanes {
  readonly #limits: LaneLimits;
  readonly #random: () => number;
  readonly #rates: HostRates | undefined;
  readonly #lanes = new Map<string, Lane>();
  /** Attempts under way, by the standing that they began with. */
  readonly #active: Record<Standing, number> = { proven: 0, new: 0, silent: 0 };
  /** Lanes with waiting attempts, in the order in which it is their turn. */
  readonly #turns = new Set<Lane>();

  /** @param rates absent: receivers get any number of notifications */
  constructor(limits: LaneLimits = laneLimits, random: () => number = Math.random, rates?: HostRates) {
    this.#limits = limits;
    this.#random = random;
    this.#rates = rates;
  }

  get size(): number {
    return this.#lanes.size;
  }

  /** Receivers that do not answer. */
  get silent(): number {
    return this.#lanes.values().reduce((count, { standing }) => count + (standing === 'silent' ? 1 : 0), 0);
  }

  /** Receivers of which no more deliveries are to be taken in hand. */
  full(now: number): string[] {
    const full: string[] = [];
    for (const lane of this.#lanes.values()) {
      if (lane.until <= now && lane.held < this.#capacity(lane)) continue;
      lane.passedOver = true;
      full.push(lane.receiver);
    }
    return full;
  }

  /** Takes a delivery in hand. */
  enter(receiver: string): Lane {
    let lane = this.#lanes.get(receiver);
    if (!lane) {
      const fresh = { standing: 'new', silences: 0, until: 0, called: Date.now() } as const;
      const host = URL.parse(receiver)?.hostname ?? receiver;
      lane = { receiver, host, held: 0, active: 0, ...fresh, passedOver: false, waiting: [] };
      this.#lanes.set(receiver, lane);
    }
    lane.held += 1;
    return lane;
  }

  /** Lets a delivery go. Whether others of the same receiver may have stayed in the store for it. */
  leave(lane: Lane): boolean {
    lane.held -= 1;
    if (!lane.passedOver || lane.held > this.#capacity(lane) / 2 || lane.standing === 'silent') return false;
    lane.passedOver = false;
    return true;
  }

  /** Forgets receivers that nothing is delivered to. */
  sweep(now: number): void {
    this.#rates?.sweep(now);
    for (const lane of this.#lanes.values()) {
      // Whoever was passed over is found by the next look at the store.
      if (lane.held === 0 && lane.called + remembered <= now) this.#lanes.delete(lane.receiver);
    }
  }

  /** Milliseconds that a delivery to this lane is put off by: spread out, since others are put off with it. */
  delayOf(lane: Lane, now: number): number {
    return Math.max(0, lane.until - now) + this.#random() * this.#backoff(lane);
  }

  /** Resolves with a slot when it is the lane's turn, or with undefined when the receiver is to be left alone. */
  take(lane: Lane, now: number): Promise<Slot | undefined> {
    if (lane.until > now) return Promise.resolve(undefined);
    const wait = this.#rates?.take(lane.host, now) ?? 0;
    if (wait > 0) {
      // For a while: putting deliveries off costs the store something, too.
      const { base, cap } = this.#limits.pause;
      lane.until = now + Math.min(Math.max(wait, base), cap);
      return Promise.resolve(undefined);
    }
    const { promise, resolve } = Promise.withResolvers<Slot | undefined>();
    lane.waiting.push({ start: resolve, defer: () => resolve(undefined) });
    this.#turns.add(lane);
    this.#pump();
    return promise;
  }

  /** Nobody waits any more. */
  deferAll(): void {
    for (const lane of this.#lanes.values()) this.#defer(lane);
  }

  #capacity(lane: Lane): number {
    return lane.standing === 'silent' ? 1 : this.#limits.held;
  }

  #backoff({ silences }: Lane): number {
    const { base, cap } = this.#limits.pause;
    return Math.min(cap, base * 2 ** Math.min(Math.max(0, silences - 1), 30));
  }

  #defer(lane: Lane): void {
    this.#turns.delete(lane);
    for (const { defer } of lane.waiting.splice(0)) defer();
  }

  #pump(): void {
    for (const lane of this.#turns) {
      const { standing } = lane;
      const most = standing === 'proven' ? this.#limits.perReceiver : 1;
      if (lane.active >= most || this.#active[standing] >= this.#limits.slots[standing]) continue;
      const next = lane.waiting.shift();
      // To the end of the turns, or out of them.
      this.#turns.delete(lane);
      if (!next) continue;
      if (lane.waiting.length > 0) this.#turns.add(lane);
      lane.active += 1;
      this.#active[standing] += 1;
      lane.called = Date.now();
      next.start({ release: (silent) => this.#release(lane, standing, silent) });
    }
  }

  #release(lane: Lane, began: Standing, silent: boolean): void {
    lane.active -= 1;
    this.#active[began] -= 1;
    lane.standing = silent ? 'silent' : 'proven';
    lane.silences = silent ? lane.silences + 1 : 0;
    if (silent) {
      lane.until = Date.now() + this.#random() * this.#backoff(lane);
      this.#defer(lane);
    }
    this.#pump();
  }
}
