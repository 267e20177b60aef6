import type { Task, TaskStatus } from '../../../core/model/a2a.ts';
import type { AgentContext } from '../../../core/model/agent.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { isTerminal, stateWord } from '../../../core/model/lifecycle.ts';
import { hasMessage } from '../../../core/model/task-diff.ts';
import { unlessAborted, withTimeout } from '../../../core/model/timing.ts';
import { isNetworkFailure } from '../../../net/network-errors.ts';
import { retry } from '../../../net/retry.ts';
import { isUnsupported, upstreamValue } from '../calls.ts';
import type { UpstreamConnection } from '../connection/connection.ts';
import { type IdMapping, messageWithIds } from '../ids.ts';
import { namingTimeout, type UpstreamTurn } from './turn.ts';

/** Milliseconds in which the turn may report the end of the task, so that the agent's own order of events is kept. */
const grace = { ended: 1_000, pending: 8_000 };

const unnamed = 'The upstream agent has not said yet which task it works on';

/** Inputs of the cancellation of a task. */
export interface Cancellation {
  readonly connection: UpstreamConnection;
  readonly ids: IdMapping;
  readonly context: AgentContext;
  /** Milliseconds for the agent's answer. */
  readonly timeout: number;
  readonly task: Task;
  /** The turn that follows the task now. */
  readonly turn: UpstreamTurn | undefined;
}

/**
 * Asks the agent to cancel a task. Resolves with the status with which the task ends, once the agent has agreed; with undefined
 * if the turn has reported the end of the task before, since some agents answer only after their work has stopped. The task of an
 * agent that agrees and goes on working is canceled nevertheless, with the agent's answer as the reason.
 *
 * Rejects with `taskNotCancelable` when the agent refuses or cannot cancel, and with `upstreamUnreachable` or `upstreamTimeout`
 * when the outcome is unknown: the task goes on.
 */
export async function cancelUpstream(cancellation: Cancellation): Promise<TaskStatus | undefined> {
  const { connection, ids, context, task, turn } = cancellation;
  const { signal } = context;
  if (turn && !turn.upstreamTask) await within(namingTimeout, turn.idKnown, signal);
  const upstreamTask = turn?.upstreamTask ?? (await ids.task(context.key));
  if (!upstreamTask) {
    if (!turn) return undefined;
    throw new A2AError('taskNotCancelable', unnamed);
  }
  try {
    const answer = askToCancel(cancellation, upstreamTask.id);
    turn?.expectCancellation(answer);
    const status = await (turn
      ? Promise.race([answer, turn.ended.then(() => (turn.taskIsOver ? undefined : answer))])
      : answer);
    if (!status) return undefined;
    const isOver = isTerminal(status.state);
    turn?.pollNow();
    if (turn) await within(isOver ? grace.ended : grace.pending, turn.ended, signal);
    if (isOver && status.state !== 'TASK_STATE_CANCELED') {
      throw new A2AError('taskNotCancelable', `The task is over: ${stateWord(status.state)}`);
    }
    if (isOver) return status;
    const { message } = status;
    const isAnswer = message !== undefined && !hasMessage(turn?.task ?? task, message);
    return { state: 'TASK_STATE_CANCELED', ...(isAnswer && { message }) };
  } catch (thrown) {
    // The gateway stops waiting. Its caller has not gone away.
    if (signal.aborted) throw new A2AError('upstreamTimeout', undefined, { cause: thrown });
    const error = connection.errorForCaller(thrown, context, upstreamTask);
    // The agent does not know the task, so it does not work on it.
    if (error.kind === 'taskNotFound') return undefined;
    if (!isUnsupported(thrown)) throw error;
    throw new A2AError('taskNotCancelable', error.message, { metadata: error.metadata, cause: error });
  }
}

/** Waits for a promise, for at most some milliseconds. */
const within = (ms: number, reached: Promise<void>, signal: AbortSignal): Promise<unknown> =>
  withTimeout(unlessAborted(reached, signal), ms).catch(() => undefined);

/** The status in the agent's answer. @param id of the task at the agent */
async function askToCancel({ connection, ids, context, timeout, turn }: Cancellation, id: string): Promise<TaskStatus> {
  const { signal, taskId, contextId } = context;
  const { onRetry } = connection;
  const call = () => upstreamValue(connection, context, 'CancelTask', { id }, { signal, timeout });
  const attempt = () =>
    call().catch(async (thrown: unknown) => {
      if (!turn || turn.boundTask || A2AError.from(thrown).kind !== 'taskNotFound') throw thrown;
      // The gateway has chosen the task's id, and the message that opens it may be on its way.
      await within(namingTimeout, turn.idKnown, signal);
      if (turn.boundTask) return call();
      throw new A2AError('taskNotCancelable', unnamed, { cause: thrown });
    });
  const { status } = await retry(attempt, { repeatable: isNetworkFailure, attempts: 2, signal, onRetry });
  const tasks = await ids.toOurs(status.message?.referenceTaskIds);
  const message = status.message && { message: messageWithIds(status.message, { taskId, contextId }, tasks) };
  return { ...status, ...message };
}
