/** Milliseconds between two looks at a task: at first, when it may be about to go on, and at the most. */
const pauseOf = { first: 50, soon: 2_000, longest: 60_000 } as const;
/** Which part of the time that nothing has happened passes between two looks at a task that takes long. */
const share = 1 / 20;

/** The pauses between looks: they grow while nothing happens. */
export interface Backoff {
  next(): number;
  /** Something happened: more may follow soon. */
  reset(): void;
}

/**
 * Pauses that double from 50 ms to 2 s, and grow with the time that nothing has happened up to a minute: whoever waits
 * for a long task learns of its end with a delay of a twentieth, and a task that nobody will end costs next to nothing.
 */
export function backoff(clock: () => number = Date.now): Backoff {
  let pause: number = pauseOf.first;
  let since = clock();
  return {
    next() {
      const now = pause;
      pause = Math.min(pause * 2, pauseOf.soon);
      return Math.max(now, Math.min((clock() - since) * share, pauseOf.longest));
    },
    reset() {
      pause = pauseOf.first;
      since = clock();
    },
  };
}
