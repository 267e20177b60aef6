/** Milliseconds between two looks at a task: from, to. */
const range = [50, 2_000] as const;

/** The pauses between looks: they double while nothing happens. */
export interface Backoff {
  next(): number;
  /** Something happened: more may follow soon. */
  reset(): void;
}

/** Pauses that double from 50 ms to 2 s. */
export function backoff(): Backoff {
  let pause: number = range[0];
  return {
    next() {
      const now = pause;
      pause = Math.min(pause * 2, range[1]);
      return now;
    },
    reset() {
      pause = range[0];
    },
  };
}
