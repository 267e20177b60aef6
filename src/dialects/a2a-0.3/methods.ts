import type { AgentCard } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Codec, CodecContext, DecodedRequest, DecodedResult } from '../kernel/codec.ts';
import { fieldsBelow } from '../kernel/errors.ts';
import { eventStream, method, readAs, requestOf, resultOf } from '../kernel/methods.ts';
import { missing, type RecordCodec } from '../kernel/record.ts';
import type { FieldNames, Method } from '../kernel/wire.ts';
import { camelCased } from './aliases.ts';
import { codecs } from './codecs.ts';
import { methodNames } from './names.ts';
import { read, type Shape } from './read.ts';

/** Differences between the methods of A2A 0.3 and 0.2. */
export interface MethodOptions {
  /** Whether the configuration of a request must name the output modes, as before 0.2.6. */
  readonly outputModes?: true;
  /** The codec of the card, if there is a method for the extended one. */
  readonly card?: Codec<unknown, AgentCard>;
  /** Whether a message in a request must have an id. Default: the gateway creates one. */
  readonly messageIds?: true;
}

/** The methods by name, in the order of the document. */
export function createMethods({ outputModes, card, messageIds }: MethodOptions): readonly Method[] {
  const request: Codec<unknown, Sent> = {
    decode: (wire, cx) => decodeSend(wire, cx, messageIds === true),
    encode: (decoded, cx) => encodeSend(decoded, cx, outputModes === true),
  };
  return [
    method(methodNames.SendMessage, 'SendMessage', {
      request,
      fields: sentFields,
      result: sendResultOf(codecs.event),
    }),
    method(methodNames.SendStreamingMessage, 'SendStreamingMessage', {
      request,
      fields: sentFields,
      stream: eventStream(codecs.event),
    }),
    ...taskMethods,
    ...pushMethods,
    ...(card ? [extendedCard(card)] : []),
  ];
}

/** Wire names of the fields of a request to send a message. */
export const sentFields: FieldNames = {
  'configuration.taskPushNotificationConfig': 'configuration.pushNotificationConfig',
  'configuration.returnImmediately': 'configuration.blocking',
};

type Sent = DecodedRequest<'SendMessage'>;

/** The authentication of a push configuration, in either shape of A2A 0.3. */
interface Authenticated {
  authentication?: { schemes?: string[]; credentials?: string | null } | null;
}

/**
 * Returns the authentication of a configuration, if v1 does not hold all of it. All schemes but the first are a loss,
 * except in the conversion of a document, which gets them back.
 *
 * @param at path of the configuration for losses, with its dot; '' at the root
 */
export function preservedAuthentication(
  { authentication }: Authenticated,
  cx: CodecContext,
  at: string,
): Pick<DecodedRequest, 'preserved'> {
  const schemes = authentication?.schemes ?? [];
  if (!authentication || (schemes.length === 1 && schemes[0] !== '')) return {};
  if (!cx.keepsOwn && schemes.length > 1) cx.losses.add(`${at}authentication.scheme`);
  return { preserved: { authentication } };
}

/** Restores the preserved part of authentication. */
export function restoreAuthentication(
  wire: Authenticated | null | undefined,
  { preserved }: Pick<DecodedRequest, 'preserved'>,
): void {
  if (wire && preserved?.authentication) wire.authentication = preserved.authentication as never;
}

/** Decodes parameters of message/send and message/stream. */
function decodeSend(wire: unknown, cx: CodecContext, messageIds: boolean): Sent {
  const params = read('MessageSendParams', camelCased(wire));
  if (messageIds && !params.message.messageId) throw missing('message.messageId');
  const request = codecs.sendMessage.decode(params, cx);
  const push = params.configuration?.pushNotificationConfig;
  if (!push) return { request };
  return { request, ...preservedAuthentication(push, cx, 'configuration.taskPushNotificationConfig.') };
}

function encodeSend(sent: Sent, cx: CodecContext, outputModes: boolean): unknown {
  const wire = codecs.sendMessage.encode(sent.request, cx, '');
  const { configuration } = wire;
  if (!configuration) return wire;
  restoreAuthentication(configuration.pushNotificationConfig, sent);
  if (!outputModes || configuration.acceptedOutputModes) return wire;
  const { blocking, ...others } = configuration;
  return { ...wire, configuration: { blocking, acceptedOutputModes: [], ...others } };
}

