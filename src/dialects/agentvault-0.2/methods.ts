import type { SendMessageRequest } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { TaskCancelResult, TaskSendParams, Task as VaultTask } from '../../gen/agentvault-0.2/types.ts';
import { validators } from '../../gen/agentvault-0.2/validators.ts';
import { parseWith } from '../../wire/validate.ts';
import type { Codec, CodecContext, DecodedRequest } from '../kernel/codec.ts';
import { stored } from '../kernel/methods.ts';
import type { CallPlan, Method } from '../kernel/wire.ts';
import { isWebUrl } from './content.ts';
import { decodePrompt, encodeMessage, withoutNulls } from './messages.ts';
import { createEncoder, VaultReader } from './stream.ts';
import { decodeTask, encodeTask } from './tasks.ts';

/** The four methods of the profile. Its answers carry nulls, its requests leave them out. */

const send: Method<'SendMessage'> = {
  name: 'tasks/send',
  operation: 'SendMessage',
  request: {
    decode: (wire) => ({
      request: decodeSend(parseWith(validators.TaskSendParams, wire)),
      // Real servers take a webhook and forget it: one that cannot be called must not keep the task from being done.
      semantics: { tasksOnly: true, pushIfAble: true },
    }),
    encode: encodeSend,
  },
  fields: { 'message.taskId': 'id', 'configuration.taskPushNotificationConfig.url': 'webhookUrl' },
  result: {
    decode: (wire) => {
      const { id } = parseWith<{ id: string }>(validators.TaskSendResult, wire);
      // What became of the task is asked for next.
      return { value: { task: { id, contextId: id, status: { state: 'TASK_STATE_SUBMITTED' } } } };
    },
    encode: ({ value }) => ({ id: value.task?.id ?? value.message?.taskId ?? '' }),
  },
};

function decodeSend({ id, message, webhookUrl }: TaskSendParams): SendMessageRequest {
  return {
    message: decodePrompt(message, id ? { taskId: id } : {}),
    configuration: {
      // The answer is the id alone, so there is nothing to wait for.
      returnImmediately: true,
      ...(webhookUrl && { taskPushNotificationConfig: { url: webhookUrl } }),
    },
  };
}

function encodeSend({ request }: DecodedRequest<'SendMessage'>, cx: CodecContext): TaskSendParams {
  const { message, configuration = {}, metadata, tenant } = request;
  const { taskPushNotificationConfig: push, returnImmediately, historyLength, ...others } = configuration;
  if (metadata) cx.losses.add('metadata');
  if (tenant) cx.losses.add('tenant');
  // The caller of the agent waits, and cuts the history, itself.
  if (returnImmediately !== true) cx.unreported?.add('configuration.returnImmediately');
  if (historyLength !== undefined) cx.unreported?.add('configuration.historyLength');
  for (const name in others) cx.losses.add(`configuration.${name}`);
  for (const name in push) {
    if (name !== 'url') cx.losses.add(`configuration.taskPushNotificationConfig.${name}`);
  }
  const webhook = push && isWebUrl(push.url) ? push.url : undefined;
  if (push && webhook === undefined) cx.losses.add('configuration.taskPushNotificationConfig');
  const { taskId, contextId } = message;
  // An agent can tell by it which tasks belong together, and nothing else says so.
  if (contextId !== undefined && taskId === undefined) cx.losses.add('message.contextId');
  return {
    ...(taskId !== undefined && { id: taskId }),
    message: withoutNulls(encodeMessage(message, cx, 'message.', taskId)),
    ...(webhook !== undefined && { webhookUrl: webhook }),
  };
}

/** Params `{ id }`, as of three of the four methods. */
const decodeId = (wire: unknown): { id: string } => parseWith(validators.TaskIdParams, wire);

function encodeId({ request }: { readonly request: { readonly id: string } }, cx: CodecContext): { id: string } {
  const { id, ...others } = request;
  for (const name in others) (name === 'historyLength' ? cx.unreported : cx.losses)?.add(name);
  return { id };
}

const get: Method<'GetTask'> = {
  name: 'tasks/get',
  operation: 'GetTask',
  request: { decode: (wire) => ({ request: decodeId(wire) }), encode: encodeId },
  result: {
    decode: (wire) => decodeTask(parseWith<VaultTask>(validators.Task, wire)),
    encode: ({ value, facts }, cx) => encodeTask(value, cx, facts),
  },
};

const cancel: Method<'CancelTask'> = {
  name: 'tasks/cancel',
  operation: 'CancelTask',
  request: { decode: (wire) => ({ request: decodeId(wire) }), encode: encodeId },
  result: {
    decode: (wire, { taskId = '' }) => {
      const { success = true, message } = parseWith<TaskCancelResult>(validators.TaskCancelResult, wire);
      if (!success) throw new A2AError('taskNotCancelable', message ?? undefined);
      return { value: { id: taskId, contextId: taskId, status: { state: 'TASK_STATE_CANCELED' } } };
    },
    encode: (): Required<TaskCancelResult> => ({ success: true, message: null }),
    fromError: ({ kind, message }) => (kind === 'taskNotCancelable' ? { success: false, message } : undefined),
  },
};

const subscribe: Method<'SubscribeToTask'> = {
  name: 'tasks/sendSubscribe',
  operation: 'SubscribeToTask',
  request: {
    // Clients subscribe after they have sent, and expect what happened in between.
    decode: (wire) => ({ request: decodeId(wire), semantics: { replay: 'latest-turn', needsBefore: true } }),
    encode: encodeId,
  } satisfies Codec<unknown, DecodedRequest<'SubscribeToTask'>>,
  stream: { encoder: createEncoder, decoder: () => new VaultReader() },
};

export const methods: readonly Method[] = [stored(send), stored(get), stored(cancel), stored(subscribe)];

/** Real agents answer tasks/send with an id, tasks/cancel with a flag, and a subscription does not begin with the task. */
export const composed: readonly (readonly [Method['operation'], CallPlan])[] = [
  ['SendMessage', { firstCounts: true, method: stored(send), next: stored(get), answer: (task) => ({ task }) }],
  ['SendStreamingMessage', { firstCounts: true, method: stored(send), next: stored(subscribe), endsAtRest: true }],
  ['CancelTask', { firstCounts: true, method: stored(cancel), next: stored(get) }],
  ['SubscribeToTask', { method: stored(get), next: stored(subscribe) }],
];
