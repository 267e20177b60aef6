import { networkOf } from '../core/limits/network.ts';

/** Milliseconds that failures count for. */
const window = 60_000;
/** Networks that are remembered; beyond, those are forgotten that failed longest ago. */
const maxNetworks = 10_000;

/** Counts wrong credentials by network address, so that nobody can go on guessing, nor keep the gateway busy with it. */
export class FailureLimiter {
  readonly #max: number;
  readonly #now: () => number;
  /** When each network failed last, the oldest first; at most as many times as are allowed. */
  readonly #times = new Map<string, number[]>();

  /**
   * @param max failures within a minute
   * @param now milliseconds, of a clock that never goes back
   */
  constructor(max: number, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#now = now;
  }

  /** Seconds until another credential of this address is looked at; 0: at once. */
  wait(address: string): number {
    const times = this.#times.get(networkOf(address));
    if (!times || times.length < this.#max) return 0;
    const left = (times[0] ?? 0) + window - this.#now();
    return left > 0 ? left / 1_000 : 0;
  }

  /** Counts a failure. Whether it was the last that is allowed for now. */
  add(address: string): boolean {
    if (this.#max === Number.POSITIVE_INFINITY) return false;
    const network = networkOf(address);
    const now = this.#now();
    const times = (this.#times.get(network) ?? []).filter((at) => at > now - window);
    times.push(now);
    if (times.length > this.#max) times.shift();
    // Those that fail now are the last to be forgotten.
    this.#times.delete(network);
    this.#times.set(network, times);
    if (this.#times.size > maxNetworks) {
      const [oldest] = this.#times.keys();
      if (oldest !== undefined) this.#times.delete(oldest);
    }
    return times.length === this.#max;
  }

  /** How many networks are remembered. */
  get size(): number {
    return this.#times.size;
  }
}
