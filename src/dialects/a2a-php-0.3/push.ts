import type { TaskPushNotificationConfig } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { PushNotificationConfig } from '../../gen/a2a-php-0.3/types.ts';
import { camelCased } from '../a2a-0.3/aliases.ts';
import { decodePushConfig, encodePushConfig, foreignAuthentication, loseSchemes } from '../a2a-0.3/push.ts';
import type { CodecContext, DecodedRequest } from '../kernel/codec.ts';
import { fieldsBelow } from '../kernel/fields.ts';
import { stored } from '../kernel/methods.ts';
import type { Method } from '../kernel/wire.ts';
import { paramsOf, requireTaskId, taskIdOf } from './params.ts';
import { read } from './read.ts';

/**
 * Push configurations. A task has one, found by the task's id, which is its id in v1. The label that a caller gives it
 * has no place there.
 */

/** As many as are read at once; the SDK's list has no pages. */
const pageSize = 100;

/** A configuration as v1 has it, under its label, or under the task's id where it has none. */
const decodeConfig = (wire: PushNotificationConfig, taskId: string): TaskPushNotificationConfig => ({
  ...decodePushConfig(wire, taskId),
  id: wire.id || taskId,
});

/** A configuration with its task. */
function encodeConfig(config: TaskPushNotificationConfig, cx: CodecContext): object {
  const { taskId = '', id, ...rest } = config;
  if (config.tenant !== undefined) cx.losses.add('tenant');
  return { taskId, pushNotificationConfig: encodePushConfig(id === taskId ? rest : config) };
}

/** The id of a configuration is not what it is found by. */
function loseId({ taskId, id }: { readonly taskId?: string; readonly id?: string }, cx: CodecContext): void {
  if (id === undefined || id === '') cx.unreported?.add('id');
  else if (id !== taskId) cx.losses.add('id');
}

function loseTenant({ tenant }: { readonly tenant?: string }, cx: CodecContext): void {
  if (tenant !== undefined) cx.losses.add('tenant');
}

const set: Method<'CreateTaskPushNotificationConfig'> = {
  name: 'tasks/pushNotificationConfig/set',
  operation: 'CreateTaskPushNotificationConfig',
  request: {
    decode(wire, cx) {
      const params = camelCased(paramsOf(wire));
      const taskId = isObject(params) ? (params.taskId ?? params.id) : undefined;
      if (typeof taskId !== 'string' || !isObject(params) || !isObject(params.pushNotificationConfig)) {
        const field = typeof taskId === 'string' ? 'pushNotificationConfig' : 'taskId';
        throw A2AError.invalidParams('Missing required parameters', [{ field, description: 'is required' }]);
      }
      const { pushNotificationConfig: config } = read('SetPushNotificationConfigParams', params);
      const authentication = foreignAuthentication(config);
      loseSchemes(config, cx, '');
      // The task's configuration is found by the task's id.
      if (!cx.keepsOwn && config.id && config.id !== taskId) cx.losses.add('id');
      const preserved = { ...(config.id && { id: config.id }), ...(authentication && { authentication }) };
      return {
        request: { ...decodePushConfig(config, taskId), id: taskId },
        ...(Object.keys(preserved).length > 0 && { preserved }),
      };
    },
    encode({ request, preserved = {} }, cx) {
      loseTenant(request, cx);
      const { taskId = '', id, ...rest } = request;
      // It goes along as a label, and comes back as one.
      if (id !== taskId) cx.unreported?.add('id');
      const { id: label = id === taskId ? undefined : id, authentication } = preserved as {
        readonly id?: string;
        readonly authentication?: NonNullable<PushNotificationConfig['authentication']>;
      };
      const config = label === undefined ? rest : { ...rest, id: label };
      return { taskId, pushNotificationConfig: encodePushConfig(config, authentication) };
    },
  },
  fields: fieldsBelow('pushNotificationConfig', ['url', 'token', 'authentication']),
  result: {
    decode(wire) {
      const { taskId, pushNotificationConfig: config } = read('TaskPushNotificationConfig', wire);
      if (config) return { value: decodeConfig(config, taskId) };
      throw A2AError.invalidParams(undefined, [{ field: 'pushNotificationConfig', description: 'is required' }]);
    },
    encode: ({ value }, cx) => encodeConfig(value, cx),
  },
};

