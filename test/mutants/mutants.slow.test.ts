import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { paced } from '../support/pace.ts';
import { faultsOfSample } from './run.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** The runner prints it; `TEST_SEED=N npx vitest run test/mutants` takes the same sample again. */
const seed = Number(process.env.TEST_SEED ?? 1);

test(
  'all of an answer but a garbled value arrives, and the value is named, in a large sample',
  async () => {
    expect(await faultsOfSample(3_000, seed + 1), `seed ${seed}`).toEqual([]);
  },
  paced(900_000),
);
