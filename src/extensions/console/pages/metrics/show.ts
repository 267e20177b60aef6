import type { Show } from './history.ts';

/** How charts show their figures. */

/** Seconds over which rates and quantiles are computed: short enough to see what happens now. */
const window = 60;

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** Figures as they are. */
export const now: Show = { unit: 'count', window: 0, value: (parts) => sum(parts.values()) };

/** What counters grow in a second. */
export const rate: Show = { unit: 'perSecond', window, value: (parts, seconds) => sum(parts.values()) / seconds };

/** How much counters grew in some seconds. */
export const increase = (seconds: number): Show => ({
  unit: 'count',
  window: seconds,
  value: (parts) => sum(parts.values()),
});

/** The parts whose values of a label a regular expression matches as a whole. */
const picked = (parts: ReadonlyMap<string, number>, pick: string): number[] => {
  const whole = new RegExp(`^(?:${pick})$`);
  return [...parts].flatMap(([value, figure]) => (whole.test(value) ? [figure] : []));
};

/** What counters with some values of a label grow in a second. */
export const rateOf = (label: string, pick: string): Show => ({
  ...{ unit: 'perSecond', window, parts: label, pick },
  value(parts, seconds) {
    const ones = picked(parts, pick);
    return ones.length === 0 ? undefined : sum(ones) / seconds;
  },
});

/** Of what counters grew, the share of those with some values of a label; undefined where nothing grew. */
export const share = (label: string, pick: string): Show => ({
  ...{ unit: 'share', window, parts: label, pick },
  value(parts) {
    const all = sum(parts.values());
    return all === 0 ? undefined : sum(picked(parts, pick)) / all;
  },
});

/**
 * The value below which a share of a histogram's values are, interpolated within a bucket as Prometheus does. Values above
 * the last bound count as this bound. Undefined for an empty histogram.
 */
export const quantile = (wanted: number): Show => ({
  ...{ unit: 'seconds', window, parts: 'le' },
  value(parts) {
    const buckets = Array.from(parts, ([le, count]) => ({ bound: le === '+Inf' ? Infinity : Number(le), count }));
    buckets.sort((a, b) => a.bound - b.bound);
    const total = buckets.at(-1)?.count ?? 0;
    if (total === 0) return undefined;
    const rank = wanted * total;
    const at = buckets.findIndex(({ count }) => count >= rank);
    const { bound = 0, count = 0 } = buckets[at] ?? {};
    const before = buckets[at - 1] ?? { bound: 0, count: 0 };
    if (bound === Infinity) return before.bound;
    const inside = count - before.count;
    return inside === 0 ? bound : before.bound + ((bound - before.bound) * (rank - before.count)) / inside;
  },
});
