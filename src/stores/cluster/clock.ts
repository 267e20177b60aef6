import { performance } from 'node:perf_hooks';

/**
 * The clock that all gateways on a database share, which is the database's: known from its answers, and told without a
 * round trip. What is stored is stamped and judged by it, so that the clocks of the gateways' machines need not agree.
 */
export class SharedClock {
  /** The time by this clock at which `performance.now()` was 0. Undefined: nothing has been learned. */
  #origin: number | undefined;

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#origin === undefined ? Date.now() : Math.floor(this.#origin + performance.now());
  }

  /**
   * The database's clock said `at` at some moment of a round trip. The clock is put right by no more than that proves, so
   * that it runs evenly.
   *
   * @param began, ended when the round trip did, by `performance.now()`
   */
  learn(at: number, began: number, ended: number): void {
    // A time in whole milliseconds may have been almost the next one.
    const [earliest, latest] = [at - ended, at + 1 - began];
    const known = this.#origin ?? (earliest + latest) / 2;
    this.#origin = Math.min(Math.max(known, earliest), latest);
  }
}
