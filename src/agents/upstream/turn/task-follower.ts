import type { Message, StreamResponse, Task } from '../../../core/model/a2a.ts';
import type { LoggedEvent } from '../../../core/model/call.ts';
import { A2AError, markRefusal } from '../../../core/model/errors.ts';
import { copyTask, taskReportedBy } from '../../../core/model/fold.ts';
import { isResting } from '../../../core/model/lifecycle.ts';
import { hasMessage } from '../../../core/model/task-diff.ts';
import { steadyNow } from '../../../core/model/timing.ts';
import { isNetworkFailure } from '../../../net/network-errors.ts';
import { isUnsupported } from '../calls.ts';
import { idsIn } from '../ids.ts';
import { LateStream } from '../late-stream.ts';
import { unreadableEnd } from '../unread.ts';
import { hasProgressed } from './repetitions.ts';
import { StreamReader } from './stream-reader.ts';
import type { TaskCalls, TurnTimes } from './task-calls.ts';
import type { Events, OpensWith, UpstreamTaskState } from './task-state.ts';
import { backoff, type InterruptibleWait } from './waits.ts';

/** The events of a task whose agent has sent an error. If the task fails without a message, the error becomes its message. */
async function* explained(events: Events, message: () => Message): Events {
  for await (const event of events) {
    const { status } = event.statusUpdate ?? event.task ?? {};
    if (status?.state === 'TASK_STATE_FAILED' && !status.message) status.message = message();
    yield event;
  }
}

/** Progress of reading a stream. */
interface StreamReading {
  /** Whether the stream continues a task that was followed before. */
  readonly resumed: boolean;
  /** A stream that was opened after its message, and may miss events. Absent: the message has opened it. */
  readonly late: LateStream | undefined;
  /** Whether the stream has reported the whole task. */
  hasTask: boolean;
  /** Messages before the first event of a task. */
  opening: readonly Message[];
  /** Number of reads of the task that have found nothing new. */
  idleReads: number;
}

/** Follows one upstream task until it rests: by streams, which may break or fall silent, and by polling. */
export class TaskFollower {
  readonly #state: UpstreamTaskState;
  readonly #calls: TaskCalls;
  readonly #wait: InterruptibleWait;
  readonly #times: TurnTimes;
  /** Whether a stream has delivered an event. */
  #hasRead = false;
  /** Time after which a task that rests as before the message counts as settled, by `steadyNow`. */
  #settleBy = Number.POSITIVE_INFINITY;

  constructor(state: UpstreamTaskState, calls: TaskCalls, wait: InterruptibleWait, times: TurnTimes) {
    this.#state = state;
    this.#calls = calls;
    this.#wait = wait;
    this.#times = times;
  }

