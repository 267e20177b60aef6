interface Bucket {
  /** Notifications that may be sent at once. */
  left: number;
  /** Milliseconds: when that was so. */
  at: number;
}

const minute = 60_000;

/**
 * How many notifications each host gets, whoever registered the webhooks: a minute's worth may be sent at once, and is
 * regained evenly.
 */
export class HostRates {
  readonly #perMinute: () => number | undefined;
  readonly #buckets = new Map<string, Bucket>();

  /** @param perMinute read for every notification; undefined: any number */
  constructor(perMinute: () => number | undefined) {
    this.#perMinute = perMinute;
  }

  /** Counts a notification. Milliseconds until the next one may be sent; 0: this one may. */
  take(host: string, now: number): number {
    const most = this.#perMinute();
    if (most === undefined) return 0;
    const bucket = this.#buckets.get(host) ?? { left: most, at: now };
    this.#buckets.set(host, bucket);
    bucket.left = Math.min(most, bucket.left + (Math.max(0, now - bucket.at) * most) / minute);
    bucket.at = now;
    if (bucket.left < 1) return Math.ceil(((1 - bucket.left) * minute) / most);
    bucket.left -= 1;
    return 0;
  }

  /** Forgets hosts that have got nothing for a minute: they may get as much as any. */
  sweep(now: number): void {
    for (const [host, { at }] of this.#buckets) if (at + minute <= now) this.#buckets.delete(host);
  }
}
