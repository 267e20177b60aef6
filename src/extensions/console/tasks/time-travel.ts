import type { StreamResponse, Task, TaskState } from '../../../core/model/a2a.ts';
import { copyTask, fold } from '../../../core/model/fold.ts';
import { stateOf } from '../../../core/model/lifecycle.ts';
import type { TaskLogEvent } from '../../../gen/admin-v1/types.ts';
import type { EventLog } from './event-log.ts';

/** A span of the log in which the task was in one state. */
interface Phase {
  readonly state: TaskState;
  /** Position of the event that entered the state. */
  readonly position: number;
  /** Start of the state, in milliseconds. */
  readonly start: number;
}

/** The course of a task, from its events in order: the data of a timeline. */
export class Outline {
  /** The states in their order. */
  readonly phases: Phase[] = [];
  /** The time of each event, by position. */
  readonly #times: number[] = [];

  /** Adds the next event. Any other changes nothing. */
  add({ position, time, event }: TaskLogEvent): void {
    if (position !== this.length + 1) return;
    const parsed = Date.parse(time ?? '');
    // A clock that was set back must not reverse the timeline.
    const at = Math.max(Number.isNaN(parsed) ? 0 : parsed, this.#times.at(-1) ?? 0);
    this.#times.push(at);
    const state = stateOf(event as StreamResponse);
    if (state !== undefined && state !== this.phases.at(-1)?.state) this.phases.push({ state, position, start: at });
  }

  /** Number of events. */
  get length(): number {
    return this.#times.length;
  }

  /** Returns the time when an event was appended, in milliseconds; undefined for events that were not added. */
  timeAt(position: number): number | undefined {
    return this.#times[position - 1];
  }

  /** Returns the last event that was appended at a time or before; 1 if there is none. */
  positionAt(time: number): number {
    return Math.max(1, this.#times.findLastIndex((at) => at <= time) + 1);
  }

  /** Returns the numbers of events in equal spans of time between the first event and the last one, or a later end. */
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

/** The task at one position of its log. It does not change. */
export interface Moment {
  readonly position: number;
  readonly task: Task;
}

/** Number of moments in memory. Each holds references to all parts of the task so far. */
const maxMoments = 32;

/**
 * Folds a task at any position of its log. Moments on the way are stored, which makes steps back as cheap as steps
 * forward.
 */
export class TimeTravel {
  readonly #log: EventLog;
  /** Moments in the order of their positions. */
  #moments: readonly Moment[] = [];
  /** The latest requested moment. */
  #latest: Moment | undefined;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Adds a moment that is known without folding, such as the gateway's own. */
  know(moment: Moment): void {
    const others = this.#moments.filter(({ position }) => position !== moment.position);
    const moments = [...others, moment].sort((one, other) => one.position - other.position);
    // When too many are stored, every second one is dropped, but never the last one.
    this.#moments =
      moments.length > 2 * maxMoments ? moments.filter((_, at) => at % 2 === 0 || at === moments.length - 1) : moments;
  }

  /**
   * Returns the task after an event. Missing events are read.
   *
   * @param progress called with the reached position at intervals
   */
  async at(position: number, signal: AbortSignal, progress?: (position: number) => void): Promise<Moment | undefined> {
    const start = this.#nearest(position);
    if (start?.position === position) return start;
    const step = Math.max(500, Math.ceil(this.#log.lastPosition / maxMoments));
    // The fold changes its task in place.
    let task = start && copyTask(start.task);
    for await (const { position: at, event } of this.#log.range(
      (start?.position ?? 0) + 1,
      position,
      signal,
      progress,
    )) {
      task = fold(task, event as StreamResponse);
      if (at % step === 0) this.know({ position: at, task: copyTask(task) });
    }
    this.#latest = task && { position, task };
    return this.#latest;
  }

  #nearest(position: number): Moment | undefined {
    const stored = this.#moments.findLast((moment) => moment.position <= position);
    const latest = this.#latest;
    return latest && latest.position <= position && latest.position >= (stored?.position ?? 0) ? latest : stored;
  }
}
