import type { TaskSummary } from '../../../gen/admin-v1/types.ts';
import { messageOf } from '../gateway/error.ts';

/** Tasks that are acted on at the same time. */
const atOnce = 4;

/** What became of one of several tasks. */
export interface Outcome {
  readonly task: TaskSummary;
  /** Why it was refused, or failed. */
  readonly error?: string;
}

/** Acts on tasks, a few at a time, and tells what became of each. One that fails does not end the others; the signal does. */
export async function onEach(
  tasks: readonly TaskSummary[],
  act: (task: TaskSummary, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  onOutcome: (outcome: Outcome) => void,
): Promise<void> {
  const left = tasks.values();
  const work = async (): Promise<void> => {
    for (const task of left) {
      if (signal.aborted) return;
      const error = await act(task, signal).then(() => undefined, messageOf);
      if (!signal.aborted) onOutcome({ task, ...(error !== undefined && { error }) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
