import { networkOf } from '../core/limits/network.ts';
import { A2AError } from '../core/model/errors.ts';

/** Milliseconds for which failures count. */
const window = 60_000;
/** Maximum number of networks. Beyond it, the network whose last failure is the oldest is removed. */
const maxNetworks = 10_000;

/**
 * Counts wrong credentials by network, to stop guessing and the work that it causes. Callers with an unknown address
 * are not counted, because one of them could lock out all others.
 */
export class FailureLimiter {
  readonly #max: number;
  readonly #now: () => number;
  /** The times of each network's latest failures; the network with the oldest last failure comes first. */
  readonly #times = new Map<string, number[]>();

  /**
   * @param max failures within a minute
   * @param now milliseconds of a monotonic clock
   */
  constructor(max: number, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#now = now;
  }

  /** Returns the seconds until another credential from this address is checked. */
  wait(address: string): number {
    const times = this.#times.get(networkOf(address));
    if (!times || times.length < this.#max) return 0;
    return Math.max((times[0] ?? 0) + window - this.#now(), 0) / 1_000;
  }

  /** Counts a failure. Returns whether further attempts are now blocked. */
  add(address: string): boolean {
    if (this.#max === Number.POSITIVE_INFINITY || address === '') return false;
    const network = networkOf(address);
    const now = this.#now();
    const times = (this.#times.get(network) ?? []).filter((at) => at > now - window);
    times.push(now);
    if (times.length > this.#max) times.shift();
    // Moves the network to the end of the map.
    this.#times.delete(network);
    this.#times.set(network, times);
    const [oldest] = this.#times.size > maxNetworks ? this.#times.keys() : [];
    if (oldest !== undefined) this.#times.delete(oldest);
    return times.length === this.#max;
  }

  /** The number of remembered networks. */
  get size(): number {
    return this.#times.size;
  }
}

/** Creates the error for a network with too many failures. `wait` is in seconds. */
export const tooManyFailures = (wait: number): A2AError =>
  new A2AError(
    'tooManyRequests',
    `Too many wrong credentials came from this network. For ${Math.ceil(wait)} s the gateway checks no credential that it has not accepted before, even if it is valid (auth.failuresPerMinute)`,
    { retryAfter: wait },
  );
