import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bounds, Numbers } from '../../../src/extensions/calls/model.ts';

/** Numbers of calls that can be added up. */

const durations = fc.array(fc.double({ min: 0, max: 2_000_000, noNaN: true }), { maxLength: 60 });

function numbersOf(all: readonly number[]): Numbers {
  const numbers = new Numbers();
  for (const ms of all) {
    numbers.add('calls');
    numbers.observe(ms);
  }
  return numbers;
}

it('numbers of parts, added up in any order, are the numbers of the whole', () => {
  fc.assert(
    fc.property(fc.array(durations, { maxLength: 8 }), (parts) => {
      const sum = new Numbers();
      for (const part of parts.toReversed()) sum.addAll(numbersOf(part).values);
      const whole = numbersOf(parts.flat());
      expect([...sum.values]).toEqual([...whole.values]);
      for (const share of [0.5, 0.9, 0.99]) expect(sum.quantile(share)).toBe(whole.quantile(share));
    }),
  );
});

it('a percentile of added numbers is within the bucket of the true one', () => {
  fc.assert(
    fc.property(
      durations.filter((all) => all.length > 0),
      fc.constantFrom(0.5, 0.9, 0.99),
      (all, share) => {
        const sorted = all.toSorted((one, other) => one - other);
        const exact = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number;
        const upper = bounds.find((bound) => exact <= bound) ?? (bounds.at(-1) as number);
        const lower = bounds.findLast((bound) => bound < upper && bound < exact) ?? 0;
        const estimated = numbersOf(all).quantile(share) as number;
        expect(estimated).toBeGreaterThanOrEqual(lower);
        expect(estimated).toBeLessThanOrEqual(upper);
      },
    ),
  );
});

it('the bounds of durations are five for each power of ten, from a millisecond on', () => {
  expect(bounds.slice(0, 6)).toEqual([1, 1.6, 2.5, 4, 6.3, 10]);
  expect(bounds.at(-1)).toBe(1_000_000);
  expect(bounds).toEqual(bounds.toSorted((one, other) => one - other));
  expect(new Set(bounds).size).toBe(31);
});
