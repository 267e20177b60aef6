import type { Message, StreamResponse, Task, TaskState } from '../../../core/model/a2a.ts';
import { isObject } from '../../../core/model/json.ts';
import { isTerminal } from '../../../core/model/lifecycle.ts';
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

/**
 * The request that a form begins with: what is required, with the task and the context of the conversation. A message has no
 * ids yet.
 */
export function newRequest({ operation, fields }: Callable, conversation: Conversation): Record<string, unknown> {
  const request = newMessage(fields, operation.request);
  if ('message' in request) {
    const { messageId: _, role: __, ...message } = request.message as Message;
    return { ...request, message: { role: 'ROLE_USER', ...message } };
  }
  const { taskId, contextId } = conversation;
  if (operation.service.startsWith('a2agateway.')) return request;
  const names = fields.messages[operation.request]?.fields.map(({ jsonName }) => jsonName) ?? [];
  // Of a push configuration, `id` is its own.
  const name = names.includes('taskId') ? 'taskId' : names.includes('id') ? 'id' : undefined;
  if (name !== undefined) return taskId === undefined ? request : { ...request, [name]: taskId };
  return names.includes('contextId') && contextId !== undefined ? { ...request, contextId } : request;
}

/** The ids of a message. */
export type MessageIds = Pick<Message, 'messageId' | 'taskId' | 'contextId'>;

const idNames = ['messageId', 'taskId', 'contextId'] as const;

/**
 * The ids of the next message of a conversation.
 *
 * @param made ids for a message and a task
 * @param chosen whether the client chooses the ids of tasks
 */
export function nextIds(
  conversation: Conversation,
  made: { messageId: string; taskId: string },
  chosen: boolean,
): MessageIds {
  const taskId = goesOn(conversation) ? conversation.taskId : chosen ? made.taskId : undefined;
  const { contextId } = conversation;
  return { messageId: made.messageId, ...ids(taskId, contextId) };
}

/** A request whose message has these ids, where its user has not entered others; '' stands for none. */
export function withIds(request: Record<string, unknown>, ids: MessageIds): Record<string, unknown> {
  const { message } = request as { message?: Message };
  if (!message) return request;
  const all = Object.entries({ ...ids, ...message }).filter(
    ([name, value]) => !(idNames as readonly string[]).includes(name) || value !== '',
  );
  return { ...request, message: Object.fromEntries(all) };
}

/** The reverse of `withIds`: only ids that the user has entered remain. */
export function withoutIds(request: Record<string, unknown>, ids: MessageIds): Record<string, unknown> {
  const { message } = request as { message?: Message };
  if (!message) return request;
  const own: Record<string, unknown> = { ...message };
  for (const name of idNames) {
    if (own[name] === ids[name]) delete own[name];
    else own[name] ??= '';
  }
  return { ...request, message: own };
}
