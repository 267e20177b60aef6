import type { Task } from '../model/a2a.ts';
import { fold } from '../model/fold.ts';
import type { TaskStore } from '../ports/task-store.ts';

/** Events read at once while folding. */
const page = 500;

/**
 * The task as it was after an event, folded anew from its log. Undefined where there was none, or the log has been
 * deleted.
 */
export async function taskAt(
  store: Pick<TaskStore, 'events'>,
  key: string,
  position: number,
): Promise<Task | undefined> {
  let task: Task | undefined;
  for (let after = 0; after < position; ) {
    const events = await store.events(key, after, Math.min(page, position - after));
    for (const { event } of events) task = fold(task, event);
    const last = events.at(-1);
    if (!last) return undefined;
    after = last.seq;
  }
  return task;
}
