import { A2AError } from '../model/errors.ts';
import type { RuledField } from '../model/request-fields.ts';
import type { Append } from './task-store.ts';

/** Why a store does not take an append: the log is not where it was, or another gateway works on the task. */
export class LogConflict extends Error {
  override readonly name = 'LogConflict';
}

/** Why a store does not take an append: another call has its idempotency key. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

/** Whether a write was refused since another call has its idempotency key. */
export const isKeyTaken = (error: unknown): boolean => error instanceof A2AError && error.cause instanceof KeyTaken;

/** What callers are told who wait for a write that was refused since another call has its key: they may come again. */
export const keyTakenError = (cause: KeyTaken): A2AError =>
  new A2AError('unavailable', 'Another call with the same key is under way.', { retryAfter: 1, cause });

/** Whether a write was refused since another gateway, or another call, was quicker. */
export const isConflict = (error: unknown): boolean =>
  isKeyTaken(error) || (error instanceof A2AError && error.cause instanceof LogConflict);

/** What the callers whose task it is are told, when another gateway was quicker. */
export function conflictError(taskId: string, { create, events }: Append, cause: LogConflict): A2AError {
  const metadata = { taskId };
  if (create) {
    // Only an id that the caller chose can be taken.
    const field: RuledField = 'message.taskId';
    const violations = [{ field, description: 'was given to two new tasks at the same moment' }];
    const told = `Another message made the task ${taskId} at the same moment; send again to continue it.`;
    return new A2AError('invalidParams', told, { violations, metadata, cause });
  }
  if (events.some(({ event }) => event.message)) {
    const told = 'The task goes on at another gateway; send again when it waits for its next message.';
    return new A2AError('unsupportedOperation', told, { metadata, cause });
  }
  return takenOverError(taskId, cause);
}

/** What those are told who wait for what this gateway was to bring, when another has taken the task over. */
export function takenOverError(
  taskId: string,
  cause = new LogConflict('Another gateway took the task over.'),
): A2AError {
  const told = `The task ${taskId} goes on at another gateway; it can be read, and subscribed to.`;
  return new A2AError('unavailable', told, { metadata: { taskId }, retryAfter: 1, cause });
}
