import type { SendMessageConfiguration, SendMessageRequest } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import type {
  PushNotificationAuthenticationInfo as Authentication,
  MessageSendParams,
  MessageSendConfiguration as WireConfiguration,
} from '../../gen/a2a-0.3/types.ts';
import type { Codec, CodecContext, DecodedRequest, DecodedResult } from '../kernel/codec.ts';
import { withoutOwnKeys } from '../kernel/metadata.ts';
import { decodeMessage, encodeMessage } from './messages.ts';
import { decodePushConfig, encodePushConfig, foreignAuthentication, loseSchemes } from './push.ts';
import { read } from './read.ts';
import { decodeEvent, endsAtRest } from './stream.ts';
import { encodeTask } from './tasks.ts';

/** Parameters and result of message/send; message/stream has the same parameters. */

/** A request of either method. */
export interface Sent {
  readonly request: SendMessageRequest;
  readonly preserved?: NonNullable<DecodedRequest['preserved']>;
}

/**
 * @param messageIds whether the message has to bear an id
 * @throws A2AError `invalidParams` naming the faulty field
 */
export function decodeSend(wire: unknown, cx: CodecContext, messageIds: boolean): Sent {
  const { message, configuration, metadata } = read('MessageSendParams', wire);
  if (messageIds && !message.messageId) {
    throw A2AError.invalidParams(undefined, [{ field: 'message.messageId', description: 'is required' }]);
  }
  const request: SendMessageRequest = { message: decodeMessage(message, 'message.') };
  const own = metadata ? withoutOwnKeys(metadata) : undefined;
  if (own) request.metadata = own;
  if (!configuration) return { request };
  request.configuration = decodeConfiguration(configuration);
  const { pushNotificationConfig: push } = configuration;
  const authentication = push ? foreignAuthentication(push) : undefined;
  if (push) loseSchemes(push, cx, 'configuration.taskPushNotificationConfig.');
  return authentication ? { request, preserved: { authentication } } : { request };
}

/**
 * A length of 0 is the whole history, as the SDKs for Java, JavaScript and Python have it; that for Java sends it with
 * every `tasks/get`. Only that for Go answers none.
 */
export const decodeHistoryLength = (length: number | null | undefined): { historyLength?: number } =>
  length ? { historyLength: length } : {};

/** Waiting is the default, as real servers have it. */
function decodeConfiguration(wire: WireConfiguration): SendMessageConfiguration {
  const { acceptedOutputModes, blocking, historyLength, pushNotificationConfig } = wire;
  const configuration: SendMessageConfiguration = {};
  if (blocking === false) configuration.returnImmediately = true;
  if (acceptedOutputModes?.length) configuration.acceptedOutputModes = acceptedOutputModes;
  Object.assign(configuration, decodeHistoryLength(historyLength));
  if (pushNotificationConfig) configuration.taskPushNotificationConfig = decodePushConfig(pushNotificationConfig);
  return configuration;
}

/** @param outputModes whether a configuration has to name the output modes */
export function encodeSend({ request, preserved }: Sent, cx: CodecContext, outputModes: boolean): MessageSendParams {
  const { message, configuration, metadata, tenant } = request;
  if (tenant !== undefined) cx.losses.add('tenant');
  const params: MessageSendParams = { message: encodeMessage(message, cx, 'message.') };
  if (configuration) params.configuration = encodeConfiguration(configuration, preserved, cx, outputModes);
  const own = metadata && withoutOwnKeys(metadata);
  if (own) params.metadata = own;
  return params;
}

function encodeConfiguration(
  configuration: SendMessageConfiguration,
  preserved: DecodedRequest['preserved'],
  cx: CodecContext,
  outputModes: boolean,
): WireConfiguration {
  const { acceptedOutputModes, returnImmediately, historyLength, taskPushNotificationConfig: push } = configuration;
  // Said in so many words: servers differ in what they make of a configuration without it.
  const wire: WireConfiguration = { blocking: returnImmediately !== true };
  if (acceptedOutputModes !== undefined) wire.acceptedOutputModes = acceptedOutputModes;
  else if (outputModes) wire.acceptedOutputModes = [];
  if (historyLength !== undefined) wire.historyLength = historyLength;
  if (historyLength === 0) cx.losses.add('configuration.historyLength');
  if (push) {
    for (const name of ['taskId', 'tenant'] as const) {
      if (push[name] !== undefined) cx.losses.add(`configuration.taskPushNotificationConfig.${name}`);
    }
    wire.pushNotificationConfig = encodePushConfig(push, preserved?.authentication as Authentication | undefined);
  }
  return wire;
}

/** The bare task or message. */
export const sendResult: Codec<unknown, DecodedResult<'SendMessage'>> = {
  decode: (wire) => {
    const { task, message } = decodeEvent(wire, endsAtRest);
    if (task) return { value: { task } };
    if (message) return { value: { message } };
    throw A2AError.invalidParams(undefined, [{ field: 'kind', description: 'must be one of task, message' }]);
  },
  encode: ({ value: { task, message } }, cx) => {
    if (task) return encodeTask(task, cx, 'task.');
    return message ? encodeMessage(message, cx, 'message.') : null;
  },
};