/** The task's one configuration. */
function decodeOne(wire: unknown, message: string): DecodedRequest<'GetTaskPushNotificationConfig'>['request'] {
  const taskId = requireTaskId(read('TaskIdParams', camelCased(paramsOf(wire))), message);
  return { taskId, id: taskId };
}

function encodeOne(
  request: { readonly taskId: string; readonly id: string; readonly tenant?: string },
  cx: CodecContext,
) {
  loseTenant(request, cx);
  loseId(request, cx);
  return { id: request.taskId };
}

const get: Method<'GetTaskPushNotificationConfig'> = {
  name: 'tasks/pushNotificationConfig/get',
  operation: 'GetTaskPushNotificationConfig',
  request: {
    decode: (wire) => ({ request: decodeOne(wire, 'Missing task ID') }),
    encode: ({ request }, cx) => encodeOne(request, cx),
  },
  fields: { taskId: 'id' },
  result: {
    decode(wire) {
      const { taskId, pushNotificationConfig: config } = read('TaskPushNotificationConfig', wire);
      if (config) return { value: decodeConfig(config, taskId) };
      throw new A2AError('taskNotFound', 'The task has no push notification configuration', {
        metadata: { taskId, pushNotificationConfigId: taskId },
      });
    },
    encode: ({ value }, cx) => encodeConfig(value, cx),
    // A task without one is no error, unlike a task that there is not.
    fromError: ({ kind, metadata: { taskId, pushNotificationConfigId: id } }) =>
      kind === 'taskNotFound' && id !== undefined ? { taskId, pushNotificationConfig: null } : undefined,
  },
};

const list: Method<'ListTaskPushNotificationConfigs'> = {
  name: 'tasks/pushNotificationConfig/list',
  operation: 'ListTaskPushNotificationConfigs',
  request: {
    decode(wire) {
      const taskId = taskIdOf(read('TaskIdParams', camelCased(paramsOf(wire))));
      if (taskId !== undefined) return { request: { taskId, pageSize }, implied: { wholeList: true } };
      return { request: { taskId: '', pageSize }, implied: { wholeList: true, everyTask: true } };
    },
    encode({ request }, cx) {
      const { taskId, pageToken, pageSize: size } = request;
      loseTenant(request, cx);
      if (pageToken !== undefined) cx.losses.add('pageToken');
      if (size === undefined) cx.unreported?.add('pageSize');
      else if (size !== pageSize) cx.losses.add('pageSize');
      return taskId === '' ? {} : { id: taskId };
    },
  },
  fields: { taskId: 'id' },
  result: {
    decode: (wire) => ({
      value: {
        configs: read('TaskPushNotificationConfigs', wire).flatMap(({ taskId, pushNotificationConfig: config }) =>
          config ? [decodeConfig(config, taskId)] : [],
        ),
      },
    }),
    encode({ value }, cx) {
      if (value.nextPageToken) cx.losses.add('nextPageToken');
      return (value.configs ?? []).map((config) => encodeConfig(config, cx));
    },
    // A task that there is not has none.
    fromError: ({ kind }) => (kind === 'taskNotFound' ? [] : undefined),
  },
};

const remove: Method<'DeleteTaskPushNotificationConfig'> = {
  name: 'tasks/pushNotificationConfig/delete',
  operation: 'DeleteTaskPushNotificationConfig',
  request: {
    decode: (wire) => ({ request: decodeOne(wire, 'Task ID is required'), implied: { mustExist: true } }),
    encode: ({ request }, cx) => encodeOne(request, cx),
  },
  fields: { taskId: 'id' },
  result: { decode: () => ({ value: {} }), encode: () => null },
};

export const pushMethods: readonly Method[] = [stored(set), stored(get), stored(list), stored(remove)];
