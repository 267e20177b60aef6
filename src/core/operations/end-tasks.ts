import { endTask } from '../cluster/takeover.ts';
import type { TaskState } from '../model/a2a.ts';
import { A2AError } from '../model/errors.ts';
import { isTerminal, lifecycle } from '../model/lifecycle.ts';
import type { TaskFilter, TaskOverview } from '../ports/admin-store.ts';
import type { JudgedTask } from '../ports/judge.ts';
import { isConflict } from '../ports/store-errors.ts';
import type { NewTaskRecord } from '../ports/task-store.ts';
import type { LiveTasks } from '../tasks/live-tasks.ts';
import type { ServiceDeps } from './handler.ts';

/** Number of tasks that are ended at once. */
const page = 200;

/** Returns the reason why a task in memory is ended. Undefined: it goes on. */
export type JudgeLive = (
  task: JudgedTask & { readonly createdAt: number },
  root: string | undefined,
) => A2AError | undefined;

/**
 * Ends the tasks of this replica for which a judge has a reason, without waiting for the store or an agent. Returns their
 * number.
 */
export function endTasks(deps: ServiceDeps, tasks: LiveTasks, judge: JudgeLive): number {
  let count = 0;
  for (const live of tasks.inMemory.values()) {
    // The root of the tree is known for tasks with a run here.
    const reason = judge(live.record, live.runs[0]?.root);
    if (!reason || live.log.isTerminal || !live.journal.isOwnedHere || live.journal.failure) continue;
    count += 1;
    endTask(deps, live, reason).catch((err: unknown) => {
      deps.logger.debug({ task: live.record.id, err }, 'the end of a task that may not go on is not stored yet');
    });
  }
  return count;
}

/**
 * Forgets tasks in memory whose rows are deleted: nothing more is written, and their listeners end. Returns their number.
 *
 * @param isDeleted whether the row of a task is deleted
 */
export function forgetTasks(tasks: LiveTasks, isDeleted: (task: NewTaskRecord) => boolean): number {
  const deleted = [...tasks.inMemory.values()].filter(({ record }) => isDeleted(record));
  for (const { journal, record } of deleted) journal.fail(A2AError.taskNotFound(record.id));
  return deleted.length;
}

/** Tasks to end that no replica works on, and the reason. */
export interface IdleTasks {
  readonly filter: Omit<TaskFilter, 'states'>;
  readonly reason: A2AError;
  /** Whether a task that the filter selects is ended. Absent: it is. */
  readonly applies?: (task: TaskOverview) => boolean;
  /** Whether only tasks that no replica owns are ended: the owners of the others have already been asked to end them. */
  readonly unownedOnly: boolean;
  /** Called before each further page. If it returns false, no more tasks are ended. */
  goesOn(): boolean;
}

const unended = Object.keys(lifecycle).filter((state) => !isTerminal(state as TaskState)) as TaskState[];

/** Ends tasks that no replica works on, which wait for their callers as a rule. Resolves with their number. */
export async function endIdleTasks(deps: ServiceDeps, tasks: LiveTasks, wanted: IdleTasks): Promise<number> {
  const { store, logger } = deps;
  const { reason, unownedOnly, applies } = wanted;
  const filter = { ...wanted.filter, states: unended };
  const endOne = async (task: TaskOverview): Promise<boolean> => {
    const { key, replica } = task;
    if (applies?.(task) === false) return false;
    if (replica !== '' && (unownedOnly || (await store.peers.leaseHolderOf(key)))) return false;
    const ended = await tasks.useByKey(key, async (live) => {
      await live.journal.catchUp();
      if (live.log.isTerminal) return false;
      await endTask(deps, live, reason);
      return true;
    });
    return ended === true;
  };
  let count = 0;
  for (let token = ''; ; ) {
    const { tasks: found, nextPageToken } = await store.searchTasks(filter, page, token);
    const outcomes = await Promise.allSettled(found.map(endOne));
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') count += Number(outcome.value);
      else if (!isConflict(outcome.reason))
        logger.debug({ err: outcome.reason }, 'a task that may not go on could not be ended yet');
    }
    if (nextPageToken === '' || !wanted.goesOn()) return count;
    token = nextPageToken;
  }
}
