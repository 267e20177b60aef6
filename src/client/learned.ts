import { steadyNow } from '../core/model/timing.ts';

/** Milliseconds for which a fact counts that calls have shown and the card does not say. */
export const learnedFor = 600_000;

/** One fact about an agent that calls have shown. It ends after a while, and with a new card. */
export class Learned<T> {
  readonly #onEnd: (value: T) => void;
  #value: T | undefined;
  /** By `steadyNow`. */
  #until = 0;

  /** @param onEnd called when the fact no longer counts, at the first look at it after that */
  constructor(onEnd: (value: T) => void) {
    this.#onEnd = onEnd;
  }

  /** Undefined: nothing is known. */
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
