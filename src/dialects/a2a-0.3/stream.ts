import type {
  StreamResponse,
  TaskArtifactUpdateEvent,
  TaskState,
  TaskStatusUpdateEvent,
} from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { isResting, isTerminal } from '../../core/model/lifecycle.ts';
import type {
  TaskArtifactUpdateEvent as WireArtifactUpdate,
  Message as WireMessage,
  TaskStatusUpdateEvent as WireStatusUpdate,
  Task as WireTask,
} from '../../gen/a2a-0.3/types.ts';
import type { Codec, CodecContext, StreamShape } from '../kernel/codec.ts';
import { decodeMessage, encodeMessage } from './messages.ts';
import { decodeMetadata, encodeMetadata, keptIn, type Preserved } from './metadata.ts';
import { read } from './read.ts';
import {
  decodeArtifact,
  decodeStatus,
  decodeTask,
  encodeArtifact,
  encodeStatus,
  encodeTask,
  foreignState,
} from './tasks.ts';

/** One event of a stream, or one answer to message/send, told apart by `kind`. */
export type WireEvent = WireMessage | WireTask | WireStatusUpdate | WireArtifactUpdate;

/** In which states a status update of a stream is its last. */
export type EndsAt = (state: TaskState) => boolean;

/** A message/stream ends when the task rests. */
export const endsAtRest: EndsAt = isResting;

/** A tasks/resubscribe stays open until the task is over. */
export const endsWithTask: EndsAt = isTerminal;

type Kind = NonNullable<WireEvent['kind']>;

/** The members that tell the kinds apart where `kind` is left out, each together with `kinds` that have it alone. */
function kindOf(wire: Readonly<Record<string, unknown>>): Kind | undefined {
  if (wire.artifact !== undefined) return 'artifact-update';
  if (wire.status !== undefined) return wire.id !== undefined ? 'task' : 'status-update';
  return wire.parts !== undefined ? 'message' : undefined;
}

type Decode = (wire: unknown, endsAt: EndsAt) => StreamResponse;

const decoders: Readonly<Record<Kind, Decode>> = {
  task: (wire) => ({ task: decodeTask(read('Task', wire)) }),
  message: (wire) => ({ message: decodeMessage(read('Message', wire), '') }),
  'status-update': (wire, endsAt) => ({
    statusUpdate: decodeStatusUpdate(read('TaskStatusUpdateEvent', wire), endsAt),
  }),
  'artifact-update': (wire) => ({ artifactUpdate: decodeArtifactUpdate(read('TaskArtifactUpdateEvent', wire)) }),
};

/**
 * An event of a stream.
 *
 * @throws A2AError `invalidParams` naming the faulty field
 */
export function decodeEvent(wire: unknown, endsAt: EndsAt): StreamResponse {
  const object = isObject(wire) ? wire : {};
  const kind = object.kind ?? kindOf(object);
  const decode = typeof kind === 'string' && Object.hasOwn(decoders, kind) ? decoders[kind as Kind] : undefined;
  if (decode) return decode(wire, endsAt);
  const description = `must be one of ${Object.keys(decoders).join(', ')}`;
  throw A2AError.invalidParams(undefined, [{ field: 'kind', description }]);
}

function decodeStatusUpdate(wire: WireStatusUpdate, endsAt: EndsAt): TaskStatusUpdateEvent {
  const status = decodeStatus(wire.status, 'status.');
  const update: TaskStatusUpdateEvent = { taskId: wire.taskId, contextId: wire.contextId ?? '', status };
  const state = foreignState(wire.status.state);
  const final = typeof wire.final === 'boolean' && wire.final !== endsAt(status.state) ? wire.final : undefined;
  const metadata = decodeMetadata(wire.metadata, keep(state, final));
  if (metadata) update.metadata = metadata;
  return update;
}

function keep(state: string | undefined, final: boolean | undefined): Preserved | undefined {
  if (final === undefined) return state === undefined ? undefined : { state };
  return state === undefined ? { final } : { state, final };
}

function decodeArtifactUpdate(wire: WireArtifactUpdate): TaskArtifactUpdateEvent {
  const update: TaskArtifactUpdateEvent = {
    taskId: wire.taskId,
    contextId: wire.contextId ?? '',
    artifact: decodeArtifact(wire.artifact, 'artifact.'),
  };
  if (wire.append) update.append = true;
  if (wire.lastChunk) update.lastChunk = true;
  const metadata = decodeMetadata(wire.metadata);
  if (metadata) update.metadata = metadata;
  return update;
}

/** An event as it is written. */
export function encodeEvent(event: StreamResponse, cx: CodecContext, endsAt: EndsAt): WireEvent {
  const { statusUpdate, artifactUpdate, task, message } = event;
  if (statusUpdate) return encodeStatusUpdate(statusUpdate, cx, endsAt);
  if (artifactUpdate) return encodeArtifactUpdate(artifactUpdate, cx);
  if (task) return encodeTask(task, cx, 'task.');
  if (message) return encodeMessage(message, cx, 'message.');
  throw new A2AError('internal', 'An event without content');
}

function encodeStatusUpdate(update: TaskStatusUpdateEvent, cx: CodecContext, endsAt: EndsAt): WireStatusUpdate {
  const { taskId, contextId, status } = update;
  const preserved = keptIn(update.metadata);
  const wire: WireStatusUpdate = {
    kind: 'status-update',
    taskId,
    contextId,
    status: encodeStatus(status, cx, 'statusUpdate.status.', preserved.state),
    final: preserved.final ?? endsAt(status.state),
  };
  const metadata = encodeMetadata(update.metadata);
  if (metadata) wire.metadata = metadata;
  return wire;
}

function encodeArtifactUpdate(update: TaskArtifactUpdateEvent, cx: CodecContext): WireArtifactUpdate {
  const { taskId, contextId, artifact, append, lastChunk } = update;
  const wire: WireArtifactUpdate = {
    kind: 'artifact-update',
    taskId,
    contextId,
    artifact: encodeArtifact(artifact, cx, 'artifactUpdate.artifact.'),
  };
  if (append !== undefined) wire.append = append;
  if (lastChunk !== undefined) wire.lastChunk = lastChunk;
  const metadata = encodeMetadata(update.metadata);
  if (metadata) wire.metadata = metadata;
  return wire;
}

/** Events as objects. */
export const eventCodec = (endsAt: EndsAt): Codec<unknown, StreamResponse> => ({
  decode: (wire) => decodeEvent(wire, endsAt),
  encode: (event, cx) => encodeEvent(event, cx, endsAt),
});

/** A stream whose events stand for themselves, each the result of a JSON-RPC response; they have no names. */
export const streamShape = (endsAt: EndsAt): StreamShape => ({
  encoder: (cx) => ({ encode: ({ event }) => [{ data: JSON.stringify(encodeEvent(event, cx, endsAt)) }] }),
  decoder: () => ({ decode: ({ data }) => [decodeEvent(data, endsAt)] }),
  event: eventCodec(endsAt),
});
