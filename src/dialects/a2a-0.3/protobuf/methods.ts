import { A2AError } from '../../../core/model/errors.ts';
import { api } from '../../../gen/a2a-v0_3/index.ts';
import type { CreateTaskPushNotificationConfigRequest, SendMessageRequest } from '../../../gen/a2a-v0_3/types.ts';
import { parseAs } from '../../../wire/validate.ts';
import type { Codec, DecodedRequest } from '../../kernel/codec.ts';
import { fieldsBelow } from '../../kernel/errors.ts';
import { eventStream, method, readAs, requestOf, resultOf } from '../../kernel/methods.ts';
import { missing, type RecordCodec } from '../../kernel/record.ts';
import type { FieldNames, Method } from '../../kernel/wire.ts';
import { preservedAuthentication, restoreAuthentication } from '../methods.ts';
import { protobufCard } from './card.ts';
import { codecs } from './codecs.ts';
import { configIdsIn, taskIdIn, taskName } from './names.ts';

/** The rpcs of `a2a.v1.A2AService` with their operations; HTTP+JSON has the same. */

const message = <V1, Wire>(type: string, codec: RecordCodec<V1, Wire>): Codec<unknown, V1> =>
  readAs((name, wire) => parseAs(api, `a2a.v1.${name}`, wire), type, codec);

const sentFields: FieldNames = {
  'message.parts': 'message.content',
  'configuration.taskPushNotificationConfig': 'configuration.pushNotification',
  'configuration.returnImmediately': 'configuration.blocking',
};

/** Wire names for resource names with the id of a task, or the ids of a task and its configuration. */
const namedTask: FieldNames = { id: 'name' };
const namedConfig: FieldNames = { taskId: 'name', id: 'name' };

/** Members that a message in a request must have; the proto has no required fields. */
const needed = ['messageId', 'role', 'content'] as const;

const sendRequest: Codec<unknown, DecodedRequest<'SendMessage'>> = {
  decode(wire, cx) {
    const params = parseAs<SendMessageRequest>(api, 'a2a.v1.SendMessageRequest', wire);
    const absent = needed.filter((name) => !params.message[name]);
    if (absent.length > 0) {
      const violations = absent.flatMap((name) => missing(`message.${name}`).violations);
      throw A2AError.invalidParams(undefined, violations);
    }
    const request = codecs.sendMessage.decode(params, cx);
    const push = params.configuration?.pushNotification;
    if (!push) return { request };
    return { request, ...preservedAuthentication(push, cx, 'configuration.taskPushNotificationConfig.') };
  },
  encode(decoded, cx) {
    const wire = codecs.sendMessage.encode(decoded.request, cx, '');
    restoreAuthentication(wire.configuration?.pushNotification, decoded);
    return wire;
  },
};

const taskResult = resultOf(message('Task', codecs.task));
const pushResult = resultOf(message('TaskPushNotificationConfig', codecs.taskPushConfig));

const createPush = method('CreateTaskPushNotificationConfig', 'CreateTaskPushNotificationConfig', {
  request: {
    decode(wire, cx) {
      const type = 'a2a.v1.CreateTaskPushNotificationConfigRequest';
      const { parent, configId, config } = parseAs<CreateTaskPushNotificationConfigRequest>(api, type, wire);
      if (!config.pushNotificationConfig?.url) throw missing('config.pushNotificationConfig.url');
      const push = codecs.pushConfig.decode(config.pushNotificationConfig, cx);
      const taskId = taskIdIn(parent, 'parent');
      const named = config.name ? configIdsIn(config.name, 'config.name') : undefined;
      if (named && named.taskId !== taskId) {
        throw A2AError.invalidField('config.name', 'is of another task than parent');
      }
      const id = configId || (push.id ?? named?.id ?? taskId);
      return {
        request: { ...push, taskId, id },
        ...preservedAuthentication(config.pushNotificationConfig, cx, ''),
      };
    },
    encode(decoded, cx): CreateTaskPushNotificationConfigRequest {
      const { taskId, id = '' } = decoded.request;
      if (!taskId) throw missing('taskId');
      const config = codecs.taskPushConfig.encode(decoded.request, cx, '');
      restoreAuthentication(config.pushNotificationConfig, decoded);
      return { parent: taskName(taskId), configId: id, config };
    },
  },
  fields: {
    taskId: 'parent',
    id: 'configId',
    ...fieldsBelow('config.pushNotificationConfig', ['url', 'token', 'authentication']),
  },
  result: pushResult,
});

const getPushRequest = message('GetTaskPushNotificationConfigRequest', codecs.getPush);

/** Methods by rpc name, in the order of the proto. */
export const methods: ReadonlyMap<string, Method> = new Map(
  [
    method('SendMessage', 'SendMessage', {
      request: sendRequest,
      fields: sentFields,
      result: resultOf(message('SendMessageResponse', codecs.sent)),
    }),
    method('SendStreamingMessage', 'SendStreamingMessage', {
      request: sendRequest as never,
      fields: sentFields,
      stream: eventStream(message('StreamResponse', codecs.event)),
    }),
    method('GetTask', 'GetTask', {
      request: requestOf(message('GetTaskRequest', codecs.getTask)),
      fields: namedTask,
      result: taskResult,
    }),
    method('CancelTask', 'CancelTask', {
      request: requestOf(message('CancelTaskRequest', codecs.cancelTask)),
      fields: namedTask,
      result: taskResult,
    }),
    method('TaskSubscription', 'SubscribeToTask', {
      // Callers who return after its end get the task, as from the JavaScript server.
      request: requestOf(message('TaskSubscriptionRequest', codecs.subscribe), { semantics: { endedToo: true } }),
      fields: namedTask,
      stream: eventStream(message('StreamResponse', codecs.event), true),
    }),
    createPush,
    method('GetTaskPushNotificationConfig', 'GetTaskPushNotificationConfig', {
      request: {
        decode: (wire, cx) => {
          const request = getPushRequest.decode(wire, cx);
          const { named } = configIdsIn((wire as { readonly name: string }).name, 'name');
          return named ? { request } : { request, semantics: { anyConfig: true } };
        },
        encode: ({ request }, cx) => getPushRequest.encode(request, cx),
      },
      fields: namedConfig,
      result: pushResult,
    }),
    method('ListTaskPushNotificationConfig', 'ListTaskPushNotificationConfigs', {
      request: requestOf(message('ListTaskPushNotificationConfigRequest', codecs.listPush)),
      fields: { taskId: 'parent' },
      result: resultOf(message('ListTaskPushNotificationConfigResponse', codecs.pushList)),
    }),
    method('GetAgentCard', 'GetExtendedAgentCard', {
      request: {
        // It has no parameters.
        decode: () => ({ request: {} }),
        encode: ({ request }, cx) => codecs.extendedCard.encode(request, cx, ''),
      },
      result: resultOf(protobufCard),
    }),
    method('DeleteTaskPushNotificationConfig', 'DeleteTaskPushNotificationConfig', {
      request: requestOf(message('DeleteTaskPushNotificationConfigRequest', codecs.deletePush)),
      fields: namedConfig,
      result: { decode: () => ({ value: {} }), encode: () => ({}) },
    }),
  ].map((one) => [one.name, one]),
);
