/** Milliseconds after which a hidden tab lets go of its connections. */
const patience = 15_000;

/**
 * Runs `work` while the tab is visible, and again when it is shown after a while: a hidden tab keeps no stream open, since
 * browsers have six connections for all tabs of an origin over HTTP/1.1. `work` ends when its signal aborts.
 */
export function whileVisible(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): void {
  let running: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    if (document.hidden) {
      timer = setTimeout(() => {
        running?.abort();
        running = undefined;
      }, patience);
    } else if (!running) {
      running = new AbortController();
      void work(running.signal);
    }
  };
  document.addEventListener('visibilitychange', look, { signal });
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    running?.abort();
  });
  look();
}
