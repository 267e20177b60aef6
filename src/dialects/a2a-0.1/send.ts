import type { SendMessageConfiguration, SendMessageRequest } from '../../core/model/a2a.ts';
import type { CallSemantics } from '../../core/model/call.ts';
import { newId } from '../../core/model/ids.ts';
import type { TaskSendParams } from '../../gen/a2a-0.1/types.ts';
import type { Codec, CodecContext, DecodedRequest } from '../kernel/codec.ts';
import { requireChosenId } from '../kernel/reader.ts';
import { decodeMessage, encodeMessage, messagePaths } from './messages.ts';
import { decodeMetadata, encodeMetadata } from './metadata.ts';
import { decodeModes } from './modes.ts';
import { type DecodedPush, decodePush, encodePush } from './push.ts';
import { read } from './read.ts';

/** Parameters of tasks/send and tasks/sendSubscribe. */

/** What v1 has no place for. */
interface KeptParams {
  readonly acceptedOutputModes?: readonly string[];
  readonly authentication?: DecodedPush['authentication'];
}

const paths = messagePaths('message.');

const semantics: CallSemantics = { tasksOnly: true, namesTask: true };

/** More messages than any task has: how A2A 0.1 asks for all of them. Left out, it asks for none. */
const wholeHistory = 1_000_000_000;

/** How many messages are wanted, in v1, where nothing means all of them. */
export const decodeHistoryLength = (length: number | null | undefined): { historyLength?: number } =>
  length === wholeHistory ? {} : { historyLength: length ?? 0 };

/** The inverse. */
export const encodeHistoryLength = (length: number | undefined): { historyLength?: number } =>
  length === 0 ? {} : { historyLength: length ?? wholeHistory };

function decodeSend(wire: unknown): DecodedRequest<'SendMessage'> {
  const params = read('TaskSendParams', wire);
  const { id, sessionId, acceptedOutputModes: modes, pushNotification } = params;
  requireChosenId(id, 'id');
  const configuration: SendMessageConfiguration = decodeHistoryLength(params.historyLength);
  const request: SendMessageRequest = {
    message: decodeMessage(params.message, newId(), 'message.', id, sessionId || undefined),
    configuration,
  };
  const metadata = decodeMetadata(params.metadata);
  if (metadata) request.metadata = metadata;
  if (!modes && !pushNotification) return { request, semantics };
  let preserved: KeptParams | undefined;
  if (modes) {
    configuration.acceptedOutputModes = decodeModes(modes);
    if (configuration.acceptedOutputModes !== modes) preserved = { acceptedOutputModes: modes };
  }
  if (pushNotification) {
    const { config, authentication } = decodePush(pushNotification, id);
    configuration.taskPushNotificationConfig = config;
    if (authentication) preserved = { ...preserved, authentication };
  }
  return preserved ? { request, semantics, preserved: preserved as Record<string, unknown> } : { request, semantics };
}

function encodeSend({ request, preserved = {} }: DecodedRequest<'SendMessage'>, cx: CodecContext): TaskSendParams {
  const { acceptedOutputModes, authentication } = preserved as KeptParams;
  const { message, configuration = {}, metadata: all, tenant } = request;
  const { taskPushNotificationConfig: push, historyLength, returnImmediately } = configuration;
  if (tenant) cx.losses.add('tenant');
  // Whoever calls need not wait for the answer.
  if (returnImmediately) cx.unreported?.add('configuration.returnImmediately');
  // The agent makes no ids: one that is missing is made up here.
  if (!message.taskId) cx.unreported?.add(paths.taskId);
  const id = message.taskId || newId();
  const { contextId } = message;
  const modes = acceptedOutputModes ?? configuration.acceptedOutputModes;
  const metadata = encodeMetadata(all);
  if (push?.taskId) cx.unreported?.add('configuration.taskPushNotificationConfig.taskId');
  return {
    id,
    ...(contextId && { sessionId: contextId }),
    message: encodeMessage(message, cx, paths, message.taskId, contextId),
    ...(modes && { acceptedOutputModes: [...modes] }),
    ...(push && {
      pushNotification: encodePush(push, cx, 'configuration.taskPushNotificationConfig.', id, authentication),
    }),
    ...encodeHistoryLength(historyLength),
    ...(metadata && { metadata }),
  };
}

/** The parameters, for either method. */
export const sendRequest: Codec<unknown, DecodedRequest<'SendMessage'>> = { decode: decodeSend, encode: encodeSend };
