import { runAtOwner } from '../cluster/forward.ts';
import type { ForwardOutcome } from '../cluster/forwarded-call.ts';
import type { StreamResponse, TaskStatus } from '../model/a2a.ts';
import { completeEvent, statusEvent } from '../model/agent-events.ts';
import type { UnaryReply } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { stateWord } from '../model/lifecycle.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import { originOf, Turn } from '../tasks/turn.ts';
import type { Handler, HandlerInput } from './handler.ts';

/** Milliseconds that an agent may take to agree to a cancellation. */
const patience = 10_000;

/** CancelTask (A2A 1.0.1 section 3.1.5). A task that is over, canceled ones too, is not cancelable. */
export const cancelTask: Handler<'CancelTask'> = (handling) => {
  const { request, context, owner, tasks, dialects } = handling;
  return tasks.use(owner, request.id, async (live) => {
    dialects.used(live, context.dialect);
    await live.settled();
    requireRunning(live);
    const asked = { operation: 'CancelTask', request, done: () => canceledAt(live) } as const;
    return runAtOwner(handling, live, () => asked, {
      here: () => cancel(handling, live),
      there: () => answerWith(handling, live),
    });
  });
};

async function cancel(handling: HandlerInput<'CancelTask'>, live: LiveTask): Promise<UnaryReply<'CancelTask'>> {
  requireRunning(live);
  const said = await askAgent(handling, live);
  // The run may have brought the agent's own word of it meanwhile.
  if (live.log.state !== 'TASK_STATE_CANCELED') {
    requireRunning(live);
    live.emit(canceledEvent(live, said));
  }
  await live.settled();
  return answerWith(handling, live);
}

async function answerWith(
  { context, deps }: HandlerInput<'CancelTask'>,
  live: LiveTask,
): Promise<UnaryReply<'CancelTask'>> {
  const value = await live.snapshot();
  await context.reservation?.reserve(live.log.bytes, Date.now() + deps.limits.answer);
  return { value, facts: live.facts };
}

/** A task that was not canceled when it was asked to be was canceled for it. */
const canceledAt = async (live: LiveTask): Promise<ForwardOutcome | undefined> =>
  live.log.state === 'TASK_STATE_CANCELED' ? { after: live.log.committed, extensions: [], losses: [] } : undefined;

const idsOf = (live: LiveTask): { taskId: string; contextId: string } => ({
  taskId: live.record.id,
  contextId: live.record.contextId,
});

function canceledEvent(live: LiveTask, said: TaskStatus | undefined): StreamResponse {
  const ids = idsOf(live);
  if (said?.state !== 'TASK_STATE_CANCELED') return statusEvent('TASK_STATE_CANCELED', ids);
  return completeEvent({ statusUpdate: { ...ids, status: said } }, ids);
}

function requireRunning(live: LiveTask): void {
  if (!live.log.isTerminal) return;
  throw new A2AError('taskNotCancelable', `The task is over: ${stateWord(live.log.state)}`, {
    metadata: { taskId: live.record.id },
  });
}

/** An agent that has a say may refuse; one that does not answer in time has agreed. */
async function askAgent(
  { agent, context }: HandlerInput<'CancelTask'>,
  live: LiveTask,
): Promise<TaskStatus | undefined> {
  if (!agent.cancel) return undefined;
  const signal = AbortSignal.timeout(patience);
  const task = structuredClone(await live.snapshot());
  const late = Promise.withResolvers<undefined>();
  signal.addEventListener('abort', () => late.resolve(undefined), { once: true });
  try {
    const deps = { ids: idsOf(live), key: live.key };
    const canceling = agent.cancel(task, Turn.contextFor(deps, originOf(context), task, signal));
    return (await Promise.race([canceling as Promise<TaskStatus | undefined>, late.promise])) ?? undefined;
  } catch (thrown) {
    throw naming(task.id, thrown);
  }
}

/** What an agent refused with, naming the task as all errors about a task's state do. */
function naming(taskId: string, thrown: unknown): unknown {
  if (!(thrown instanceof A2AError) || thrown.kind !== 'taskNotCancelable') return thrown;
  return new A2AError(thrown.kind, thrown.message, {
    metadata: { taskId, ...thrown.metadata },
    cause: thrown.cause,
  });
}
