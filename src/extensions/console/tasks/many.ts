import type { TaskSummary } from '../../../gen/admin-v1/types.ts';
import { messageOf } from '../gateway/error.ts';

/** Number of tasks that are acted on at the same time. */
const atOnce = 4;

/** Outcome of an action on one of several tasks. */
export interface Outcome {
  readonly task: TaskSummary;
  /** Reason for a refusal or failure. */
  readonly error?: string;
}

/** Acts on tasks, a few at a time, and reports each outcome. A failure does not end the others; the signal does. */
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
