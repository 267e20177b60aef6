/** Milliseconds that the calls of one turn of the event loop may take before later calls wait for another turn. */
const slice = 25;

/** Bytes of JSON that are read or written in less than a millisecond, and those that take about ten. */
const [smallWork, largeWork] = [65_536, 1_048_576];

/**
 * Lets the event loop serve others between slow calls, since SQLite answers synchronously, and between the parts of a large
 * answer. Calls start at once while the turn is young; later calls start one by one, each in its own turn.
 */
export class LoopTurns {
  /** When the present turn is no longer young, by `performance.now`; 0: no call has come in it. */
  #until = 0;
  readonly #waiting: (() => void)[] = [];

  /** Undefined where a call may start at once. */
  take(): Promise<void> | undefined {
    const now = performance.now();
    if (this.#until === 0) this.#open(now);
    else if (now > this.#until || this.#waiting.length > 0)
      return new Promise((resolve) => this.#waiting.push(resolve));
    return undefined;
  }

  /**
   * The same before work on so many bytes of JSON: small work goes on at once, and large work has a turn of its own.
   * Undefined where it may start at once.
   */
  takeFor(bytes: number): Promise<void> | undefined {
    if (bytes <= smallWork) return undefined;
    if (bytes <= largeWork) return this.take();
    if (this.#until === 0) this.#open(performance.now());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #open(now: number): void {
    this.#until = now + slice;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#until = 0;
    const start = this.#waiting.shift();
    if (!start) return;
    this.#open(performance.now());
    start();
  };
}

/** Those of this process. */
export const loopTurns: LoopTurns = new LoopTurns();
