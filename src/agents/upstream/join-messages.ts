import type { Message, Part } from '../../core/model/a2a.ts';
import { unloggedEvent } from '../../core/model/agent-events.ts';
import type { LoggedEvent } from '../../core/model/call.ts';

/**
 * Joins several Messages of an agent into one, because an answer without a task has one Message: the first one, with the parts of
 * all in order. Texts of a message that arrived in pieces with one id become one text.
 */
export function joinMessages(messages: readonly [Message, ...Message[]]): Message {
  const [first, ...others] = messages;
  if (others.length === 0) return first;
  const parts = [...first.parts];
  let before = first;
  for (const message of others) {
    const [head, ...rest] = message.parts;
    const last = parts.at(-1);
    if (head && last && message.messageId === before.messageId && isPlainText(head) && isPlainText(last))
      parts.splice(-1, 1, { text: last.text + head.text }, ...rest);
    else parts.push(...message.parts);
    before = message;
  }
  const metadata = Object.assign({}, ...messages.map((message) => message.metadata));
  const extensions = [...new Set(messages.flatMap((message) => message.extensions ?? []))];
  const referenceTaskIds = [...new Set(messages.flatMap((message) => message.referenceTaskIds ?? []))];
  return {
    ...first,
    parts,
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(extensions.length > 0 && { extensions }),
    ...(referenceTaskIds.length > 0 && { referenceTaskIds }),
  };
}

const isPlainText = (part: Part): part is Part & { readonly text: string } =>
  part.text !== undefined && Object.keys(part).length === 1;

/** A stream whose Messages are joined into one at its end, for callers whose dialect has one task as the answer. */
export async function* withOneMessage(events: AsyncIterable<LoggedEvent>): AsyncGenerator<LoggedEvent> {
  const messages: Message[] = [];
  let latest: LoggedEvent | undefined;
  for await (const logged of events) {
    if (logged.event.message) {
      messages.push(logged.event.message);
      latest = logged;
    } else yield logged;
  }
  const [first, ...others] = messages;
  if (first && latest) yield unloggedEvent({ message: joinMessages([first, ...others]) }, latest.seq, latest.at);
}
