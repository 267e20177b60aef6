/** Milliseconds that the calls of one turn of the event loop may take before those behind them wait for another turn. */
const slice = 25;

/**
 * Lets everybody be served in between where calls take long: SQLite answers within the turn of the loop in which it is
 * asked, and many requests may have arrived in one. Calls begin at once as long as the turn is young; those that come
 * later begin one by one, each in a turn of its own.
 */
export class LoopTurns {
  /** When the present turn is no longer young, by `performance.now`; 0: no call has come in it. */
  #until = 0;
  readonly #waiting: (() => void)[] = [];

  /** Undefined where a call may begin at once. */
  take(): Promise<void> | undefined {
    const now = performance.now();
    if (this.#until === 0) this.#open(now);
    else if (now > this.#until || this.#waiting.length > 0)
      return new Promise((resolve) => this.#waiting.push(resolve));
    return undefined;
  }

  #open(now: number): void {
    this.#until = now + slice;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#until = 0;
    const begin = this.#waiting.shift();
    if (!begin) return;
    this.#open(performance.now());
    begin();
  };
}
