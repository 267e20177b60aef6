import type { TaskPushNotificationConfig } from '../../core/model/a2a.ts';
import type { CallSemantics } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { withoutOwnKeys } from '../../core/model/own-metadata.ts';
import type { MessageSendParams } from '../../gen/a2a-0.3/types.ts';
import type { TaskIdParams, TaskSendParams } from '../../gen/a2a-php-0.3/types.ts';
import { camelCased } from '../a2a-0.3/aliases.ts';
import { preservedAuthentication, restoreAuthentication, sendResultOf, sentFields } from '../a2a-0.3/methods.ts';
import type { Codec, CodecContext, DecodedRequest } from '../kernel/codec.ts';
import { fieldsBelow } from '../kernel/errors.ts';
import { preservedIn, preserving } from '../kernel/metadata.ts';
import { atRoot, method, readAs, requestOf, resultOf } from '../kernel/methods.ts';
import { requireChosenId } from '../kernel/reader.ts';
import { missing, type RecordCodec } from '../kernel/record.ts';
import type { LocalMethod, Method } from '../kernel/wire.ts';
import { card } from './card.ts';
import { codecs } from './codecs.ts';
import { extendedCardMethod } from './errors.ts';
import { key } from './mapping.ts';
import { missingTaskId, noTaskId, objectOf, paramsOf, read, type Shape, taskIdOf } from './read.ts';
import { liveStream, replayStream } from './stream.ts';

/**
 * Push configurations. A task has one, found by the task's id, which is its id in v1. The label that a caller gives it
 * has no place in v1.
 */

/**
 * Parameters that name a task under one of two names.
 *
 * @param fault message of the error if they name none. Default: that of tasks/get and tasks/cancel, with its own code
 */
const taskParams = <V1, Wire>(shape: Shape, codec: RecordCodec<V1, Wire>, fault?: string): Codec<unknown, V1> => ({
  ...atRoot(codec),
  decode: (wire, cx) => {
    const params = read(shape, camelCased(paramsOf(wire))) as TaskIdParams;
    const id = taskIdOf(params);
    if (id === undefined) throw fault ? A2AError.invalidParams(fault, missing('id').violations) : noTaskId();
    objectOf(params.metadata, 'metadata');
    return codec.decode({ ...params, id } as Wire, cx);
  },
});

/** Decodes the answer for a task with a configuration. */
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
      // It is sent as a label, and comes back as one.
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
    // A task without a configuration is no error, unlike an unknown task.
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
    // An unknown task has none.
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

const pushMethods: readonly Method[] = [set, get, list, remove];

/** Parameters of message/send, message/stream and tasks/send. */

type Sent = DecodedRequest<'SendMessage'>;

/** Semantics of methods where an unknown task id is the caller's choice. */
const named: CallSemantics = { namesTask: true, oneWebhook: true };
const namedTask: CallSemantics = { ...named, tasksOnly: true };

/** Members of the parameters that have a place in v1. The rest, such as `from`, is preserved. */
const ownParams: ReadonlySet<string> = new Set(['id', 'message', 'configuration', 'metadata']);

/** @throws A2AError `invalidParams`, with the message of the SDK's server if there is no message at all */
function requireMessage(params: unknown): void {
  const message = isObject(params) ? params.message : undefined;
  if (!isObject(message)) {
    const violation = { field: 'message', description: 'is required' };
    throw A2AError.invalidParams('Invalid or missing message payload', [violation]);
  }
  if (Array.isArray(message.parts) && message.parts.length > 0) return;
  const violation = { field: 'message.parts', description: 'must be a non-empty array' };
  throw A2AError.invalidParams('Message parts must be a non-empty array', [violation]);
}

/** Returns the request of parameters, with those that only the PHP SDK knows. */
function sentOf(params: object, cx: CodecContext): Pick<Sent, 'request' | 'preserved'> {
  const request = codecs.sendMessage.decode(params as MessageSendParams, cx);
  const foreign = Object.entries(params).filter(([name]) => !ownParams.has(name));
  if (foreign.length > 0) {
    request.metadata = preserving(request.metadata, key, { params: Object.fromEntries(foreign) });
  }
  const { pushNotificationConfig: push } = (params as MessageSendParams).configuration ?? {};
  if (!push) return { request };
  return { request, ...preservedAuthentication(push, cx, 'configuration.taskPushNotificationConfig.') };
}

