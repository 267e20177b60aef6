import { A2AError } from '../../core/model/errors.ts';

/** Parameters that are written in more than one way. */

interface Named {
  readonly id?: string | null;
  readonly taskId?: string | null;
}

/** The task that parameters name, by either name; undefined when they name none. */
export const taskIdOf = ({ id, taskId }: Named): string | undefined => id || taskId || undefined;

/** What the answer to parameters without a task says; the code that goes with it is not that of bad parameters. */
export const missingTaskId = 'Missing task ID';

/** Tells the errors apart for which the SDK has a code of its own. */
const marked = { missing: 'taskId' };

/** Whether an error is that of tasks/get or tasks/cancel without a task. */
export const isMissingTaskId = ({ kind, metadata }: A2AError): boolean =>
  kind === 'invalidParams' && metadata.missing === marked.missing;

/** The error of tasks/get or tasks/cancel without a task. */
export const noTaskId = (message?: string): A2AError =>
  A2AError.invalidParams(message ?? missingTaskId, [{ field: 'id', description: 'is required' }], marked);

/** Parameters as an object. PHP writes none as an empty list. */
export const paramsOf = (wire: unknown): unknown =>
  wire === undefined || wire === null || (Array.isArray(wire) && wire.length === 0) ? {} : wire;

/** The error of another method without a task. */
export const requiredTaskId = (message: string): A2AError =>
  A2AError.invalidParams(message, [{ field: 'id', description: 'is required' }]);

const digits = /^\s*[+-]?\d{1,10}\s*$/;

/**
 * How many messages are wanted; undefined for all of them. The SDK's server takes 0 for all, and its clients have never
 * seen another answer to it.
 *
 * @throws A2AError `invalidParams` for what is no number, or less than 0
 */
export function decodeHistoryLength(length: number | string | null | undefined): number | undefined {
  if (length === undefined || length === null) return undefined;
  const number = typeof length === 'string' && digits.test(length) ? Number(length) : length;
  const field = 'historyLength';
  if (typeof number !== 'number' || number > 2 ** 31 - 1) {
    throw A2AError.invalidParams(`${field} must be an integer`, [{ field, description: 'must be an integer' }]);
  }
  if (number < 0) {
    const description = 'must be greater than or equal to zero';
    throw A2AError.invalidParams(`${field} ${description}`, [{ field, description }]);
  }
  return number === 0 ? undefined : number;
}
