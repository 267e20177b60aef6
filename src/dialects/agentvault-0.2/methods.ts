import type { Message, TaskStatus } from '../../core/model/a2a.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import { A2AError } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import type { Codec, DecodedRequest, DecodedResult } from '../kernel/codec.ts';
import { nameMessage, noteIds, preserving } from '../kernel/metadata.ts';
import { method, readAs, requestOf } from '../kernel/methods.ts';
import type { CallPlan, Method } from '../kernel/wire.ts';
import { codecs, read } from './codecs.ts';
import { key, preserved, textOf } from './mapping.ts';
import { within } from './parts.ts';
import { createEncoder, EventReader, isNamedEvent } from './stream.ts';

/** The four methods of the profile. Its answers contain nulls, its requests leave them out. */

const sendRequest: Codec<unknown, DecodedRequest<'SendMessage'>> = {
  decode: (json, cx) => {
    const params = read('TaskSendParams', json);
    const request = codecs.sendMessage.decode(params, cx);
    const message = nameMessage(request.message, newId(), params.id || undefined);
    // Input to the agent may have any role (AgentVault's MCP pattern, section 3).
    if (params.message.role === 'assistant') message.metadata = preserving(message.metadata, key, { prompt: true });
    // Real servers accept a webhook and ignore it: one that cannot be called must not fail the task.
    return { request, semantics: { tasksOnly: true, answersWithId: true, pushIfAble: true, oneWebhook: true } };
  },
  encode: ({ request }, cx) => {
    const { message } = request;
    noteIds(message, cx, 'message.', message.taskId);
    // Agents use it to recognize related tasks, and no other field shows that.
    if (message.contextId !== undefined && message.taskId === undefined) cx.losses.add('message.contextId');
    const params = codecs.sendMessage.encode(request, cx, '');
    const { role, parts, metadata } = params.message;
    const partsWithoutNulls = parts.map((part) =>
      Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null)),
    );
    return { ...params, message: { role, parts: partsWithoutNulls, ...(metadata && { metadata }) } };
  },
};

const send: Method = method('tasks/send', 'SendMessage', {
  request: sendRequest,
  fields: { 'message.taskId': 'id', 'configuration.taskPushNotificationConfig.url': 'webhookUrl' },
  result: {
    decode: (json) => {
      const { id } = read('TaskSendResult', json);
      // The task itself is read next.
      return { value: { task: { id, contextId: id, status: { state: 'TASK_STATE_SUBMITTED' } } } };
    },
    encode: ({ value }) => ({ id: value.task?.id ?? value.message?.taskId ?? '' }),
  },
});

/** A task, with its times of creation and change; if they are unknown, its status has the time. */
export const taskResult: Codec<unknown, DecodedResult<'GetTask'>> = {
  decode: (json, cx) => {
    const value = codecs.task.decode(read('Task', json), cx);
    const createdAt = Date.parse(preserved(value.metadata).createdAt ?? '');
    return { value, facts: { createdAt, updatedAt: Date.parse(value.status.timestamp ?? ''), generation: 0 } };
  },
  encode: ({ value, facts }, cx) => {
    const task = codecs.task.encode(value, within(cx, value.id), '');
    if (!facts) return task;
    task.createdAt = timestamp(facts.createdAt);
    task.updatedAt = timestamp(facts.updatedAt);
    const { timestamp: time = task.updatedAt } = value.status;
    if (time !== task.updatedAt) cx.unreported?.add('status.timestamp');
    return task;
  },
};

const get: Method = method('tasks/get', 'GetTask', {
  request: requestOf(readAs(read, 'TaskIdParams', codecs.getTask)),
  result: taskResult,
});

const cancel: Method = method('tasks/cancel', 'CancelTask', {
  request: requestOf(readAs(read, 'TaskIdParams', codecs.cancelTask)),
  result: {
    decode: (json, { taskId = '' }) => {
      const { success = true, message } = read('TaskCancelResult', json);
      if (!success) throw new A2AError('taskNotCancelable', message ?? undefined);
      const status: TaskStatus = { state: 'TASK_STATE_CANCELED' };
      if (message) {
        const statusMessage: Message = { messageId: '', role: 'ROLE_AGENT', parts: [{ text: message }] };
        status.message = nameMessage(statusMessage, newId(), taskId, taskId);
      }
      return { value: { id: taskId, contextId: taskId, status } };
    },
    encode: ({ value: { status } }) => ({ success: true, message: status.message ? textOf(status.message) : null }),
    fromError: ({ kind, message }) => (kind === 'taskNotCancelable' ? { success: false, message } : undefined),
  },
});

const subscribe: Method = method('tasks/sendSubscribe', 'SubscribeToTask', {
  // Clients subscribe after sending, and expect the events in between.
  request: requestOf(readAs(read, 'TaskIdParams', codecs.subscribe), {
    semantics: { replay: 'latest-turn', needsBefore: true },
  }),
  stream: { encoder: createEncoder, decoder: (cx) => new EventReader(cx), isEvent: isNamedEvent },
});

export const methods: readonly Method[] = [send, get, cancel, subscribe];

/** Real agents answer tasks/send with an id, tasks/cancel with a flag, and a subscription does not begin with the task. */
export const composed: readonly (readonly [Method['operation'], CallPlan])[] = [
  ['SendMessage', { firstCounts: true, method: send, next: get, answer: (task) => ({ task }) }],
  ['SendStreamingMessage', { firstCounts: true, method: send, next: subscribe, endsAtRest: true }],
  ['CancelTask', { firstCounts: true, method: cancel, next: get }],
  ['SubscribeToTask', { method: get, next: subscribe }],
];
