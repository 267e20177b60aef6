import type { Violation } from './check-logs.ts';
import type { FailedCall } from './failers.ts';

/** Milliseconds by which a gateway's clock may differ from the database's. */
const tolerance = 1_000;

/** What the list of failed calls and the numbers say. Times are milliseconds since the epoch. */
export interface SeenCalls {
  /** Tasks that the listed calls asked for. */
  readonly listed: readonly string[];
  readonly completeSince: number;
  readonly gaps: readonly { readonly from: number; readonly until: number }[];
  /** Calls of the caller that are not in the store, since there were too many. */
  readonly leftOut: number;
  /** Failed calls of the caller, by the numbers of minutes. */
  readonly failed: number;
  /** Tasks that the calls in the store asked for. */
  readonly stored: ReadonlySet<string>;
}

export interface MadeCalls {
  readonly answered: readonly FailedCall[];
  readonly begun: number;
  /** Whether a process lives on. */
  readonly lives: (pid: number) => boolean;
}

/**
 * Every failed call whose caller got an answer is listed once, unless the list says that it may be missing: it was answered within a
 * gap, and before the time since which the list is complete. The store has those of all processes that live on. Numbers count each
 * call once.
 */
export function checkCalls({ answered, begun, lives }: MadeCalls, seen: SeenCalls): Violation[] {
  const counts = new Map<string, number>();
  for (const taskId of seen.listed) counts.set(taskId, (counts.get(taskId) ?? 0) + 1);
  const twice = [...counts].filter(([, count]) => count > 1).map(([taskId]) => ({ what: `${taskId} is listed twice` }));
  const missing = answered.filter(({ taskId }) => !counts.has(taskId));
  const mayBeMissing = ({ began, ended }: FailedCall): boolean =>
    seen.gaps.some(({ from, until }) => began <= until + tolerance && ended >= from - tolerance);
  const unexplained = missing.filter((call) => !mayBeMissing(call));
  const claimed = missing.filter(({ began }) => began > seen.completeSince + tolerance);
  const found: Violation[] = [...twice];
  if (unexplained.length > seen.leftOut)
    found.push(...unexplained.map(({ taskId }) => ({ what: `${taskId} is not listed` })));
  else if (claimed.length > seen.leftOut)
    found.push(
      ...claimed.map(({ taskId }) => ({ what: `${taskId} is not listed, and the list is said to be complete` })),
    );
  const lost = answered.filter(({ taskId, pid }) => lives(pid) && !seen.stored.has(taskId));
  if (lost.length > seen.leftOut) found.push(...lost.map(({ taskId }) => ({ what: `${taskId} was never stored` })));
  const least = answered.filter((call) => !mayBeMissing(call)).length;
  if (seen.failed < least || seen.failed > begun)
    found.push({ what: `${seen.failed} failed calls were counted, of ${least} to ${begun}` });
  return found;
}
