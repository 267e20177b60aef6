import { expect, it } from 'vitest';
import { excused, lowered, waitErrors, waitsOf } from '../../scripts/waits.ts';

const calls = (text: string) => waitsOf(text).waits.map(({ line, call }) => `${line} ${call}`);

it('the waits of a file of tests are timers, delays under any name, and polls', () => {
  const text = `import { setTimeout as rest } from 'node:timers/promises';
import { promisify } from 'node:util';
await rest(20);
setTimeout(() => {}, 20);
globalThis.setInterval(() => {}, 20);
await expect.poll(() => 1).toBe(1);
await vi
  .waitFor(() => {});
await vi.waitUntil(() => true);
await promisify(setTimeout)(20);
await page.waitForTimeout(20);`;
  expect(calls(text)).toEqual([
    '3 rest',
    '4 setTimeout',
    '5 setInterval',
    '6 expect.poll',
    '7 vi.waitFor',
    '9 vi.waitUntil',
    '10 promisify(setTimeout)',
    '11 page.waitForTimeout',
  ]);
});

it('the waits of a file of tests are neither words of comments and texts, nor turns of the event loop, nor virtual clocks', () => {
  const text = `import { setImmediate as turn } from 'node:timers/promises';
// setTimeout(resolve, 20)
const s = 'await expect.poll(() => 1)';
await turn();
setImmediate(() => {});
vi.useFakeTimers({ toFake: ['setTimeout'] });
await vi.advanceTimersByTimeAsync(20);
server.setTimeout(20);`;
  expect(calls(text)).toEqual([]);
});

it('the waits of a file of tests may not become more than the list says, nor stay on it', () => {
  const file = (path: string, text: string) => ({ path, ...waitsOf(text) });
  const found = [
    file('test/a.test.ts', 'setTimeout(f, 1); setTimeout(f, 1);'),
    file('test/b.test.ts', 'setTimeout(f, 1);'),
  ];
  const counts = { 'test/a.test.ts': 1, 'test/b.test.ts': 2, 'test/gone.test.ts': 1 };
  expect(waitErrors(counts, found)).toEqual([
    expect.stringContaining('test/a.test.ts: 2 waits for a clock, 1 are listed: setTimeout (line 1)'),
    expect.stringContaining('test/b.test.ts has 1 waits, not 2'),
    expect.stringContaining('test/gone.test.ts has 0 waits, not 1'),
  ]);
  expect(lowered(counts, found)).toEqual({ 'test/a.test.ts': 1, 'test/b.test.ts': 1 });
});

it('the waits of a file of tests end after a time that was measured, not after one that is the same on every machine', () => {
  const text = `it('a', () => {}, 60_000);
it.each([1])('b', () => {}, paced(60_000));
describe('c', { timeout: 60_000 }, () => {});
it.each([2])('d', { timeout: 5_000 }, () => {});
await expect.poll(() => 1, { timeout: 5_000 }).toBe(1);
expect(f(1, 60_000)).toBe(1);`;
  expect(waitsOf(text).fixedLimits).toEqual([1, 3, 4, 5]);
});

it('the waits of a file of tests are excused in places that have a reason', () => {
  expect(excused('test/torture/cluster.ts')).toMatch(/real processes/);
  expect(excused('test/core/operations/service.test.ts')).toBeUndefined();
});
