import { expect, it } from 'vitest';
import { checkCalls, type SeenCalls } from './check-calls.ts';

const at = (began: number, taskId: string, pid = 1) => ({ taskId, gateway: 0, pid, began, ended: began + 10 });
const answered = [at(10_000, 'a'), at(20_000, 'b'), at(30_000, 'c')];
const whole: SeenCalls = {
  listed: ['a', 'b', 'c'],
  completeSince: 0,
  gaps: [],
  leftOut: 0,
  failed: 3,
  stored: new Set(['a', 'b', 'c']),
};

const check = (seen: Partial<SeenCalls>, lives = true): string[] =>
  checkCalls({ answered, begun: 4, lives: () => lives }, { ...whole, ...seen }).map(({ what }) => what);

it('calls that are all listed, stored and counted violate nothing', () => {
  expect(check({})).toEqual([]);
  expect(check({ failed: 4 })).toEqual([]);
});

it('a call that is not listed is a violation, unless the list says that it may be missing', () => {
  expect(check({ listed: ['a', 'c'] })).toEqual(['b is not listed']);
  const gaps = [{ from: 19_000, until: 22_000 }];
  expect(check({ listed: ['a', 'c'], gaps, completeSince: 22_000 })).toEqual([]);
  expect(check({ listed: ['a', 'c'], leftOut: 1 })).toEqual([]);
  expect(check({ listed: ['a', 'b'], gaps: [{ from: 29_000, until: 32_000 }], completeSince: 25_000 })).toEqual([
    'c is not listed, and the list is said to be complete',
  ]);
});

it('a call that is listed twice, never stored, or counted wrongly is a violation', () => {
  expect(check({ listed: ['a', 'a', 'b', 'c'] })).toEqual(['a is listed twice']);
  expect(check({ stored: new Set(['a', 'b']) })).toEqual(['c was never stored']);
  expect(check({ stored: new Set(['a', 'b']) }, false)).toEqual([]);
  expect(check({ failed: 2 })).toEqual(['2 failed calls were counted, of 3 to 4']);
  expect(check({ failed: 5 })).toEqual(['5 failed calls were counted, of 3 to 4']);
});
