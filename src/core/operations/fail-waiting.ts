import { statusEvent } from '../model/agent-events.ts';
import { isInterrupted } from '../model/lifecycle.ts';
import { isConflict } from '../ports/store-errors.ts';
import type { LiveTasks } from '../tasks/live-tasks.ts';
import { cancelAtAgent } from '../tasks/run-context.ts';
import { knowWaiting, originOfTask } from '../tasks/waiting-turns.ts';
import type { ServiceDeps } from './handler.ts';

/** A task that has waited for its client too long. */
export interface OverdueTask {
  readonly key: string;
  /** Of the question that has no answer. */
  readonly generation: number;
  /** For its callers. */
  readonly reason: string;
}

/**
 * Fails a task that still waits with this generation, and asks its agent to cancel its part. Needs no agent: it may have been
 * removed. Resolves with false if an answer has arrived, or another replica was first.
 */
export async function failWaiting(
  deps: ServiceDeps,
  tasks: LiveTasks,
  { key, generation, reason }: OverdueTask,
): Promise<boolean> {
  const live = await tasks.findByKey(key);
  if (!live) return false;
  return live.retainWhile(async () => {
    await live.journal.catchUp();
    await knowWaiting(live);
    const { journal, log, record: owner, ids } = live;
    // An answered task is in its old state until the agent says something.
    const isWaiting = isInterrupted(log.state) && !log.endsWithMessage && log.committed === log.head;
    if (!isWaiting || journal.facts.generation !== generation) return false;
    live.end(statusEvent('TASK_STATE_FAILED', ids, reason, deps.store.now()));
    try {
      await journal.settled();
    } catch (thrown) {
      if (!isConflict(thrown)) throw thrown;
      return false;
    }
    const agent = deps.agents.get(owner.agent);
    if (agent) cancelAtAgent(deps, agent, originOfTask(owner), { key, ids, owner });
    return true;
  });
}
