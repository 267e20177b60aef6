import type { Message, StreamResponse, Task } from '../../../core/model/a2a.ts';
import type { RunContext } from '../../../core/model/agent.ts';
import { agentMessage } from '../../../core/model/agent-events.ts';
import { type A2AError, isUndelivered } from '../../../core/model/errors.ts';
import { isResting } from '../../../core/model/lifecycle.ts';
import { isNetworkFailure } from '../../../net/network-errors.ts';
import type { UpstreamConnection } from '../connection/connection.ts';
import type { HandOver } from './hand-over.ts';
import type { Events, UpstreamTaskState } from './task-state.ts';

export const notAccepted = 'The upstream agent did not accept the message';
export const unknownArrival = 'Whether the upstream agent got the message is unknown';

/** The parts of a turn from which messages about an error are made. */
interface TurnWithError {
  readonly connection: UpstreamConnection;
  readonly context: RunContext;
  readonly state: UpstreamTaskState;
}

/** A turn whose message has failed. */
export interface FailedTurn extends TurnWithError {
  readonly handOver: HandOver;
}

/**
 * An error as a message of the agent.
 *
 * @param meaning text before the error, which says what the error means for the task. Default: none
 */
export function errorMessage(error: A2AError, { connection, context, state }: TurnWithError, meaning = ''): Message {
  const { taskId, contextId } = context;
  const { message } = connection.errorForCaller(error, context, state.upstreamTask);
  return agentMessage(meaning === '' ? message : `${meaning}: ${message}`, { taskId, contextId });
}

/**
 * The event that reports a message as refused by the agent, or its arrival as unknown. The task stays in its state. A refusal is
 * also reported to the run's context.
 */
export function failureEvent(error: A2AError, { status }: Pick<Task, 'status'>, turn: TurnWithError): StreamResponse {
  const { context } = turn;
  const isRefused = isUndelivered(error) || !isNetworkFailure(error);
  if (isRefused) context.refused?.();
  const { taskId, contextId } = context;
  const message = errorMessage(error, turn, isRefused ? notAccepted : unknownArrival);
  return { statusUpdate: { taskId, contextId, status: { state: status.state, message } } };
}

/** The events of a turn whose message has failed after a later turn took its task over. */
export async function* failAfterHandOver(error: A2AError, turn: FailedTurn): Events {
  if (error.kind === 'canceled') return;
  const { handOver, state } = turn;
  handOver.hasFailed = true;
  const task = handOver.last?.task ?? state.known;
  const event = failureEvent(error, task, turn);
  // The question of a task that waits for its client stays.
  if (!isResting(task.status.state)) yield event;
}
