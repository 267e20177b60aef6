/**
 * Creates a queue that runs work with equal keys one after the other. Rejects with the signal's reason if the signal
 * aborts before the work starts.
 */
export function createKeyQueue() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    const turn = Promise.resolve(last.get(key)).then(() => {
      signal.throwIfAborted();
      return work();
    });
    // The next work runs whether or not this one succeeds.
    const over = turn.catch(() => undefined);
    last.set(key, over);
    return turn.finally(() => {
      if (last.get(key) === over) last.delete(key);
    });
  };
}
