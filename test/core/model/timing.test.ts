import { expect, test, vi } from 'vitest';
import { steadyNow } from '../../../src/core/model/timing.ts';

test('the steady clock goes on evenly when the machine’s clock is set back', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const before = steadyNow();
  expect(before).toBe(Date.now());
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(2_000);
  expect(steadyNow() - before).toBe(2_000);
});
