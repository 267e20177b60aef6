import { A2AError } from '../model/errors.ts';
import { conflictError, KeyTaken, keyTakenError, LogConflict } from '../ports/store-errors.ts';
import type { Append, TaskStore } from '../ports/task-store.ts';
import { outagePatience, retryDelay } from './outage.ts';

export interface AppendWatch {
  readonly taskId: string;
  /** Called after each attempt at a store that is away: whether it has been for long. */
  readonly away: (error: A2AError, isLong: boolean) => void;
  /** Whether nothing is to be written any more. */
  readonly isOver: () => boolean;
}

/**
 * Appends, and waits for a store that is away: what was emitted is not lost while this process lives. Undefined when it
 * is durable; else why it never will be.
 */
export async function appendPatiently(
  store: Pick<TaskStore, 'append'>,
  batch: Append,
  { taskId, away, isOver }: AppendWatch,
): Promise<A2AError | undefined> {
  const began = Date.now();
  for (let delay: number = retryDelay[0]; ; delay = Math.min(delay * 2, retryDelay[1])) {
    try {
      await store.append(batch);
      return undefined;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.cause instanceof LogConflict) return conflictError(taskId, batch, error.cause);
      if (error.cause instanceof KeyTaken) return keyTakenError(error.cause);
      if (error.kind !== 'unavailable' || isOver()) return error;
      away(error, Date.now() - began > outagePatience);
      await new Promise<void>((resolve) => setTimeout(resolve, delay).unref());
      if (isOver()) return error;
    }
  }
}
