import type { AgentCard, TaskPushNotificationConfig } from '../../core/model/a2a.ts';
import type { PushNotificationAuthenticationInfo } from '../../gen/a2a-0.3/types.ts';
import type { Codec, CodecContext, DecodedRequest } from '../kernel/codec.ts';
import { fieldsBelow } from '../kernel/fields.ts';
import { withoutOwnKeys } from '../kernel/metadata.ts';
import { stored } from '../kernel/methods.ts';
import type { FieldNames, Method } from '../kernel/wire.ts';
import { camelCased } from './aliases.ts';
import { decodeTaskPushConfig, encodeTaskPushConfig, foreignAuthentication, loseSchemes } from './push.ts';
import { read } from './read.ts';
import { decodeHistoryLength, decodeSend, encodeSend, type Sent, sendResult } from './send.ts';
import { type EndsAt, endsAtRest, endsWithTask, streamShape } from './stream.ts';
import { decodeTask, encodeTask } from './tasks.ts';

/** What the methods of A2A 0.3 and its kin differ in. */
export interface MethodOptions {
  /** Whether the configuration of a request has to name the output modes, as before 0.2.6. */
  readonly outputModes?: true;
  /** The codec of the card, where there is a method for the extended one. */
  readonly card?: Codec<unknown, AgentCard>;
  /** Whether a message that is sent has to bear an id. Default: one is made up. */
  readonly messageIds?: true;
  /** When a message/stream ends. Default: when the task rests. */
  readonly streamEnds?: EndsAt;
}

/** The methods by name, in the order of the document. */
export function createMethods({
  outputModes,
  card,
  messageIds,
  streamEnds = endsAtRest,
}: MethodOptions): readonly Method[] {
  const sent: Codec<unknown, Sent> = {
    decode: (wire, cx) => decodeSend(camelCased(wire), cx, messageIds === true),
    encode: (decoded, cx) => encodeSend(decoded, cx, outputModes === true),
  };
  return [
    stored({ name: 'message/send', operation: 'SendMessage', request: sent, fields: sentFields, result: sendResult }),
    stored({
      name: 'message/stream',
      operation: 'SendStreamingMessage',
      request: sent,
      fields: sentFields,
      stream: streamShape(streamEnds),
    }),
    ...taskMethods,
    ...pushMethods,
    ...(card ? [extendedCard(card)] : []),
  ];
}

const sentFields: FieldNames = {
  'configuration.taskPushNotificationConfig': 'configuration.pushNotificationConfig',
  'configuration.returnImmediately': 'configuration.blocking',
};

/** Metadata of parameters for which v1 has no place. */
type Metadata = Record<string, unknown> | null | undefined;

const preserved = (metadata: Metadata): Pick<DecodedRequest, 'preserved'> => {
  const own = metadata ? withoutOwnKeys(metadata) : undefined;
  return own ? { preserved: { metadata: own } } : {};
};

const restored = (preserved: DecodedRequest['preserved']): { metadata?: Record<string, unknown> } =>
  preserved?.metadata === undefined ? {} : { metadata: preserved.metadata as Record<string, unknown> };

/** Adds to the losses those members of a v1 request that are there. */
function lose<T extends object>(request: T, names: readonly (keyof T & string)[], cx: CodecContext): void {
  for (const name of names) if (request[name] !== undefined) cx.losses.add(name);
}

const taskResult: Codec<unknown, { readonly value: ReturnType<typeof decodeTask> }> = {
  decode: (wire) => ({ value: decodeTask(read('Task', wire)) }),
  encode: ({ value }, cx) => encodeTask(value, cx),
};

const get: Method<'GetTask'> = {
  name: 'tasks/get',
  operation: 'GetTask',
  request: {
    decode: (wire) => {
      const { id, historyLength, metadata } = read('TaskQueryParams', camelCased(wire));
      return { request: { id, ...decodeHistoryLength(historyLength) }, ...preserved(metadata) };
    },
    encode: ({ request, preserved }, cx) => {
      lose(request, ['tenant'], cx);
      const { id, historyLength } = request;
      if (historyLength === 0) cx.losses.add('historyLength');
      return { id, ...(historyLength !== undefined && { historyLength }), ...restored(preserved) };
    },
  },
  result: taskResult,
};

const cancel: Method<'CancelTask'> = {
  name: 'tasks/cancel',
  operation: 'CancelTask',
  request: {
    decode: (wire) => {
      const { id, metadata } = read('TaskIdParams', camelCased(wire));
      const own = metadata ? withoutOwnKeys(metadata) : undefined;
      return { request: own ? { id, metadata: own } : { id } };
    },
    encode: ({ request }, cx) => {
      lose(request, ['tenant'], cx);
      const { id, metadata } = request;
      const own = metadata && withoutOwnKeys(metadata);
      return own ? { id, metadata: own } : { id };
    },
  },
  result: taskResult,
};

const resubscribe: Method<'SubscribeToTask'> = {
  name: 'tasks/resubscribe',
  operation: 'SubscribeToTask',
  request: {
    decode: (wire) => {
      const { id, metadata } = read('TaskIdParams', camelCased(wire));
      // Whoever comes back too late gets what has become of the task, as from the JavaScript server.
      return { request: { id }, implied: { endedToo: true }, ...preserved(metadata) };
    },
    encode: ({ request, preserved }, cx) => {
      lose(request, ['tenant'], cx);
      return { id: request.id, ...restored(preserved) };
    },
  },
  stream: streamShape(endsWithTask),
};

