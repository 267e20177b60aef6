import type { Message } from '../../core/model/a2a.ts';
import { sha256 } from '../../core/model/crypto.ts';
import { newId } from '../../core/model/ids.ts';
import type { Codec, CodecContext } from './codec.ts';
import { type Row, whole } from './record.ts';

/** Messages of dialects in which these have no ids, and do not say which task and context they belong to. */

const ofOwner: Row = whole({ note: 'that of the object around it' }, { unreportedLosses: [''] });

/** Their rows. The code that reads a message gives it an id. */
export const namelessRows = {
  messageId: { unreported: true, made: () => '', note: 'made up' },
  taskId: ofOwner,
  contextId: ofOwner,
} as const;

/** Names a message that was read; returns it. */
export function nameMessage(message: Message, messageId: string, taskId?: string, contextId?: string): Message {
  message.messageId = messageId;
  if (taskId !== undefined) message.taskId = taskId;
  if (contextId !== undefined) message.contextId = contextId;
  return message;
}

/**
 * Notes which ids of a message are not those of the object around it.
 *
 * @param at path of the message for losses, with its dot
 */
export function noteIds(
  message: Message | undefined,
  { unreported }: CodecContext,
  at: string,
  taskId?: string,
  contextId?: string,
): void {
  if (!unreported || !message) return;
  if (message.taskId !== taskId) unreported.add(`${at}taskId`);
  if (message.contextId !== contextId) unreported.add(`${at}contextId`);
}

/** An id made of facts about a message, among them its time: an agent that repeats the message gives it the same id again. */
export const contentId = (...facts: readonly unknown[]): string => sha256(JSON.stringify(facts)).slice(0, 22);

/** A message that stands alone. */
export const namelessMessage = ({ decode, encode }: Codec<unknown, Message>): Codec<unknown, Message> => ({
  decode: (wire, cx) => nameMessage(decode(wire, cx), newId()),
  encode: (message, cx) => {
    noteIds(message, cx, '');
    return encode(message, cx);
  },
});
