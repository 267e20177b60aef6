import type { Message, StreamResponse, Task, TaskState } from '../../../core/model/a2a.ts';
import { isObject } from '../../../core/model/json.ts';
import { isTerminal } from '../../../core/model/lifecycle.ts';
import type { Callable } from './callables.ts';
import { fieldsOf, newMessage } from './form.ts';

/** State that one call of a conversation passes to the next: the task and its context. */

export interface Conversation {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly state?: TaskState;
}

/** Returns the conversation after an event, or after the value of an answer. */
export function after(before: Conversation, answer: unknown): Conversation {
  if (!isObject(answer)) return before;
  const { task, message, statusUpdate, artifactUpdate } = answer as StreamResponse;
  const about = task ?? statusUpdate ?? artifactUpdate ?? message ?? (isObject(answer.status) ? answer : {});
  const { id, taskId = id, contextId, status } = about as Partial<Task> & { taskId?: string };
  // Messages and artifacts do not contain the task's state, and may name a part of it alone.
  const rest = status === undefined ? before : {};
  return { ...rest, ...idsOf(taskId, contextId), ...(status?.state && { state: status.state }) };
}

const idsOf = (taskId: string | undefined, contextId: string | undefined) => ({
  ...(taskId && { taskId }),
  ...(contextId && { contextId }),
});

/** Whether the task accepts further messages. */
export const goesOn = ({ taskId, state }: Conversation): boolean =>
  taskId !== undefined && !(state !== undefined && isTerminal(state));

/**
 * Returns the initial request of a form: required fields, with the task and the context of the conversation. A message
 * has no ids yet.
 */
export function newRequest({ operation, fields }: Callable, conversation: Conversation): Record<string, unknown> {
  const request = newMessage(fields, operation.request);
  if ('message' in request) {
    const { messageId: _, role: __, ...message } = request.message as Message;
    return { ...request, message: { role: 'ROLE_USER', ...message } };
  }
  const { taskId, contextId } = conversation;
  if (operation.service.startsWith('a2agateway.')) return request;
  const names = fieldsOf(fields, operation.request).map(({ jsonName }) => jsonName);
  // In a push configuration, `id` is its own.
  const name = names.includes('taskId') ? 'taskId' : names.includes('id') ? 'id' : undefined;
  if (name !== undefined) return taskId === undefined ? request : { ...request, [name]: taskId };
  return names.includes('contextId') && contextId !== undefined ? { ...request, contextId } : request;
}

/** The ids of a message. */
type MessageIds = Pick<Message, 'messageId' | 'taskId' | 'contextId'>;

/**
 * Returns the ids of the next message of a conversation.
 *
 * @param newIds ids for a message and a task
 * @param chosen whether the client chooses the ids of tasks
 */
export function nextIds(
  conversation: Conversation,
  newIds: { messageId: string; taskId: string },
  chosen: boolean,
): MessageIds {
  const taskId = goesOn(conversation) ? conversation.taskId : chosen ? newIds.taskId : undefined;
  return { messageId: newIds.messageId, ...idsOf(taskId, conversation.contextId) };
}

/** Returns a request whose message has these ids, unless the user has entered others. */
export const withIds = (request: Record<string, unknown>, ids: MessageIds): Record<string, unknown> =>
  isObject(request.message) ? { ...request, message: { ...ids, ...request.message } } : request;
