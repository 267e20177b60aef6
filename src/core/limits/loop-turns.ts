/** Milliseconds of one turn of the event loop after which new calls wait for another turn. */
const callsUntil = 25;
/** Milliseconds of one turn of the event loop after which large work pauses. */
const workUntil = 10;

/** Bytes of JSON that are read or written in less than a millisecond. */
const smallWork = 65_536;
/** Bytes of JSON that are read or written in about ten milliseconds. */
const largeWork = 1_048_576;

/** Whether work on this many bytes of JSON has turns of its own. */
export const isLarge = (bytes: number): boolean => bytes > largeWork;

/**
 * Lets the event loop serve others between slow calls, since SQLite answers synchronously, and between the parts of large
 * work, such as the parsing of a large body. Calls start at once while the turn is young. Later calls start one by one, each in
 * its own turn, and take turns with large work: neither waits for all of the other.
 */
export class LoopTurns {
  /** Start of the current turn, by `performance.now`; 0: nothing has arrived in it. */
  #began = 0;
  readonly #calls: (() => void)[] = [];
  readonly #work: (() => void)[] = [];
  #isForWork = false;

  /** Waits for a turn. Undefined if a call may start at once. */
  take(): Promise<void> | undefined {
    return this.#isYoung(callsUntil) && this.#calls.length === 0 ? undefined : this.#wait(this.#calls);
  }

  /** Waits between two parts of large work; undefined if the next part may run in the current turn. */
  goOn(): Promise<void> | undefined {
    return this.#isYoung(workUntil) ? undefined : this.#wait(this.#work);
  }

  /**
   * Waits before indivisible work on `bytes` of JSON: small work starts at once, and large work has a turn of its own.
   * Undefined if it may start at once.
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

/** Turns of this process: it has one event loop, whatever the number of gateways. */
export const loopTurns: LoopTurns = new LoopTurns();
