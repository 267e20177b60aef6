import type { Message, Part, Task } from '../../core/model/a2a.ts';
import type { DataPart, Message as PlainMessage, Task as PlainTask } from '../../gen/a2a-0.3/types.ts';
import type { Message as WireMessage, Task as WireTask } from '../../gen/a2a-php-0.3/types.ts';
import { decodeMessage as decodePlain, encodeMessage as encodePlain } from '../a2a-0.3/messages.ts';
import { encodeMetadata } from '../a2a-0.3/metadata.ts';
import { decodeTask as decodePlainTask, encodeTask as encodePlainTask, encodeState } from '../a2a-0.3/tasks.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { plainMessage, plainTask } from './aliases.ts';
import { keep, keptIn } from './metadata.ts';

/**
 * Messages and tasks: those of A2A 0.3, with any role, with data that may be a list, and with no states but those that
 * the SDK's readers know.
 */

/** Keeps the role of a message where v1 does not say it. */
export function keepRole(message: Message | undefined, wire: { readonly role: string } | null | undefined): void {
  if (message && wire && wire.role !== 'user' && wire.role !== 'agent') keep(message, { role: wire.role });
}

/**
 * A message that was checked before.
 *
 * @param at path of the message within the request, with its dot; '' at the root
 * @throws A2AError `invalidParams` naming a part that does not fit
 */
export function decodeMessage(wire: WireMessage, at: string): Message {
  const message = decodePlain(plainMessage(wire, at), at);
  keepRole(message, wire);
  return message;
}

/**
 * A message as it is written.
 *
 * @param at path of the message for losses, with its dot; '' at the root
 */
export function encodeMessage(message: Message, cx: CodecContext, at: string): PlainMessage {
  const wire = encodePlain(message, cx, at);
  restoreMessage(wire, message);
  return wire;
}

/** Puts into a message of A2A 0.3 what only the PHP SDK says. */
export function restoreMessage(wire: PlainMessage, message: Message): void {
  restoreParts(wire.parts, message.parts);
  const { role } = keptIn(message.metadata);
  if (role !== undefined) wire.role = role as PlainMessage['role'];
}

/** Lists as data stay what they are, since PHP has one kind of array. An empty one would be taken for an object. */
export function restoreParts(wire: PlainMessage['parts'], parts: readonly Part[]): void {
  for (let i = 0; i < parts.length; i++) {
    const { data, metadata } = parts[i] as Part;
    if (!Array.isArray(data) || data.length === 0) continue;
    const part: DataPart = { kind: 'data', data: data as never };
    const own = encodeMetadata(metadata);
    if (own) part.metadata = own;
    wire[i] = part;
  }
}

/**
 * A task that was checked before.
 *
 * @throws A2AError `invalidParams` naming a time or a part that does not fit
 */
export function decodeTask(wire: WireTask): Task {
  const task = decodePlainTask(plainTask(wire));
  keepRole(task.status.message, wire.status.message);
  const { history = [] } = task;
  for (let i = 0; i < history.length; i++) keepRole(history[i], wire.history?.[i]);
  return task;
}

/**
 * A task as it is written.
 *
 * @param at path of the task for losses, with its dot; '' at the root
 */
export function encodeTask(task: Task, cx: CodecContext, at = ''): PlainTask {
  const wire = encodePlainTask(task, cx, at);
  const { status, artifacts = [], history = [] } = task;
  // Not the name that an agent of another dialect gave it: the SDK's readers fail at what they do not know.
  wire.status.state = encodeState(status.state);
  if (wire.status.message && status.message) restoreMessage(wire.status.message, status.message);
  for (let i = 0; i < artifacts.length; i++) restoreParts(wire.artifacts?.[i]?.parts ?? [], artifacts[i]?.parts ?? []);
  for (let i = 0; i < history.length; i++) {
    restoreMessage((wire.history as PlainMessage[])[i] as PlainMessage, history[i] as Message);
  }
  return wire;
}
