import { setTimeout as wait } from 'node:timers/promises';
import { A2AError } from '../core/model/errors.ts';

/** What an attempt is told. */
export interface Attempt {
  /** From 1. */
  readonly number: number;
  /** Milliseconds that are left of `within`; Infinity without it. */
  readonly left: number;
}

export interface RetryPolicy {
  /** Whether what failed with this error may be done again. */
  readonly repeatable: (error: unknown) => boolean;
  /** How often at most, the first time included. Default 3. */
  readonly attempts?: number;
  /** Milliseconds: the longest wait before the second attempt; it doubles with each further one. Default 100. */
  readonly base?: number;
  /** Milliseconds that a wait may grow to. Default 2,000. */
  readonly cap?: number;
  /** Milliseconds: the longest wait that the other side may ask for with `retryAfter`. Default 30,000. */
  readonly longest?: number;
  /** Milliseconds for everything: no attempt begins later. Default: as long as it takes. */
  readonly within?: number;
  /** Gives up waiting. An attempt under way has to listen to it itself. */
  readonly signal?: AbortSignal;
  /** Told of each failure after which another attempt follows, and of the milliseconds until then. */
  readonly onRetry?: (error: unknown, number: number, delay: number) => void;
  /** At least 0 and below 1. Default: Math.random. */
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** Milliseconds. Default: Date.now. */
  readonly clock?: () => number;
}

const sleepFor: NonNullable<RetryPolicy['sleep']> = (ms, signal) => wait(ms, undefined, signal && { signal });

/**
 * Does something again while it fails in a way that may pass. Waits between attempts are random between nothing and a
 * bound that doubles ("full jitter"), so that many who failed together do not come back together; they come after the
 * time that an error's `retryAfter` asks for.
 *
 * Rejects with the last error when the attempts or the time are used up, when it is not repeatable, or when the other
 * side asks for a longer wait than there is time for; with A2AError `canceled` when the signal aborts between attempts.
 *
 * @param attempt has a deadline of its own: it is not interrupted
 */
export async function retry<T>(attempt: (attempt: Attempt) => Promise<T>, policy: RetryPolicy): Promise<T> {
  const { attempts = 3, base = 100, cap = 2_000, longest = 30_000, signal } = policy;
  const { random = Math.random, sleep = sleepFor, clock = Date.now } = policy;
  const end = policy.within === undefined ? Number.POSITIVE_INFINITY : clock() + policy.within;

  for (let number = 1; ; number++) {
    stopIfAborted(signal);
    try {
      return await attempt({ number, left: end - clock() });
    } catch (error) {
      if (number >= attempts || signal?.aborted || !policy.repeatable(error)) throw error;
      const asked = error instanceof A2AError ? (error.retryAfter ?? 0) * 1_000 : 0;
      if (asked > longest) throw error;
      const delay = asked + random() * Math.min(cap, base * 2 ** (number - 1));
      if (clock() + delay >= end) throw error;
      policy.onRetry?.(error, number, delay);
      await sleep(delay, signal).catch((thrown: unknown) => {
        stopIfAborted(signal);
        throw thrown;
      });
    }
  }
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new A2AError('canceled', undefined, { cause: signal.reason });
}
