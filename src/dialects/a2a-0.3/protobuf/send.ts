import type { SendMessageConfiguration, SendMessageRequest } from '../../../core/model/a2a.ts';
import { api } from '../../../gen/a2a-v0_3/index.ts';
import type {
  SendMessageConfiguration as WireConfiguration,
  SendMessageRequest as WireRequest,
  SendMessageResponse as WireResponse,
} from '../../../gen/a2a-v0_3/types.ts';
import { parseAs } from '../../../wire/validate.ts';
import type { Codec, CodecContext, DecodedRequest, DecodedResult } from '../../kernel/codec.ts';
import { decodeMetadata, encodeMetadata } from '../metadata.ts';
import { decodeMessage, decodeSentMessage, encodeMessage } from './messages.ts';
import { decodePushConfig, encodePushConfig, keptOf } from './push.ts';
import { decodeTask, encodeTask } from './tasks.ts';

/** Request and answer of SendMessage; SendStreamingMessage has the same request. */

export const sendRequest: Codec<unknown, DecodedRequest<'SendMessage'>> = {
  decode(wire, cx) {
    const { message, configuration, metadata } = parseAs<WireRequest>(api, 'a2a.v1.SendMessageRequest', wire);
    const request: SendMessageRequest = { message: decodeSentMessage(message, cx) };
    const own = decodeMetadata(metadata);
    if (own) request.metadata = own;
    if (!configuration) return { request };
    const decoded = decodeConfiguration(configuration);
    if (decoded) request.configuration = decoded;
    return { request, ...keptOf(configuration.pushNotification) };
  },
  encode({ request, preserved }, cx) {
    const { message, configuration = {}, metadata, tenant } = request;
    if (tenant) cx.losses.add('tenant');
    const wire: WireRequest = {
      message: encodeMessage(message, cx, 'message.'),
      configuration: encodeConfiguration(configuration, preserved, cx),
    };
    const own = encodeMetadata(metadata);
    if (own) wire.metadata = own;
    return wire;
  },
};

/**
 * `blocking` has no presence in the proto: false and absent are the same on the wire, over HTTP+JSON too, since printers
 * of ProtoJSON leave out what is false. A configuration without it therefore asks to be answered at once: it is what
 * the JavaScript client writes for `blocking: false` and the Python client for polling (both write `blocking: true` by
 * themselves otherwise), and native servers of both languages take it so. Without any configuration the call waits, as
 * it does natively in JavaScript: nobody asked for anything else. Native servers in Python do not wait then, which is
 * why a call that is to wait is always written with `blocking: true`.
 *
 * @returns undefined when nothing is said that does not go without saying
 */
function decodeConfiguration(wire: WireConfiguration): SendMessageConfiguration | undefined {
  const { acceptedOutputModes, blocking, historyLength, pushNotification } = wire;
  const configuration: SendMessageConfiguration = {};
  let said = false;
  if (acceptedOutputModes) {
    configuration.acceptedOutputModes = acceptedOutputModes;
    said = true;
  }
  if (historyLength) {
    configuration.historyLength = historyLength;
    said = true;
  }
  if (!blocking) {
    configuration.returnImmediately = true;
    said = true;
  }
  if (pushNotification) {
    const at = 'configuration.pushNotification.';
    configuration.taskPushNotificationConfig = decodePushConfig(pushNotification, at);
    said = true;
  }
  return said ? configuration : undefined;
}

function encodeConfiguration(
  configuration: SendMessageConfiguration,
  preserved: DecodedRequest['preserved'],
  cx: CodecContext,
): WireConfiguration {
  const { acceptedOutputModes, returnImmediately, historyLength, taskPushNotificationConfig: push } = configuration;
  const wire: WireConfiguration = {};
  if (acceptedOutputModes?.length) wire.acceptedOutputModes = acceptedOutputModes;
  if (push) {
    for (const name of ['taskId', 'tenant'] as const) {
      if (push[name]) cx.losses.add(`configuration.taskPushNotificationConfig.${name}`);
    }
    wire.pushNotification = encodePushConfig(push, preserved);
  }
  // In the proto, 0 is no limit, and in v1 it is no history.
  if (historyLength) wire.historyLength = historyLength;
  else if (historyLength === 0) cx.losses.add('configuration.historyLength');
  if (!returnImmediately) wire.blocking = true;
  return wire;
}

export const sendResult: Codec<unknown, DecodedResult<'SendMessage'>> = {
  decode(wire, cx) {
    const { task, message } = parseAs<WireResponse>(api, 'a2a.v1.SendMessageResponse', wire);
    if (task) return { value: { task: decodeTask(task, cx, 'task.') } };
    return { value: { message: decodeMessage(message as NonNullable<typeof message>, cx) } };
  },
  encode({ value: { task, message } }, cx): WireResponse {
    if (task) return { task: encodeTask(task, cx, 'task.') };
    return message ? { message: encodeMessage(message, cx, 'message.') } : {};
  },
};
