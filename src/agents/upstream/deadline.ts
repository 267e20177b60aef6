import { A2AError } from '../../core/model/errors.ts';

/** Waits of one turn, which somebody may end before their time. */
export class Patience {
  readonly #signal: AbortSignal;
  #waiting: PromiseWithResolvers<void> | undefined;
  #listening = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the turn is to end. */
  get over(): boolean {
    return this.#signal.aborted;
  }

  /** Ends the wait that is under way. */
  end(): void {
    this.#waiting?.resolve();
  }

  /** Most turns never wait, and need no ear. */
  #listen(): void {
    if (this.#listening) return;
    this.#listening = true;
    const signal = this.#signal;
    signal.addEventListener('abort', () => this.#waiting?.reject(A2AError.from(signal.reason)), { once: true });
  }

  /** Resolves after so many milliseconds, or when the wait is ended. Rejects with `canceled` when the turn is to end. */
  async wait(ms: number): Promise<void> {
    if (this.over) throw A2AError.from(this.#signal.reason);
    const waiting = Promise.withResolvers<void>();
    this.#waiting = waiting;
    this.#listen();
    const timer = setTimeout(() => waiting.resolve(), ms);
    try {
      await waiting.promise;
    } finally {
      clearTimeout(timer);
      if (this.#waiting === waiting) this.#waiting = undefined;
    }
  }
}
