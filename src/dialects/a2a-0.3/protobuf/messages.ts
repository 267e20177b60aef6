import type { Artifact, Message } from '../../../core/model/a2a.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { newId } from '../../../core/model/ids.ts';
import type { Artifact as WireArtifact, Message as WireMessage } from '../../../gen/a2a-v0_3/types.ts';
import type { CodecContext } from '../../kernel/codec.ts';
import { decodeMetadata, encodeMetadata } from '../metadata.ts';
import { decodeParts, encodeParts } from './parts.ts';

/** Messages and artifacts in the protobuf shape. Members are written in the proto's order, as all its printers do. */

/** A canonical message, of an answer: an id is made up where there is none, and an absent role is unspecified. */
export function decodeMessage(wire: WireMessage, cx: CodecContext): Message {
  const { contextId, taskId, extensions } = wire;
  const message: Message = {
    messageId: wire.messageId || newId(),
    role: wire.role ?? 'ROLE_UNSPECIFIED',
    parts: decodeParts(wire.content, cx),
  };
  if (contextId) message.contextId = contextId;
  if (taskId) message.taskId = taskId;
  if (extensions) message.extensions = extensions;
  const metadata = decodeMetadata(wire.metadata);
  if (metadata) message.metadata = metadata;
  return message;
}

/** What a message that is sent has to have. */
const needed = ['messageId', 'role', 'content'] as const satisfies readonly (keyof WireMessage)[];

/**
 * A canonical message, as it is sent.
 *
 * @throws A2AError `invalidParams` naming what is missing; the proto calls nothing required
 */
export function decodeSentMessage(wire: WireMessage, cx: CodecContext): Message {
  if (!wire.messageId || !wire.role || !wire.content) {
    const missing = needed.filter((name) => !wire[name]);
    throw A2AError.invalidParams(
      undefined,
      missing.map((name) => ({ field: `message.${name}`, description: 'is required' })),
    );
  }
  return decodeMessage(wire, cx);
}

/**
 * A message as it is written.
 *
 * @param at path of the message for losses, with its dot; '' at the root
 */
export function encodeMessage(message: Message, cx: CodecContext, at: string): WireMessage {
  const { messageId, contextId, taskId, role, parts, extensions } = message;
  if (message.referenceTaskIds) cx.losses.add(`${at}referenceTaskIds`);
  const wire: WireMessage = { messageId };
  if (contextId) wire.contextId = contextId;
  if (taskId) wire.taskId = taskId;
  if (role !== 'ROLE_UNSPECIFIED') wire.role = role;
  if (parts.length > 0) wire.content = encodeParts(parts, cx, at);
  const metadata = encodeMetadata(message.metadata);
  if (metadata) wire.metadata = metadata;
  if (extensions) wire.extensions = extensions;
  return wire;
}

/**
 * A canonical artifact.
 *
 * @param at path of the artifact, with its dot
 * @throws A2AError `invalidParams` when it has no id
 */
export function decodeArtifact(wire: WireArtifact, cx: CodecContext, at: string): Artifact {
  const { artifactId, name, description, extensions } = wire;
  if (!artifactId) throw missing(`${at}artifactId`);
  const artifact: Artifact = { artifactId, parts: decodeParts(wire.parts, cx) };
  if (name) artifact.name = name;
  if (description) artifact.description = description;
  if (extensions) artifact.extensions = extensions;
  const metadata = decodeMetadata(wire.metadata);
  if (metadata) artifact.metadata = metadata;
  return artifact;
}

/** The error of a field that has to be there. */
export const missing = (field: string): A2AError =>
  A2AError.invalidParams(undefined, [{ field, description: 'is required' }]);

/**
 * An artifact as it is written.
 *
 * @param at path of the artifact for losses, with its dot
 */
export function encodeArtifact(artifact: Artifact, cx: CodecContext, at: string): WireArtifact {
  const { artifactId, name, description, parts, extensions } = artifact;
  const wire: WireArtifact = { artifactId };
  if (name) wire.name = name;
  if (description) wire.description = description;
  if (parts.length > 0) wire.parts = encodeParts(parts, cx, at);
  const metadata = encodeMetadata(artifact.metadata);
  if (metadata) wire.metadata = metadata;
  if (extensions) wire.extensions = extensions;
  return wire;
}
