import type { Task } from '../../core/model/a2a.ts';
import type { CallSemantics } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { TaskIdParams, TaskPushNotificationConfig, TaskQueryParams } from '../../gen/a2a-0.1/types.ts';
import type { Codec, CodecContext, DecodedRequest } from '../kernel/codec.ts';
import { fieldsBelow } from '../kernel/errors.ts';
import { stored } from '../kernel/methods.ts';
import type { CallPlan, FieldNames, Method } from '../kernel/wire.ts';
import { taskStream, turnStream } from './events.ts';
import { decodeMetadata, encodeMetadata } from './metadata.ts';
import { type DecodedPush, decodePush, encodePush } from './push.ts';
import { read } from './read.ts';
import { decodeHistoryLength, encodeHistoryLength, sendRequest } from './send.ts';
import { decodeTask, encodeTask } from './tasks.ts';

/** The seven methods of A2A 0.1. */

const sentFields: FieldNames = {
  'message.taskId': 'id',
  'message.contextId': 'sessionId',
  'configuration.historyLength': 'historyLength',
  'configuration.acceptedOutputModes': 'acceptedOutputModes',
  'configuration.taskPushNotificationConfig': 'pushNotification',
};

const send: Method<'SendMessage'> = {
  name: 'tasks/send',
  operation: 'SendMessage',
  request: sendRequest,
  fields: sentFields,
  result: {
    decode: (wire) => ({ value: { task: decodeTask(read('Task', wire)) } }),
    encode: ({ value: { task } }, cx) => {
      // The method asks for a task, whatever the agent answers with.
      if (!task) throw new A2AError('internal');
      return encodeTask(task, cx);
    },
  },
};

const sendSubscribe: Method<'SendStreamingMessage'> = {
  name: 'tasks/sendSubscribe',
  operation: 'SendStreamingMessage',
  request: sendRequest as Codec<unknown, DecodedRequest<never>>,
  fields: sentFields,
  stream: turnStream,
};

const taskResult: Codec<unknown, { readonly value: Task }> = {
  decode: (wire) => ({ value: decodeTask(read('Task', wire)) }),
  encode: ({ value }, cx) => encodeTask(value, cx),
};

/** What parameters say and v1 has no place for. */
interface KeptParams {
  readonly metadata?: Record<string, unknown>;
  readonly historyLength?: number;
}

const noteTenant = ({ tenant }: { readonly tenant?: string }, { losses }: CodecContext): void => {
  if (tenant) losses.add('tenant');
};

/** Metadata of a request that has none in v1. */
function keepMetadata({ metadata }: TaskIdParams): { readonly preserved?: Record<string, unknown> } {
  return metadata ? { preserved: { metadata } } : {};
}

const get: Method<'GetTask'> = {
  name: 'tasks/get',
  operation: 'GetTask',
  request: {
    decode: (wire) => {
      const params = read('TaskQueryParams', wire);
      return { request: { id: params.id, ...decodeHistoryLength(params.historyLength) }, ...keepMetadata(params) };
    },
    encode: ({ request, preserved }, cx): TaskQueryParams => {
      noteTenant(request, cx);
      return { id: request.id, ...encodeHistoryLength(request.historyLength), ...preserved };
    },
  },
  result: taskResult,
};

const cancel: Method<'CancelTask'> = {
  name: 'tasks/cancel',
  operation: 'CancelTask',
  request: {
    decode: (wire) => {
      const params = read('TaskIdParams', wire);
      const metadata = decodeMetadata(params.metadata);
      return { request: metadata ? { id: params.id, metadata } : { id: params.id } };
    },
    encode: ({ request }, cx): TaskIdParams => {
      noteTenant(request, cx);
      const metadata = encodeMetadata(request.metadata);
      return metadata ? { id: request.id, metadata } : { id: request.id };
    },
  },
  result: taskResult,
};

/** Events that continue an artifact name its place, which those before them gave it. */
const followed: CallSemantics = { needsBefore: true };

const resubscribe: Method<'SubscribeToTask'> = {
  name: 'tasks/resubscribe',
  operation: 'SubscribeToTask',
  request: {
    decode: (wire) => {
      const { id, historyLength, metadata } = read('TaskQueryParams', wire);
      const preserved: KeptParams = { ...(historyLength && { historyLength }), ...(metadata && { metadata }) };
      const semantics = followed;
      return {
        request: { id },
        semantics,
        ...(Object.keys(preserved).length > 0 && { preserved: preserved as Record<string, unknown> }),
      };
    },
    encode: ({ request, preserved }, cx): TaskQueryParams => {
      noteTenant(request, cx);
      return { id: request.id, ...preserved };
    },
  },
  stream: taskStream,
};

const setPush: Method<'CreateTaskPushNotificationConfig'> = {
  name: 'tasks/pushNotification/set',
  operation: 'CreateTaskPushNotificationConfig',
  request: {
    decode: (wire) => {
      const { config, authentication } = decodeConfig(wire);
      return { request: config, ...(authentication && { preserved: { authentication } }) };
    },
    encode: ({ request, preserved = {} }, cx) =>
      encodeConfig(request, cx, preserved as Pick<DecodedPush, 'authentication'>),
  },
  fields: { taskId: 'id', ...fieldsBelow('pushNotificationConfig', ['url', 'token', 'authentication']) },
  result: {
    decode: (wire) => ({ value: decodeConfig(wire).config }),
    encode: ({ value }, cx) => encodeConfig(value, cx, {}),
  },
};

function decodeConfig(wire: unknown): DecodedPush {
  const { id, pushNotificationConfig } = read('TaskPushNotificationConfig', wire);
  const { config, ...rest } = decodePush(pushNotificationConfig, id);
  return { config: id ? { ...config, taskId: id } : config, ...rest };
}

function encodeConfig(
  config: DecodedPush['config'],
  cx: CodecContext,
  { authentication }: Pick<DecodedPush, 'authentication'>,
): TaskPushNotificationConfig {
  const { taskId: id = '' } = config;
  return { id, pushNotificationConfig: encodePush(config, cx, '', id, authentication) };
}

const getPush: Method<'GetTaskPushNotificationConfig'> = {
  name: 'tasks/pushNotification/get',
  operation: 'GetTaskPushNotificationConfig',
  request: {
    decode: (wire) => {
      const params = read('TaskIdParams', wire);
      return { request: { taskId: params.id, id: params.id }, ...keepMetadata(params) };
    },
    encode: ({ request, preserved }, cx): TaskIdParams => {
      noteTenant(request, cx);
      if (request.id !== request.taskId) cx.unreported?.add('id');
      return { id: request.taskId, ...preserved };
    },
  },
  fields: { taskId: 'id' },
  result: {
    decode: (wire) => ({ value: decodeConfig(wire).config }),
    encode: ({ value }, cx) => encodeConfig(value, cx, {}),
  },
};

export const methods: readonly Method[] = [
  stored(send),
  stored(sendSubscribe),
  stored(get),
  stored(cancel),
  stored(resubscribe),
  stored(setPush),
  stored(getPush),
];

/** Streams do not begin with the task, which is asked for first. */
export const composed: readonly (readonly [Method['operation'], CallPlan])[] = [
  ['SubscribeToTask', { method: stored(get), next: stored(resubscribe) }],
];
