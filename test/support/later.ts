import { vi } from 'vitest';
import { afterTest } from './peer.ts';

const steady = performance.now.bind(performance);

/** Milliseconds that the steady clock is ahead. */
let ahead = 0;

/** Lets the minutes pass after which things are tried or read anew, without waiting for them. Both clocks are right after the test. */
export function later(ms: number): void {
  const now = Date.now();
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['Date'], now: now + ms });
  ahead += ms;
  const shifted = vi.spyOn(performance, 'now').mockImplementation(() => steady() + ahead);
  afterTest(() => {
    ahead = 0;
    shifted.mockRestore();
    vi.useRealTimers();
  });
}
