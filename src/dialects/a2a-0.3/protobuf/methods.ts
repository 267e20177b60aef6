import type { Task, TaskPushNotificationConfig as V1Config } from '../../../core/model/a2a.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { api } from '../../../gen/a2a-v0_3/index.ts';
import type {
  CancelTaskRequest,
  CreateTaskPushNotificationConfigRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigResponse,
  TaskPushNotificationConfig,
  TaskSubscriptionRequest,
  Task as WireTask,
} from '../../../gen/a2a-v0_3/types.ts';
import { parseAs } from '../../../wire/validate.ts';
import type { Codec, CodecContext, DecodedRequest } from '../../kernel/codec.ts';
import { fieldsBelow } from '../../kernel/fields.ts';
import { stored } from '../../kernel/methods.ts';
import type { FieldNames, Method } from '../../kernel/wire.ts';
import { endsAtRest, endsWithTask } from '../stream.ts';
import { protobufCard } from './card.ts';
import { streamShape } from './events.ts';
import { missing } from './messages.ts';
import { configIdsIn, configName, taskIdIn, taskName } from './names.ts';
import { decodePushConfig, decodeTaskConfig, encodeTaskConfig, keptOf } from './push.ts';
import { sendRequest, sendResult } from './send.ts';
import { decodeTask, encodeTask } from './tasks.ts';

/** The rpcs of `a2a.v1.A2AService` and the operations that they stand for; HTTP+JSON has the same. */

/** Adds to the losses those members of a v1 request that are there. */
function lose<T extends object>(request: T, names: readonly (keyof T & string)[], cx: CodecContext): void {
  for (const name of names) if (request[name]) cx.losses.add(name);
}

const sentFields: FieldNames = {
  'message.parts': 'message.content',
  'configuration.taskPushNotificationConfig': 'configuration.pushNotification',
  'configuration.returnImmediately': 'configuration.blocking',
};

/** Where a name holds the id of a task, or those of a task and its configuration. */
const namedTask: FieldNames = { id: 'name' };
const namedConfig: FieldNames = { taskId: 'name', id: 'name' };

const send: Method<'SendMessage'> = {
  name: 'SendMessage',
  operation: 'SendMessage',
  request: sendRequest,
  fields: sentFields,
  result: sendResult,
};

const sendStreaming: Method<'SendStreamingMessage'> = {
  name: 'SendStreamingMessage',
  operation: 'SendStreamingMessage',
  request: sendRequest as Codec<unknown, DecodedRequest> as Method<'SendStreamingMessage'>['request'],
  fields: sentFields,
  stream: streamShape(endsAtRest),
};

const taskResult: Codec<unknown, { readonly value: Task }> = {
  decode: (wire, cx) => ({ value: decodeTask(parseAs<WireTask>(api, 'a2a.v1.Task', wire), cx, '') }),
  encode: ({ value }, cx) => encodeTask(value, cx, ''),
};

const get: Method<'GetTask'> = {
  name: 'GetTask',
  operation: 'GetTask',
  request: {
    decode(wire) {
      const { name, historyLength } = parseAs<GetTaskRequest>(api, 'a2a.v1.GetTaskRequest', wire);
      const id = taskIdIn(name, 'name');
      return { request: historyLength ? { id, historyLength } : { id } };
    },
    encode({ request }, cx): GetTaskRequest {
      lose(request, ['tenant'], cx);
      const { id, historyLength } = request;
      if (historyLength === 0) cx.losses.add('historyLength');
      return historyLength ? { name: taskName(id), historyLength } : { name: taskName(id) };
    },
  },
  fields: namedTask,
  result: taskResult,
};

const cancel: Method<'CancelTask'> = {
  name: 'CancelTask',
  operation: 'CancelTask',
  request: {
    decode: (wire) => {
      const { name } = parseAs<CancelTaskRequest>(api, 'a2a.v1.CancelTaskRequest', wire);
      return { request: { id: taskIdIn(name, 'name') } };
    },
    encode: ({ request }, cx): CancelTaskRequest => {
      lose(request, ['tenant', 'metadata'], cx);
      return { name: taskName(request.id) };
    },
  },
  fields: namedTask,
  result: taskResult,
};

const subscribe: Method<'SubscribeToTask'> = {
  name: 'TaskSubscription',
  operation: 'SubscribeToTask',
  request: {
    decode: (wire) => {
      const { name } = parseAs<TaskSubscriptionRequest>(api, 'a2a.v1.TaskSubscriptionRequest', wire);
      // Whoever comes back too late gets what has become of the task, as from the JavaScript server.
      return { request: { id: taskIdIn(name, 'name') }, semantics: { endedToo: true } };
    },
    encode: ({ request }, cx): TaskSubscriptionRequest => {
      lose(request, ['tenant'], cx);
      return { name: taskName(request.id) };
    },
  },
  fields: namedTask,
  stream: streamShape(endsWithTask),
};

const pushResult: Codec<unknown, { readonly value: V1Config }> = {
  decode: (wire, cx) => {
    const config = parseAs<TaskPushNotificationConfig>(api, 'a2a.v1.TaskPushNotificationConfig', wire);
    return { value: decodeTaskConfig(config, cx) };
  },
  encode: ({ value }, cx) => encodeTaskConfig(value, cx),
};

