import type { StreamResponse, Task } from '../../core/model/a2a.ts';
import { unloggedEvent } from '../../core/model/agent-events.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { copyTask, fold, taskReportedBy } from '../../core/model/fold.ts';
import { isResting } from '../../core/model/lifecycle.ts';
import { streamOver } from '../../core/model/streams.ts';
import { difference, mergeTasks } from '../../core/model/task-diff.ts';
import { idsIn } from './ids.ts';
import { LateStream } from './late-stream.ts';

/** Of a stream that was opened after its message was sent. */
export interface LateOpening {
  /** The task before the message. Undefined: the message has opened it. */
  readonly before: Task | undefined;
  get(id: string): Promise<Task>;
}

/** Bytes of events that are kept for comparison. Beyond them, a later report of the task repeats its artifacts. */
const maxKept = 8 << 20;

/**
 * A stream as streams of v1 are: behind the task that it is about, since some agents and dialects begin with a change, and
 * with later reports of the whole task as updates. A stream that begins with a Message is passed on as it is.
 *
 * @param taskOf the task before the first event
 * @param late how to find what a stream does not bring that was opened after its message was sent. Default: it was not
 */
export function withOneTask(
  source: AsyncIterable<LoggedEvent>,
  taskOf: (ids: Pick<Task, 'id' | 'contextId'>) => Promise<Task>,
  late?: LateOpening,
): AsyncIterableIterator<LoggedEvent> {
  const events = source[Symbol.asyncIterator]();
  /** The task so far, to which later reports are compared. */
  let known: Task | undefined;
  let kept = 0;
  let isFirst = true;
  /** Events that are due before the next one is read. */
  let due: LoggedEvent[] = [];

  const track = (task: Task, { event, json }: LoggedEvent): void => {
    known = fold(task, event);
    kept += json.length;
    if (kept > maxKept) known = { ...known, artifacts: [] };
  };
  const begin = async (first: LoggedEvent): Promise<void> => {
    due.push(first);
    if (first.event.message) return;
    const task = first.event.task ?? (await taskOf(idsIn(first.event)));
    known = copyTask(task);
    if (first.event.task) return;
    track(known, first);
    due.unshift(unloggedEvent({ task }, first.seq - 1, Date.now()));
  };
  const updatesOf = (task: Task, reported: Task, { seq, at, generation }: LoggedEvent): LoggedEvent[] =>
    difference(task, reported).map((event: StreamResponse) => unloggedEvent(event, seq, at, generation));

  const stream = new LateStream();
  /** Events for the agent's work before the stream was opened. Empty unless this event brings the task to rest. */
  const missedBy = async (task: Task, logged: LoggedEvent, late: LateOpening): Promise<LoggedEvent[]> => {
    const { event } = logged;
    const { state } = event.statusUpdate?.status ?? {};
    stream.note(event);
    if (state === undefined || !isResting(state) || stream.isWhole) return [];
    const reported = await late.get(idsIn(event).id).catch(() => undefined);
    const whole = late.before ? mergeTasks(late.before, task) : task;
    const missed = reported && stream.missed(whole, reported, event);
    return missed ? updatesOf(whole, missed, logged) : [];
  };

  return streamOver(events, async () => {
    for (;;) {
      const [next, ...others] = due;
      if (next) {
        due = others;
        return { done: false, value: next };
      }
      const step = await events.next();
      if (step.done) return step;
      const logged = step.value;
      if (isFirst) {
        isFirst = false;
        await begin(logged);
      } else if (!known) due.push(logged);
      else {
        const reported = logged.event.task ?? taskReportedBy(logged.event);
        if (reported) due = updatesOf(known, reported, logged);
        else due = late ? [...(await missedBy(known, logged, late)), logged] : [logged];
        for (const one of due) track(known, one);
      }
    }
  });
}
