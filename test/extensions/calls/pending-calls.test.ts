import { expect, it } from 'vitest';
import { callerRoom } from '../../../src/extensions/calls/caller-rooms.ts';
import { minuteMs } from '../../../src/extensions/calls/model.ts';
import { mostPending, PendingCalls } from '../../../src/extensions/calls/pending-calls.ts';
import { failedCall } from './support.ts';

/** The room that each caller has for failed calls. */

const now = Date.now();
const of = (principal: string, at = now, more: Parameters<typeof failedCall>[0] = {}) =>
  failedCall({ principal, at, ms: 0, ...more });

/** Number of calls that are kept of so many. */
function kept(calls: PendingCalls, count: number, make: () => ReturnType<typeof failedCall>): number {
  return Array.from({ length: count }).filter(() => calls.offer(make())).length;
}

it('one caller that fails all the time leaves the room of all others', () => {
  const calls = new PendingCalls();
  expect(kept(calls, 5_000, () => of('runaway'))).toBe(callerRoom.atOnce);
  expect(kept(calls, 20, () => of('other'))).toBe(20);
  expect(kept(calls, 1, () => of('third'))).toBe(1);
  const callers = calls.take().map(({ principal }) => principal);
  expect(callers.filter((principal) => principal === 'other')).toHaveLength(20);
});

it('a caller whose room is used up has one call more each minute, and the first of each kind', () => {
  const calls = new PendingCalls();
  kept(calls, 500, () => of('runaway'));
  expect(calls.offer(of('runaway', now))).toBe(false);
  expect(calls.offer(of('runaway', now, { agent: 'other' }))).toBe(true);
  expect(calls.offer(of('runaway', now, { agent: 'other' }))).toBe(false);
  expect(calls.offer(of('runaway', now, { error: 'internal' }))).toBe(true);
  expect(kept(calls, 100, () => of('runaway', now, { agent: crypto.randomUUID() }))).toBe(
    callerRoom.kindsPerMinute - 3,
  );
  expect(kept(calls, 100, () => of('runaway', now + 60_000))).toBe(1);
  expect(kept(calls, 100, () => of('runaway', now + 11 * 60_000))).toBe(10);
});

it('while the store takes no calls, each caller has a few of those that wait, and their number is bounded', () => {
  const calls = new PendingCalls();
  for (let caller = 0; caller < 20; caller += 1) kept(calls, 50, () => of(`caller-${caller}`));
  expect(calls.size).toBe(mostPending.crowded);
  expect(kept(calls, 50, () => of('late'))).toBe(mostPending.ofCaller);
  for (let caller = 0; caller < 1_000; caller += 1) kept(calls, 50, () => of(`further-${caller}`));
  expect(calls.size).toBe(mostPending.all);
});

it('calls that could not be stored wait, and so do those without a status that has become known since', () => {
  const calls = new PendingCalls();
  const records = [of('a'), of('a', now, { status: undefined }), of('a', now - 60_000, { status: undefined })];
  for (const record of records) calls.offer(record);
  const taken = calls.take();
  calls.putBack(taken, Date.now());
  expect(calls.take()).toEqual([records[1]]);
  calls.putBack(taken);
  expect(calls.take()).toEqual(records);
});

it('a caller that is forgotten has no calls that wait, and no more room than before', () => {
  const calls = new PendingCalls();
  kept(calls, 100, () => of('erased'));
  calls.offer(of('other'));
  calls.forget('erased');
  calls.forget('erased');
  expect(calls.take().map(({ principal }) => principal)).toEqual(['other']);
  expect(kept(calls, 500, () => of('erased'))).toBe(callerRoom.atOnce - 100);
  calls.forget('erased');
  expect(kept(calls, 500, () => of('erased'))).toBe(0);
  expect(kept(calls, 500, () => of('erased', now + minuteMs))).toBe(1);
  expect(kept(calls, 500, () => of('another'))).toBe(callerRoom.atOnce);
});
