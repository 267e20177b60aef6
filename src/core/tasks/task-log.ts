import type { StreamResponse, Task, TaskState } from '../model/a2a.ts';
import type { LoggedEvent } from '../model/call.ts';
import { copyOf, fold } from '../model/fold.ts';
import { isResting, isTerminal, stateOf } from '../model/lifecycle.ts';
import type { StoredTask } from '../ports/task-store.ts';

/** How far one task's log has come, in this process and in the store, and what the task is by it. */
export class TaskLog {
  #task: Task | undefined;
  /** Whether somebody has been given `task`, which is not changed any more then. */
  #shown = false;
  /** Bytes of JSON that it was made of, which it hardly exceeds as JSON. */
  bytes: number;
  /** Position of the last durable event. */
  committed: number;
  /** Position of the last event that was emitted, durable or not. */
  head: number;
  /** State after the last event that was emitted, durable or not. */
  state: TaskState;
  /** When that state was entered: milliseconds. */
  statusAt: number;
  /** When the last durable event was emitted: milliseconds. */
  updatedAt: number;
  readonly #now: () => number;
  /** Position of the event that brought `state`; 0: it came from the store. */
  #statusHead = 0;
  /** Position of the last durable event that left the task at rest. */
  #restedAt = 0;

  /**
   * @param createdAt milliseconds, of a task that the store does not know
   * @param now the time, by the store's clock
   */
  constructor(createdAt: number, stored: StoredTask | undefined, now: () => number) {
    this.#now = now;
    this.#task = stored?.task;
    this.#shown = stored !== undefined;
    this.bytes = stored?.bytes ?? 0;
    this.committed = stored?.seq ?? 0;
    this.head = this.committed;
    this.state = stored?.state ?? 'TASK_STATE_UNSPECIFIED';
    this.statusAt = stored?.statusAt ?? createdAt;
    this.updatedAt = stored?.updatedAt ?? createdAt;
    this.#restedAt = stored?.rested ? stored.seq : 0;
  }

  /** Folded from what is durable, and never changed any more. Undefined until the first event is. */
  get task(): Task | undefined {
    this.#shown = true;
    return this.#task;
  }

  /** Whether the task can be read. */
  get isFolded(): boolean {
    return this.#task !== undefined;
  }

  get isTerminal(): boolean {
    return isTerminal(this.state);
  }

  /** Whether the task is at rest, durable or not, and has come to it after `after`, by whoever's event. */
  hasRested(after: number): boolean {
    return isResting(this.state) && this.#statusHead > after;
  }

  /** Whether the last durable event after `after` that says so left the task at rest. */
  hasDurablyRested(after: number): boolean {
    return this.#restedAt > after;
  }

  /** Gives an event its position. */
  emit(event: StreamResponse): LoggedEvent {
    const at = this.#now();
    this.head += 1;
    const state = stateOf(event);
    if (state) this.#enter(state, this.head, at);
    return { seq: this.head, at, event, json: JSON.stringify(event) };
  }

  /** The task as it is with events that are not durable yet. */
  foldedWith(events: readonly LoggedEvent[]): Task | undefined {
    return foldAll(this.#task && copyOf(this.#task), events);
  }

  /**
   * Events are durable.
   *
   * @param folded the task as it is with them, where it is known
   */
  commit(events: readonly LoggedEvent[], folded?: Task): void {
    const last = events.at(-1);
    if (!last) return;
    if (!folded && this.#shown && this.#task) this.#task = copyOf(this.#task);
    this.#task = folded ?? foldAll(this.#task, events);
    this.#shown = false;
    for (const { json } of events) this.bytes += json.length;
    this.#passed(events, last);
  }

  #passed(events: readonly LoggedEvent[], last: LoggedEvent): void {
    this.committed = last.seq;
    this.updatedAt = last.at;
    const rested = events.findLast(({ event }) => {
      const state = stateOf(event);
      return state !== undefined && isResting(state);
    });
    if (rested) this.#restedAt = rested.seq;
  }

  /** Durable events that others emitted. They follow on the last one. */
  adopt(events: readonly LoggedEvent[]): void {
    this.#learn(events);
    this.commit(events);
    this.head = this.committed;
  }

  /** What was emitted and is not durable never will be. */
  drop(): void {
    this.head = this.committed;
    this.#statusHead = 0;
  }

  /** The same as `adopt`, after a drop, while `task` and `state` may be those that were dropped. */
  regain(events: readonly LoggedEvent[]): void {
    this.#learn(events);
    const last = events.at(-1);
    if (last) this.#passed(events, last);
    this.head = this.committed;
  }

  /** The task as the store has it, when all events that lead to it were regained. */
  restore({ task, bytes, state, statusAt }: StoredTask): void {
    this.#task = task;
    this.#shown = true;
    this.bytes = bytes;
    this.state = state;
    this.statusAt = statusAt;
  }

  #learn(events: readonly LoggedEvent[]): void {
    const told = events.findLast(({ event }) => stateOf(event) !== undefined);
    const state = told && stateOf(told.event);
    if (told && state) this.#enter(state, told.seq, told.at);
  }

  #enter(state: TaskState, seq: number, at: number): void {
    this.state = state;
    this.#statusHead = seq;
    this.statusAt = at;
  }
}

function foldAll(task: Task | undefined, events: readonly LoggedEvent[]): Task | undefined {
  let folded = task;
  for (const { event } of events) folded = fold(folded, event);
  return folded;
}
