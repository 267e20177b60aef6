import type { TaskPushNotificationConfig } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { TaskIdParams } from '../../gen/a2a-php-0.3/types.ts';
import { camelCased } from '../a2a-0.3/aliases.ts';
import { preservedAuthentication, restoreAuthentication } from '../a2a-0.3/methods.ts';
import type { Codec, CodecContext } from '../kernel/codec.ts';
import { fieldsBelow } from '../kernel/errors.ts';
import { atRoot, method, requestOf } from '../kernel/methods.ts';
import { missing, type RecordCodec } from '../kernel/record.ts';
import type { Method } from '../kernel/wire.ts';
import { codecs } from './codecs.ts';
import { noTaskId, paramsOf, taskIdOf } from './params.ts';
import { objectOf, read, type Shape } from './read.ts';

/**
 * Push configurations. A task has one, found by the task's id, which is its id in v1. The label that a caller gives it
 * has no place there.
 */

/**
 * Parameters that name a task under one of two names.
 *
 * @param fault message of the error where they name none. Default: that of tasks/get and tasks/cancel, with its own code
 */
export const taskParams = <V1, Wire>(
  shape: Shape,
  codec: RecordCodec<V1, Wire>,
  fault?: string,
): Codec<unknown, V1> => ({
  ...atRoot(codec),
  decode: (wire, cx) => {
    const params = read(shape, camelCased(paramsOf(wire))) as TaskIdParams;
    const id = taskIdOf(params);
    if (id === undefined) throw fault ? A2AError.invalidParams(fault, missing('id').violations) : noTaskId();
    objectOf(params.metadata, 'metadata');
    return codec.decode({ ...params, id } as Wire, cx);
  },
});

/** The answer where a task has a configuration. */
function decodeConfig(wire: unknown, cx: CodecContext, none: (taskId: string) => A2AError): TaskPushNotificationConfig {
  const config = read('TaskPushNotificationConfig', wire);
  if (config.pushNotificationConfig) return codecs.taskPushConfig.decode(config as never, cx);
  throw none(config.taskId);
}

const set: Method = method('tasks/pushNotificationConfig/set', 'CreateTaskPushNotificationConfig', {
  request: {
    decode(wire, cx) {
      const params = camelCased(paramsOf(wire));
      const taskId = isObject(params) ? (params.taskId ?? params.id) : undefined;
      if (typeof taskId !== 'string' || !isObject(params) || !isObject(params.pushNotificationConfig)) {
        const field = typeof taskId === 'string' ? 'pushNotificationConfig' : 'taskId';
        throw A2AError.invalidParams('Missing required parameters', missing(field).violations);
      }
      const { pushNotificationConfig: config } = read('SetPushNotificationConfigParams', params);
      const { preserved: authentication } = preservedAuthentication(config, cx, '');
      // The task's configuration is found by the task's id.
      if (!cx.keepsOwn && config.id && config.id !== taskId) cx.losses.add('id');
      const preserved = { ...(config.id && { id: config.id }), ...authentication };
      return {
        request: { ...codecs.pushConfig.decode(config, cx), taskId, id: taskId },
        ...(Object.keys(preserved).length > 0 && { preserved }),
      };
    },
    encode(decoded, cx) {
      const { taskId = '', id, ...rest } = decoded.request;
      // It goes along as a label, and comes back as one.
      if (id !== taskId) cx.unreported?.add('id');
      const { id: label = id === taskId ? undefined : id } = (decoded.preserved ?? {}) as { readonly id?: string };
      const config = codecs.pushConfig.encode(label === undefined ? rest : { ...rest, id: label }, cx, '');
      restoreAuthentication(config, decoded);
      return { taskId, pushNotificationConfig: config };
    },
  },
  fields: fieldsBelow('pushNotificationConfig', ['url', 'token', 'authentication']),
  result: {
    decode: (wire, cx) => ({ value: decodeConfig(wire, cx, () => missing('pushNotificationConfig')) }),
    encode: ({ value }, cx) => codecs.taskPushConfig.encode(value, cx, ''),
  },
});

const get: Method = method('tasks/pushNotificationConfig/get', 'GetTaskPushNotificationConfig', {
  request: requestOf(taskParams('TaskIdParams', codecs.getPush, 'Missing task ID')),
  fields: { taskId: 'id' },
  result: {
    decode(wire, cx) {
      const none = (taskId: string): A2AError =>
        new A2AError('taskNotFound', 'The task has no push notification configuration', {
          metadata: { taskId, pushNotificationConfigId: taskId },
        });
      return { value: decodeConfig(wire, cx, none) };
    },
    encode: ({ value }, cx) => codecs.taskPushConfig.encode(value, cx, ''),
    // A task without one is no error, unlike a task that there is not.
    fromError: ({ kind, metadata: { taskId, pushNotificationConfigId: id } }) =>
      kind === 'taskNotFound' && id !== undefined ? { taskId, pushNotificationConfig: null } : undefined,
  },
});

const list: Method = method('tasks/pushNotificationConfig/list', 'ListTaskPushNotificationConfigs', {
  request: {
    decode(wire, cx) {
      const request = codecs.listPush.decode(read('TaskIdParams', camelCased(paramsOf(wire))) as never, cx);
      return { request, semantics: { wholeList: true, ...(request.taskId === '' && { everyTask: true }) } };
    },
    encode: ({ request }, cx) => codecs.listPush.encode(request, cx, ''),
  },
  fields: { taskId: 'id' },
  result: {
    decode(wire, cx) {
      const configs = read('TaskPushNotificationConfigs', wire).filter((one) => one.pushNotificationConfig);
      return { value: codecs.pushList.decode(configs, cx) };
    },
    encode: ({ value }, cx) => codecs.pushList.encode(value, cx, ''),
    // A task that there is not has none.
    fromError: ({ kind }) => (kind === 'taskNotFound' ? [] : undefined),
  },
});

const remove: Method = method('tasks/pushNotificationConfig/delete', 'DeleteTaskPushNotificationConfig', {
  request: requestOf(taskParams('TaskIdParams', codecs.deletePush, 'Task ID is required'), {
    semantics: { mustExist: true },
  }),
  fields: { taskId: 'id' },
  result: { decode: () => ({ value: {} }), encode: () => null },
});

export const pushMethods: readonly Method[] = [set, get, list, remove];
