/** Milliseconds that the calls of one turn of the event loop may take before later calls wait for another turn. */
const slice = 25;

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

/** Bytes of JSON after which work on a large answer goes on in another turn, unless this one is young. */
export const turnBytes = 65_536;
