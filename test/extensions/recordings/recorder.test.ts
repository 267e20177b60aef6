import { beforeEach, expect, test, vi } from 'vitest';
import type { Call } from '../../../src/core/model/call.ts';
import { CallRecorder } from '../../../src/extensions/recordings/recorder.ts';
import { contextFor } from '../../support/core.ts';

/** Recordings that no operator stops. */

beforeEach(() => {
  vi.useFakeTimers();
});

/** A recorder, and what passes a call to it as the pipeline does. */
function recording() {
  let changes = 0;
  const onRefused: [] = [];
  const recorder: { active: CallRecorder | undefined } = { active: undefined };
  const calls: CallRecorder = new CallRecorder({
    onActive: (isActive) => {
      changes += 1;
      recorder.active = isActive ? calls : undefined;
    },
    meters: { onRefused },
    hidesWords: () => false,
    credentialHeaders: () => [],
    isOfGateway: () => false,
  });
  const begin = (id: string, count: number) =>
    calls.begin({
      id,
      agent: 'demo',
      principal: '',
      taskKey: '',
      taskId: '',
      calls: count,
      started: Date.now(),
      lasts: 600_000,
      startedBy: 'key:operator',
    });
  const call = (text = 'hello'): Promise<unknown> | undefined =>
    recorder.active?.invoke({ operation: 'GetTask', request: { id: text }, context: contextFor('demo') } as Call, () =>
      Promise.resolve({ value: {} }),
    );
  return { calls, recorder, onRefused, begin, call, changes: () => changes };
}

test('a recording that is never stopped ends by itself, and is forgotten an hour later with all that it has', async () => {
  const { calls, recorder, onRefused, begin, call, changes } = recording();
  const one = begin('one', 100);
  await call();
  expect([one.recorded, [...calls.records()].length, onRefused.length, changes()]).toEqual([1, 1, 1, 1]);
  vi.advanceTimersByTime(599_000);
  await call();
  expect([one.isOver, one.recorded]).toEqual([false, 2]);
  vi.advanceTimersByTime(1_000);
  // Calls pass no recorder any more.
  expect([one.isOver, recorder.active, onRefused.length, changes()]).toEqual([true, undefined, 0, 2]);
  expect([...calls.records()]).toHaveLength(2);
  vi.advanceTimersByTime(3_600_000);
  expect([[...calls.recordings], [...calls.records()]]).toEqual([[], []]);
  expect(vi.getTimerCount()).toBe(0);
});

test('recordings that are never stopped have so many calls and bytes, whatever is called', async () => {
  const { calls, begin, call } = recording();
  const [few, many] = [begin('few', 3), begin('many', 100)];
  for (let count = 0; count < 150; count += 1) await call('x'.repeat(300_000));
  expect([few.recorded, many.recorded]).toEqual([3, 100]);
  const records = [...calls.records()];
  expect(records.length + many.dropped).toBe(100);
  const bytes = records.reduce((sum, record) => sum + record.bytes, 0);
  expect(bytes).toBeGreaterThan(8 << 20);
  expect(bytes).toBeLessThanOrEqual(16 << 20);
  for (let count = 2; count < 8; count += 1) begin(`${count}`, 1);
  expect(() => begin('nine', 1)).toThrow('8 recordings are in progress');
});
