/**
 * Creates a queue that runs work with the same key one after the other. Rejects with the signal's reason if it aborts
 * before its turn.
 */
export function createKeyQueue() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    const turn = Promise.resolve(last.get(key)).then(() => {
      signal.throwIfAborted();
      return work();
    });
    // The next one runs whether this one succeeds or not.
    const over = turn.catch(() => undefined);
    last.set(key, over);
    return turn.finally(() => {
      if (last.get(key) === over) last.delete(key);
    });
  };
}
