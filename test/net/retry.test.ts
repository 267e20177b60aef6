import fc from 'fast-check';
import { expect, it } from 'vitest';
import { A2AError } from '../../src/core/model/errors.ts';
import { type RetryPolicy, retry } from '../../src/net/retry.ts';

/** Time that passes only in sleep, and what was slept. */
function fakeTime(start = 1_000) {
  let now = start;
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    now += ms;
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { sleep, clock: () => now, slept, pass };
}

const down = (retryAfter?: number): A2AError =>
  new A2AError('upstreamUnreachable', 'down', retryAfter === undefined ? {} : { retryAfter });

const always = (): boolean => true;

it('retry tries again until it works, and says what it does', async () => {
  const { sleep, clock, slept } = fakeTime();
  let calls = 0;
  const told: unknown[] = [];
  const result = await retry(
    async () => {
      if (++calls < 4) throw down();
      return 'done';
    },
    {
      repeatable: always,
      attempts: 5,
      base: 100,
      cap: 300,
      random: () => 0.5,
      sleep,
      clock,
      onRetry: (error, number, delay) => told.push([(error as Error).message, number, delay]),
    },
  );
  expect([result, calls, slept]).toEqual(['done', 4, [50, 100, 150]]);
  expect(told).toEqual([
    ['down', 1, 50],
    ['down', 2, 100],
    ['down', 3, 150],
  ]);
});

it('retry does not repeat what must not be repeated', async () => {
  let calls = 0;
  const failing = retry(
    async () => {
      calls++;
      throw down();
    },
    { repeatable: () => false, attempts: 3 },
  );
  await expect(failing).rejects.toMatchObject({ message: 'down' });
  expect(calls).toBe(1);
});

it('retry waits as long as it is asked to, but no longer than is sensible', async () => {
  const asked = fakeTime();
  const again = (retryAfter: number, policy: Partial<RetryPolicy>) =>
    retry(() => Promise.reject(down(retryAfter)), { repeatable: always, attempts: 3, random: () => 0.5, ...policy });
  await expect(again(2, { ...asked, attempts: 2 })).rejects.toThrow('down');
  expect(asked.slept).toEqual([2_050]);
  const tooLong = fakeTime();
  await expect(again(31, tooLong)).rejects.toThrow('down');
  await expect(again(2, { ...tooLong, within: 2_000 })).rejects.toThrow('down');
  expect(tooLong.slept).toEqual([]);
});

it('retry begins no attempt too late', async () => {
  const { sleep, clock, pass, slept } = fakeTime();
  const began: number[] = [];
  const failing = retry(
    async () => {
      began.push(clock());
      pass(400);
      throw down();
    },
    { repeatable: always, attempts: 9, base: 100, within: 1_000, random: () => 0.5, sleep, clock },
  );
  await expect(failing).rejects.toThrow('down');
  expect([began, slept]).toEqual([
    [1_000, 1_450, 1_950],
    [50, 100],
  ]);
});

it('retry stops waiting when its signal aborts, and does not begin after that', async () => {
  const controller = new AbortController();
  let calls = 0;
  const waiting = retry(
    async () => {
      calls++;
      setTimeout(() => controller.abort(new Error('enough')), 5);
      throw down(20);
    },
    { repeatable: always, attempts: 3, signal: controller.signal },
  );
  await expect(waiting).rejects.toMatchObject({ kind: 'canceled', cause: { message: 'enough' } });
  await expect(
    retry(async () => calls++, { repeatable: always, attempts: 3, signal: controller.signal }),
  ).rejects.toMatchObject({
    kind: 'canceled',
  });
  expect(calls).toBe(1);
});

it('retry ends with the error of the attempt during which its signal aborts', async () => {
  const controller = new AbortController();
  const failing = retry(
    async () => {
      controller.abort();
      throw down();
    },
    { repeatable: always, attempts: 3, signal: controller.signal },
  );
  await expect(failing).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
});

it('retry keeps within its bounds whatever happens', async () => {
  const outcome = fc.record({
    took: fc.nat(500),
    ends: fc.constantFrom<'well' | 'down' | 'broken'>('well', 'down', 'down', 'down', 'broken'),
    retryAfter: fc.option(fc.nat(40), { nil: undefined }),
  });
  const policy = fc.record({
    attempts: fc.integer({ min: 1, max: 8 }),
    base: fc.integer({ min: 1, max: 500 }),
    cap: fc.integer({ min: 1, max: 3_000 }),
    within: fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(outcome, { minLength: 8, maxLength: 8 }),
      policy,
      fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 8, maxLength: 8 }),
      async (outcomes, { attempts, base, cap, within }, draws) => {
        const time = fakeTime(0);
        const thrown: unknown[] = [];
        const begun: number[] = [];
        const run = retry(
          async () => {
            const number = begun.push(time.clock());
            const { took, ends, retryAfter } = outcomes[number - 1] as (typeof outcomes)[number];
            time.pass(took);
            if (ends === 'well') return number;
            const error = ends === 'down' ? down(retryAfter) : new Error('broken');
            thrown.push(error);
            throw error;
          },
          {
            repeatable: (error) => error instanceof A2AError,
            attempts,
            base,
            cap,
            ...(within !== undefined && { within }),
            random: () => draws[begun.length - 1] ?? 0,
            sleep: time.sleep,
            clock: time.clock,
          },
        );
        const ended = await run.then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        const tries = begun.length;
        expect(tries).toBeLessThanOrEqual(attempts);
        expect(time.slept).toHaveLength(tries - 1);
        for (const at of begun) expect(at).toBeLessThanOrEqual(within ?? Number.POSITIVE_INFINITY);
        for (const [index, ms] of time.slept.entries()) {
          const asked = (outcomes[index]?.retryAfter ?? 0) * 1_000;
          expect(asked).toBeLessThanOrEqual(30_000);
          expect(ms).toBeGreaterThanOrEqual(asked);
          expect(ms - asked).toBeLessThanOrEqual(Math.min(cap, base * 2 ** index));
        }
        if ('value' in ended) expect(ended.value).toBe(tries);
        else expect(ended.error).toBe(thrown.at(-1));
      },
    ),
  );
});
