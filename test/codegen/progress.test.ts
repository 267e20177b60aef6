import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { compileAhead } from '../../codegen/image.ts';
import { Progress } from '../../codegen/update/progress.ts';
import { copyInputs } from '../support/changed-proto.ts';

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

test('a step that compiles protos is named while the compiler runs', async () => {
  const lines: string[] = [];
  const { protoDir, protoFile } = copyInputs();
  // Protos that another test has compiled would not be compiled again.
  appendFileSync(protoFile, `\n// ${randomUUID()}\n`);
  const step = new Progress((line) => lines.push(line)).step('compiling', () => compileAhead(protoDir));
  // The compiler has been started, and has had no time to answer.
  await setImmediate();
  vi.advanceTimersByTime(2_000);
  expect(lines).toEqual(['compiling …']);
  await step;
});
