/** Whatever carries a signal. */
interface Signalled {
  readonly signal: AbortSignal;
}

/**
 * An object whose `signal` is made when somebody asks for it, since most calls end without anybody having listened for
 * their end, and a controller costs more than the rest of a small call. A class, because an object literal with a getter
 * gets a hidden class of its own each time, which lives until the next full collection.
 *
 * The signal is not copied by a spread: name it where the object is spread.
 */
class LazySignal {
  readonly #make: () => AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(facts: object, make: () => AbortSignal) {
    this.#make = make;
    Object.assign(this, facts);
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#make();
    return this.#signal;
  }
}

/** `facts`, and a signal that `make` makes when it is first asked for. */
export const withSignal = <T extends Signalled>(facts: Omit<T, 'signal'>, make: () => AbortSignal): T =>
  new LazySignal(facts, make) as unknown as T;