const taskMethods: readonly Method[] = [stored(get), stored(cancel), stored(resubscribe)];

const configResult: Codec<unknown, { readonly value: TaskPushNotificationConfig }> = {
  decode: (wire) => ({ value: decodeTaskPushConfig(read('TaskPushNotificationConfig', wire)) }),
  encode: ({ value }, cx) => encodeTaskPushConfig(value, cx),
};

const setPush: Method<'CreateTaskPushNotificationConfig'> = {
  name: 'tasks/pushNotificationConfig/set',
  operation: 'CreateTaskPushNotificationConfig',
  request: {
    decode: (wire, cx) => {
      const params = read('TaskPushNotificationConfig', camelCased(wire));
      loseSchemes(params.pushNotificationConfig, cx, '');
      const authentication = foreignAuthentication(params.pushNotificationConfig);
      return { request: decodeTaskPushConfig(params), ...(authentication && { preserved: { authentication } }) };
    },
    encode: ({ request, preserved }, cx) =>
      encodeTaskPushConfig(request, cx, preserved?.authentication as PushNotificationAuthenticationInfo | undefined),
  },
  fields: fieldsBelow('pushNotificationConfig', ['id', 'url', 'token', 'authentication']),
  result: configResult,
};

/** Where parameters name a task's configuration. */
const configFields: FieldNames = { taskId: 'id', id: 'pushNotificationConfigId' };

/**
 * Real servers give a configuration without a name that of its task. Who names none when asking means that one, or
 * whichever there is: the servers in Python answer with the first.
 */
function decodeConfigParams(wire: unknown): {
  readonly request: { readonly taskId: string; readonly id: string };
  readonly implied?: NonNullable<DecodedRequest['implied']>;
  readonly preserved?: NonNullable<DecodedRequest['preserved']>;
} {
  const { id, pushNotificationConfigId, metadata } = read('TaskPushNotificationConfigParams', camelCased(wire));
  const named = pushNotificationConfigId ? {} : { implied: { anyConfig: true } as const };
  return { request: { taskId: id, id: pushNotificationConfigId || id }, ...named, ...preserved(metadata) };
}

const getPush: Method<'GetTaskPushNotificationConfig'> = {
  name: 'tasks/pushNotificationConfig/get',
  operation: 'GetTaskPushNotificationConfig',
  request: {
    decode: decodeConfigParams,
    encode: ({ request, preserved }, cx) => {
      lose(request, ['tenant'], cx);
      const { taskId, id } = request;
      // The configuration that bears the task's id is the one that is meant where none is named; older agents know no other.
      return { id: taskId, ...(id !== taskId && { pushNotificationConfigId: id }), ...restored(preserved) };
    },
  },
  fields: configFields,
  result: configResult,
};

const listPush: Method<'ListTaskPushNotificationConfigs'> = {
  name: 'tasks/pushNotificationConfig/list',
  operation: 'ListTaskPushNotificationConfigs',
  request: {
    decode: (wire) => {
      const { id, metadata } = read('TaskIdParams', camelCased(wire));
      return { request: { taskId: id }, implied: { wholeList: true }, ...preserved(metadata) };
    },
    encode: ({ request, preserved }, cx) => {
      lose(request, ['tenant', 'pageSize', 'pageToken'], cx);
      return { id: request.taskId, ...restored(preserved) };
    },
  },
  fields: { taskId: 'id' },
  result: {
    decode: (wire) => ({ value: { configs: read('TaskPushNotificationConfigs', wire).map(decodeTaskPushConfig) } }),
    encode: ({ value }, cx) => {
      if (value.nextPageToken) cx.losses.add('nextPageToken');
      return (value.configs ?? []).map((config) => encodeTaskPushConfig(config, cx));
    },
  },
};

const deletePush: Method<'DeleteTaskPushNotificationConfig'> = {
  name: 'tasks/pushNotificationConfig/delete',
  operation: 'DeleteTaskPushNotificationConfig',
  request: {
    decode: decodeConfigParams,
    encode: ({ request, preserved }, cx) => {
      lose(request, ['tenant'], cx);
      const { taskId, id } = request;
      return { id: taskId, pushNotificationConfigId: id, ...restored(preserved) };
    },
  },
  fields: configFields,
  result: { decode: () => ({ value: {} }), encode: () => null },
};

const pushMethods: readonly Method[] = [stored(setPush), stored(getPush), stored(listPush), stored(deletePush)];

function extendedCard(card: Codec<unknown, AgentCard>): Method {
  return stored<'GetExtendedAgentCard'>({
    name: 'agent/getAuthenticatedExtendedCard',
    operation: 'GetExtendedAgentCard',
    request: {
      // It has no parameters.
      decode: () => ({ request: {} }),
      encode: ({ request }, cx) => {
        lose(request, ['tenant'], cx);
        return undefined;
      },
    },
    result: {
      decode: (wire, cx) => ({ value: card.decode(wire, cx) }),
      encode: ({ value }, cx) => card.encode(value, cx),
    },
  });
}
