import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../core/model/json.ts';
import { shortened } from '../../../core/model/text.ts';
import type { Difference } from '../../../gen/admin-v1/types.ts';

/** Differences that are shown at most. */
const maxDifferences = 200;
/** Characters of a value that are shown. */
const maxValue = 1_000;

/** Where two JSON values differ: each place once, with the value there before and after. What is absent has no members. */
export function differences(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  const compare = (path: string, one: unknown, other: unknown): void => {
    if (found.length === maxDifferences || isDeepStrictEqual(one, other)) return;
    const [left, right] = [one ?? other, other ?? one];
    if (isObject(left) && isObject(right)) {
      for (const key of new Set([...Object.keys(left), ...Object.keys(right)]))
        compare(path === '' ? key : `${path}.${key}`, one && left[key], other && right[key]);
    } else if (Array.isArray(left) && Array.isArray(right)) {
      for (let i = 0; i < Math.max(left.length, right.length); i += 1)
        compare(`${path}[${i}]`, one && left[i], other && right[i]);
    } else found.push({ path: shortened(path, maxValue), before: shown(one), after: shown(other) });
  };
  compare('', before, after);
  return found;
}

const shown = (value: unknown): string => (value === undefined ? '' : shortened(JSON.stringify(value), maxValue));
