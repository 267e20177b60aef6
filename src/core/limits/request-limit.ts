import { RefusedCallerError } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import { withTimeout } from '../model/timing.ts';
import type { Audit } from '../ports/audit.ts';
import type { Peers } from '../ports/peers.ts';
import type { Authenticate, CallerFacts } from './admission.ts';
import { networkOf } from './network.ts';

/** Milliseconds after which an unused bucket is full again and its entry can be dropped. */
const minute = 60_000;
/** Buckets retained per minute; beyond that, the oldest are dropped, and their callers start with full ones. */
const maxBuckets = 100_000;
/** Milliseconds of rounding error in sums of fractions. */
const roundingError = 1e-6;

/**
 * Requests that one caller has used. It holds nothing else, because many callers of a network may share it. A caller without a
 * bucket has sent no request for a minute.
 */
class CallerBucket {
  /** The key of the caller's limits. */
  readonly key: string;
  /** Time when the bucket will be full again: milliseconds of the limiter's clock. */
  fullAt = 0;
  auditedAt = Number.NEGATIVE_INFINITY;
  /** Tokens of the bucket that all replicas share, if there are several. */
  batch: TokenBatch | undefined;
  /** The principal of the anonymous callers with this key. All their calls share it, because open streams keep it in memory. */
  anonymous: Principal | undefined;

  constructor(key: string) {
    this.key = key;
  }
}

const unlimited = Number.POSITIVE_INFINITY;

export interface RequestLimiterOptions {
  /**
   * Requests of one principal that are admitted at once, and regained evenly within a minute. Absent, or infinity: any
   * number.
   */
  readonly perMinute: number | undefined;
  readonly audit?: Audit;
  /** A monotonic clock in milliseconds. */
  readonly clock?: () => number;
  /** The replicas that share the limit. Absent, or not shared: this is the only replica. */
  readonly peers?: Pick<Peers, 'shared' | 'reserve'> | undefined;
}

/**
 * Limits requests per principal, of anonymous callers per network: a token bucket that holds a minute's requests and
 * refills evenly. A bucket's level is one number, and full buckets are dropped. Replicas on one store share the
 * buckets: each takes batches of tokens and counts them down. While the store is unavailable, each replica counts
 * alone.
 */
export class RequestLimiter {
  /** Milliseconds in which one token is regained. 0: there is no limit. */
  readonly #interval: number;
  readonly #audit: Audit;
  readonly #clock: () => number;
  /** The buckets in the store. Undefined: this replica counts alone. */
  readonly #shared: SharedBuckets | undefined;
  /** The buckets used within this minute, and those of the minute before. */
  #buckets = new Map<string, CallerBucket>();
  #older = new Map<string, CallerBucket>();
  #turnedAt = 0;

  constructor({
    perMinute = unlimited,
    audit = () => {},
    clock = () => performance.now(),
    peers,
  }: RequestLimiterOptions) {
    this.#interval = minute / perMinute;
    this.#audit = audit;
    this.#clock = clock;
    if (perMinute === unlimited || !peers?.shared) return;
    this.#shared = new SharedBuckets({ reserve: (...args) => peers.reserve(...args), perMinute, clock });
  }

