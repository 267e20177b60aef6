/**
 * Maximum work between two turns of the event loop, of all queries and validations together, in units of a few
 * microseconds: a field of a result, a step of a path. On a slow machine this takes up to 50 ms.
 */
export const turnWork = 3_000;

let done = 0;
let longest = 0;
let isScheduled = false;
const waiting: (() => void)[] = [];

/** Begins another turn and resumes the first waiting work. */
function nextTurn(): void {
  longest = Math.max(longest, done);
  done = 0;
  isScheduled = false;
  waiting.shift()?.();
  if (waiting.length > 0) schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  // An immediate scheduled by an immediate runs after sockets and timers have been served.
  setImmediate(nextTurn);
}

/** Counts work that has been done, or is about to be done, before the next `takeTurn`. */
export function countWork(units: number): void {
  done += units;
  schedule();
}

/**
 * Returns a promise that resolves when there is time for more work; undefined if there is time now. Waiting work
 * resumes one by one, each in its own turn, so that a hundred queries block the event loop no longer than one. Do not
 * await undefined: other work could see that there is time before the caller counts its own.
 */
export function takeTurn(): Promise<void> | undefined {
  if (done < turnWork && waiting.length === 0) return undefined;
  schedule();
  return new Promise((resolve) => waiting.push(resolve));
}

/** Returns the work of the longest turn since the last call. */
export function workOfLongestTurn(): number {
  const work = Math.max(longest, done);
  longest = 0;
  return work;
}
