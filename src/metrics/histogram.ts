/** Counts values by bounds, as Prometheus' histograms do. What an observation costs is a short walk over numbers. */
export class Histogram {
  readonly bounds: readonly number[];
  /** How many values were at most the bound of this index, and above the one before it; the last: above all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  /** @param bounds ascending */
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
}

/** Seconds. Few, since every combination of labels has them all. */
export const bounds = {
  /** Of calls, here and to agents: from what a store in memory takes to what people wait for. */
  calls: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
  /** Of accesses to the store. */
  accesses: [0.0001, 0.0005, 0.0025, 0.01, 0.05, 0.25, 1, 5],
  /** How many are written at once. */
  batches: [1, 2, 5, 10, 25, 50, 100, 250, 1_000],
} as const;
