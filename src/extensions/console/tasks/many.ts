import type { TaskLogEvent, TaskSummary } from '../../../gen/admin-v1/types.ts';
import { admin } from '../gateway/admin.ts';
import { messageOf } from '../gateway/error.ts';
import { writeHistory } from './history-file.ts';

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

/** Reads a task's log page by page. */
async function* eventsOf(key: string, signal: AbortSignal): AsyncGenerator<TaskLogEvent> {
  for (let after = 0, last = 1; after < last; ) {
    const page = await admin.call('ListTaskEvents', { key, after, pageSize: 1000 }, { signal });
    const { events = [], lastPosition = 0 } = page;
    yield* events;
    last = lastPosition;
    after = events.at(-1)?.position ?? last;
  }
}

/** The text of a file with the history of a task, in pieces. */
export async function readWhole(task: TaskSummary, exportedAt: string, signal: AbortSignal): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of writeHistory(task, eventsOf(task.key, signal), exportedAt)) pieces.push(piece);
  return pieces;
}
