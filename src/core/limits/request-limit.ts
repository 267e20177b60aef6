import { A2AError } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import type { Audit } from '../ports/audit.ts';
import type { Peers } from '../ports/peers.ts';
import type { Authenticate, CallerFacts } from './admission.ts';
import { networkOf } from './network.ts';
import { SharedBuckets, TokenBatch } from './request-portions.ts';

/** Milliseconds after which a share that nobody used is full again, and needs no memory. */
const minute = 60_000;
/** Shares that are remembered of one minute; beyond, the oldest are forgotten, which lets their callers begin anew. */
const maxShares = 100_000;

/** What one caller has used up. A caller without a share has used nothing for a minute. */
class CallerBucket {
  /** When everything that was used will have been regained: milliseconds of the limiter's clock. */
  regained = 0;
  /** When the audit was last told. */
  auditedAt = Number.NEGATIVE_INFINITY;
  /** The caller with what it is counted under. Only for those without a principal of their own. */
  principal: Principal | undefined;
  /** What is held of the share that all gateways count. Only where there are several. */
  batch: TokenBatch | undefined;
}

export interface RequestLimiterOptions {
  /** Requests of one principal that are let in at once, and regained evenly within a minute. Absent: any number. */
  readonly perMinute: number | undefined;
  readonly audit?: Audit;
  /** A monotonic clock in milliseconds. */
  readonly clock?: () => number;
  /** The other gateways that the limit is shared with. Absent, or not shared: there are none. */
  readonly peers?: Pick<Peers, 'shared' | 'reserve'> | undefined;
}

/**
 * Counts requests per principal, and those of anonymous callers per network address: a bucket that holds a minute's
 * requests and fills evenly. It needs no timers: what a bucket holds is one number, and buckets that have been full for
 * a minute are dropped on the way.
 *
 * Where gateways share a store, they share the buckets: each takes portions out of them, and counts down what it holds
 * without asking. While the store does not answer, each counts for itself alone, so that as many requests are let in as
 * there are gateways times the limit at most.
 */
export class RequestLimiter {
  /** Milliseconds in which one request is regained. 0: there is no limit. */
  readonly #each: number;
  readonly #audit: Audit;
  readonly #clock: () => number;
  /** Undefined: this gateway counts alone. */
  readonly #portions: SharedBuckets | undefined;
  /** The shares used within this minute, and those of the minute before. */
  #shares = new Map<string, CallerBucket>();
  #older = new Map<string, CallerBucket>();
  #turned = 0;

  constructor({ perMinute, audit = () => {}, clock = () => performance.now(), peers }: RequestLimiterOptions) {
    this.#each = perMinute === undefined ? 0 : minute / perMinute;
    this.#audit = audit;
    this.#clock = clock;
    if (perMinute === undefined || !peers?.shared) return;
    this.#portions = new SharedBuckets({ reserve: (...asked) => peers.reserve(...asked), perMinute, clock });
  }

  /**
   * Counts a request of an admitted caller. The principal that comes back says what else is counted under. A promise
   * only where the limit is shared, and what this gateway holds of it is used up.
   *
   * @throws A2AError `tooManyRequests` with the seconds until the next one is let in; it costs the caller nothing
   */
  count(principal: Principal, caller: CallerFacts): Principal | Promise<Principal> {
    const now = this.#clock();
    const { anonymous, id } = principal;
    const key = anonymous ? caller.remoteAddress : id;
    let share = this.#shares.get(key);
    if (!share) {
      share = anonymous ? this.#ofNetwork(key, principal, now) : this.#find(key, now);
    }
    if (this.#portions) return this.#countShared(this.#portions, share, principal, caller);
    this.#require(share, now, principal, caller);
    share.regained = Math.max(share.regained, now) + this.#each;
    return share.principal ?? principal;
  }

  /** How many callers are remembered. */
  get size(): number {
    return this.#shares.size + this.#older.size;
  }

  /** Counted here as well: what one gateway would not let in by itself, all of them do not. */
  #countShared(
    portions: SharedBuckets,
    share: CallerBucket,
    principal: Principal,
    caller: CallerFacts,
  ): Principal | Promise<Principal> {
    const now = this.#clock();
    this.#require(share, now, principal, caller);
    share.batch ??= new TokenBatch(share.principal?.limitedAs ?? principal.id);
    if (!portions.take(share.batch, now)) {
      const wait = share.batch.empty - now;
      if (wait > 0) this.#refuse(share, wait, now, principal, caller);
      return portions.more(share.batch, () => this.#countShared(portions, share, principal, caller));
    }
    share.regained = Math.max(share.regained, now) + this.#each;
    return share.principal ?? principal;
  }

  #require(share: CallerBucket, now: number, principal: Principal, caller: CallerFacts): void {
    const ahead = Math.max(share.regained, now) + this.#each - now;
    if (ahead > minute + slack) this.#refuse(share, ahead - minute, now, principal, caller);
  }

  /** An address is looked up as it is, and leads to the share of its network. */
  #ofNetwork(address: string, principal: Principal, now: number): CallerBucket {
    const network = `${principal.id}@${networkOf(address)}`;
    const share = this.#find(network, now);
    share.principal ??= { ...principal, limitedAs: network };
    this.#shares.set(address, share);
    return share;
  }

  #find(key: string, now: number): CallerBucket {
    if (now - this.#turned >= minute || this.#shares.size >= maxShares) {
      this.#older = this.#shares;
      this.#shares = new Map();
      this.#turned = now;
    }
    const share = this.#shares.get(key) ?? this.#older.get(key) ?? new CallerBucket();
    this.#shares.set(key, share);
    return share;
  }

  #refuse(
    share: CallerBucket,
    wait: number,
    now: number,
    { id }: Principal,
    { remoteAddress: address }: CallerFacts,
  ): never {
    if (now - share.auditedAt >= minute) {
      // Once a minute: a flood of requests must not become a flood of lines.
      share.auditedAt = now;
      this.#audit({ event: 'limit.exceeded', reason: 'Too many requests', principal: id, address });
    }
    throw new A2AError('tooManyRequests', undefined, { retryAfter: wait / 1_000 });
  }
}

/** Milliseconds that sums of fractions may be off. */
const slack = 1e-6;

/** Lets in whom `authenticate` lets in, as often as the limiter allows; before any body is read. */
export function limited(authenticate: Authenticate, limiter: RequestLimiter): Authenticate {
  return (caller) => {
    const judged = authenticate(caller);
    return judged instanceof Promise
      ? judged.then((principal) => limiter.count(principal, caller))
      : limiter.count(judged, caller);
  };
}
