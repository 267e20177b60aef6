/** Waits; less long if the network or the tab comes back meanwhile, or the signal aborts. */
export function awake(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = new AbortController();
  const options = { signal: ended.signal };
  const timer = setTimeout(resolve, ms);
  addEventListener('online', () => resolve(), options);
  document.addEventListener('visibilitychange', () => document.hidden || resolve(), options);
  signal?.addEventListener('abort', () => resolve(), options);
  return promise.finally(() => {
    clearTimeout(timer);
    ended.abort();
  });
}
