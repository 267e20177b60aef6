import type { StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '../../../core/model/a2a.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { api } from '../../../gen/a2a-v0_3/index.ts';
import type {
  TaskArtifactUpdateEvent as WireArtifactUpdate,
  StreamResponse as WireEvent,
  TaskStatusUpdateEvent as WireStatusUpdate,
} from '../../../gen/a2a-v0_3/types.ts';
import { parseAs } from '../../../wire/validate.ts';
import type { Codec, CodecContext, StreamShape } from '../../kernel/codec.ts';
import { decodeMetadata, encodeMetadata, keptIn } from '../metadata.ts';
import type { EndsAt } from '../stream.ts';
import { decodeArtifact, decodeMessage, encodeArtifact, encodeMessage, missing } from './messages.ts';
import { decodeStatus, decodeTask, encodeStatus, encodeTask } from './tasks.ts';

/** Events of streams in the protobuf shape. */

/** @throws A2AError `invalidParams` naming the faulty field */
function decodeEvent(wire: unknown, cx: CodecContext, endsAt: EndsAt): StreamResponse {
  const { task, message, statusUpdate, artifactUpdate } = parseAs<WireEvent>(api, 'a2a.v1.StreamResponse', wire);
  if (statusUpdate) return { statusUpdate: decodeStatusUpdate(statusUpdate, cx, endsAt) };
  if (artifactUpdate) return { artifactUpdate: decodeArtifactUpdate(artifactUpdate, cx) };
  if (task) return { task: decodeTask(task, cx, 'task.') };
  return { message: decodeMessage(message as NonNullable<typeof message>, cx) };
}

function decodeStatusUpdate(wire: WireStatusUpdate, cx: CodecContext, endsAt: EndsAt): TaskStatusUpdateEvent {
  const { taskId, contextId = '', final = false } = wire;
  if (!taskId) throw missing('statusUpdate.taskId');
  const status = decodeStatus(wire.status, cx);
  const update: TaskStatusUpdateEvent = { taskId, contextId, status };
  const metadata = decodeMetadata(wire.metadata, final === endsAt(status.state) ? undefined : { final });
  if (metadata) update.metadata = metadata;
  return update;
}

function decodeArtifactUpdate(wire: WireArtifactUpdate, cx: CodecContext): TaskArtifactUpdateEvent {
  const { taskId, contextId = '', artifact, append, lastChunk } = wire;
  if (!taskId) throw missing('artifactUpdate.taskId');
  if (!artifact) throw missing('artifactUpdate.artifact');
  const update: TaskArtifactUpdateEvent = {
    taskId,
    contextId,
    artifact: decodeArtifact(artifact, cx, 'artifactUpdate.artifact.'),
  };
  if (append) update.append = append;
  if (lastChunk) update.lastChunk = lastChunk;
  const metadata = decodeMetadata(wire.metadata);
  if (metadata) update.metadata = metadata;
  return update;
}

function encodeEvent(event: StreamResponse, cx: CodecContext, endsAt: EndsAt): WireEvent {
  const { task, message, statusUpdate, artifactUpdate } = event;
  if (statusUpdate) return { statusUpdate: encodeStatusUpdate(statusUpdate, cx, endsAt) };
  if (artifactUpdate) return { artifactUpdate: encodeArtifactUpdate(artifactUpdate, cx) };
  if (task) return { task: encodeTask(task, cx, 'task.') };
  if (message) return { message: encodeMessage(message, cx, 'message.') };
  throw new A2AError('internal', 'An event without content');
}

function encodeStatusUpdate(update: TaskStatusUpdateEvent, cx: CodecContext, endsAt: EndsAt): WireStatusUpdate {
  const { taskId, contextId, status } = update;
  const wire: WireStatusUpdate = { taskId };
  if (contextId) wire.contextId = contextId;
  wire.status = encodeStatus(status, cx, 'statusUpdate.status.');
  if (keptIn(update.metadata).final ?? endsAt(status.state)) wire.final = true;
  const metadata = encodeMetadata(update.metadata);
  if (metadata) wire.metadata = metadata;
  return wire;
}

function encodeArtifactUpdate(update: TaskArtifactUpdateEvent, cx: CodecContext): WireArtifactUpdate {
  const { taskId, contextId, append, lastChunk } = update;
  const wire: WireArtifactUpdate = { taskId };
  if (contextId) wire.contextId = contextId;
  wire.artifact = encodeArtifact(update.artifact, cx, 'artifactUpdate.artifact.');
  if (append) wire.append = append;
  if (lastChunk) wire.lastChunk = lastChunk;
  const metadata = encodeMetadata(update.metadata);
  if (metadata) wire.metadata = metadata;
  return wire;
}

/**
 * Events as objects.
 *
 * @param endsAt in which states a status update is the last of its stream, which `final` says
 */
export const eventCodec = (endsAt: EndsAt): Codec<unknown, StreamResponse> => ({
  decode: (wire, cx) => decodeEvent(wire, cx, endsAt),
  encode: (event, cx) => encodeEvent(event, cx, endsAt),
});

/** A stream whose events stand for themselves, unnamed and in no envelope. */
export function streamShape(endsAt: EndsAt): StreamShape {
  const event = eventCodec(endsAt);
  return {
    encoder: (cx) => ({ encode: (logged) => [{ data: JSON.stringify(encodeEvent(logged.event, cx, endsAt)) }] }),
    decoder: (cx) => ({ decode: ({ data }) => [decodeEvent(data, cx, endsAt)] }),
    event,
  };
}
