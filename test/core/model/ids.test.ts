import { describe, expect, it } from 'vitest';
import { looksGenerated, newId } from '../../../src/core/model/ids.ts';

describe('new ids', () => {
  const ids = Array.from({ length: 4_096 }, () => newId(1_700_000_000_000));

  it('new ids are UUIDs of version 7 that begin with the time', () => {
    for (const id of ids) {
      expect(id).toMatch(/^018bcfe5-6800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(looksGenerated(id)).toBe(true);
    }
  });

  it('new ids are in their order within a millisecond', () => {
    expect(ids.toSorted()).toEqual(ids);
  });

  it('new ids end at random, in every digit', () => {
    const tails = ids.map((id) => id.slice(19));
    expect(new Set(tails).size).toBe(ids.length);
    for (const [at, digit] of [...(tails[0] ?? '')].entries()) {
      const seen = new Set(tails.map((tail) => tail[at]));
      expect(seen.size).toBe(digit === '-' ? 1 : at === 0 ? 4 : 16);
    }
  });
});
