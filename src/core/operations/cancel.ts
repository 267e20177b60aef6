import { runAtOwner } from '../cluster/forward.ts';
import type { Task, TaskStatus } from '../model/a2a.ts';
import { completeEvent, statusEvent } from '../model/agent-events.ts';
import type { CallContext, UnaryReply } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { steadyNow, withTimeout } from '../model/timing.ts';
import type { LiveTask } from '../tasks/live-tasks.ts';
import { cancellationContext, originOf } from '../tasks/run-context.ts';
import { taskFor } from '../tasks/task-journal.ts';
import { isTaskTooLarge } from '../tasks/task-log.ts';
import { knowWaiting } from '../tasks/waiting-turns.ts';
import type { Handler, HandlerInput } from './handler.ts';
import { requireNotOver } from './rules.ts';
import { isUnknownToAgent } from './settle-waiting.ts';

/** Milliseconds that an agent may take to agree to a cancellation. */
const agentTimeout = 10_000;

/** CancelTask (A2A 1.0.1 section 3.1.5). A task that is over, also by a cancellation, is not cancelable. */
export const cancelTask: Handler<'CancelTask'> = (input) => {
  const { request, context, owner, tasks, dialects } = input;
  return tasks.useRecord(owner, request.id, async (live) => {
    dialects.used(live, context.dialect);
    await live.journal.settled();
    requireNotOver(live, 'taskNotCancelable');
    // A task that was not over before the call was forwarded, and is canceled now, was canceled by the call.
    const findOutcome = async () =>
      isCanceled(live) ? { after: live.log.committed, extensions: [], losses: [] } : undefined;
    return runAtOwner(input, live.journal, () => ({ operation: 'CancelTask', request, findOutcome }), {
      local: () => cancel(input, live),
      forwarded: () => answerWith(input, live),
    });
  });
};

async function cancel(input: HandlerInput<'CancelTask'>, live: LiveTask): Promise<UnaryReply<'CancelTask'>> {
  requireNotOver(live, 'taskNotCancelable');
  const status = await judged(input, live, await askAgent(input, live));
  await knowWaiting(live);
  // The run may have emitted the agent's own cancellation meanwhile.
  if (!isCanceled(live)) {
    requireNotOver(live, 'taskNotCancelable');
    endCanceled(live, status, input.deps.store.now());
  }
  await live.journal.settled();
  return answerWith(input, live);
}

async function answerWith({ context, deps }: HandlerInput<'CancelTask'>, live: LiveTask) {
  const { task: value, facts } = await taskFor(live.journal, context, steadyNow() + deps.limits.answer);
  return { value, facts };
}

const isCanceled = (live: LiveTask): boolean => live.log.state === 'TASK_STATE_CANCELED';

/**
 * @param status the agent's own status, if it fits into the task
 * @param now milliseconds since the epoch, by the store's clock
 */
function endCanceled(live: LiveTask, status: TaskStatus | undefined, now: number): void {
  const { ids } = live;
  if (status?.state === 'TASK_STATE_CANCELED') {
    try {
      live.emit(completeEvent({ statusUpdate: { ...ids, status } }, ids, now));
      return;
    } catch (thrown) {
      if (!isTaskTooLarge(thrown)) throw thrown;
    }
  }
  live.end(statusEvent('TASK_STATE_CANCELED', ids, undefined, now));
}

/** The task for the agent. A task that is too large to be read comes without artifacts and history. */
async function taskForAgent(live: LiveTask, context: CallContext): Promise<Task> {
  try {
    return structuredClone((await live.journal.current(context)).task);
  } catch (thrown) {
    if (A2AError.from(thrown).kind !== 'answerTooLarge') throw thrown;
    return { id: live.record.id, contextId: live.record.contextId, status: { state: live.log.state } };
  }
}

/** The agent's status, after hooks have judged and perhaps replaced its message. */
async function judged(
  { deps }: HandlerInput<'CancelTask'>,
  { record: owner, ids }: LiveTask,
  status: TaskStatus | undefined,
): Promise<TaskStatus | undefined> {
  const judge = status?.message && deps.hooks?.active?.canceled;
  return status && judge ? judge({ owner, ...ids }, status) : status;
}

/** Asks the agent to cancel the task. The agent may refuse; one that does not answer in time counts as having agreed. */
async function askAgent({ agent, context, deps }: HandlerInput<'CancelTask'>, live: LiveTask) {
  if (!agent.cancel) return undefined;
  const signal = AbortSignal.timeout(agentTimeout);
  const task = await taskForAgent(live, context);
  if (isUnknownToAgent(task)) return undefined;
  try {
    const { key, ids, record: owner } = live;
    const canceling = agent.cancel(
      task,
      cancellationContext(deps, originOf(context, owner), { key, ids, owner }, { task, signal }),
    );
    return await withTimeout(Promise.resolve(canceling as Promise<TaskStatus | undefined>), agentTimeout);
  } catch (thrown) {
    if (!(thrown instanceof A2AError) || thrown.kind !== 'taskNotCancelable') throw thrown;
    // All errors about a task's state name the task.
    const { kind, message, cause } = thrown;
    throw new A2AError(kind, message, { metadata: { taskId: task.id, ...thrown.metadata }, cause });
  }
}
