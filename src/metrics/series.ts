import { A2AError, type ErrorKind } from '../core/model/errors.ts';

/** The gateway's counters: plain numbers, which cost little to change. They become text when metrics are read. */

/** Returns the value of a key, created if there is none. */
export function getOrCreate<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  create: () => V,
): V {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}

/** Counts, or sums, by key. */
export class Tally<K> extends Map<K, number> {
  add(key: K, by = 1): void {
    this.set(key, (this.get(key) ?? 0) + by);
  }
}

/** Counts values by bounds, as Prometheus' histograms do. */
export class Histogram {
  readonly bounds: readonly number[];
  /** Number of values up to the bound of this index and above the previous one; the last: above all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  /** @param bounds in ascending order */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at += 1;
    counts[at] = (counts[at] as number) + 1;
    this.sum += value;
  }

  /** Adds the values of another histogram with equal bounds. */
  add(other: Histogram): void {
    for (const [at, count] of other.counts.entries()) this.counts[at] = (this.counts[at] as number) + count;
    this.sum += other.sum;
  }

  /**
   * Returns the value that a share of all values does not exceed, with the values between two bounds spread evenly.
   * Above all bounds: the last bound. Undefined: there are no values.
   */
  quantile(share: number): number | undefined {
    const { bounds, counts } = this;
    const wanted = share * counts.reduce((sum, count) => sum + count, 0);
    if (wanted === 0) return undefined;
    let below = 0;
    for (const [at, upper] of bounds.entries()) {
      const count = counts[at] as number;
      const lower = bounds[at - 1] ?? 0;
      if (below + count >= wanted) return lower + ((wanted - below) / count) * (upper - lower);
      below += count;
    }
    return bounds.at(-1);
  }
}

/** Bounds of histograms: few, since every combination of labels has all of them. */
export const bounds = {
  /** Seconds of calls: from an answer out of memory to the longest that people wait. */
  calls: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
  /** Seconds of accesses to the store. */
  accesses: [0.0001, 0.0005, 0.0025, 0.01, 0.05, 0.25, 1, 5],
  /** Tasks or events in one transaction. */
  batches: [1, 2, 5, 10, 25, 50, 100, 250, 1_000],
  /** Seconds of garbage collection. */
  pauses: [0.001, 0.01, 0.1, 1, 2, 5],
} as const;

/** Work of one kind: its durations and its results. */
export class Outcomes {
  readonly latency: Histogram;
  readonly failed = new Tally<ErrorKind>();
  ok = 0;

  constructor(bounds: readonly number[]) {
    this.latency = new Histogram(bounds);
  }

  /**
   * Counts the work when it settles, without delaying it.
   *
   * @param settled called before other handlers of the work, with its error or its value, and its duration in seconds
   */
  watch<T>(
    run: () => Promise<T>,
    settled?: (error: A2AError | undefined, seconds: number, value?: T) => void,
  ): Promise<T> {
    const began = performance.now();
    const work = run();
    work.then(
      (value) => {
        const seconds = (performance.now() - began) / 1_000;
        this.latency.observe(seconds);
        this.ok += 1;
        settled?.(undefined, seconds, value);
      },
      (thrown: unknown) => {
        const seconds = (performance.now() - began) / 1_000;
        const error = A2AError.from(thrown);
        this.latency.observe(seconds);
        this.failed.add(error.kind);
        settled?.(error, seconds);
      },
    );
    return work;
  }

  /** Whether any work has settled. */
  get hasAny(): boolean {
    return this.ok > 0 || this.failed.size > 0;
  }

  /** Number of each result: `ok`, or the kind of error. */
  get results(): [result: string, count: number][] {
    return [['ok', this.ok], ...this.failed];
  }
}
