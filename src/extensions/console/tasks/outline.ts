import type { StreamResponse, TaskState } from '../../../core/model/a2a.ts';
import { stateOf } from '../../../core/model/lifecycle.ts';
import type { TaskLogEvent } from '../../../gen/admin-v1/types.ts';

/** A span of the log in which the task was in one state. */
export interface Phase {
  readonly state: TaskState;
  /** Position of the event that entered the state. */
  readonly position: number;
  /** When that was, in milliseconds. */
  readonly start: number;
}

/** The course of a task, from its events in order: what a timeline draws. */
export class Outline {
  readonly #phases: Phase[] = [];
  /** The time of each event, by position. */
  readonly #times: number[] = [];

  /** Adds the next event. */
  add({ position, time, event }: TaskLogEvent): void {
    const parsed = Date.parse(time ?? '');
    // A clock that was set back must not turn the timeline around.
    const at = Math.max(Number.isNaN(parsed) ? 0 : parsed, this.#times.at(-1) ?? 0);
    this.#times.push(at);
    const state = stateOf(event as StreamResponse);
    if (state !== undefined && state !== this.#phases.at(-1)?.state) this.#phases.push({ state, position, start: at });
  }

  /** Number of events. */
  get length(): number {
    return this.#times.length;
  }

  /** The states in their order. */
  get phases(): readonly Phase[] {
    return this.#phases;
  }

  /** When an event was appended, in milliseconds; undefined for events that were not added. */
  timeAt(position: number): number | undefined {
    return this.#times[position - 1];
  }

  /** The last event that was appended at a time or before, found by bisection; 1 where there is none. */
  positionAt(time: number): number {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return Math.max(1, low);
  }

  /** Numbers of events in equal spans of time between the first event and the last one, or a later end. */
  density(spans: number, end = this.#times.at(-1) ?? 0): number[] {
    const counts = new Array<number>(spans).fill(0);
    const [first = 0] = this.#times;
    const length = Math.max(0, end - first);
    for (const time of this.#times) {
      const at = length === 0 ? 0 : Math.min(spans - 1, Math.floor(((time - first) / length) * spans));
      counts[at] = (counts[at] ?? 0) + 1;
    }
    return counts;
  }
}
