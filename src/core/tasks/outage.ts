import { A2AError } from '../model/errors.ts';

/** Milliseconds that the store may be away before those who only listen are told: mostly it is back in less. */
export const outagePatience = 20_000;

/** Milliseconds between two attempts at a store that is away: the first pause, which doubles up to the longest. */
export const retryDelay = [100, 2_000] as const;

/** Uses the store, and waits for one that is away. Rejects with the signal's reason when that aborts. */
export async function retryWhileUnavailable<T>(use: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let delay: number = retryDelay[0]; ; delay = Math.min(delay * 2, retryDelay[1])) {
    signal.throwIfAborted();
    try {
      return await use();
    } catch (thrown) {
      if (A2AError.from(thrown).kind !== 'unavailable') throw thrown;
    }
    await pause(delay, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
