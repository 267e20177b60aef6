import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskStatus } from '../../core/model/a2a.ts';
import type { AgentContext } from '../../core/model/agent.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isTerminal, stateWord } from '../../core/model/lifecycle.ts';
import { isNetworkFailure } from '../../net/network-errors.ts';
import { retry } from '../../net/retry.ts';
import { isUnsupported, upstreamValue } from './calls.ts';
import type { UpstreamConnection } from './connection.ts';
import { type IdMapping, messageWithIds } from './ids.ts';
import { namingTimeout, type UpstreamTurn } from './turn.ts';

/** Milliseconds that the turn gets to report the end of the task in the agent's own order. */
const grace = { ended: 1_000, pending: 8_000 };

/**
 * Asks the agent to cancel a task. Resolves with the status that the agent reported, once it has agreed; with undefined
 * when the turn has reported the end of the task before: some agents answer as late as their work has stopped.
 *
 * Rejects with `taskNotCancelable` when the agent refuses or cannot cancel, and with `upstreamUnreachable` or
 * `upstreamTimeout` when the outcome is unknown: the task goes on.
 *
 * @param timeout milliseconds for the agent's answer
 * @param turn the turn that follows the task now
 */
export async function cancelUpstream(
  connection: UpstreamConnection,
  ids: IdMapping,
  context: AgentContext,
  timeout: number,
  turn: UpstreamTurn | undefined,
): Promise<TaskStatus | undefined> {
  const { signal, taskId, contextId } = context;
  const pause = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal }).catch(() => undefined);
  if (turn && !turn.upstreamTask) await Promise.race([turn.idKnown, pause(namingTimeout)]);
  const upstreamTask = turn?.upstreamTask ?? (await ids.task(context.key));
  if (!upstreamTask) {
    if (!turn) return undefined;
    throw new A2AError('taskNotCancelable', 'The upstream agent has not said yet which task it works on');
  }
  const request = { id: upstreamTask.id };
  const attempt = () => upstreamValue(connection, context, 'CancelTask', request, { signal, timeout });
  const ask = async (): Promise<TaskStatus> => {
    const { onRetry } = connection;
    const { status } = await retry(attempt, { repeatable: isNetworkFailure, attempts: 2, signal, onRetry });
    const tasks = await ids.toOurs(status.message?.referenceTaskIds);
    const message = status.message && { message: messageWithIds(status.message, { taskId, contextId }, tasks) };
    return { ...status, ...message };
  };
  try {
    const answer = ask();
    turn?.expectCancellation(answer);
    const status = await (turn
      ? Promise.race([answer, turn.ended.then(() => (turn.taskIsOver ? undefined : answer))])
      : answer);
    if (!status) return undefined;
    const isOver = isTerminal(status.state);
    turn?.pollNow();
    if (turn) await Promise.race([turn.ended, pause(isOver ? grace.ended : grace.pending)]);
    if (isOver && status.state !== 'TASK_STATE_CANCELED') {
      throw new A2AError('taskNotCancelable', `The task is over: ${stateWord(status.state)}`);
    }
    return status;
  } catch (thrown) {
    // The gateway waits no longer. Its caller has not gone away.
    if (signal.aborted) throw new A2AError('upstreamTimeout', undefined, { cause: thrown });
    const error = connection.errorForCaller(thrown, context, upstreamTask);
    // The agent does not know the task, so it does not work on it.
    if (error.kind === 'taskNotFound') return undefined;
    if (!isUnsupported(thrown)) throw error;
    throw new A2AError('taskNotCancelable', error.message, { metadata: error.metadata, cause: error });
  }
}
