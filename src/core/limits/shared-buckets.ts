import { withTimeout } from '../model/timing.ts';
import type { Peers } from '../ports/peers.ts';

/** Milliseconds until unused tokens of a batch expire: the bucket in the store has refilled by then. */
const batchLifetime = 10_000;
/** A batch is at most this part of a minute's requests. */
const maxShare = 1 / 20;
/** Milliseconds that the store may take to grant a batch. */
const storeTimeout = 1_000;
/** Milliseconds without a request to the store after one failed; meanwhile this replica counts alone. */
const fallbackPeriod = 5_000;

/** Tokens that this replica took out of one shared bucket. */
export class TokenBatch {
  /** The bucket's name. */
  readonly name: string;
  /** Requests that may be admitted without asking the store. */
  tokens = 0;
  expiresAt = 0;
  /** Until when the bucket is known to be empty. */
  emptyUntil = 0;
  /** Tokens of the next request to the store. */
  size = 1;
  /** Requests that wait for the next batch. */
  waiting = 0;
  refill: Promise<void> | undefined;

  constructor(name: string) {
    this.name = name;
  }
}

interface SharedBucketsOptions {
  /** Takes tokens out of a bucket that all replicas share. */
  readonly reserve: Peers['reserve'];
  readonly perMinute: number;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
}

/**
 * Takes batches of tokens out of buckets in the store and counts them down here; frequent callers get larger batches.
 * While the store does not answer, every request is admitted: the caller must have a limit of its own.
 */
export class SharedBuckets {
  readonly #options: SharedBucketsOptions;
  readonly #maxSize: number;
  /** Until when the store is not asked. */
  #fallbackUntil = 0;

  constructor(options: SharedBucketsOptions) {
    this.#options = options;
    this.#maxSize = Math.max(1, Math.floor(options.perMinute * maxShare));
  }

  /** Takes a token of the batch. False: it is used up. */
  take(batch: TokenBatch, now: number): boolean {
    if (batch.tokens > 0 && now < batch.expiresAt) {
      batch.tokens -= 1;
      return true;
    }
    return now < this.#fallbackUntil;
  }

  /** Refills the batch, once for all that wait, and calls `retry`: now there are tokens, or the bucket is empty. */
  async refill<T>(batch: TokenBatch, retry: () => T): Promise<Awaited<T>> {
    batch.waiting += 1;
    batch.refill ??= this.#reserve(batch).finally(() => {
      batch.refill = undefined;
    });
    return await batch.refill.then(() => {
      batch.waiting -= 1;
      return retry();
    });
  }

  async #reserve(batch: TokenBatch): Promise<void> {
    const { reserve, perMinute, clock } = this.#options;
    batch.size = clock() < batch.expiresAt ? Math.min(batch.size * 2, this.#maxSize) : 1;
    const want = Math.min(Math.max(batch.size, batch.waiting), Math.max(1, Math.floor(perMinute)));
    const grant = await withTimeout(reserve(batch.name, want, perMinute), storeTimeout).catch(() => undefined);
    const now = clock();
    if (!grant) {
      this.#fallbackUntil = now + fallbackPeriod;
      return;
    }
    batch.tokens = grant.granted;
    batch.expiresAt = now + batchLifetime;
    if (grant.granted === 0) batch.emptyUntil = now + Math.max(1, grant.wait);
  }
}
