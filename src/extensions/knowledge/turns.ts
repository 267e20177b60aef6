/**
 * Work between two turns of the event loop, of all queries and validations together, in units of a few microseconds: a
 * field of a result, a step of a path. More than this takes up to 50 ms on a slow machine.
 */
export const turnWork = 3_000;

let done = 0;
let longest = 0;
let isScheduled = false;
const waiting: (() => void)[] = [];

/** Begins another turn, in which one of those that wait goes on. */
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
  // An immediate that an immediate schedules runs after sockets and timers were served.
  setImmediate(nextTurn);
}

/** Counts work that is done, or is about to be done, before the next `takeTurn`. */
export function countWork(units: number): void {
  done += units;
  schedule();
}

/**
 * Waits until there is time for more work; undefined: there is. Waiting updates go on one by one, each in a turn of its
 * own, so that a hundred queries block the event loop no longer than one. Undefined must not be awaited: meanwhile others
 * would learn that there is time.
 */
export function takeTurn(): Promise<void> | undefined {
  if (done < turnWork && waiting.length === 0) return undefined;
  schedule();
  return new Promise((resolve) => waiting.push(resolve));
}

/** The work of the longest turn since the last call. */
export function workOfLongestTurn(): number {
  const work = Math.max(longest, done);
  longest = 0;
  return work;
}
