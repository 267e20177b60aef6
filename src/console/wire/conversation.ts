import type { Message, SendMessageRequest, StreamResponse, Task, TaskState } from '../../core/model/a2a.ts';
import { newId } from '../../core/model/ids.ts';
import { isObject } from '../../core/model/json.ts';
import { isTerminal } from '../../core/model/lifecycle.ts';
import type { Callable } from './callables.ts';
import { newMessage } from './form.ts';

/** What goes from one call of a conversation to the next: the task and its context. */

export interface Conversation {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly state?: TaskState;
}

/** The conversation after an event, or after the value of an answer. */
export function after(before: Conversation, said: unknown): Conversation {
  if (!isObject(said)) return before;
  const { task, message, statusUpdate, artifactUpdate } = said as StreamResponse;
  if (task) return ofTask(task);
  if (statusUpdate) return ofTask({ id: statusUpdate.taskId, ...statusUpdate });
  if (artifactUpdate) return { ...before, ...ids(artifactUpdate.taskId, artifactUpdate.contextId) };
  if (message) return ofMessage(before, message);
  if (isObject(said.status) && typeof said.id === 'string') return ofTask(said as unknown as Task);
  return before;
}

/** Also of answers that name the task alone. */
const ofTask = ({ id, contextId, status }: Pick<Task, 'id' | 'contextId' | 'status'>): Conversation => ({
  ...ids(id, contextId),
  ...(status?.state && { state: status.state }),
});

function ofMessage(before: Conversation, { taskId, contextId }: Message): Conversation {
  return taskId || contextId ? { ...before, ...ids(taskId, contextId) } : before;
}

const ids = (taskId: string | undefined, contextId: string | undefined) => ({
  ...(taskId && { taskId }),
  ...(contextId && { contextId }),
});

/** Whether the task takes further messages. */
export const goesOn = ({ taskId, state }: Conversation): boolean =>
  taskId !== undefined && !(state !== undefined && isTerminal(state));

/** Members of requests, other than of messages, that name the task. */
const namesTask = new Set(['id', 'taskId']);

/**
 * The request that a form begins with: what is required, with the task and the context of the conversation.
 *
 * @param chosen whether the client chooses the ids of tasks
 */
export function newRequest(
  { operation, fields }: Callable,
  conversation: Conversation,
  chosen: boolean,
): Record<string, unknown> {
  const request = newMessage(fields, operation.request);
  if ('message' in request)
    return { ...request, message: nextMessage(request.message as Message, conversation, chosen) };
  const { taskId, contextId } = conversation;
  if (taskId === undefined || operation.service.startsWith('a2agateway.')) return request;
  const names = fields.messages[operation.request]?.fields.map(({ jsonName }) => jsonName) ?? [];
  // Of a push configuration, `id` is its own.
  const name = names.includes('taskId') ? 'taskId' : names.includes('id') ? 'id' : undefined;
  if (name && namesTask.has(name)) return { ...request, [name]: taskId };
  return names.includes('contextId') && contextId !== undefined ? { ...request, contextId } : request;
}

/** A message with an id of its own, and the ids of the conversation. */
export function nextMessage(message: Message, conversation: Conversation, chosen: boolean): Message {
  const { taskId: _, contextId: __, ...rest } = message;
  const { contextId } = conversation;
  const taskId = goesOn(conversation) ? conversation.taskId : chosen ? newId() : undefined;
  return {
    ...rest,
    messageId: newId(),
    role: message.role ?? 'ROLE_USER',
    ...(taskId !== undefined && { taskId }),
    ...(contextId !== undefined && { contextId }),
  };
}

/** The same request for another method: what both have is carried over. */
export function carriedOver(before: Record<string, unknown>, next: Record<string, unknown>): Record<string, unknown> {
  const { message } = before as Partial<SendMessageRequest>;
  return message && 'message' in next ? before : next;
}
