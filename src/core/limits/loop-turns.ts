/** Milliseconds of one turn of the event loop: after so many, calls that come wait for another turn, and large work stops. */
const [callsUntil, workUntil] = [25, 10];

/** Bytes of JSON that are read or written in less than a millisecond, and those that take about ten. */
const [smallWork, largeWork] = [65_536, 1_048_576];

/** Whether work on so many bytes of JSON has turns of its own. */
export const isLarge = (bytes: number): boolean => bytes > largeWork;

/**
 * Lets the event loop serve others between slow calls, since SQLite answers synchronously, and between the parts of large
 * work, such as the parsing of a large body. Calls start at once while the turn is young. Later calls start one by one, each in
 * its own turn, and take turns with large work: neither waits for all of the other.
 */
export class LoopTurns {
  /** When the present turn began, by `performance.now`; 0: nothing has come in it. */
  #began = 0;
  readonly #calls: (() => void)[] = [];
  readonly #work: (() => void)[] = [];
  #isForWork = false;

  /** Undefined where a call may start at once. */
  take(): Promise<void> | undefined {
    return this.#isYoung(callsUntil) && this.#calls.length === 0 ? undefined : this.#wait(this.#calls);
  }

  /** Between two parts of large work: undefined where the next one may be done in the same turn. */
  goOn(): Promise<void> | undefined {
    return this.#isYoung(workUntil) ? undefined : this.#wait(this.#work);
  }

  /**
   * Before work on so many bytes of JSON that cannot be divided: small work goes on at once, and large work has a turn of
   * its own. Undefined where it may start at once.
   */
  takeFor(bytes: number): Promise<void> | undefined {
    if (bytes <= smallWork) return undefined;
    return this.#isYoung(callsUntil) && !isLarge(bytes) ? undefined : this.#wait(this.#work);
  }

  #isYoung(until: number): boolean {
    const now = performance.now();
    if (this.#began === 0) this.#begin(now);
    return now - this.#began <= until;
  }

  #wait(queue: (() => void)[]): Promise<void> {
    return new Promise((resolve) => queue.push(resolve));
  }

  #begin(now: number): void {
    this.#began = now;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#began = 0;
    const work = this.#isForWork ? this.#work.shift() : undefined;
    const start = work ?? this.#calls.shift() ?? this.#work.shift();
    if (!start) return;
    this.#isForWork = !work;
    this.#begin(performance.now());
    start();
  };
}

/** Those of this process: it has one event loop, whatever number of gateways. */
export const loopTurns: LoopTurns = new LoopTurns();
