import { batch, computed, signal } from '@preact/signals';
import type { StreamResponse, Task, TaskState } from '../../../core/model/a2a.ts';
import { isResting, stateOf } from '../../../core/model/lifecycle.ts';
import { admin, type TaskDetails, type TaskLogEvent, type TaskSummary } from '../gateway/admin.ts';
import { noteRead } from '../shell/facts.ts';
import { EventLog, type ReadEvents } from './event-log.ts';
import { Following } from './following.ts';
import { writeHistory } from './history-file.ts';
import { type Moment, Outline, TimeTravel } from './time-travel.ts';

/** Number of events of the longest log that is read whole without a request. */
const readAtOnce = 5_000;

/** A task that is viewed: its log, and the task at the chosen position. */
export class TaskSession {
  /** The row of the task, as current as its events. Undefined until it was read. */
  readonly summary = signal<TaskSummary | undefined>(undefined);
  readonly details = signal<TaskDetails | undefined>(undefined);
  /** Reason why the task could not be read. */
  readonly error = signal<unknown>(undefined);
  readonly busy = computed(() => this.summary.value === undefined && this.error.value === undefined);
  /** Number of changes of the log and the outline, which are then read again. */
  readonly changes = signal(0);
  /** The chosen position. */
  readonly position = signal(0);
  /** Whether the position stays at the end of the log. */
  readonly atEnd = signal(true);
  /** The task at the chosen position, or at the previous one while events are read. */
  readonly moment = signal<Moment | undefined>(undefined);
  /** Position that the fold to the chosen position has reached, while it takes long. */
  readonly progress = signal<number | undefined>(undefined);
  /** Position that the outline has reached while the whole log is being read. */
  readonly readingAll = signal<number | undefined>(undefined);
  /** Reason why events could not be read or folded. */
  readonly foldError = signal<unknown>(undefined);
  /** The stream of events. */
  readonly stream: Following<TaskLogEvent, number>;
  readonly outline = new Outline();
  readonly log: EventLog;
  readonly #key: string;
  readonly #start: number | undefined;
  readonly #abort = new AbortController();
  readonly #travel: TimeTravel;
  #walk = new AbortController();

  /** @param position start position. Absent: the end of the log, which is followed */
  constructor(key: string, position?: number) {
    this.#start = position;
    this.#key = key;
    this.log = new EventLog(logOf(key), 0, () => {
      this.changes.value += 1;
    });
    this.#travel = new TimeTravel(this.log);
    this.stream = new Following<TaskLogEvent, number>({
      open: (after = 0, options) => admin.stream('FollowTask', { key: this.#key, after }, options),
      next: ({ position }, last = 0) => (position > last ? position : undefined),
      onEvents: (events) => this.#take(events),
    });
  }

  /** Reads the task and begins to follow it. */
  async open(): Promise<void> {
    try {
      await this.#inspect();
    } catch (error) {
      if (!this.#abort.signal.aborted) this.error.value = error;
      return;
    }
    const last = this.log.lastPosition;
    this.goTo(this.#start ?? last, this.#start === undefined);
    if (last <= readAtOnce) void this.readAll();
    this.stream.start(this.#abort.signal, last);
  }

  /** Chooses a position. */
  goTo(position: number, atEnd = position >= this.log.lastPosition): void {
    batch(() => {
      this.position.value = Math.max(1, Math.min(position, this.log.lastPosition));
      this.atEnd.value = atEnd;
      void this.#fold();
    });
  }

  /** Repeats failed reads. */
  retry(): void {
    this.log.retry();
    if (this.foldError.peek() !== undefined) void this.#fold();
  }

  /** Reads the whole log, for the timeline. */
  async readAll(): Promise<void> {
    const { signal: closed } = this.#abort;
    const progress = (reached: number): void => {
      this.readingAll.value = reached;
    };
    progress(this.outline.length);
    try {
      const from = this.outline.length + 1;
      for await (const event of this.log.range(from, Number.POSITIVE_INFINITY, closed, progress))
        this.outline.add(event);
    } catch (error) {
      if (!closed.aborted) this.foldError.value = error;
    }
    batch(() => {
      this.readingAll.value = undefined;
      this.changes.value += 1;
    });
  }

  /** Takes the row from a response of the gateway. */
  take({ summary }: TaskDetails): void {
    if ((summary.lastPosition ?? 0) >= this.log.lastPosition) this.summary.value = summary;
  }

  close(): void {
    this.#walk.abort();
    this.#abort.abort();
    this.log.close();
  }

  /** Reads the task, and facts that no event contains, such as the ids at an upstream agent. */
  async #inspect(): Promise<void> {
    const details = await admin.call('InspectTask', { key: this.#key }, { signal: this.#abort.signal });
    const { summary, task } = details;
    const { lastPosition = 0 } = summary;
    // A short log is folded here completely. For a long one it is better to start at its end.
    if (task && lastPosition > readAtOnce) {
      this.#travel.know({ position: lastPosition, task: task as unknown as Task });
    }
    batch(() => {
      this.details.value = details;
      this.take(details);
      this.log.grow(lastPosition);
      noteRead();
    });
  }

  #take(arrived: readonly TaskLogEvent[]): void {
    batch(() => {
      this.log.append(arrived);
      const before = this.summary.peek();
      if (before) {
        const after = summaryAfter(before, arrived);
        this.summary.value = after;
        if (after.state !== before.state && isResting(after.state as TaskState)) this.#inspect().catch(() => {});
      }
      // A complete outline stays complete.
      for (const event of arrived) this.outline.add(event);
      if (this.atEnd.peek()) this.goTo(this.log.lastPosition, true);
    });
  }

  /** Folds the task at the chosen position. Only the latest choice counts. */
  async #fold(): Promise<void> {
    this.#walk.abort();
    const walk = new AbortController();
    this.#walk = walk;
    const position = this.position.peek();
    const progress = (reached: number): void => {
      this.progress.value = reached;
    };
    const show = (moment: Moment | undefined, error?: unknown): void => {
      if (walk.signal.aborted) return;
      batch(() => {
        this.moment.value = moment ?? this.moment.peek();
        this.progress.value = undefined;
        this.foldError.value = error;
      });
    };
    await this.#travel.at(position, walk.signal, progress).then(show, (error: unknown) => show(undefined, error));
  }
}

const logOf =
  (key: string): ReadEvents =>
  (after, pageSize, signal) =>
    admin.call('ListTaskEvents', { key, after, pageSize }, { signal });

/** Returns the row of a task after further events. */
function summaryAfter(summary: TaskSummary, events: readonly TaskLogEvent[]): TaskSummary {
  let next = summary;
  for (const { position, time, event } of events) {
    const state = stateOf(event as StreamResponse);
    const entered = state !== undefined && state !== next.state && { state, ...(time && { stateChangedAt: time }) };
    next = { ...next, lastPosition: position, ...(time && { updatedAt: time }), ...entered };
  }
  // The replica that works on it is known again when the task is read again.
  const { replica: _, ...resting } = next;
  return isResting(next.state as TaskState) ? resting : next;
}

/** Returns the text of a file with the history of a task, in pieces. */
export async function readWhole(task: TaskSummary, exportedAt: string, signal: AbortSignal): Promise<string[]> {
  const log = new EventLog(logOf(task.key), task.lastPosition ?? 1, () => {});
  return Array.fromAsync(writeHistory(task, log.range(1, Number.POSITIVE_INFINITY, signal), exportedAt));
}
