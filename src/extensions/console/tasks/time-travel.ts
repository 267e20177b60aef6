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

/** The task at one position of its log. It does not change. */
export interface Moment {
  readonly position: number;
  readonly task: Task;
}

/** A fold on its way: the task is changed in place. */
interface Walk {
  position: number;
  task: Task | undefined;
}

/** Moments that are kept at once. Each holds references to all parts of the task so far. */
const maxKept = 32;

/** Events that are folded without letting the page draw. */
const maxAtOnce = 2000;

/** Time after which folding lets the page draw, in milliseconds. */
const slice = 12;

/** Folds a task at any position of its log. Moments on the way are kept, which makes steps back as cheap as steps forward. */
export class TimeTravel {
  readonly #log: EventLog;
  readonly #onEvent: (event: TaskLogEvent) => void;
  /** In the order of their positions. */
  #kept: readonly Moment[] = [];
  /** The moment that was last asked for. */
  #latest: Moment | undefined;
  /** Events up to this position were passed to `onEvent`. */
  #seen = 0;

  /** @param onEvent called once for each event when it is first folded, in order and without a gap */
  constructor(log: EventLog, onEvent: (event: TaskLogEvent) => void = () => {}) {
    this.#log = log;
    this.#onEvent = onEvent;
  }

  /** Position up to which all events were passed to `onEvent`. */
  get seen(): number {
    return this.#seen;
  }

  /** Adds a moment that is known without folding, such as the gateway's own. */
  know(moment: Moment): void {
    const others = this.#kept.filter(({ position }) => position !== moment.position);
    const kept = [...others, moment].sort((one, other) => one.position - other.position);
    // When too many are kept, every second one is dropped, but never the last one.
    this.#kept = kept.length > 2 * maxKept ? kept.filter((_, at) => at % 2 === 0 || at === kept.length - 1) : kept;
  }

  /** The task after an event, where few events have to be folded and all of them are in memory. */
  now(position: number): Moment | undefined {
    const start = this.#nearest(position);
    if (start?.position === position) return start;
    const walk = begin(start);
    if (position - walk.position > maxAtOnce) return undefined;
    const events: TaskLogEvent[] = [];
    for (let at = walk.position + 1; at <= position; at++) {
      const event = this.#log.at(at);
      if (!event) return undefined;
      events.push(event);
    }
    for (const event of events) this.#apply(walk, event);
    return this.#arrive(walk);
  }

  /**
   * The task after an event. Events that are missing are read.
   *
   * @param progress called with the position that was reached, now and then
   */
  async at(position: number, signal: AbortSignal, progress?: (position: number) => void): Promise<Moment | undefined> {
    return this.#walk(begin(this.#nearest(position)), position, signal, progress);
  }

  /** Folds all events that were not passed to `onEvent` yet. */
  async readAll(signal: AbortSignal, progress?: (position: number) => void): Promise<void> {
    await this.#walk(begin(this.#nearest(this.#seen)), this.#log.lastPosition, signal, progress);
  }

  async #walk(
    walk: Walk,
    position: number,
    signal: AbortSignal,
    progress: ((position: number) => void) | undefined,
  ): Promise<Moment | undefined> {
    let drawn = performance.now();
    for await (const event of this.#log.range(walk.position + 1, position, signal)) {
      this.#apply(walk, event);
      if (performance.now() - drawn < slice) continue;
      progress?.(event.position);
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
      drawn = performance.now();
    }
    return this.#arrive(walk);
  }

  #nearest(position: number): Moment | undefined {
    const kept = this.#kept.findLast((moment) => moment.position <= position);
    const latest = this.#latest;
    return latest && latest.position <= position && latest.position >= (kept?.position ?? 0) ? latest : kept;
  }

  #apply(walk: Walk, event: TaskLogEvent): void {
    walk.task = fold(walk.task, event.event as StreamResponse);
    walk.position = event.position;
    if (event.position === this.#seen + 1) {
      this.#seen = event.position;
      this.#onEvent(event);
    }
    const step = Math.max(500, Math.ceil(this.#log.lastPosition / maxKept));
    if (event.position % step === 0) this.know({ position: event.position, task: copyTask(walk.task) });
  }

  /** The walk is over: its task changes no more. */
  #arrive({ position, task }: Walk): Moment | undefined {
    if (task) this.#latest = { position, task };
    return task && this.#latest;
  }
}

const begin = (moment: Moment | undefined): Walk => ({
  position: moment?.position ?? 0,
  task: moment && copyTask(moment.task),
});
