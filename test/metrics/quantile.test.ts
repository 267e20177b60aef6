import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Histogram } from '../../src/metrics/series.ts';

/** Quantiles that are estimated from a histogram. */

const bounds = [1, 2, 5, 10];

it('there is no quantile of nothing', () => {
  expect(new Histogram(bounds).quantile(0.5)).toBeUndefined();
});

it('values between two bounds count as spread evenly', () => {
  const histogram = new Histogram(bounds);
  for (let at = 0; at < 10; at += 1) histogram.observe(3);
  expect(histogram.quantile(0.5)).toBeCloseTo(3.5);
  expect(histogram.quantile(1)).toBe(5);
  for (let at = 0; at < 10; at += 1) histogram.observe(100);
  expect(histogram.quantile(0.95)).toBe(10);
});

it('a quantile lies between the bounds around the exact one, and grows with the share', () => {
  const values = fc.array(fc.double({ min: 0.01, max: 10, noNaN: true }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(values, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
      const [one, other] = [new Histogram(bounds), new Histogram(bounds)];
      for (const [at, value] of all.entries()) (at % 2 === 0 ? one : other).observe(value);
      one.add(other);
      const sorted = all.toSorted((a, b) => a - b);
      const exact = sorted[Math.max(0, Math.ceil(share * all.length - 1e-9) - 1)] ?? 0;
      const estimate = one.quantile(share) ?? Number.NaN;
      const upper = bounds.find((bound) => exact <= bound) ?? Number.NaN;
      const lower = bounds.findLast((bound) => bound < upper) ?? 0;
      expect(estimate).toBeGreaterThanOrEqual(lower);
      expect(estimate).toBeLessThanOrEqual(upper + 1e-9);
      expect(one.quantile(1) ?? 0).toBeGreaterThanOrEqual(estimate - 1e-9);
    }),
  );
});
