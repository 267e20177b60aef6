import { expect, it } from 'vitest';
import { checkLimits } from './check-limits.ts';
import { Ledger } from './ledger.ts';
import type { Logs } from './logs.ts';

/** Streams of one task whose events come a second apart: when each began, and the last event that it brought. */
function check(streams: readonly (readonly [from: number, seq: number])[], limit?: number) {
  const ledger = new Ledger();
  for (const [from, seq] of streams) ledger.streamed.push({ gateway: 0, taskId: 't', from, seq });
  const log = Array.from({ length: 9 }, (_, at) => ({ at: 1_000 * (at + 1) }));
  return checkLimits(ledger, { byId: new Map([['t', { log }]]) } as unknown as Logs, limit).map(({ what }) => what);
}

it('as many streams as are allowed may be open at a time', () => {
  const streams = [
    [100, 3],
    [3_100, 6],
    [200, 9],
  ] as const;
  expect(check(streams, 2)).toEqual([]);
  expect(check([...streams, [300, 1]])).toEqual([]);
});

it('a stream more than are allowed is a violation', () => {
  expect(
    check(
      [
        [100, 3],
        [200, 3],
        [300, 9],
      ],
      2,
    ),
  ).toEqual(['gateway 0 had 3 streams of a caller that may have 2']);
});

it('a stream that is refused although none is open is a violation', () => {
  const ledger = new Ledger();
  ledger.leaked.push('gateway 0 opens 1 of 2 streams');
  expect(checkLimits(ledger, { byId: new Map() } as unknown as Logs, 2)).toEqual([{ what: ledger.leaked[0] }]);
});
