import type { StreamResponse, Struct } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import * as guards from '../../gen/a2a-php-0.3/guards.ts';
import { shapes } from '../../gen/a2a-php-0.3/shapes.ts';
import { decodeKind, isKind, type Members } from '../a2a-0.3/events.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { type Reader, readerOf, type ShapeOf } from '../kernel/reader.ts';
import { missing } from '../kernel/record.ts';

export type Shape = ShapeOf<typeof guards>;

/** Reads shapes of the PHP SDK. */
export const read: Reader<typeof guards> = readerOf(guards, shapes);

/**
 * Returns an object that PHP may have written as an empty list; undefined for the list, or if there is none.
 *
 * @param field path of the value, for the error
 * @throws A2AError `invalidParams` for a list with items
 */
export function objectOf(value: Struct | readonly unknown[] | null | undefined, field: string): Struct | undefined {
  if (isObject(value)) return value as Struct;
  if (!value || (value as readonly unknown[]).length === 0) return undefined;
  throw A2AError.invalidField(field, 'must be an object');
}

/** Parameters that name a task in more than one way. */

interface Named {
  readonly id?: string | null;
  readonly taskId?: string | null;
}

/** Returns the task that parameters name, by either name; undefined if they name none. */
export const taskIdOf = ({ id, taskId }: Named): string | undefined => id || taskId || undefined;

/** Message of the error for parameters without a task. */
export const missingTaskId = 'Missing task ID';

/** Marks the error of tasks/cancel without a task, for which there is a separate code. */
const marked = { missing: 'taskId' };

export const isMissingTaskId = ({ kind, metadata }: A2AError): boolean =>
  kind === 'invalidParams' && metadata.missing === marked.missing;

export const noTaskId = (): A2AError => A2AError.invalidParams(missingTaskId, missing('id').violations, marked);

/** Returns parameters as an object. PHP writes none as an empty list. */
export const paramsOf = (wire: unknown): unknown =>
  wire === undefined || wire === null || (Array.isArray(wire) && wire.length === 0) ? {} : wire;

const digits = /^\s*[+-]?\d{1,10}\s*$/;

/**
 * Returns the requested number of messages; undefined for all of them. 0 is none, as in the document; the SDK's server
 * answers it with all.
 *
 * @throws A2AError `invalidParams` for a negative number, or a value that is not a number
 */
export function decodeHistoryLength(length: number | string | null | undefined): number | undefined {
  if (length === undefined || length === null) return undefined;
  const number = typeof length === 'string' && digits.test(length) ? Number(length) : length;
  const fault = (description: string): A2AError =>
    A2AError.invalidParams(`historyLength ${description}`, [{ field: 'historyLength', description }]);
  if (typeof number !== 'number' || number > 2 ** 31 - 1) throw fault('must be an integer');
  if (number < 0) throw fault('must be greater than or equal to zero');
  return number;
}

/** Returns the kind of an event in any spelling; without one, the kind by the members that only it has. */
function kindOf(wire: unknown): unknown {
  if (!isObject(wire)) return undefined;
  const { kind } = wire;
  if (typeof kind !== 'string') return kindByMembers(wire);
  const spelled = kind.toLowerCase().replaceAll('_', '-');
  return isKind(spelled) || !hasParts(wire) ? spelled : kindByMembers(wire);
}

/** Whether an object is a message, an artifact or a task of A2A, rather than an executor's own object. */
const hasParts = ({ parts, artifact, status }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(parts) || isObject(artifact) || (isObject(status) && typeof status.state === 'string');

function kindByMembers(wire: Readonly<Record<string, unknown>>): string | undefined {
  if (wire.artifact !== undefined) return 'artifact-update';
  if (wire.status !== undefined) return wire.taskId === undefined ? 'task' : 'status-update';
  return wire.parts === undefined ? undefined : 'message';
}

/** Whether it is an event of A2A: executors may publish objects of their own. */
export const isEvent = (wire: unknown): boolean => isKind(kindOf(wire));

/** @throws A2AError `invalidParams` naming the faulty field */
export const decodeEvent = (wire: unknown, cx: CodecContext, members: Members): StreamResponse =>
  decodeKind(kindOf(wire), wire, cx, members, read);
