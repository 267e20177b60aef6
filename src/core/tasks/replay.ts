import type { StreamResponse, Task } from '../model/a2a.ts';
import type { LoggedEvent } from '../model/call.ts';
import { fold } from '../model/fold.ts';
import type { TaskStore } from '../ports/task-store.ts';

type EventReader = Pick<TaskStore, 'events'>;

/** Events read at once while a log is folded or searched. */
const batchSize = 500;

/** A task as it was after an event. */
export interface PastTask {
  readonly task: Task;
  /** Position of that event. */
  readonly seq: number;
  readonly generation: number;
}

/** The task as it was after an event, folded from its log. Undefined if the log does not reach that position. */
export async function taskAt(store: EventReader, key: string, position: number): Promise<PastTask | undefined> {
  let task: Task | undefined;
  let generation = 0;
  for (let after = 0; after < position; ) {
    const events = await store.events(key, after, Math.min(batchSize, position - after));
    for (const { event } of events) task = fold(task, event);
    const last = events.at(-1);
    if (!last) return undefined;
    after = last.seq;
    generation = last.generation;
  }
  return task && { task, seq: position, generation };
}

/** The first event that matches, of those after position `after` up to position `until`. */
export async function findEvent(
  store: EventReader,
  key: string,
  { after, until }: { readonly after: number; readonly until: number },
  matches: (event: StreamResponse) => boolean,
): Promise<LoggedEvent | undefined> {
  for (let from = after; from < until; ) {
    const events = await store.events(key, from, batchSize);
    const found = events.find(({ event }) => matches(event));
    if (found) return found;
    from = events.at(-1)?.seq ?? until;
  }
  return undefined;
}

/** Number of events that a follower of a log reads at once: the first time, at least, and at most. */
export const pageSizes = { first: 32, min: 1, max: 256 } as const;
/** Characters of JSON that a page should have. */
const pageLength = 262_144;

/**
 * Returns the number of events to read after `size` events with `length` characters of JSON: fewer if they are large.
 */
export function nextPageSize(size: number, length: number): number {
  if (length > pageLength) return Math.max(pageSizes.min, size >> 2);
  return length < pageLength / 4 ? Math.min(pageSizes.max, size * 2) : size;
}
