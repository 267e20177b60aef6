import type { Task, TaskStatus } from '../model/a2a.ts';
import { openAskOf } from '../model/ask.ts';
import { isInterrupted, mayContinueWithoutClient } from '../model/lifecycle.ts';
import { isConflict } from '../ports/store-errors.ts';
import type { LiveTasks } from '../tasks/live-tasks.ts';
import { cancelAtAgent } from '../tasks/run-context.ts';
import { knowWaiting, originOfTask } from '../tasks/waiting-turns.ts';
import type { ServiceDeps } from './handler.ts';

/** A task that waits, and the status that it gets. */
export interface WaitingTask {
  readonly key: string;
  /** Generation of the question that the task asks. */
  readonly generation: number;
  readonly status: TaskStatus;
}

/**
 * Sets another status for a task that still waits with this generation. If this ends the task, asks its agent to cancel its part.
 * The agent may have been removed. Resolves with false if an answer has arrived, or another replica was first.
 */
export async function settleWaiting(
  deps: ServiceDeps,
  tasks: LiveTasks,
  { key, generation, status }: WaitingTask,
): Promise<boolean> {
  const settled = await tasks.useByKey(key, async (live) => {
    await live.journal.catchUp();
    await knowWaiting(live);
    const { journal, log, record: owner, ids } = live;
    const isUnknown = mayContinueWithoutClient(log.state) && isUnknownToAgent((await journal.current()).task);
    // From here on, nothing may be awaited until the event is appended.
    // An answered task is in its old state until the agent says something.
    const isWaiting = isInterrupted(log.state) && !log.endsWithMessage && log.committed === log.head;
    if (!isWaiting || journal.facts.generation !== generation) return false;
    live.end({ statusUpdate: { ...ids, status } });
    try {
      await journal.settled();
    } catch (thrown) {
      if (!isConflict(thrown)) throw thrown;
      return false;
    }
    const agent = deps.agents.get(owner.agent);
    if (agent && log.isTerminal && !isUnknown) {
      cancelAtAgent(deps, agent, originOfTask(owner), { key, ids, owner });
    }
    return true;
  });
  return settled === true;
}

/** Whether the agent has not received the task yet: the message that opened it waits for people. */
export const isUnknownToAgent = (task: Task): boolean => openAskOf(task)?.seq === 1;
