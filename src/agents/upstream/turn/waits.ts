import { A2AError } from '../../../core/model/errors.ts';
import { steadyNow } from '../../../core/model/timing.ts';

/** Milliseconds between two polls: the first pause, the longest after recent events, and the longest of all. */
const pollPause = { first: 50, recent: 2_000, longest: 60_000 } as const;
/** The longest pause, as a fraction of the time since the last event. */
const share = 1 / 20;

/**
 * Pauses that double from 50 ms to 2 s, and then grow up to a minute with the time since the last event: the end of a
 * long task is noticed after a twentieth of its time, and a task that never ends costs next to nothing.
 */
export function backoff(clock: () => number = steadyNow) {
  let pause: number = pollPause.first;
  let since = clock();
  return {
    next(): number {
      const current = pause;
      pause = Math.min(pause * 2, pollPause.recent);
      return Math.max(current, Math.min((clock() - since) * share, pollPause.longest));
    },
    /** Begins again with short pauses, after an event. */
    reset(): void {
      pause = pollPause.first;
      since = clock();
    },
  };
}

/** The waits of one turn, one at a time. Each can be interrupted. */
export class InterruptibleWait {
  /** Aborted with the turn. */
  readonly signal: AbortSignal;
  #current: PromiseWithResolvers<undefined> | undefined;
  readonly #abort = (): void => this.#current?.reject(A2AError.from(this.signal.reason));

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  /** Ends the current wait. */
  interrupt(): void {
    this.#current?.resolve(undefined);
  }

  /**
   * Resolves after `ms` milliseconds, when interrupted, or as `pending` does. Rejects with `canceled` when the turn is aborted,
   * or as `pending` does.
   */
  async for<T = undefined>(ms: number, pending?: Promise<T>): Promise<T | undefined> {
    if (this.signal.aborted) {
      pending?.catch(() => undefined);
      throw A2AError.from(this.signal.reason);
    }
    const current = Promise.withResolvers<undefined>();
    this.#current = current;
    // Added with the first wait, because most turns never wait. Adding it again has no effect.
    this.signal.addEventListener('abort', this.#abort, { once: true });
    const timer = setTimeout(current.resolve, ms, undefined);
    try {
      return await (pending ? Promise.race([pending, current.promise]) : current.promise);
    } finally {
      clearTimeout(timer);
      if (this.#current === current) this.#current = undefined;
    }
  }
}
