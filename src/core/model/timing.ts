/** Makes the members of a type writable, for objects whose facts are assigned one by one. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * An object whose `signal` is created at the first access, since most calls end before. A class, because an object
 * literal with a getter gets a new hidden class each time. A spread does not copy the signal: name it there.
 */
class LazySignal {
  readonly #make: () => AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(make: () => AbortSignal) {
    this.#make = make;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#make();
    return this.#signal;
  }
}

/** Returns `facts` with a signal that `make` creates at the first access. */
export const withSignal = <T extends { readonly signal: AbortSignal }>(
  facts: Omit<T, 'signal'>,
  make: () => AbortSignal,
): T => Object.assign(new LazySignal(make), facts) as unknown as T;

/**
 * Returns the signal alone, for facts that are assigned by name: that costs a tenth of a copy, which V8 makes a
 * dictionary of.
 */
export const lazySignal = <T extends { readonly signal: AbortSignal }>(make: () => AbortSignal): Mutable<T> =>
  new LazySignal(make) as unknown as T;

/**
 * Milliseconds since the epoch by a clock that is never set: the machine's clock when the process began, advanced
 * evenly from there. For limits, pauses and ages; a time that is stored, sent or signed is `Date.now()`.
 */
export const steadyNow = (): number => performance.timeOrigin + performance.now();

/** The longest delay that a timer of Node can have: milliseconds. */
export const longestTimer: number = 2 ** 31 - 1;

/** Resolves with the value, or undefined if it takes longer than `timeout` milliseconds. */
export async function withTimeout<T>(pending: Promise<T>, timeout: number): Promise<T | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  const timer = setTimeout(resolve, timeout, undefined);
  pending.then(resolve, reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves with the value of a promise. Rejects with the signal's reason if that aborts first. */
export function unlessAborted<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([pending, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

/** Returns a function that runs one at a time: a call during a run shares that run's outcome. */
export function shared<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Returns a function that runs once, and again after a failure: all calls share the outcome. */
export function once<T>(run: () => Promise<T>): () => Promise<T> {
  let outcome: Promise<T> | undefined;
  return () => {
    outcome ??= run().catch((thrown: unknown) => {
      outcome = undefined;
      throw thrown;
    });
    return outcome;
  };
}
