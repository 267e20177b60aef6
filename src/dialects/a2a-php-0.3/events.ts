import type { StreamResponse } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import { decodeEvent as decodeEvent03, encodeEvent, type Members } from '../a2a-0.3/events.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { read } from './read.ts';

export { encodeEvent };

type Decode = (wire: unknown, cx: CodecContext, members: Members) => StreamResponse;

const decoders: Readonly<Record<string, Decode>> = {
  task: (wire, cx, { task }) => ({ task: task.decode(read('Task', wire) as never, cx) }),
  message: (wire, cx, { message }) => ({ message: message.decode(read('Message', wire) as never, cx) }),
  'status-update': (wire, cx, { statusUpdate }) => ({
    statusUpdate: statusUpdate.decode(read('TaskStatusUpdateEvent', wire) as never, cx),
  }),
  'artifact-update': (wire, cx, { artifactUpdate }) => ({
    artifactUpdate: artifactUpdate.decode(read('TaskArtifactUpdateEvent', wire) as never, cx),
  }),
};

/** The members that tell the kinds apart where `kind` is left out. */
function kindOf(wire: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof wire.kind === 'string') return wire.kind;
  if (wire.artifact !== undefined) return 'artifact-update';
  if (wire.status !== undefined) return wire.taskId === undefined ? 'task' : 'status-update';
  return wire.parts === undefined ? undefined : 'message';
}

/** Whether it is an event of A2A: executors may publish objects of their own. */
export function isEvent(wire: unknown): boolean {
  const kind = isObject(wire) ? kindOf(wire) : undefined;
  return kind !== undefined && Object.hasOwn(decoders, kind);
}

/** @throws A2AError `invalidParams` naming the faulty field */
export function decodeEvent(wire: unknown, cx: CodecContext, members: Members): StreamResponse {
  if (!isEvent(wire)) return decodeEvent03(wire, cx, members);
  return (decoders[kindOf(wire as Readonly<Record<string, unknown>>) as string] as Decode)(wire, cx, members);
}