  /**
   * Counts a request of an admitted caller. Returns the principal with the key of its other limits. Returns a promise only if the
   * limit is shared. Throws `tooManyRequests`, without using a token, with the seconds until the next request is admitted.
   */
  count(principal: Principal, caller: CallerFacts): Principal | Promise<Principal> {
    const now = this.#clock();
    const key = principal.anonymous ? caller.remoteAddress : principal.id;
    const known = this.#buckets.get(key);
    const bucket = known ?? (principal.anonymous ? this.#ofNetwork(key, principal.id, now) : this.#find(key, now));
    return this.#take(bucket, principal, caller, now);
  }

  /**
   * Counts a call that an agent makes for a principal, so that a caller gets no more requests through agents than
   * directly.
   */
  countDelegated(principal: Principal): Principal | Promise<Principal> {
    const now = this.#clock();
    const bucket = this.#find(principal.limitedAs ?? principal.id, now);
    return this.#take(bucket, principal, { remoteAddress: '' }, now);
  }

  /** Number of callers in memory. */
  get size(): number {
    return this.#buckets.size + this.#older.size;
  }

  #take(
    bucket: CallerBucket,
    principal: Principal,
    caller: Pick<CallerFacts, 'remoteAddress'>,
    now: number,
  ): Principal | Promise<Principal> {
    // This also applies if the limit is shared: a caller that exceeds it at one replica exceeds it at all of them.
    const usedUntil = Math.max(bucket.fullAt, now) + this.#interval;
    const excess = usedUntil - now - minute;
    if (excess > roundingError) this.#refuse(bucket, excess, now, principal, caller);
    const shared = this.#shared;
    if (shared) {
      bucket.batch ??= new TokenBatch(bucket.key);
      const { batch } = bucket;
      if (!shared.take(batch, now)) {
        if (batch.emptyUntil > now) this.#refuse(bucket, batch.emptyUntil - now, now, principal, caller);
        return shared.refill(batch, () => this.#take(bucket, principal, caller, this.#clock()));
      }
    }
    bucket.fullAt = usedUntil;
    if (!principal.anonymous) return principal;
    bucket.anonymous ??= { ...principal, limitedAs: bucket.key };
    return bucket.anonymous;
  }

  /** Returns a network's bucket for any of its addresses. */
  #ofNetwork(address: string, principal: string, now: number): CallerBucket {
    const bucket = this.#find(`${principal}@${networkOf(address)}`, now);
    this.#buckets.set(address, bucket);
    return bucket;
  }

  #find(key: string, now: number): CallerBucket {
    if (now - this.#turnedAt >= minute || this.#buckets.size >= maxBuckets) {
      this.#older = this.#buckets;
      this.#buckets = new Map();
      this.#turnedAt = now;
    }
    const bucket = this.#buckets.get(key) ?? this.#older.get(key) ?? new CallerBucket(key);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #refuse(
    bucket: CallerBucket,
    wait: number,
    now: number,
    { id }: Principal,
    caller: Pick<CallerFacts, 'remoteAddress'>,
  ): never {
    if (now - bucket.auditedAt >= minute) {
      // One entry a minute: a flood of requests must not flood the log.
      bucket.auditedAt = now;
      const { remoteAddress: address } = caller;
      this.#audit({ event: 'limit.exceeded', reason: 'Too many requests', principal: id, address });
    }
    throw new RefusedCallerError(id, 'tooManyRequests', { retryAfter: wait / 1_000 });
  }
}

/** Authenticates callers and limits their requests, before any body is read. */
export function limited(authenticate: Authenticate, limiter: RequestLimiter): Authenticate {
  return (caller) => {
    const principal = authenticate(caller);
    return principal instanceof Promise
      ? principal.then((admitted) => limiter.count(admitted, caller))
      : limiter.count(principal, caller);
  };
}

/** Milliseconds until unused tokens of a batch expire: the bucket in the store has refilled by then. */
const batchLifetime = 10_000;
/** A batch is at most this part of a minute's requests. */
const maxShare = 1 / 20;
/** Milliseconds that the store may take to grant a batch. */
const storeTimeout = 1_000;
/** Milliseconds without a request to the store after one failed; meanwhile this replica counts alone. */
const fallbackPeriod = 5_000;

/** Tokens that this replica took out of one shared bucket. */
class TokenBatch {
  /** The bucket's name. */
  readonly name: string;
  /** Requests that may be admitted without asking the store. */
  tokens = 0;
  expiresAt = 0;
  /** Time until which the bucket is known to be empty. */
  emptyUntil = 0;
  /** Number of tokens in the next request to the store. */
  size = 1;
  /** Number of requests that wait for the next batch. */
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
 * While the store is unavailable, every request is admitted: the caller must have a limit of its own.
 */
class SharedBuckets {
  readonly #options: SharedBucketsOptions;
  readonly #maxSize: number;
  /** Time until which the store is not asked. */
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

  /**
   * Refills the batch, once for all waiting requests, and calls `retry`: now there are tokens, or the bucket is empty.
   */
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
