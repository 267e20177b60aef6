import { steadyNow } from '../core/model/timing.ts';

/** Milliseconds for which a fact that calls have shown, and that the card does not state, is used. */
export const learnedFor = 600_000;

/** One fact about an agent that calls have shown. It ends after a while, or when the agent's card changes. */
export class Learned<T> {
  readonly #onEnd: (value: T) => void;
  #value: T | undefined;
  /** Time at which the fact ends, on the clock of `steadyNow`. */
  #until = 0;

  /** @param onEnd called when the fact ends; after its time has passed, when `value` is next read */
  constructor(onEnd: (value: T) => void) {
    this.#onEnd = onEnd;
  }

  /** The fact; undefined if nothing is known. */
  get value(): T | undefined {
    if (this.#value !== undefined && steadyNow() >= this.#until) this.end();
    return this.#value;
  }

  learn(value: T, ms = learnedFor): void {
    this.#value = value;
    this.#until = steadyNow() + ms;
  }

  end(): void {
    const value = this.#value;
    this.#value = undefined;
    if (value !== undefined) this.#onEnd(value);
  }
}
