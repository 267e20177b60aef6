/** How many attempts are under way at once. */
export interface LaneLimits {
  /** To one receiver. */
  readonly perReceiver: number;
  /** To all receivers that answered when they were last called. */
  readonly proven: number;
  /** To all others. They have slots of their own, so that those who do not answer delay nobody who does. */
  readonly unproven: number;
  /** Deliveries of one receiver that are taken in hand; beyond, they stay in the store. */
  readonly held: number;
}

export const laneLimits: LaneLimits = { perReceiver: 8, proven: 128, unproven: 128, held: 64 };

/** Milliseconds that a receiver which cannot be reached is left alone: at first, and at most. */
const pause = { base: 500, cap: 30_000 } as const;

/** Milliseconds that it is remembered for after that. */
const remembered = 120_000;

/** Leave to make one attempt. */
export interface Slot {
  /** @param silent whether nothing answered */
  release(silent: boolean): void;
}

/** One receiver. */
export interface Lane {
  readonly receiver: string;
  /** Deliveries in hand. */
  held: number;
  /** Attempts under way. */
  active: number;
  /** How often in a row nothing answered. */
  silences: number;
  /** Whether it answered when it was last called. */
  proven: boolean;
  /** Milliseconds: not called before. */
  until: number;
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
  readonly #lanes = new Map<string, Lane>();
  /** Attempts under way, of proven receivers and of the others. */
  #active = { proven: 0, unproven: 0 };
  /** Lanes with waiting attempts, in the order in which it is their turn. */
  readonly #turns = new Set<Lane>();

  constructor(limits: LaneLimits = laneLimits, random: () => number = Math.random) {
    this.#limits = limits;
    this.#random = random;
  }

  get size(): number {
    return this.#lanes.size;
  }

  /** Receivers that do not answer. */
  get silent(): number {
    return this.#lanes.values().reduce((count, { silences }) => count + (silences > 0 ? 1 : 0), 0);
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
      lane = { receiver, held: 0, active: 0, silences: 0, proven: false, until: 0, passedOver: false, waiting: [] };
      this.#lanes.set(receiver, lane);
    }
    lane.held += 1;
    return lane;
  }

  /** Lets a delivery go. Whether others of the same receiver may have stayed in the store for it. */
  leave(lane: Lane): boolean {
    lane.held -= 1;
    if (!lane.passedOver || lane.held > this.#capacity(lane) / 2 || lane.silences > 0) return false;
    lane.passedOver = false;
    return true;
  }

  /** Forgets receivers that nothing is delivered to. */
  sweep(now: number): void {
    for (const lane of this.#lanes.values()) {
      // Whoever was passed over is found by the next look at the store.
      if (lane.held === 0 && lane.until + remembered <= now) this.#lanes.delete(lane.receiver);
    }
  }

  /** Milliseconds that a delivery to this lane is put off by: spread out, since others are put off with it. */
  delayOf(lane: Lane, now: number): number {
    return Math.max(0, lane.until - now) + this.#random() * this.#backoff(lane);
  }

  /** Resolves with a slot when it is the lane's turn, or with undefined when the receiver is to be left alone. */
  take(lane: Lane, now: number): Promise<Slot | undefined> {
    if (lane.until > now) return Promise.resolve(undefined);
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
    return lane.silences > 0 ? 1 : this.#limits.held;
  }

  #backoff({ silences }: Lane): number {
    return Math.min(pause.cap, pause.base * 2 ** Math.min(silences, 20));
  }

  #defer(lane: Lane): void {
    this.#turns.delete(lane);
    for (const { defer } of lane.waiting.splice(0)) defer();
  }

  #pump(): void {
    for (const lane of this.#turns) {
      const budget = lane.proven ? 'proven' : 'unproven';
      const most = lane.silences > 0 ? 1 : this.#limits.perReceiver;
      if (lane.active >= most || this.#active[budget] >= this.#limits[budget]) continue;
      const next = lane.waiting.shift();
      // To the end of the turns, or out of them.
      this.#turns.delete(lane);
      if (!next) continue;
      if (lane.waiting.length > 0) this.#turns.add(lane);
      lane.active += 1;
      this.#active[budget] += 1;
      next.start({ release: (silent) => this.#release(lane, budget, silent) });
    }
  }

  #release(lane: Lane, budget: 'proven' | 'unproven', silent: boolean): void {
    lane.active -= 1;
    this.#active[budget] -= 1;
    lane.proven = !silent;
    lane.silences = silent ? lane.silences + 1 : 0;
    if (silent) {
      lane.until = Date.now() + this.#random() * this.#backoff(lane);
      this.#defer(lane);
    }
    this.#pump();
  }
}
