import { canonicalTask } from './canonical.ts';
import type { Violation } from './check-logs.ts';
import type { Histories } from './check-told.ts';
import type { Ledger, Read } from './ledger.ts';
import { type Logs, markersOf, type StoredLog } from './logs.ts';

export interface ReadsOptions {
  readonly histories: Histories;
  /** Whether a gateway may have answered with an older task than others have acknowledged. */
  readonly mayBeStale: (read: Read) => boolean;
}

/** A position that clients knew a task to have reached, and since when. */
interface Known {
  readonly seq: number;
  readonly at: number;
}

/**
 * Every gateway answers with a task as its log had it, and with all that any gateway has acknowledged before: what a client was
 * answered, what came over a stream, and what was read.
 */
export function checkReads(ledger: Ledger, logs: Logs, { histories, mayBeStale }: ReadsOptions): Violation[] {
  const known = knownPositions(ledger, logs);
  const found: Violation[] = [];
  for (const read of ledger.read) {
    const stored = logs.byId.get(read.taskId);
    const name = `gateway ${read.gateway} by ${read.face.via}`;
    if (!stored) {
      found.push({ what: `${name} answered with the task ${read.taskId}, which is in no log` });
      continue;
    }
    const text = canonicalTask(read.task);
    const history = histories.of(stored);
    const latest = history.lastIndexOf(text) + 1;
    if (latest === 0) {
      const what = `${name} answered with the task as its log never had it: ${JSON.stringify(read.task)}`;
      found.push({ what, task: stored });
      continue;
    }
    const all = known.get(stored.id) ?? [];
    const floor = all.reduce((most, { seq, at }) => (at < read.began ? Math.max(most, seq) : most), 0);
    if (latest < floor && !mayBeStale(read)) {
      found.push({ what: `${name} answered with the task at ${latest}, when ${floor} was acknowledged`, task: stored });
    }
    known.set(stored.id, [...all, { seq: history.indexOf(text) + 1, at: read.ended }]);
  }
  return found;
}

function knownPositions({ said, watched }: Ledger, logs: Logs): Map<string, Known[]> {
  const known = new Map<string, Known[]>();
  const know = (taskId: string, one: Known): void => {
    known.set(taskId, [...(known.get(taskId) ?? []), one]);
  };
  for (const { taskId, seen } of watched) for (const { seq, at } of seen) know(taskId, { seq, at });
  for (const { taskId = '', marker, ended } of said) {
    const stored: StoredLog | undefined = logs.byId.get(taskId);
    const seq = stored && markersOf(stored).findLast(([one]) => one === marker)?.[1];
    if (seq !== undefined && ended !== undefined) know(taskId, { seq, at: ended });
  }
  return known;
}
