import { steadyNow } from '../../../../core/model/timing.ts';

/** Deadlines of a call: without progress, and in all. They do not run while it is stopped. */
export function startClock(timeout: number, total: number, onTimeout: () => void) {
  let left = total;
  let since = 0;
  let stops = 0;
  let timer: NodeJS.Timeout | undefined;
  const run = (): void => {
    since = steadyNow();
    timer = setTimeout(onTimeout, Math.min(timeout, left));
  };
  const halt = (): void => {
    clearTimeout(timer);
    left -= steadyNow() - since;
  };
  run();
  return {
    reset(): void {
      if (stops > 0) return;
      halt();
      run();
    },
    stop(): void {
      if (stops === 0) halt();
      stops += 1;
    },
    start(): void {
      stops -= 1;
      if (stops === 0) run();
    },
  };
}
