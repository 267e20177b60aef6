import type { Message, Role } from '../../core/model/a2a.ts';
import { newId } from '../../core/model/ids.ts';
import type { Message as WireMessage, Role as WireRole } from '../../gen/a2a-0.3/types.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { decodeMetadata, encodeMetadata } from './metadata.ts';
import { decodeParts, encodeParts } from './parts.ts';

/** The role of a v1 message; what is not the user is the agent. */
const encodedRoles: Readonly<Record<Role, WireRole>> = {
  ROLE_UNSPECIFIED: 'agent',
  ROLE_USER: 'user',
  ROLE_AGENT: 'agent',
};

const decodedRoles: Readonly<Record<WireRole, Role>> = { user: 'ROLE_USER', agent: 'ROLE_AGENT' };

/**
 * A message that was checked before. An id is made up where there is none.
 *
 * @param at path of the message within the request, with its dot; '' at the root
 * @throws A2AError `invalidParams` naming a part that does not fit
 */
export function decodeMessage(wire: WireMessage, at: string): Message {
  const message: Message = {
    messageId: wire.messageId || newId(),
    role: decodedRoles[wire.role],
    parts: decodeParts(wire.parts, at),
  };
  const { contextId, taskId, referenceTaskIds, extensions } = wire;
  if (contextId) message.contextId = contextId;
  if (taskId) message.taskId = taskId;
  if (referenceTaskIds?.length) message.referenceTaskIds = referenceTaskIds;
  if (extensions?.length) message.extensions = extensions;
  const metadata = decodeMetadata(wire.metadata);
  if (metadata) message.metadata = metadata;
  return message;
}

/**
 * A message as it is written.
 *
 * @param at path of the message for losses, with its dot; '' at the root
 */
export function encodeMessage(message: Message, cx: CodecContext, at: string): WireMessage {
  const wire: WireMessage = {
    kind: 'message',
    messageId: message.messageId,
    role: encodedRoles[message.role],
    parts: encodeParts(message.parts, cx, at),
  };
  const { contextId, taskId, referenceTaskIds, extensions } = message;
  if (contextId !== undefined) wire.contextId = contextId;
  if (taskId !== undefined) wire.taskId = taskId;
  if (referenceTaskIds !== undefined) wire.referenceTaskIds = referenceTaskIds;
  if (extensions !== undefined) wire.extensions = extensions;
  const metadata = encodeMetadata(message.metadata);
  if (metadata) wire.metadata = metadata;
  return wire;
}
