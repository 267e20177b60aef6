const minute = 60_000;

/**
 * Limits the notifications to each host with a token bucket: the number for one minute may be sent at once, and the
 * bucket refills evenly.
 */
export class HostRates {
  readonly #perMinute: () => number | undefined;
  /** Buckets by host: the number of notifications that could be sent at the time `at`. */
  readonly #buckets = new Map<string, { left: number; at: number }>();

  /** @param perMinute called for every notification; undefined or infinity means no limit */
  constructor(perMinute: () => number | undefined) {
    this.#perMinute = perMinute;
  }

  /** Counts a notification. Returns 0 if it may be sent now, otherwise the milliseconds until it may. */
  take(host: string, now: number): number {
    const max = this.#perMinute();
    if (max === undefined || max === Number.POSITIVE_INFINITY) return 0;
    const bucket = this.#buckets.get(host) ?? { left: max, at: now };
    this.#buckets.set(host, bucket);
    bucket.left = Math.min(max, bucket.left + (Math.max(0, now - bucket.at) * max) / minute);
    bucket.at = now;
    if (bucket.left < 1) return Math.ceil(((1 - bucket.left) * minute) / max);
    bucket.left -= 1;
    return 0;
  }

  /** Deletes the buckets that are full again. */
  sweep(now: number): void {
    for (const [host, { at }] of this.#buckets) if (at + minute <= now) this.#buckets.delete(host);
  }
}
