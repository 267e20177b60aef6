/** For objects whose facts are assigned one by one. */
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

/** `facts`, and a signal that `make` creates at the first access. */
export const withSignal = <T extends { readonly signal: AbortSignal }>(
  facts: Omit<T, 'signal'>,
  make: () => AbortSignal,
): T => Object.assign(new LazySignal(make), facts) as unknown as T;

/** The signal alone, for facts that are assigned by name: that costs a tenth of a copy, which V8 makes a dictionary of. */
export const lazySignal = <T extends { readonly signal: AbortSignal }>(make: () => AbortSignal): Mutable<T> =>
  new LazySignal(make) as unknown as T;

/**
 * Milliseconds since the epoch by a clock that is never set: as the machine's clock had it when the process began, and evenly
 * from there. For limits, pauses and ages; a time that is stored, sent or signed is `Date.now()`.
 */
export const steadyNow = (): number => performance.timeOrigin + performance.now();

/** The longest delay that a timer of Node can have: milliseconds. */
export const longestTimer: number = 2 ** 31 - 1;

/** The value, or undefined when it takes longer than `timeout` milliseconds. */
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

/** The value of a promise. Rejects with the signal's reason where that aborts before. */
export function unlessAborted<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([pending, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

/** Runs one at a time: calls while one is under way get its outcome. */
export function shared<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Runs once, and again after a failure: all calls get the outcome. */
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
