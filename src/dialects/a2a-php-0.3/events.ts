import type { StreamResponse } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import { decodeKind, isKind, type Members } from '../a2a-0.3/events.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { read } from './read.ts';

/** The kind of an event, by the members that only this kind has where `kind` is left out. */
function kindOf(wire: unknown): unknown {
  if (!isObject(wire)) return undefined;
  if (typeof wire.kind === 'string') return wire.kind;
  if (wire.artifact !== undefined) return 'artifact-update';
  if (wire.status !== undefined) return wire.taskId === undefined ? 'task' : 'status-update';
  return wire.parts === undefined ? undefined : 'message';
}

/** Whether it is an event of A2A: executors may publish objects of their own. */
export const isEvent = (wire: unknown): boolean => isKind(kindOf(wire));

/** @throws A2AError `invalidParams` naming the faulty field */
export const decodeEvent = (wire: unknown, cx: CodecContext, members: Members): StreamResponse =>
  decodeKind(kindOf(wire), wire, cx, members, read);
