import type { Peers } from '../ports/peers.ts';

/** Milliseconds that a portion lasts: what is not used by then is given up, as it is regained elsewhere. */
const lasts = 10_000;
/** A portion is this part of a minute's requests at most. */
const most = 1 / 20;
/** Milliseconds that the store may take to grant one. */
const patience = 1_000;
/** Milliseconds that this gateway counts for itself alone, when the store did not. */
const alone = 5_000;

/** What a gateway holds of a bucket that all gateways take from. */
export class TokenBatch {
  /** The bucket's name. */
  readonly name: string;
  /** Requests that may be let in without asking. */
  held = 0;
  /** Until when. */
  until = 0;
  /** Until when there is nothing in the bucket. */
  empty = 0;
  /** How many are asked for at once. */
  size = 1;
  /** How many requests wait for the next portion. */
  waiting = 0;
  asking: Promise<void> | undefined;

  constructor(name: string) {
    this.name = name;
  }
}

export interface SharedBucketsOptions {
  /** Takes requests out of a bucket that all gateways share. */
  readonly reserve: Peers['reserve'];
  readonly perMinute: number;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
}

/**
 * Takes portions out of buckets in the store, and counts them down here: the faster somebody calls, the larger the
 * portion, so that who calls seldom wastes nothing, and who calls often seldom waits. While the store does not answer,
 * any number may be taken: whoever counts for itself alone has to have a limit of its own.
 */
export class SharedBuckets {
  readonly #options: SharedBucketsOptions;
  readonly #most: number;
  /** Until when the store is not asked. */
  #alone = 0;

  constructor(options: SharedBucketsOptions) {
    this.#options = options;
    this.#most = Math.max(1, Math.floor(options.perMinute * most));
  }

  /** Takes a request out of the portion that is held. False: it is used up. */
  take(portion: TokenBatch, now: number): boolean {
    if (portion.held > 0 && now < portion.until) {
      portion.held -= 1;
      return true;
    }
    return now < this.#alone;
  }

  /** Gets another portion, one for all who wait, and goes on: now there is one, or the bucket is empty. */
  async more<T>(portion: TokenBatch, goOn: () => T): Promise<Awaited<T>> {
    portion.waiting += 1;
    portion.asking ??= this.#ask(portion).finally(() => {
      portion.asking = undefined;
    });
    return await portion.asking.then(() => {
      portion.waiting -= 1;
      return goOn();
    });
  }

  async #ask(portion: TokenBatch): Promise<void> {
    const { reserve, perMinute, clock } = this.#options;
    portion.size = clock() < portion.until ? Math.min(portion.size * 2, this.#most) : 1;
    const want = Math.min(Math.max(portion.size, portion.waiting), Math.max(1, Math.floor(perMinute)));
    try {
      const { granted, wait } = await soon(reserve(portion.name, want, perMinute));
      const now = clock();
      portion.held = granted;
      portion.until = now + lasts;
      if (granted === 0) portion.empty = now + Math.max(1, wait);
    } catch {
      this.#alone = clock() + alone;
    }
  }
}

/** Rejects when the store takes too long. */
async function soon<T>(promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('The store takes too long.')), patience);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
