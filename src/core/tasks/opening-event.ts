import type { Message, StreamResponse, Struct, Task } from '../model/a2a.ts';
import { type TaskIds, timestamp } from '../model/agent-events.ts';

/** The first event of a log: the agent's first task, or a submitted task, with the message that opened it. */
export function openingEvent(
  { taskId, contextId }: TaskIds,
  message: Message,
  metadata: Struct | undefined,
  first: StreamResponse | undefined,
): StreamResponse {
  const status = first?.task?.status ??
    first?.statusUpdate?.status ?? { state: 'TASK_STATE_SUBMITTED' as const, timestamp: timestamp() };
  return {
    task: withMessage({ id: taskId, contextId, ...(metadata && { metadata }), ...first?.task, status }, message),
  };
}

/** Whether an agent's first event opens the task itself, so that no opening event of the gateway's comes before it. */
export const opensTask = ({ task, statusUpdate }: StreamResponse): boolean =>
  task !== undefined || statusUpdate?.status?.state === 'TASK_STATE_SUBMITTED';

/**
 * An agent's first event for a task that was opened before the agent answered: the task keeps the message that opened it.
 * Undefined where the event says no more than the opening event did.
 */
export function eventAfterOpening(event: StreamResponse, message: Message): StreamResponse | undefined {
  const { task, statusUpdate } = event;
  if (task) return isOnlySubmitted(task, message) ? undefined : { task: withMessage(task, message) };
  if (!statusUpdate) return event;
  const { state, message: statusMessage } = statusUpdate.status ?? {};
  return state === 'TASK_STATE_SUBMITTED' && !statusMessage && !statusUpdate.metadata ? undefined : event;
}

/** The task with the message that opened it at the head of its history. */
function withMessage(task: Task, message: Message): Task {
  const history = task.history ?? [];
  const isIncluded = history.some(({ messageId }) => messageId === message.messageId);
  return { ...task, history: isIncluded ? history : [message, ...history] };
}

const isOnlySubmitted = ({ status, history = [], artifacts = [], metadata }: Task, { messageId }: Message): boolean =>
  status.state === 'TASK_STATE_SUBMITTED' &&
  status.message === undefined &&
  history.every((message) => message.messageId === messageId) &&
  artifacts.length === 0 &&
  metadata === undefined;
