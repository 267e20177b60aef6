import { performance } from 'node:perf_hooks';

/**
 * The database's clock, which all replicas share. It is learned from the database's answers, and read without a round trip.
 * Stored times come from it, so that the clocks of the machines need not agree.
 */
export class SharedClock {
  /** This clock's time when `performance.now()` was 0. Undefined: not learned yet. */
  #origin: number | undefined;

  /** Milliseconds since the epoch. A bound function, which the store hands on as its method. */
  readonly now = (): number => (this.#origin === undefined ? Date.now() : Math.floor(this.#origin + performance.now()));

  /**
   * Learns that the database's clock showed `at` at some moment of a round trip. Adjusts this clock only as far as necessary, so
   * that it runs evenly.
   *
   * @param began, ended start and end of the round trip, by `performance.now()`
   */
  learn(at: number, began: number, ended: number): void {
    // `at` is rounded down to whole milliseconds.
    const earliest = at - ended;
    const latest = at + 1 - began;
    const known = this.#origin ?? (earliest + latest) / 2;
    this.#origin = Math.min(Math.max(known, earliest), latest);
  }
}
