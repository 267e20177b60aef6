import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TransientMap } from '../../../src/core/collections/transient-map.ts';

/** Few keys, so that they are set again and deleted; many more than there are buckets. */
const key = fc.integer({ min: 0, max: 200 }).map((n) => `key-${n}`);
const step = fc.oneof(
  fc.record({ do: fc.constant('set' as const), key, value: fc.nat() }),
  fc.record({ do: fc.constant('delete' as const), key }),
);

test('a transient map: it holds what a Map holds', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 1_000, size: 'max' }), (steps) => {
      const transient = new TransientMap<number>();
      const map = new Map<string, number>();
      for (const each of steps) {
        if (each.do === 'delete') expect(transient.delete(each.key)).toBe(map.delete(each.key));
        else {
          transient.set(each.key, each.value);
          map.set(each.key, each.value);
        }
        expect(transient.size).toBe(map.size);
      }
      for (let n = 0; n <= 200; n += 1) {
        expect(transient.get(`key-${n}`)).toBe(map.get(`key-${n}`));
        expect(transient.has(`key-${n}`)).toBe(map.has(`key-${n}`));
      }
      expect(transient.values().toSorted()).toEqual([...map.values()].toSorted());
    }),
    { numRuns: 50 },
  );
});

test('a transient map: it can be cleared and used again', () => {
  const map = new TransientMap<string>();
  for (let n = 0; n < 1_000; n += 1) map.set(`${n}`, `value ${n}`);
  map.clear();
  expect([map.size, map.get('1'), map.values()]).toEqual([0, undefined, []]);
  map.set('1', 'again');
  expect([map.size, map.get('1')]).toEqual([1, 'again']);
});

test('a transient map: an entry is deleted only where it has the given value', () => {
  const map = new TransientMap<string>();
  map.set('1', 'later');
  expect([map.delete('1', 'earlier'), map.get('1')]).toEqual([false, 'later']);
  expect([map.delete('1', 'later'), map.get('1')]).toEqual([true, undefined]);
});