const createPush: Method<'CreateTaskPushNotificationConfig'> = {
  name: 'CreateTaskPushNotificationConfig',
  operation: 'CreateTaskPushNotificationConfig',
  request: {
    decode(wire) {
      const type = 'a2a.v1.CreateTaskPushNotificationConfigRequest';
      const { parent, configId, config } = parseAs<CreateTaskPushNotificationConfigRequest>(api, type, wire);
      const push = decodePushConfig(config.pushNotificationConfig, 'config.pushNotificationConfig.');
      const taskId = taskIdIn(parent, 'parent');
      const named = config.name ? configIdsIn(config.name, 'config.name') : undefined;
      if (named && named.taskId !== taskId) {
        throw A2AError.invalidParams(undefined, [
          { field: 'config.name', description: 'is of another task than parent' },
        ]);
      }
      const id = configId || (push.id ?? named?.id ?? taskId);
      return { request: { ...push, taskId, id }, ...keptOf(config.pushNotificationConfig) };
    },
    encode({ request, preserved }, cx): CreateTaskPushNotificationConfigRequest {
      const { taskId, id = '' } = request;
      if (!taskId) throw missing('taskId');
      return { parent: taskName(taskId), configId: id, config: encodeTaskConfig(request, cx, preserved) };
    },
  },
  fields: {
    taskId: 'parent',
    id: 'configId',
    ...fieldsBelow('config.pushNotificationConfig', ['url', 'token', 'authentication']),
  },
  result: pushResult,
};

const getPush: Method<'GetTaskPushNotificationConfig'> = {
  name: 'GetTaskPushNotificationConfig',
  operation: 'GetTaskPushNotificationConfig',
  request: {
    decode: (wire) => {
      const type = 'a2a.v1.GetTaskPushNotificationConfigRequest';
      const { name } = parseAs<GetTaskPushNotificationConfigRequest>(api, type, wire);
      const { named, ...request } = configIdsIn(name, 'name');
      return named ? { request } : { request, semantics: { anyConfig: true } };
    },
    encode: ({ request }, cx): GetTaskPushNotificationConfigRequest => {
      lose(request, ['tenant'], cx);
      return { name: configName(request.taskId, request.id) };
    },
  },
  fields: namedConfig,
  result: pushResult,
};

const listPush: Method<'ListTaskPushNotificationConfigs'> = {
  name: 'ListTaskPushNotificationConfig',
  operation: 'ListTaskPushNotificationConfigs',
  request: {
    decode(wire) {
      const type = 'a2a.v1.ListTaskPushNotificationConfigRequest';
      const { parent, ...page } = parseAs<ListTaskPushNotificationConfigRequest>(api, type, wire);
      return { request: { taskId: taskIdIn(parent, 'parent'), ...page } };
    },
    encode({ request }, cx): ListTaskPushNotificationConfigRequest {
      lose(request, ['tenant'], cx);
      const { taskId, pageSize, pageToken } = request;
      return { parent: taskName(taskId), ...(pageSize && { pageSize }), ...(pageToken && { pageToken }) };
    },
  },
  fields: { taskId: 'parent' },
  result: {
    decode(wire, cx) {
      const type = 'a2a.v1.ListTaskPushNotificationConfigResponse';
      const { configs, ...page } = parseAs<ListTaskPushNotificationConfigResponse>(api, type, wire);
      const decoded = configs?.map((config) => decodeTaskConfig(config, cx));
      return { value: { ...(decoded && { configs: decoded }), ...page } };
    },
    encode({ value }, cx): ListTaskPushNotificationConfigResponse {
      const { configs = [], nextPageToken } = value;
      return {
        configs: configs.map((config) => encodeTaskConfig(config, cx)),
        ...(nextPageToken && { nextPageToken }),
      };
    },
  },
};

const deletePush: Method<'DeleteTaskPushNotificationConfig'> = {
  name: 'DeleteTaskPushNotificationConfig',
  operation: 'DeleteTaskPushNotificationConfig',
  request: {
    decode: (wire) => {
      const type = 'a2a.v1.DeleteTaskPushNotificationConfigRequest';
      const { name } = parseAs<DeleteTaskPushNotificationConfigRequest>(api, type, wire);
      const { taskId, id } = configIdsIn(name, 'name');
      return { request: { taskId, id } };
    },
    encode: ({ request }, cx): DeleteTaskPushNotificationConfigRequest => {
      lose(request, ['tenant'], cx);
      return { name: configName(request.taskId, request.id) };
    },
  },
  fields: namedConfig,
  result: { decode: () => ({ value: {} }), encode: () => ({}) },
};

const extendedCard: Method<'GetExtendedAgentCard'> = {
  name: 'GetAgentCard',
  operation: 'GetExtendedAgentCard',
  request: {
    // It has no parameters.
    decode: () => ({ request: {} }),
    encode: ({ request }, cx) => {
      lose(request, ['tenant'], cx);
      return {};
    },
  },
  result: {
    decode: (wire, cx) => ({ value: protobufCard.decode(wire, cx) }),
    encode: ({ value }, cx) => protobufCard.encode(value, cx),
  },
};

/** By rpc name, in the order of the proto. */
export const methods: ReadonlyMap<string, Method> = new Map(
  [
    stored(send),
    stored(sendStreaming),
    stored(get),
    stored(cancel),
    stored(subscribe),
    stored(createPush),
    stored(getPush),
    stored(listPush),
    stored(extendedCard),
    stored(deletePush),
  ].map((one) => [one.name, one]),
);
