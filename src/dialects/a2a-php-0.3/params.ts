import { A2AError } from '../../core/model/errors.ts';
import { missing } from '../kernel/record.ts';

/** Parameters that are written in more than one way. */

interface Named {
  readonly id?: string | null;
  readonly taskId?: string | null;
}

/** The task that parameters name, by either name; undefined when they name none. */
export const taskIdOf = ({ id, taskId }: Named): string | undefined => id || taskId || undefined;

/** Message of the error for parameters without a task. */
export const missingTaskId = 'Missing task ID';

/** Marks the error of tasks/cancel without a task, which has a code of its own. */
const marked = { missing: 'taskId' };

export const isMissingTaskId = ({ kind, metadata }: A2AError): boolean =>
  kind === 'invalidParams' && metadata.missing === marked.missing;

export const noTaskId = (): A2AError => A2AError.invalidParams(missingTaskId, missing('id').violations, marked);

/** Parameters as an object. PHP writes none as an empty list. */
export const paramsOf = (wire: unknown): unknown =>
  wire === undefined || wire === null || (Array.isArray(wire) && wire.length === 0) ? {} : wire;

const digits = /^\s*[+-]?\d{1,10}\s*$/;

/**
 * How many messages are wanted; undefined for all of them. 0 is none, as the document says; the SDK's server answers it with all.
 *
 * @throws A2AError `invalidParams` for a negative number, or none
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