/** Result of message/send: the task or message itself. */
export const sendResultOf = (event: typeof codecs.event): Codec<unknown, DecodedResult<'SendMessage'>> => ({
  decode: (wire, cx) => {
    const { task, message } = event.decode(wire as never, cx);
    if (task) return { value: { task } };
    if (message) return { value: { message } };
    throw A2AError.invalidField('kind', 'must be one of task, message');
  },
  encode: ({ value }, cx) => (value.task || value.message ? event.encode(value, cx, '') : null),
});

/** Parameters of one shape, which may arrive in snake_case. */
const params = <V1, Wire>(shape: Shape, codec: RecordCodec<V1, Wire>): Codec<unknown, V1> =>
  readAs((name: Shape, wire) => read(name, camelCased(wire)), shape, codec);

const taskResult = resultOf(readAs(read, 'Task', codecs.task));

const taskMethods: readonly Method[] = [
  method(methodNames.GetTask, 'GetTask', {
    request: requestOf(params('TaskQueryParams', codecs.getTask), { preservesMetadata: true }),
    result: taskResult,
  }),
  method(methodNames.CancelTask, 'CancelTask', {
    request: requestOf(params('TaskIdParams', codecs.cancelTask)),
    result: taskResult,
  }),
  method(methodNames.SubscribeToTask, 'SubscribeToTask', {
    // Callers who return after its end get the task, as from the JavaScript server.
    request: requestOf(params('TaskIdParams', codecs.subscribe), {
      semantics: { endedToo: true },
      preservesMetadata: true,
    }),
    stream: eventStream(codecs.event, true),
  }),
];

const configResult = resultOf(readAs(read, 'TaskPushNotificationConfig', codecs.taskPushConfig));

/** Wire names of the ids of a task's configuration. */
const configFields: FieldNames = { taskId: 'id', id: 'pushNotificationConfigId' };

/**
 * A request that names no configuration selects the one with the task's id, or any: servers in Python return the first.
 */
function anyWhereUnnamed<T>(request: Codec<unknown, T>): Codec<unknown, T> {
  return {
    ...request,
    decode: (wire, cx) => {
      const decoded = request.decode(wire, cx);
      const { pushNotificationConfigId } = camelCased(wire) as { readonly pushNotificationConfigId?: string };
      return pushNotificationConfigId ? decoded : { ...decoded, semantics: { anyConfig: true } };
    },
  };
}

const pushMethods: readonly Method[] = [
  method(methodNames.CreateTaskPushNotificationConfig, 'CreateTaskPushNotificationConfig', {
    request: {
      decode: (wire, cx) => {
        const config = read('TaskPushNotificationConfig', camelCased(wire));
        return {
          request: codecs.taskPushConfig.decode(config, cx),
          ...preservedAuthentication(config.pushNotificationConfig, cx, ''),
        };
      },
      encode: (decoded, cx) => {
        const wire = codecs.taskPushConfig.encode(decoded.request, cx, '');
        restoreAuthentication(wire.pushNotificationConfig, decoded);
        return wire;
      },
    },
    fields: fieldsBelow('pushNotificationConfig', ['id', 'url', 'token', 'authentication']),
    result: configResult,
  }),
  method(methodNames.GetTaskPushNotificationConfig, 'GetTaskPushNotificationConfig', {
    request: anyWhereUnnamed(
      requestOf(params('TaskPushNotificationConfigParams', codecs.getPush), { preservesMetadata: true }),
    ),
    fields: configFields,
    result: configResult,
  }),
  method(methodNames.ListTaskPushNotificationConfigs, 'ListTaskPushNotificationConfigs', {
    request: requestOf(params('TaskIdParams', codecs.listPush), {
      semantics: { wholeList: true },
      preservesMetadata: true,
    }),
    fields: { taskId: 'id' },
    result: resultOf(readAs(read, 'TaskPushNotificationConfigs', codecs.pushList)),
  }),
  method(methodNames.DeleteTaskPushNotificationConfig, 'DeleteTaskPushNotificationConfig', {
    request: anyWhereUnnamed(
      requestOf(params('TaskPushNotificationConfigParams', codecs.deletePush), { preservesMetadata: true }),
    ),
    fields: configFields,
    result: { decode: () => ({ value: {} }), encode: () => null },
  }),
];

const extendedCard = (card: Codec<unknown, AgentCard>): Method =>
  method(methodNames.GetExtendedAgentCard, 'GetExtendedAgentCard', {
    // It has no parameters.
    request: {
      decode: () => ({ request: {} }),
      encode: ({ request }, cx) => void codecs.extendedCard.encode(request, cx, ''),
    },
    result: resultOf(card),
  });
