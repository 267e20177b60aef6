import { setTimeout as wait } from 'node:timers/promises';
import { A2AError } from '../core/model/errors.ts';

export interface RetryPolicy {
  /** Whether to try again after this error. */
  readonly repeatable: (error: unknown) => boolean;
  readonly attempts: number;
  /** Longest wait before the second attempt, in milliseconds. It doubles with each further attempt. Default 100. */
  readonly base?: number;
  /** Upper limit of the waits, in milliseconds. Default 2,000. */
  readonly cap?: number;
  /** Milliseconds after which no further attempt begins. Default: unlimited. */
  readonly within?: number;
  /** Ends the waits between attempts. Attempts must observe it themselves. */
  readonly signal?: AbortSignal;
  /** Called for each failure that is followed by another attempt, with the milliseconds until that attempt. */
  readonly onRetry?: (error: unknown, number: number, delay: number) => void;
  /** Returns a number from 0 to 1. Default: `Math.random`. */
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** Returns the current time in milliseconds. Default: `Date.now`. */
  readonly clock?: () => number;
}

/** Longest wait that the other side may request with `retryAfter`, in milliseconds. */
const longestRequested = 30_000;

const sleepFor: NonNullable<RetryPolicy['sleep']> = (ms, signal) => wait(ms, undefined, signal && { signal });

/**
 * Repeats an action while it fails with repeatable errors. Waits are random between 0 and a bound that doubles ("full
 * jitter"), so that clients that failed together do not return together, plus the time of the error's `retryAfter`.
 *
 * Rejects with the last error if attempts or time are used up, the error is not repeatable, or the other side requests
 * too long a wait. Rejects with A2AError `canceled` if the signal aborts between attempts.
 */
export async function retry<T>(attempt: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  const { attempts, base = 100, cap = 2_000, within = Number.POSITIVE_INFINITY, signal } = policy;
  const { random = Math.random, sleep = sleepFor, clock = Date.now } = policy;
  const end = clock() + within;

  for (let number = 1; ; number++) {
    requireNotAborted(signal);
    try {
      return await attempt();
    } catch (error) {
      if (number >= attempts || signal?.aborted || !policy.repeatable(error)) throw error;
      const requested = error instanceof A2AError ? (error.retryAfter ?? 0) * 1_000 : 0;
      const delay = requested + random() * Math.min(cap, base * 2 ** (number - 1));
      if (requested > longestRequested || clock() + delay >= end) throw error;
      policy.onRetry?.(error, number, delay);
      await sleep(delay, signal).catch((thrown: unknown) => {
        requireNotAborted(signal);
        throw thrown;
      });
    }
  }
}

/**
 * Returns the milliseconds that a `Retry-After` header requests, in seconds or as a date. Undefined if it is absent or
 * invalid.
 */
export function requestedWait(header: string | undefined, now: number = Date.now()): number | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function requireNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new A2AError('canceled', undefined, { cause: signal.reason });
}
