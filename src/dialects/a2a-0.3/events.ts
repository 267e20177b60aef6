import type { StreamResponse } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type * as wire from '../../gen/a2a-0.3/types.ts';
import type { CodecContext } from '../kernel/codec.ts';
import type { RecordCodec } from '../kernel/record.ts';
import { read } from './read.ts';

/** One event of a stream, or one answer to message/send; `kind` distinguishes them. */
export type WireEvent = wire.Message | wire.Task | wire.TaskStatusUpdateEvent | wire.TaskArtifactUpdateEvent;

type V1<K extends keyof StreamResponse> = NonNullable<StreamResponse[K]>;

export interface Members {
  readonly task: RecordCodec<V1<'task'>, wire.Task>;
  readonly message: RecordCodec<V1<'message'>, wire.Message>;
  readonly statusUpdate: RecordCodec<V1<'statusUpdate'>, wire.TaskStatusUpdateEvent>;
  readonly artifactUpdate: RecordCodec<V1<'artifactUpdate'>, wire.TaskArtifactUpdateEvent>;
}

type Kind = NonNullable<WireEvent['kind']>;

/** Returns the kind of an event without `kind`, by the members that only this kind has. */
function kindOf(wire: Readonly<Record<string, unknown>>): Kind | undefined {
  if (wire.artifact !== undefined) return 'artifact-update';
  if (wire.status !== undefined) return wire.id !== undefined ? 'task' : 'status-update';
  return wire.parts !== undefined ? 'message' : undefined;
}

type Read = (shape: 'Task' | 'Message' | 'TaskStatusUpdateEvent' | 'TaskArtifactUpdateEvent', wire: unknown) => unknown;

const decoders: Readonly<
  Record<Kind, (wire: unknown, cx: CodecContext, members: Members, read: Read) => StreamResponse>
> = {
  task: (wire, cx, { task }, read) => ({ task: task.decode(read('Task', wire) as wire.Task, cx) }),
  message: (wire, cx, { message }, read) => ({ message: message.decode(read('Message', wire) as wire.Message, cx) }),
  'status-update': (wire, cx, { statusUpdate }, read) => ({
    statusUpdate: statusUpdate.decode(read('TaskStatusUpdateEvent', wire) as wire.TaskStatusUpdateEvent, cx),
  }),
  'artifact-update': (wire, cx, { artifactUpdate }, read) => ({
    artifactUpdate: artifactUpdate.decode(read('TaskArtifactUpdateEvent', wire) as wire.TaskArtifactUpdateEvent, cx),
  }),
};

export const isKind = (kind: unknown): kind is Kind => typeof kind === 'string' && Object.hasOwn(decoders, kind);

/** @throws A2AError `invalidParams` naming the faulty field */
export function decodeKind(
  kind: unknown,
  wire: unknown,
  cx: CodecContext,
  members: Members,
  read: Read,
): StreamResponse {
  if (isKind(kind)) return decoders[kind](wire, cx, members, read);
  throw A2AError.invalidField('kind', `must be one of ${Object.keys(decoders).join(', ')}`);
}

/** @throws A2AError `invalidParams` naming the faulty field */
export function decodeEvent(wire: unknown, cx: CodecContext, members: Members): StreamResponse {
  const object = isObject(wire) ? wire : {};
  return decodeKind(object.kind ?? kindOf(object), wire, cx, members, read);
}

/** Encodes an event in the form of the wire. */
export function encodeEvent(event: StreamResponse, cx: CodecContext, at: string, members: Members): WireEvent {
  const { statusUpdate, artifactUpdate, task, message } = event;
  if (statusUpdate) return members.statusUpdate.encode(statusUpdate, cx, `${at}statusUpdate.`);
  if (artifactUpdate) return members.artifactUpdate.encode(artifactUpdate, cx, `${at}artifactUpdate.`);
  if (task) return members.task.encode(task, cx, `${at}task.`);
  if (message) return members.message.encode(message, cx, `${at}message.`);
  throw new A2AError('internal', 'An event without content');
}
