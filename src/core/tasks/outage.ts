import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../model/stored-form.ts';

/** Milliseconds that the store may be unavailable before streams and waiting callers fail. Most outages are shorter. */
export const outageTimeout = 20_000;

/** Milliseconds until the store is tried for the second time. Each later delay is twice as long, up to the longest. */
export const firstRetryDelay = 100;
const longestRetryDelay = 2_000;

export const nextRetryDelay = (delay: number): number => Math.min(delay * 2, longestRetryDelay);

/** Retries `use` while the store is unavailable. Rejects with the signal's reason when that aborts. */
export async function retryWhileUnavailable<T>(use: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let delay = firstRetryDelay; ; delay = nextRetryDelay(delay)) {
    signal.throwIfAborted();
    try {
      return await use();
    } catch (thrown) {
      if (!isOutage(thrown)) throw thrown;
    }
    // The next attempt throws the signal's reason.
    await sleep(delay, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
