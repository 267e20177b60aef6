/** Does what has the same key one after the other. Rejects with the signal's reason when it aborts before its turn. */
export type KeyQueue = <T>(key: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Nobody has had a turn. */
export function createKeyQueue(): KeyQueue {
  const last = new Map<string, Promise<unknown>>();
  return async (key, signal, work) => {
    const before = last.get(key);
    const turn = (async () => {
      await before;
      signal.throwIfAborted();
      return work();
    })();
    // The next in turn does not care what became of this one.
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
