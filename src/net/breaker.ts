import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { isNetworkFailure, markUntried, neverArrived, neverTried } from './network-errors.ts';

export interface BreakerOptions {
  /** Names the target in messages, such as its origin. */
  readonly place: string;
  /** Consecutive network failures that open it. Default 5. */
  readonly failures?: number;
  /** Milliseconds that it stays open. Default 10,000. */
  readonly cooldown?: number;
  /** Default: Date.now. */
  readonly clock?: () => number;
  /** Called when it opens, with the error that opened it, and when it closes. */
  readonly onChange?: (state: 'closed' | 'open', error: A2AError | undefined) => void;
}

/** Errors of a side that gave up. */
const goneKinds: ReadonlySet<ErrorKind> = new Set(['canceled', 'deadlineExceeded']);

export type Breaker = ReturnType<typeof createBreaker>;

/**
 * A circuit breaker, which rejects calls at once while their target does not answer. `closed`: all calls go through. `open`:
 * none does. `half-open`, after the cool-down: one does, and its outcome decides.
 *
 * Only network failures count: any answer of the target, errors included, shows that it is there. Calls that the caller
 * canceled show nothing. Calls that began before the state changed do not count.
 */
export function createBreaker(options: BreakerOptions) {
  const { place, failures: limit = 5, cooldown = 10_000, clock = Date.now, onChange } = options;
  let consecutive = 0;
  let failure: A2AError | undefined;
  /** When the cool-down ends; undefined while closed. */
  let until: number | undefined;
  let probing = false;
  /** Incremented with each change of state, to recognize late results. */
  let era = 0;

  const succeed = (): void => {
    consecutive = 0;
    failure = undefined;
    if (until === undefined) return;
    until = undefined;
    era++;
    onChange?.('closed', undefined);
  };
  const fail = (error: A2AError): void => {
    failure = error;
    if (++consecutive < limit && until === undefined) return;
    const reopened = until !== undefined;
    until = clock() + cooldown;
    era++;
    if (!reopened) onChange?.('open', error);
  };
  const refusal = (): A2AError => {
    const retryAfter = Math.max(1, Math.ceil(((until ?? 0) - clock()) / 1_000));
    const message = `${place} did not answer ${consecutive} consecutive calls; next attempt in ${retryAfter} s; last error: ${failure?.message}`;
    return markUntried(
      new A2AError('upstreamUnreachable', message, { retryAfter, ...(failure && { cause: failure }) }),
    );
  };

  return {
    /**
     * Calls `fn` and passes on its result. While open, rejects at once with `upstreamUnreachable`, which is not `transient`
     * and has the seconds until the next attempt as `retryAfter`.
     */
    async run<T>(fn: () => Promise<T>): Promise<T> {
      const { state } = this;
      const probe = state === 'half-open';
      if (state === 'open' || (probe && probing)) throw refusal();
      const began = era;
      probing = probe;
      try {
        const value = await fn();
        if (began === era) succeed();
        return value;
      } catch (error) {
        if (began === era && error instanceof A2AError) {
          if (isNetworkFailure(error)) fail(error);
          // The target answered, unless this side gave up, or did not get as far as to call it.
          else if (!goneKinds.has(error.kind) && !neverArrived(error) && !neverTried(error)) succeed();
        }
        throw error;
      } finally {
        if (probe) probing = false;
      }
    },
    /** The state for the next call. */
    get state(): 'closed' | 'open' | 'half-open' {
      return until === undefined ? 'closed' : clock() < until ? 'open' : 'half-open';
    },
    /** The latest network failure, until a success follows. */
    get failure(): A2AError | undefined {
      return failure;
    },
  };
}