/** Request of message/send and message/stream. */
const sendRequest: Codec<unknown, Sent> = {
  decode(wire, cx) {
    requireMessage(wire);
    const params = read('MessageSendParams', camelCased(wire));
    const { message, configuration } = params;
    if (message.taskId) requireChosenId(message.taskId, 'message.taskId');
    const params03 = { ...params, configuration: objectOf(configuration, 'configuration') };
    return { ...sentOf(params03, cx), semantics: named };
  },
  encode(sent, cx) {
    const { request } = sent;
    const params = codecs.sendMessage.encode(request, cx, '');
    restoreAuthentication(params.configuration?.pushNotificationConfig, sent);
    return { ...foreignIn(request), ...params };
  },
};

const foreignIn = ({ metadata }: Sent['request']): object => preservedIn(metadata, key).params ?? {};

/** Returns the task's metadata: those of the parameters, and the session, as in the document. */
function taskMetadataOf({ metadata, sessionId }: TaskSendParams): Pick<CallSemantics, 'taskMetadata'> {
  const own = withoutOwnKeys({ ...objectOf(metadata, 'metadata'), ...(sessionId != null && { sessionId }) });
  return own && Object.keys(own).length > 0 ? { taskMetadata: own } : {};
}

/** Request of tasks/send, whose caller chooses the task's id. */
const taskSendRequest: Codec<unknown, Sent> = {
  decode(wire, cx) {
    if (!isObject(wire) || !wire.id || !wire.message) {
      const field = isObject(wire) && wire.id ? 'message' : 'id';
      throw A2AError.invalidParams('Task ID and message are required', missing(field).violations);
    }
    requireMessage(wire);
    const params = read('TaskSendParams', camelCased(wire));
    const { id, message } = params;
    requireChosenId(id, 'id');
    const params03 = { ...params, configuration: undefined, message: { ...message, taskId: id } };
    return { ...sentOf(params03, cx), semantics: { ...namedTask, ...taskMetadataOf(params) } };
  },
  encode({ request }, cx) {
    const { configuration = {}, ...rest } = request;
    for (const name in configuration) cx.losses.add(`configuration.${name}`);
    const params = codecs.sendMessage.encode(rest, cx, '');
    const { taskId, ...message } = params.message;
    return { ...foreignIn(request), id: taskId ?? '', ...params, message };
  },
};

const taskResult = resultOf(readAs(read, 'Task', codecs.task));

const sent = { fields: sentFields, result: sendResultOf(codecs.event) } as const;

/** The first method of an operation is the one by which agents are called. */
export const methods: readonly Method[] = [
  method('message/send', 'SendMessage', { ...sent, request: sendRequest }),
  method('message/stream', 'SendStreamingMessage', {
    // Both have the same parameters; v1 distinguishes them by the operation alone.
    request: sendRequest as never,
    fields: sentFields,
    stream: liveStream,
  }),
  method('tasks/send', 'SendMessage', { ...sent, request: taskSendRequest, fields: { 'message.taskId': 'id' } }),
  method('tasks/get', 'GetTask', {
    request: requestOf(taskParams('TaskQueryParams', codecs.getTask, missingTaskId), { preservesMetadata: true }),
    result: taskResult,
  }),
  method('tasks/cancel', 'CancelTask', {
    request: requestOf(taskParams('TaskIdParams', codecs.cancelTask)),
    result: taskResult,
  }),
  method('tasks/resubscribe', 'SubscribeToTask', {
    request: requestOf(taskParams('TaskIdParams', codecs.subscribe, 'Task ID is required for resubscription'), {
      semantics: { replay: 'snapshot' },
      preservesMetadata: true,
    }),
    stream: replayStream,
  }),
  ...pushMethods,
  method(extendedCardMethod, 'GetExtendedAgentCard', {
    request: {
      decode: () => ({ request: {}, semantics: { authenticated: true } }),
      encode: ({ request }, cx) => void codecs.extendedCard.encode(request, cx, ''),
    },
    result: resultOf(card),
  }),
];

/** Methods without an operation of v1. */
export const local: ReadonlyMap<string, LocalMethod> = new Map<string, LocalMethod>([
  ['get_agent_card', ({ card }) => card()],
  ['ping', () => ({ status: 'pong' })],
]);
