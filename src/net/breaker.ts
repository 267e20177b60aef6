import { A2AError } from '../core/model/errors.ts';
import { isNetworkFailure, markUntried } from './network-errors.ts';

/** `closed`: calls go through. `open`: none does. `half-open`: one does, and tells whether the others may follow. */
export type BreakerState = 'closed' | 'open' | 'half-open';

export interface BreakerOptions {
  /** What is called, for messages, such as an origin. */
  readonly place: string;
  /** Network failures in a row that open it. Default 5. */
  readonly failures?: number;
  /** Milliseconds that it stays open. Default 10,000. */
  readonly cooldown?: number;
  /** Milliseconds. Default: Date.now. */
  readonly clock?: () => number;
  /** Told when it opens and when it closes again; the error is the one that opened it. */
  readonly onChange?: (state: 'closed' | 'open', error: A2AError | undefined) => void;
}

/** Keeps callers from waiting for a place that does not answer, and that place from being called in vain. */
export interface Breaker {
  /**
   * Calls `fn` if it may be called now. Rejects with what `fn` rejects with; while open, at once with
   * `upstreamUnreachable`, with the seconds until the next try as `retryAfter`, which is not `transient`.
   */
  run<T>(fn: () => Promise<T>): Promise<T>;
  /** As a call would find it now: `half-open` from the end of the cool-down until a call has told how things are. */
  readonly state: BreakerState;
  /** The latest network failure, as long as no success has followed. */
  readonly failure: A2AError | undefined;
}

/**
 * A circuit breaker. Only failures of the network count: what the agent itself answers, errors included, shows that it
 * is there. A call that its caller gave up shows nothing. Calls that began before the state changed no longer count.
 */
export function createBreaker(options: BreakerOptions): Breaker {
  const { place, failures: limit = 5, cooldown = 10_000, clock = Date.now, onChange } = options;
  let inRow = 0;
  let failure: A2AError | undefined;
  /** When the cool-down ends; undefined while closed. */
  let until: number | undefined;
  let probing = false;
  /** Counts the changes of state, so that late results are known as such. */
  let era = 0;

  const succeed = (): void => {
    inRow = 0;
    failure = undefined;
    if (until === undefined) return;
    until = undefined;
    era++;
    onChange?.('closed', undefined);
  };
  const fail = (error: A2AError): void => {
    failure = error;
    if (++inRow < limit && until === undefined) return;
    const reopened = until !== undefined;
    until = clock() + cooldown;
    era++;
    if (!reopened) onChange?.('open', error);
  };
  const refuse = (): A2AError => {
    const left = Math.max(1, Math.ceil(((until ?? 0) - clock()) / 1_000));
    const said = `${place} did not answer ${inRow} times in a row and is left alone for ${left} s; last: ${failure?.message}`;
    return markUntried(
      new A2AError('upstreamUnreachable', said, { retryAfter: left, ...(failure && { cause: failure }) }),
    );
  };
  const state = (): BreakerState => (until === undefined ? 'closed' : clock() < until ? 'open' : 'half-open');

  return {
    async run(fn) {
      const now = state();
      if (now === 'open' || (now === 'half-open' && probing)) throw refuse();
      const probe = now === 'half-open';
      const began = era;
      probing = probe;
      try {
        const value = await fn();
        if (began === era) succeed();
        return value;
      } catch (error) {
        if (began === era && error instanceof A2AError) {
          if (isNetworkFailure(error)) fail(error);
          else if (tells(error)) succeed();
        }
        throw error;
      } finally {
        if (probe) probing = false;
      }
    },
    get state() {
      return state();
    },
    get failure() {
      return failure;
    },
  };
}

/** Whether an error other than the network's shows that the other side is there: not if this side gave up. */
const tells = ({ kind }: A2AError): boolean => kind !== 'canceled' && kind !== 'deadlineExceeded';
