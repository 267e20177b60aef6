import type { TaskState } from '../../src/core/model/a2a.ts';
import { isLegal, isResting, isTerminal, stateOf } from '../../src/core/model/lifecycle.ts';
import { canonicalTask } from './canonical.ts';
import { type Logs, type StoredLog, taskAt, told } from './logs.ts';

/** Something that must never be. */
export interface Violation {
  readonly what: string;
  /** The task that it is about. */
  readonly task?: StoredLog | undefined;
}

/**
 * Every log is gapless and legal, the rows say what it says, and nothing is under way any more.
 *
 * @param adrift ids of tasks that may be
 */
export function checkLogs({ tasks, alive }: Logs, adrift: ReadonlySet<string>): Violation[] {
  const owned = ({ owner }: StoredLog): string =>
    owner === null ? '' : ` (it belongs to ${owner}; alive are ${alive.join(', ')})`;
  return tasks.flatMap((task) =>
    faults(task, adrift.has(task.id)).map((what) => ({ what: `${what}${owned(task)}`, task })),
  );
}

function faults(task: StoredLog, mayWork: boolean): string[] {
  const { log, seq, state, owner, snapshots } = task;
  const found: string[] = [];
  if (log.some((entry, i) => entry.seq !== i + 1)) found.push('the positions of its log are not 1 to n');
  if (log.length !== seq) found.push(`its row says that there are ${seq} events, and there are ${log.length}`);
  if (!log[0]?.event.task) found.push('its log does not begin with the task');
  if (log.at(-1)?.generation !== log.filter(told).length)
    found.push('the generations of its log are not counted right');
  found.push(...illegal(task));
  if (found.length > 0) return found;

  const folded = taskAt(log, seq);
  if (folded?.status.state !== state) found.push(`its row says ${state}, its log ${folded?.status.state}`);
  const resting = isResting(state as TaskState);
  if (!resting && !mayWork) found.push(`it never came to rest: ${state}`);
  if (resting && owner !== null) found.push('it is at rest, but still has an owner');
  for (const snapshot of snapshots) {
    if (canonicalTask(taskAt(log, snapshot.seq)) !== canonicalTask(snapshot.task)) {
      found.push(`its snapshot at ${snapshot.seq} is not what its log comes to`);
    }
  }
  return found;
}

function illegal({ log }: StoredLog): string[] {
  let state: TaskState = 'TASK_STATE_UNSPECIFIED';
  for (const { seq, event } of log) {
    if (isTerminal(state)) return [`something happened to it after its end, at ${seq}`];
    const next = stateOf(event);
    if (next === undefined) continue;
    if (!isLegal(state, next)) return [`it went from ${state} to ${next} at ${seq}`];
    state = next;
  }
  return [];
}
