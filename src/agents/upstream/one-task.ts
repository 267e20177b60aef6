import type { StreamResponse, Task } from '../../core/model/a2a.ts';
import { unloggedEvent } from '../../core/model/agent-events.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { copyTask, fold, taskReportedBy } from '../../core/model/fold.ts';
import { isResting } from '../../core/model/lifecycle.ts';
import { streamOver } from '../../core/model/streams.ts';
import { difference, mergeTasks } from '../../core/model/task-diff.ts';
import { idsIn } from './ids.ts';
import { LateStream } from './late-stream.ts';

/** Facts about a stream that was opened after its message was sent. */
export interface LateOpening {
  /** The task before the message. Undefined: the message opened the task. */
  readonly before: Task | undefined;
  get(id: string): Promise<Task>;
}

/**
 * Largest number of bytes of events that are kept for comparison. Beyond it, a later report of the task repeats its artifacts.
 */
const maxKept = 8 << 20;

/**
 * Converts a stream to the form of v1 streams: it begins with its task, although some agents and dialects begin with an update,
 * and later reports of the whole task become updates. A stream that begins with a Message stays unchanged.
 *
 * @param taskOf the task before the first event
 * @param late finds the content that a stream lacks because it was opened after its message was sent. Default: the message opened
 *   it
 */
export function withOneTask(
  source: AsyncIterable<LoggedEvent>,
  taskOf: TaskBefore,
  late?: LateOpening,
): AsyncIterableIterator<LoggedEvent> {
  const events = source[Symbol.asyncIterator]();
  const stream = new OneTaskStream(events, taskOf, late);
  return streamOver(events, () => stream.next());
}

/** Finds the task before the first event of its stream. */
type TaskBefore = (ids: Pick<Task, 'id' | 'contextId'>) => Promise<Task>;

class OneTaskStream {
  readonly #events: AsyncIterator<LoggedEvent>;
  readonly #taskOf: TaskBefore;
  readonly #late: LateOpening | undefined;
  readonly #lateStream = new LateStream();
  /** The task so far, with which later reports are compared. */
  #known: Task | undefined;
  /** Bytes of the task's events. */
  #kept = 0;
  #isFirst = true;
  /** Events that are delivered before the next one is read. */
  #due: LoggedEvent[] = [];

  constructor(events: AsyncIterator<LoggedEvent>, taskOf: TaskBefore, late: LateOpening | undefined) {
    this.#events = events;
    this.#taskOf = taskOf;
    this.#late = late;
  }

  async next(): Promise<IteratorResult<LoggedEvent, undefined>> {
    for (;;) {
      const [next, ...others] = this.#due;
      if (next) {
        this.#due = others;
        return { done: false, value: next };
      }
      const step = await this.#events.next();
      if (step.done) return step;
      const logged = step.value;
      if (this.#isFirst) {
        this.#isFirst = false;
        await this.#begin(logged);
      } else if (!this.#known) this.#due.push(logged);
      else {
        const reported = logged.event.task ?? taskReportedBy(logged.event);
        if (reported) this.#due = updatesOf(this.#known, reported, logged);
        else this.#due = this.#late ? await this.#withMissed(this.#known, logged, this.#late) : [logged];
        for (const one of this.#due) this.#track(this.#known, one);
      }
    }
  }

  async #begin(first: LoggedEvent): Promise<void> {
    this.#due.push(first);
    if (first.event.message) return;
    const task = first.event.task ?? (await this.#taskOf(idsIn(first.event)));
    this.#known = copyTask(task);
    if (first.event.task) return;
    this.#track(this.#known, first);
    this.#due.unshift(unloggedEvent({ task }, first.seq - 1, Date.now()));
  }

  #track(task: Task, { event, json }: LoggedEvent): void {
    this.#known = fold(task, event);
    this.#kept += json.length;
    if (this.#kept > maxKept) this.#known = { ...this.#known, artifacts: [] };
  }

  /**
   * An event, after the events for the agent's work before the stream was opened. Such events exist only if this event brings the
   * task to rest.
   */
  async #withMissed(task: Task, logged: LoggedEvent, late: LateOpening): Promise<LoggedEvent[]> {
    const { event } = logged;
    const { state } = event.statusUpdate?.status ?? {};
    this.#lateStream.note(event);
    if (state === undefined || !isResting(state) || this.#lateStream.isWhole) return [logged];
    const reported = await late.get(idsIn(event).id).catch(() => undefined);
    const whole = late.before ? mergeTasks(late.before, task) : task;
    const missed = reported && this.#lateStream.missed(whole, reported, event);
    return missed ? [...updatesOf(whole, missed, logged), logged] : [logged];
  }
}

/** The events that turn a task into the reported one. */
const updatesOf = (task: Task, reported: Task, { seq, at, generation }: LoggedEvent): LoggedEvent[] =>
  difference(task, reported).map((event: StreamResponse) => unloggedEvent(event, seq, at, generation));