  /**
   * Follows the stream that a message opened, and the task after it.
   *
   * @param recover called if the stream failed before it delivered anything new. Returns the events of the recovery
   * @param explain returns a message of the agent with the text of an error
   */
  async *followStream(
    events: AsyncIterable<LoggedEvent>,
    recover: (cause: A2AError) => Events,
    explain: (cause: A2AError) => Message,
  ): Events {
    const state = this.#state;
    const { eventCount } = state;
    let cause: A2AError | undefined;
    try {
      if (yield* this.#readStream(events, false)) {
        yield* this.poll();
        return;
      }
      this.settleNow();
      this.#calls.doubt();
    } catch (thrown) {
      cause = A2AError.from(thrown);
      if (this.#wait.signal.aborted) throw cause;
      if (state.upstreamTask) this.#calls.doubt(cause);
      if (!state.upstreamTask || state.eventCount === eventCount) {
        yield* recover(cause);
        return;
      }
      if (state.isOnlyOpened && (await this.#calls.isRefused(state.upstreamTask.id, cause))) throw markRefusal(cause);
      this.settleWithin(this.#times.settle);
    }
    if (state.settled) return;
    if (!cause && state.unreadable !== undefined) yield* this.#askForEnd();
    if (state.upstreamTask && this.#hasRead) {
      const found = this.resubscribe(cause);
      yield* cause && !isNetworkFailure(cause) ? explained(found, () => explain(cause)) : found;
    } else
      yield* recover(new A2AError('invalidAgentResponse', 'The stream of the upstream agent ended without a task'));
  }

  /**
   * Called if the stream is over and its last state cannot be read. Gets the task once.
   *
   * @throws A2AError `invalidAgentResponse` that quotes the state, if the answer cannot be read either
   */
  async *#askForEnd(): Events {
    const state = this.#state;
    const task = await this.#calls.getOnce(state.upstreamTask?.id ?? '').catch(() => undefined);
    if (task) yield* state.applyTask(task, 'whole');
    if (state.unreadable !== undefined && !this.#wait.signal.aborted) throw unreadableEnd(state.unreadable);
  }

  /** Makes a task that rests as before count as settled from now on. */
  settleNow(): void {
    this.#settleBy = 0;
  }

  /** Gives the agent some milliseconds to begin with the message. */
  settleWithin(ms: number): void {
    this.#settleBy = Math.min(this.#settleBy, steadyNow() + Math.min(ms, this.#calls.timeLeft));
  }

  /**
   * Gets the task, and follows it by another stream or by polling. The pause between two streams grows until one delivers
   * something new.
   */
  async *resubscribe(cause: A2AError | undefined): Events {
    const state = this.#state;
    let last = cause;
    let before: Task | undefined;
    let emptyStreams = 0;
    for (const pauses = backoff(); ; ) {
      if (before) await this.#wait.for(pauses.next() * jitter());
      yield* this.#getTask('whole', last);
      if (state.done) return;
      if (before && hasProgressed(before, state.known)) {
        pauses.reset();
        emptyStreams = 0;
      } else if (before) emptyStreams += 1;
      // After two streams without anything new, polling is better.
      if (emptyStreams === 2) break;
      before = copyTask(state.known);
      const events = await this.#calls.subscribe(state.upstreamTask?.id ?? '');
      if (!events) break;
      try {
        if (yield* this.#readStream(events, true)) break;
        last = undefined;
        this.#calls.doubt();
      } catch (thrown) {
        last = A2AError.from(thrown);
        if (this.#wait.signal.aborted) throw last;
        this.#calls.doubt(last);
        if (isUnsupported(last)) break;
      }
      if (state.done) return;
      if (!last && state.unreadable !== undefined) yield* this.#askForEnd();
    }
    yield* this.poll();
  }

  /**
   * Yields the new events of a stream until it ends or the task rests. Returns whether the task goes on but the stream
   * does not report it.
   *
   * @param resumed whether the stream continues a task that was followed before: events in between may be repeated or lost
   */
  async *#readStream(events: AsyncIterable<LoggedEvent>, resumed: boolean): Events<boolean> {
    const state = this.#state;
    const reader = new StreamReader(events, this.#wait);
    const reading = this.#beginReading(resumed);
    let first = true;
    let wait = this.#times.pulse;
    try {
      for (;;) {
        if (state.settled) this.#calls.markAlive();
        const next = await reader.next(Math.min(wait, this.#calls.timeLeft));
        if (next === 'end') return false;
        if (!next) {
          const goesOn = yield* this.#leaveSilentStream(wait);
          if (goesOn !== undefined) return goesOn;
          wait *= 2;
          continue;
        }
        this.#hasRead = true;
        if (first && !resumed && next.message) {
          const messages = [next.message, ...(await this.#furtherMessages(reader))] as const;
          reading.opening = messages;
          if (reader.hasHeld) continue;
          yield await state.applyMessages(messages);
          return false;
        }
        if (next.task) this.#calls.recordAnswer(next.task);
        else this.#calls.trust();
        if (state.skipsOther(next)) continue;
        reading.hasTask ||= next.task !== undefined;
        const ends = next.statusUpdate !== undefined && isResting(next.statusUpdate.status.state);
        if (resumed || (ends && reading.late)) yield* this.#catchUp(reading, next, ends);
        reading.late?.note(next);
        const reported = next.task ?? taskReportedBy(next);
        if (reported) yield* state.applyTask(withMessages(reported, reading.opening), 'whole');
        else if (reading.hasTask && !(ends && state.done)) {
          for (const one of [...reading.opening.map((message) => ({ message })), next]) {
            const event = await state.applyEvent(one, resumed);
            if (event) yield event;
          }
        }
        if (state.done) return false;
        wait = first && next.task ? this.#times.quiet : this.#times.pulse;
        first = false;
        reading.opening = [];
      }
    } finally {
      reader.close();
    }
  }

  #beginReading(resumed: boolean): StreamReading {
    this.#state.beginStream();
    const late = !resumed && this.#calls.subscribesLate ? new LateStream() : undefined;
    return { resumed, late, hasTask: !resumed, opening: [], idleReads: 0 };
  }

  /**
   * The Messages that follow the first one. They are the answer if nothing else follows, because the stream ends, breaks, or is
   * silent for a while. Otherwise the reader holds the next event, and the Messages belong to its task.
   */
  async #furtherMessages(reader: StreamReader): Promise<Message[]> {
    const messages: Message[] = [];
    const { quiet, pulse } = this.#times;
    for (;;) {
      // Most agents that send a Message end their stream with it.
      const pause = messages.length === 0 ? quiet : pulse;
      const message = await reader.nextMessage(Math.min(pause, this.#calls.timeLeft)).catch((thrown: unknown) => {
        if (this.#wait.signal.aborted) throw thrown;
      });
      this.#calls.trust();
      if (!message) return messages;
      messages.push(message);
    }
  }

  /** Gets the task before an event of its stream, if events may be missing. */
  async *#catchUp(reading: StreamReading, next: StreamResponse, ends: boolean): Events {
    const state = this.#state;
    const { resumed, late, hasTask, idleReads } = reading;
    if (!resumed) {
      if (late && !late.isWhole) yield* this.#getMissed(late, next);
      return;
    }
    // Only the whole task shows whether events were lost, and whether a message is a repetition.
    const isUncertain = hasTask && !ends && idleReads < maxIdleReads && state.isUncertain(next);
    const { eventCount } = state;
    if (!hasTask || ends || isUncertain) yield* this.#getTask('whole', undefined);
    if (isUncertain) reading.idleReads = state.eventCount === eventCount ? idleReads + 1 : 0;
  }

  /**
   * Gets the task because its stream was silent for `wait` milliseconds. Returns whether the task goes on without the stream;
   * undefined if the stream is read further.
   */
  async *#leaveSilentStream(wait: number): Events<boolean | undefined> {
    const state = this.#state;
    const { eventCount, settled } = state;
    yield* this.#checkSilentStream();
    if (state.done) return false;
    // A task that waits for its client needs no connection of its own.
    return state.eventCount !== eventCount || (settled && wait >= this.#times.silence) ? true : undefined;
  }

  /** Gets the task once because its stream is silent. Throws when the agent has been silent for too long. */
  async *#checkSilentStream(): Events {
    const state = this.#state;
    let task: Task | undefined;
    let why: A2AError | undefined;
    try {
      if (state.upstreamTask) task = await this.#calls.getOnce(state.upstreamTask.id);
    } catch (thrown) {
      why = A2AError.from(thrown);
      if (this.#wait.signal.aborted) throw why;
    }
    if (task) yield* state.applyTask(task, 'whole');
    if (!state.settled && this.isUnchanged()) yield state.stayAtRest();
    if (!state.settled && this.#calls.timeLeft === 0) throw this.#calls.silenceError(why);
  }

  /**
   * Gets the task because its stream lacks the beginning of the work and is about to end, and adds the missing content. The end
   * of the task is known, so the task does not fail if this call fails.
   */
  async *#getMissed(late: LateStream, last: StreamResponse): Events {
    const state = this.#state;
    const task = await this.#calls.getAtEnd(idsIn(last).id).catch((thrown: unknown) => {
      if (this.#wait.signal.aborted) throw this.#wait.signal.reason;
      if (!isUnsupported(thrown)) state.missBefore();
    });
    const missed = task && late.missed(state.known, task, last);
    if (missed) yield* state.applyTask(missed, 'whole');
  }

  async *#getTask(opensWith: OpensWith, cause: A2AError | undefined): Events {
    const state = this.#state;
    yield* state.applyTask(await this.#calls.getWithRetry(state.upstreamTask?.id ?? '', cause), opensWith);
    if (!state.settled && this.isUnchanged()) yield state.stayAtRest();
  }

  /** Polls the task until it is done. */
  async *poll(): Events {
    const state = this.#state;
    this.settleWithin(this.#times.settle);
    for (const pauses = backoff(); !state.done; ) {
      const pause = pauses.next();
      // The last attempt is at the end of the time, not before.
      await this.#wait.for(state.settled ? pause : Math.min(pause, this.#calls.timeLeft));
      if (state.settled) this.#calls.markAlive();
      const { eventCount } = state;
      yield* this.#getTask('pieces', undefined);
      if (state.eventCount !== eventCount) pauses.reset();
      else if (!state.settled && this.#calls.timeLeft === 0) throw this.#calls.silenceError();
    }
  }

  /**
   * Follows a task that rests but may continue without its client. Meanwhile the task does not fail, whatever happens to the
   * agent. An agent that no longer knows the task, or cannot report it, is not polled any more.
   */
  async *watchAtRest(): Events {
    const state = this.#state;
    for (const pauses = backoff(); !state.done; ) {
      try {
        yield* this.resubscribe(undefined);
      } catch (thrown) {
        if (this.#wait.signal.aborted || !state.settled) throw thrown;
        if (!isNetworkFailure(thrown)) return;
        this.#calls.markAlive();
        await this.#wait.for(pauses.next());
      }
    }
  }

  /** Whether the task rests as before the message, and the time in which the agent could begin with the message is over. */
  isUnchanged(): boolean {
    return isResting(this.#state.known.status.state) && steadyNow() >= this.#settleBy;
  }
}

/** A random factor from 0.5 to 1, so that the tasks of an agent that restarted do not all call it at the same time. */
const jitter = (): number => 0.5 + Math.random() / 2;

/**
 * Largest number of consecutive reads of a task for messages that turn out not to be new. After them, the messages of a stream
 * are taken for repetitions.
 */
const maxIdleReads = 8;

/** A task with the Messages that arrived before it, unless it lists them itself. */
function withMessages(task: Task, messages: readonly Message[]): Task {
  const others = messages.filter((message) => !hasMessage(task, message));
  return others.length === 0 ? task : { ...task, history: [...(task.history ?? []), ...others] };
}
