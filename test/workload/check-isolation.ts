import type { Violation } from './check-logs.ts';
import type { Ledger } from './ledger.ts';
import { type Logs, markersOf } from './logs.ts';

/** Checks that callers see no tasks of others, and that each task belongs to the caller that has sent its messages. */
export function checkIsolation({ foreign, said }: Ledger, logs: Logs): Violation[] {
  const found: Violation[] = foreign.map((what) => ({ what }));
  const callers = new Map(said.map(({ marker, caller = '' }) => [marker, caller]));
  /** The caller behind each principal in the rows. */
  const known = new Map<string, string>();
  for (const task of logs.tasks) {
    for (const [marker] of markersOf(task)) {
      const caller = callers.get(marker);
      if (caller === undefined) continue;
      const owner = known.get(task.principal) ?? caller;
      known.set(task.principal, owner);
      if (owner !== caller)
        found.push({ what: `it has ${marker} of ${caller || 'nobody'}, and belongs to ${owner}`, task });
    }
  }
  if (new Set(known.values()).size < known.size)
    found.push({ what: 'tasks of one caller belong to several principals' });
  return found;
}
