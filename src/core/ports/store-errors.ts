import type { RuledField } from '../model/errors.ts';
import { A2AError } from '../model/errors.ts';
import type { Append } from './task-store.ts';

/** Reason for which a store refuses an append: the log has moved on, or another replica owns the task. */
export class LogConflict extends Error {
  override readonly name = 'LogConflict';
  /**
   * Whether the events are in the log nevertheless: another replica has taken over the task since they were written.
   */
  readonly isStored: boolean;

  constructor(message: string, { isStored = false } = {}) {
    super(message);
    this.isStored = isStored;
  }
}

/** Reason for which a store refuses an append: another call has its idempotency key. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

/** Whether a write was refused because another call has its idempotency key. */
export const isKeyTaken = (error: unknown): boolean => error instanceof A2AError && error.cause instanceof KeyTaken;

/** Whether a write was refused because another replica or another call was first. */
export const isConflict = (error: unknown): boolean =>
  isKeyTaken(error) || (error instanceof A2AError && error.cause instanceof LogConflict);

/** Returns the error for callers of a task whose write was refused. */
export function conflictError(taskId: string, { create, events }: Append, cause: LogConflict | KeyTaken): A2AError {
  if (cause instanceof KeyTaken) {
    const message = 'Another call with the same idempotency key is in progress; retry.';
    return new A2AError('unavailable', message, { retryAfter: 1, cause });
  }
  const metadata = { taskId };
  if (cause.isStored) return takenOverError(taskId, cause);
  if (create) {
    // Only an id that the caller chose can be taken.
    const field: RuledField = 'message.taskId';
    const violations = [{ field, description: 'was given to two new tasks at the same moment' }];
    const message = `Another message created the task ${taskId} at the same moment; send again to continue it.`;
    return new A2AError('invalidParams', message, { violations, metadata, cause });
  }
  if (events.some(({ event }) => event.message)) {
    const message = 'Another replica is working on the task; send again when the task waits for its next message.';
    return new A2AError('unsupportedOperation', message, { metadata, cause });
  }
  return takenOverError(taskId, cause);
}

/** Returns the error for callers that wait for events of a task that another replica has taken over. */
export function takenOverError(taskId: string, cause = new LogConflict('Another replica took over the task.')) {
  const message = `Another replica took over the task ${taskId}; read it or subscribe to it.`;
  return new A2AError('unavailable', message, { metadata: { taskId }, retryAfter: 1, cause });
}
