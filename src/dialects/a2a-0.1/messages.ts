import type { Message } from '../../core/model/a2a.ts';
import type { Message as LegacyMessage } from '../../gen/a2a-0.1/types.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { decodeParts, encodeParts, type PartPaths, partPaths } from './content.ts';
import { decodeMetadata, encodeMetadata, preserved } from './metadata.ts';

/** What of a message can be lost: paths, made once for each place where a message is. */
export interface MessagePaths {
  readonly messageId: string;
  readonly contextId: string;
  readonly taskId: string;
  readonly extensions: string;
  readonly referenceTaskIds: string;
  readonly parts: PartPaths;
}

/** @param at path of the message, with its dot; '' at the root */
export const messagePaths = (at: string): MessagePaths => ({
  messageId: `${at}messageId`,
  contextId: `${at}contextId`,
  taskId: `${at}taskId`,
  extensions: `${at}extensions`,
  referenceTaskIds: `${at}referenceTaskIds`,
  parts: partPaths(at),
});

/**
 * A message of A2A 0.1, which has no id and does not say what it belongs to.
 *
 * @param taskId task that the surrounding object names
 * @param contextId its session
 */
export function encodeMessage(
  message: Message,
  cx: CodecContext,
  paths: MessagePaths,
  taskId?: string,
  contextId?: string,
): LegacyMessage {
  const { losses, unreported } = cx;
  if (unreported) {
    unreported.add(paths.messageId);
    if (message.taskId !== taskId) unreported.add(paths.taskId);
    if (message.contextId !== contextId) unreported.add(paths.contextId);
  }
  if (message.extensions) losses.add(paths.extensions);
  if (message.referenceTaskIds) losses.add(paths.referenceTaskIds);
  const role = message.role === 'ROLE_AGENT' ? 'agent' : 'user';
  const parts = preserved(message.metadata).empty ? [] : encodeParts(message.parts, cx, paths.parts);
  const metadata = encodeMetadata(message.metadata);
  return metadata ? { role, parts, metadata } : { role, parts };
}

/**
 * A message that was validated before.
 *
 * @param messageId made up by the caller
 * @param at path of the message, with its dot, for errors
 */
export function decodeMessage(
  message: LegacyMessage,
  messageId: string,
  at: string,
  taskId?: string,
  contextId?: string,
): Message {
  const empty = message.parts.length === 0;
  const decoded: Message = {
    messageId,
    role: message.role === 'agent' ? 'ROLE_AGENT' : 'ROLE_USER',
    // v1 messages have at least one part.
    parts: empty ? [{ text: '' }] : decodeParts(message.parts, at),
  };
  if (taskId !== undefined) decoded.taskId = taskId;
  if (contextId !== undefined) decoded.contextId = contextId;
  const metadata = decodeMetadata(message.metadata, empty ? { empty } : undefined);
  if (metadata) decoded.metadata = metadata;
  return decoded;
}
