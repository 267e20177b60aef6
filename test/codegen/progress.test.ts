import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Progress } from '../../codegen/update/progress.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const later = (): PromiseWithResolvers<void> => Promise.withResolvers();

test('a step is named once it has taken two seconds', async () => {
  const lines: string[] = [];
  const { promise, resolve } = later();
  const step = new Progress((line) => lines.push(line)).step('compiling', () => promise);
  vi.advanceTimersByTime(1_999);
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(lines).toEqual(['compiling …']);
  resolve();
  await step;
});

test('after two seconds every step is named when it begins, and once', async () => {
  const lines: string[] = [];
  const progress = new Progress((line) => lines.push(line));
  await progress.step('reading', () => void vi.advanceTimersByTime(5_000));
  await progress.step('writing', () => undefined);
  await progress.step('writing', () => undefined);
  expect(lines).toEqual(['reading …', 'writing …']);
});

test('quick steps are not named, and give what the work gives', async () => {
  const lines: string[] = [];
  expect(await new Progress((line) => lines.push(line)).step('adding', () => 1 + 1)).toBe(2);
  vi.advanceTimersByTime(10_000);
  expect(lines).toEqual([]);
});
