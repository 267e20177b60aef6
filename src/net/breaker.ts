import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { steadyNow } from '../core/model/timing.ts';
import { isNetworkFailure, markUntried, neverArrived, neverTried } from './network-errors.ts';

export interface BreakerOptions {
  /** Name of the target in messages, such as its origin. */
  readonly place: string;
  /** Number of consecutive network failures that open the breaker. Default 5. */
  readonly failures?: number;
  /** Milliseconds that the breaker stays open. Default 10,000. */
  readonly cooldown?: number;
  /**
   * Returns the current time in milliseconds. Default: `steadyNow`, because a system clock that is set back must not
   * keep the breaker open.
   */
  readonly clock?: () => number;
  /** Called when the breaker opens, with the error that opened it, and when it closes. */
  readonly onChange?: (state: 'closed' | 'open', error: A2AError | undefined) => void;
}

/** Errors of calls that this side ended. */
const goneKinds: ReadonlySet<ErrorKind> = new Set(['canceled', 'deadlineExceeded']);

/**
 * A circuit breaker, which rejects calls at once while their target does not answer. While `closed`, it passes all
 * calls on; while `open`, none. After the cool-down it is `half-open`: it passes one call on, whose outcome decides.
 *
 * Only network failures count: any response of the target, errors included, shows that it is reachable. Calls that the
 * caller canceled show nothing. Calls that began before the last change of state do not count.
 */
export class Breaker {
  readonly #place: string;
  readonly #limit: number;
  readonly #cooldown: number;
  readonly #clock: () => number;
  readonly #onChange: ((state: 'closed' | 'open', error: A2AError | undefined) => void) | undefined;
  #consecutive = 0;
  #failure: A2AError | undefined;
  /** End of the cool-down. Undefined while the breaker is closed. */
  #until: number | undefined;
  #probing = false;
  /** Counter that is incremented with each change of state, to recognize late results. */
  #era = 0;

  constructor(options: BreakerOptions) {
    this.#place = options.place;
    this.#limit = options.failures ?? 5;
    this.#cooldown = options.cooldown ?? 10_000;
    this.#clock = options.clock ?? steadyNow;
    this.#onChange = options.onChange;
  }

  #succeed(): void {
    this.#consecutive = 0;
    this.#failure = undefined;
    if (this.#until === undefined) return;
    this.#until = undefined;
    this.#era++;
    this.#onChange?.('closed', undefined);
  }

  #fail(error: A2AError): void {
    this.#failure = error;
    if (++this.#consecutive < this.#limit && this.#until === undefined) return;
    const reopened = this.#until !== undefined;
    this.#until = this.#clock() + this.#cooldown;
    this.#era++;
    if (!reopened) this.#onChange?.('open', error);
  }

  #refusal(): A2AError {
    const retryAfter = Math.max(1, Math.ceil(((this.#until ?? 0) - this.#clock()) / 1_000));
    const message = `${this.#place} did not answer ${this.#consecutive} consecutive calls; next attempt in ${retryAfter} s; last error: ${this.#failure?.message}`;
    return markUntried(
      new A2AError('upstreamUnreachable', message, { retryAfter, ...(this.#failure && { cause: this.#failure }) }),
    );
  }

  /**
   * Calls `fn` and passes on its result. While the breaker is open, rejects at once with `upstreamUnreachable`. That
   * error is not `transient`, and its `retryAfter` is the number of seconds until the next attempt.
   */
  async run<T>(fn: () => Promise<T>): Promise<T> {
    const { state } = this;
    const probe = state === 'half-open';
    if (state === 'open' || (probe && this.#probing)) throw this.#refusal();
    const began = this.#era;
    this.#probing = probe;
    try {
      const value = await fn();
      if (began === this.#era) this.#succeed();
      return value;
    } catch (error) {
      if (began === this.#era && error instanceof A2AError) {
        if (isNetworkFailure(error)) this.#fail(error);
        // The target answered, unless this side ended the call or never sent it.
        else if (!goneKinds.has(error.kind) && !neverArrived(error) && !neverTried(error)) this.#succeed();
      }
      throw error;
    } finally {
      if (probe) this.#probing = false;
    }
  }

  /** The state that the next call meets. */
  get state(): 'closed' | 'open' | 'half-open' {
    return this.#until === undefined ? 'closed' : this.#clock() < this.#until ? 'open' : 'half-open';
  }

  /** The latest network failure. Undefined after a success. */
  get failure(): A2AError | undefined {
    return this.#failure;
  }
}
