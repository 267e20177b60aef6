import { A2AError } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import { isObject } from '../../core/model/json.ts';
import type { AuthenticationInfo, PushNotificationConfig } from '../../gen/a2a-0.1/types.ts';
import { restoreAuthentication } from '../a2a-0.3/methods.ts';
import type { Codec, DecodedRequest, DecodedResult } from '../kernel/codec.ts';
import { fieldsBelow } from '../kernel/errors.ts';
import { nameMessage } from '../kernel/metadata.ts';
import { method, readAs, requestOf, resultOf } from '../kernel/methods.ts';
import { requireChosenId } from '../kernel/reader.ts';
import type { CallPlan, FieldNames, Method } from '../kernel/wire.ts';
import { codecs, read } from './codecs.ts';
import { taskCodec } from './names.ts';
import { taskStream, turnStream } from './stream.ts';

/** The seven methods of A2A 0.1. */

type Preserved = { readonly preserved?: Record<string, unknown> };

/** Returns the members of authentication that v1 does not express: further schemes, and members of the peers' own. */
function preservedAuthentication({ authentication }: PushNotificationConfig): { authentication?: AuthenticationInfo } {
  if (!authentication) return {};
  const members = Object.entries(authentication).filter(([, value]) => value !== null);
  const isKnown = members.every(([name]) => name === 'schemes' || name === 'credentials');
  if (isKnown && authentication.schemes.length === 1 && authentication.schemes[0]) return {};
  return { authentication: Object.fromEntries(members) as unknown as AuthenticationInfo };
}

/** Returns further members of a request, if there are any. */
const preserving = (facts: object): Preserved =>
  Object.keys(facts).length > 0 ? { preserved: facts as Record<string, unknown> } : {};

const sentFields: FieldNames = {
  'message.taskId': 'id',
  'message.contextId': 'sessionId',
  'configuration.historyLength': 'historyLength',
  'configuration.acceptedOutputModes': 'acceptedOutputModes',
  'configuration.taskPushNotificationConfig': 'pushNotification',
};

/** Request of tasks/send and tasks/sendSubscribe. */
const sendRequest: Codec<unknown, DecodedRequest<'SendMessage'>> = {
  decode: (wire, cx) => {
    const params = read('TaskSendParams', wire);
    const { id, sessionId, acceptedOutputModes: modes, pushNotification } = params;
    requireChosenId(id, 'id');
    const request = codecs.sendMessage.decode(params, cx);
    nameMessage(request.message, newId(), id, sessionId || undefined);
    const { taskPushNotificationConfig: push, acceptedOutputModes } = request.configuration ?? {};
    if (push) push.id = id;
    return {
      request,
      semantics: { tasksOnly: true, namesTask: true, oneWebhook: true },
      ...preserving({
        ...(acceptedOutputModes && acceptedOutputModes !== modes && { acceptedOutputModes: modes }),
        ...(pushNotification && preservedAuthentication(pushNotification)),
      }),
    };
  },
  encode: (sent, cx) => {
    const { request, preserved } = sent;
    const wire = codecs.sendMessage.encode(request, cx, '');
    const push = request.configuration?.taskPushNotificationConfig;
    if (push && push.id !== wire.id) cx.unreported?.add('configuration.taskPushNotificationConfig.id');
    restoreAuthentication(wire.pushNotification, sent);
    if (preserved?.acceptedOutputModes) wire.acceptedOutputModes = preserved.acceptedOutputModes as string[];
    return wire;
  },
};

const send: Method = method('tasks/send', 'SendMessage', {
  request: sendRequest,
  fields: sentFields,
  result: {
    decode: (wire, cx) => ({ value: { task: taskCodec.decode(wire, cx) } }),
    encode: ({ value: { task } }, cx) => {
      // The method asks for a task, whatever the agent answers with.
      if (!task) throw new A2AError('internal');
      return taskCodec.encode(task, cx);
    },
  },
});

const sendSubscribe: Method = method('tasks/sendSubscribe', 'SendStreamingMessage', {
  request: sendRequest as Codec<unknown, DecodedRequest<never>>,
  fields: sentFields,
  stream: turnStream,
});

/** Whether an answer is a task of A2A 0.2 or later, whose task methods have these names. */
const isOfLater = (wire: unknown): boolean =>
  isObject(wire) && (wire.kind === 'task' || (typeof wire.contextId === 'string' && wire.sessionId === undefined));

/** A task from an agent that may implement a later version, although its card does not show it. */
const anyTask: Codec<unknown, DecodedResult<'GetTask'>> = {
  decode: (wire, cx) => {
    const value = taskCodec.decode(wire, cx);
    return isOfLater(wire) ? { value, ofOtherDialect: true } : { value };
  },
  encode: ({ value }, cx) => taskCodec.encode(value, cx),
};

const get: Method = method('tasks/get', 'GetTask', {
  request: requestOf(readAs(read, 'TaskQueryParams', codecs.getTask), { preservesMetadata: true }),
  result: anyTask,
});

const cancel: Method = method('tasks/cancel', 'CancelTask', {
  request: requestOf(readAs(read, 'TaskIdParams', codecs.cancelTask)),
  result: anyTask,
});

const resubscribe: Method = method('tasks/resubscribe', 'SubscribeToTask', {
  request: {
    decode: (wire, cx) => {
      const params = read('TaskQueryParams', wire);
      const { historyLength, metadata } = params;
      return {
        request: codecs.subscribe.decode(params, cx),
        // Events that continue an artifact refer to its position, which earlier events assigned.
        semantics: { needsBefore: true },
        ...preserving({ ...(historyLength && { historyLength }), ...(metadata && { metadata }) }),
      };
    },
    encode: ({ request, preserved }, cx) => ({ ...codecs.subscribe.encode(request, cx, ''), ...preserved }),
  },
  stream: taskStream,
});

const configResult = resultOf(readAs(read, 'TaskPushNotificationConfig', codecs.taskPushConfig));

const setPush: Method = method('tasks/pushNotification/set', 'CreateTaskPushNotificationConfig', {
  request: {
    decode: (wire, cx) => {
      const params = read('TaskPushNotificationConfig', wire);
      return {
        request: codecs.taskPushConfig.decode(params, cx),
        ...preserving(preservedAuthentication(params.pushNotificationConfig)),
      };
    },
    encode: (decoded, cx) => {
      const wire = codecs.taskPushConfig.encode(decoded.request, cx, '');
      restoreAuthentication(wire.pushNotificationConfig, decoded);
      return wire;
    },
  },
  fields: { taskId: 'id', ...fieldsBelow('pushNotificationConfig', ['url', 'token', 'authentication']) },
  result: configResult,
});

const getPush: Method = method('tasks/pushNotification/get', 'GetTaskPushNotificationConfig', {
  request: requestOf(readAs(read, 'TaskIdParams', codecs.getPush), { preservesMetadata: true }),
  fields: { taskId: 'id' },
  result: configResult,
});

export const methods: readonly Method[] = [send, sendSubscribe, get, cancel, resubscribe, setPush, getPush];

/** Operations that take two calls: streams do not begin with the task, which is read first. */
export const composed: readonly (readonly [Method['operation'], CallPlan])[] = [
  ['SubscribeToTask', { method: get, next: resubscribe }],
];
