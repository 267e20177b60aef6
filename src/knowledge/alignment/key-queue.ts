/** Runs work with the same key one after the other. Rejects with the signal's reason if it aborts before its turn. */
export type KeyQueue = <T>(key: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Creates an empty queue. */
export function createKeyQueue(): KeyQueue {
  const last = new Map<string, Promise<unknown>>();
  return async (key, signal, work) => {
    const before = last.get(key);
    const turn = (async () => {
      await before;
      signal.throwIfAborted();
      return work();
    })();
    // The next one runs whether this one succeeds or not.
    const over = turn.then(
      () => undefined,
      () => undefined,
    );
    last.set(key, over);
    try {
      return await turn;
    } finally {
      if (last.get(key) === over) last.delete(key);
    }
  };
}
