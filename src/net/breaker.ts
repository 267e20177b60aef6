import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { steadyNow } from '../core/model/timing.ts';
import { isNetworkFailure, markUntried, neverArrived, neverTried } from './network-errors.ts';

export interface BreakerOptions {
  /** Names the target in messages, such as its origin. */
  readonly place: string;
  /** Consecutive network failures that open it. Default 5. */
  readonly failures?: number;
  /** Milliseconds that it stays open. Default 10,000. */
  readonly cooldown?: number;
  /** Default: `steadyNow`: a machine's clock that is set back must not keep it open. */
  readonly clock?: () => number;
  /** Called when it opens, with the error that opened it, and when it closes. */
  readonly onChange?: (state: 'closed' | 'open', error: A2AError | undefined) => void;
}

/** Errors of a side that gave up. */
const goneKinds: ReadonlySet<ErrorKind> = new Set(['canceled', 'deadlineExceeded']);

/**
 * A circuit breaker, which rejects calls at once while their target does not answer. `closed`: all calls go through. `open`:
 * none does. `half-open`, after the cool-down: one does, and its outcome decides.
 *
 * Only network failures count: any answer of the target, errors included, shows that it is there. Calls that the caller
 * canceled show nothing. Calls that began before the state changed do not count.
 */
export class Breaker {
  readonly #place: string;
  readonly #limit: number;
  readonly #cooldown: number;
  readonly #clock: () => number;
  readonly #onChange: ((state: 'closed' | 'open', error: A2AError | undefined) => void) | undefined;
  #consecutive = 0;
  #failure: A2AError | undefined;
  /** End of the cool-down; undefined while closed. */
  #until: number | undefined;
  #probing = false;
  /** Incremented with each change of state, to recognize late results. */
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
   * Calls `fn` and passes on its result. While open, rejects at once with `upstreamUnreachable`, which is not `transient`
   * and has the seconds until the next attempt as `retryAfter`.
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
        // The target answered, unless this side gave up, or did not get as far as to call it.
        else if (!goneKinds.has(error.kind) && !neverArrived(error) && !neverTried(error)) this.#succeed();
      }
      throw error;
    } finally {
      if (probe) this.#probing = false;
    }
  }

  /** The state for the next call. */
  get state(): 'closed' | 'open' | 'half-open' {
    return this.#until === undefined ? 'closed' : this.#clock() < this.#until ? 'open' : 'half-open';
  }

  /** The latest network failure, until a success follows. */
  get failure(): A2AError | undefined {
    return this.#failure;
  }
}
