import { expect, it } from 'vitest';
import { backoff } from '../../../../src/agents/upstream/turn/waits.ts';

/** The pauses between looks at a task, and what they amount to. */

it('the wait between two looks at a task of an agent doubles, then grows with the time that nothing has happened, up to a minute', () => {
  let now = 0;
  const pauses = backoff(() => now);
  const next = (): number => {
    const pause = pauses.next();
    now += pause;
    return pause;
  };
  expect(Array.from({ length: 8 }, next)).toEqual([50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
  now = 600_000;
  expect(next()).toBe(30_000);
  now = 86_400_000;
  expect(next()).toBe(60_000);
  pauses.reset();
  expect([next(), next()]).toEqual([50, 100]);
});

it('the wait between two looks at a task of an agent looks at a task that takes a day some 1,500 times', () => {
  let now = 0;
  let looks = 0;
  for (const pauses = backoff(() => now); now < 86_400_000; looks++) now += pauses.next();
  expect(looks).toBeLessThan(1_600);
});
