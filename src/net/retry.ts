import { setTimeout as wait } from 'node:timers/promises';
import { A2AError } from '../core/model/errors.ts';

export interface RetryPolicy {
  /** Whether to try again after this error. */
  readonly repeatable: (error: unknown) => boolean;
  readonly attempts: number;
  /** Longest wait before the second attempt, in milliseconds; it doubles with each further one. Default 100. */
  readonly base?: number;
  /** Milliseconds that a wait may grow to. Default 2,000. */
  readonly cap?: number;
  /** Milliseconds after which no attempt begins. Default: unlimited. */
  readonly within?: number;
  /** Ends the waits between attempts. Attempts must observe it themselves. */
  readonly signal?: AbortSignal;
  /** Called for each failure that another attempt follows, with the milliseconds until then. */
  readonly onRetry?: (error: unknown, number: number, delay: number) => void;
  /** Default: Math.random. */
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** Default: Date.now. */
  readonly clock?: () => number;
}

/** Longest wait in milliseconds that the other side may ask for with `retryAfter`. */
const longestRequested = 30_000;

const sleepFor: NonNullable<RetryPolicy['sleep']> = (ms, signal) => wait(ms, undefined, signal && { signal });

/**
 * Repeats an action while it fails with repeatable errors. Waits are random between 0 and a bound that doubles ("full
 * jitter"), so that clients that failed together do not return together, plus the time of the error's `retryAfter`.
 *
 * Rejects with the last error when attempts or time are used up, the error is not repeatable, or the other side asks for too
 * long a wait; with A2AError `canceled` when the signal aborts between attempts.
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

/** Milliseconds that a `Retry-After` header asks for, in seconds or as a date. Undefined where it does not say. */
export function requestedWait(header: string | undefined, now: number = Date.now()): number | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function requireNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new A2AError('canceled', undefined, { cause: signal.reason });
}
