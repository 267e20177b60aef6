import type { StreamResponse, Task } from '../../core/model/a2a.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isResting } from '../../core/model/lifecycle.ts';
import { isNetworkFailure } from '../../net/network-errors.ts';
import type { TaskCalls, TurnTimes } from './calls.ts';
import { type InterruptibleWait, StreamReader } from './stream-reader.ts';
import type { DiffStyle } from './task-diff.ts';
import type { UpstreamTaskState } from './task-state.ts';

type Events<Result = void> = AsyncGenerator<StreamResponse, Result>;

/** Follows one task until it rests, over streams that may break or be silent, and by asking. */
export class TaskFollower {
  readonly #state: UpstreamTaskState;
  readonly #calls: TaskCalls;
  readonly #wait: InterruptibleWait;
  readonly #bounds: TurnTimes;
  /** When a task that rests as it did before the message is taken to do so; milliseconds since the epoch. */
  #settleBy = Number.POSITIVE_INFINITY;

  constructor(state: UpstreamTaskState, calls: TaskCalls, patience: InterruptibleWait, bounds: TurnTimes) {
    this.#state = state;
    this.#calls = calls;
    this.#wait = patience;
    this.#bounds = bounds;
  }

  /** Follows the stream that a message began, and what comes after it. */
  async *followStream(events: AsyncIterable<LoggedEvent>): Events {
    const state = this.#state;
    let cause: A2AError | undefined;
    try {
      if (yield* this.readStream(events, false)) {
        yield* this.poll();
        return;
      }
      // The agent itself says that there is no more to come.
      this.settleNow();
      this.#calls.doubt();
    } catch (thrown) {
      cause = A2AError.from(thrown);
      this.#calls.refusesStreams(cause);
      if (this.#wait.aborted || !state.upstreamTask) throw cause;
      this.settleSoon();
      this.#calls.doubt(cause);
    }
    if (state.settled) return;
    if (!state.upstreamTask)
      throw new A2AError('invalidAgentResponse', 'The stream of the upstream agent ended without a task');
    yield* this.resubscribe(cause);
  }

  /** A task that rests as it did before rests: there is no more to come. */
  settleNow(): void {
    this.#settleBy = 0;
  }

  /** Finds out what has become of the task, and follows it on: over another stream, or by asking. */
  async *resubscribe(cause: A2AError | undefined): Events {
    const state = this.#state;
    let last = cause;
    // Streams that bring nothing are worse than asking.
    for (let vain = 0; vain < 2; ) {
      yield* this.#lookOver('whole', last);
      if (state.done) return;
      const events = await this.#calls.subscribe(state.upstreamTask?.id ?? '');
      if (!events) break;
      const { eventCount: news } = state;
      try {
        if (yield* this.readStream(events, true)) break;
        this.#calls.doubt();
      } catch (thrown) {
        last = A2AError.from(thrown);
        this.#calls.refusesStreams(last);
        if (this.#wait.aborted) throw last;
        this.#calls.doubt(last);
      }
      if (state.done) return;
      vain = state.eventCount === news ? vain + 1 : 0;
    }
    yield* this.poll();
  }

  /**
   * Tells what a stream says, until it ends or the task rests. Returns whether the task goes on without the stream
   * telling of it.
   *
   * @param again whether it took up a task that was followed before: what was missed may be said again, or not at all
   */
  async *readStream(events: AsyncIterable<LoggedEvent>, again: boolean): Events<boolean> {
    const state = this.#state;
    const { quiet, pulse } = this.#bounds;
    const reader = new StreamReader(events, this.#wait);
    /** Whether the stream told how the task was when it began. */
    let anchored = !again;
    let first = true;
    let wait = pulse;
    try {
      for (;;) {
        if (state.settled) this.#calls.markAlive();
        const next = await reader.next(Math.min(wait, this.#calls.patience));
        if (next.kind === 'end') return false;
        if (next.kind === 'nothing') {
          const { eventCount: news } = state;
          const { settled } = state;
          yield* this.#lookBehind();
          if (state.done) return false;
          // What only waits for somebody else does not need a connection of its own all the time.
          if (state.eventCount !== news || (settled && wait >= this.#bounds.silence)) return true;
          wait *= 2;
          continue;
        }
        const { event } = next;
        if (event.task) this.#calls.recordAnswer(event.task);
        else this.#calls.trust();
        if (state.isForOtherTask(event)) continue;
        anchored ||= event.task !== undefined;
        const ends = endsTurn(event);
        // Only the task itself tells whether something was missed.
        if (again && (!anchored || ends)) yield* this.#lookOver('whole', undefined);
        if (anchored && !(ends && state.done)) yield* state.applyEvent(event, first && !again);
        if (state.done) return false;
        wait = first && event.task ? quiet : pulse;
        first = false;
      }
    } finally {
      reader.close();
    }
  }

  /** A stream has said nothing for a while: is there a sign of life, or news that it does not tell? */
  async *#lookBehind(): Events {
    const state = this.#state;
    let theirs: Task | undefined;
    let why: A2AError | undefined;
    try {
      if (state.upstreamTask) theirs = await this.#calls.getOnce(state.upstreamTask.id);
    } catch (thrown) {
      why = A2AError.from(thrown);
      if (this.#wait.aborted) throw why;
    }
    if (theirs) yield* state.applyTask(theirs, 'whole');
    if (!state.settled && this.isUnchanged()) yield state.stayAtRest();
    if (!state.settled && this.#calls.patience === 0) throw this.#calls.silenceError(why);
  }

  /** Asks how the task is, and tells what is new. */
  async *#lookOver(manner: DiffStyle, cause: A2AError | undefined): Events {
    const state = this.#state;
    yield* state.applyTask(await this.#calls.getWithRetry(state.upstreamTask?.id ?? '', cause), manner);
    if (!state.settled && this.isUnchanged()) yield state.stayAtRest();
  }

  /** Asks how the task is, again and again, until there is nothing more to hear of it. */
  async *poll(): Events {
    const state = this.#state;
    this.settleSoon();
    for (const pauses = backoff(); !state.done; ) {
      const pause = pauses.next();
      // The last look is when the time is up, not before.
      await this.#wait.for(state.settled ? pause : Math.min(pause, this.#calls.patience));
      if (state.settled) this.#calls.markAlive();
      const { eventCount: news } = state;
      yield* this.#lookOver('pieces', undefined);
      if (state.eventCount !== news) pauses.reset();
      else if (!state.settled && this.#calls.patience === 0) throw this.#calls.silenceError();
    }
  }

  /**
   * Follows a task that rests but may go on without its client. It does not fail while it waits, whatever becomes of the
   * agent meanwhile; one that has forgotten it, or cannot tell, is not asked any more.
   */
  async *watchAtRest(): Events {
    const state = this.#state;
    for (const pauses = backoff(); !state.done; ) {
      try {
        yield* this.resubscribe(undefined);
      } catch (thrown) {
        if (this.#wait.aborted || !state.settled) throw thrown;
        if (!isNetworkFailure(thrown)) return;
        this.#calls.markAlive();
        await this.#wait.for(pauses.next());
      }
    }
  }

  /** An agent that has not begun with the message gets a moment to do so. */
  settleSoon(): void {
    this.#settleBy = Math.min(this.#settleBy, Date.now() + this.#bounds.settle);
  }

  /** Whether the task waits for its client as it did before the message, and is not about to begin. */
  isUnchanged(): boolean {
    return isResting(this.#state.known.status.state) && Date.now() >= this.#settleBy;
  }
}

const endsTurn = ({ statusUpdate }: StreamResponse): boolean =>
  statusUpdate !== undefined && isResting(statusUpdate.status.state);

/** Milliseconds between two looks at a task: at first, when it may be about to go on, and at the most. */
const pauseOf = { first: 50, soon: 2_000, longest: 60_000 } as const;
/** Which part of the time that nothing has happened passes between two looks at a task that takes long. */
const share = 1 / 20;

/** The pauses between looks: they grow while nothing happens. */
export interface Backoff {
  next(): number;
  /** Something happened: more may follow soon. */
  reset(): void;
}

/**
 * Pauses that double from 50 ms to 2 s, and grow with the time that nothing has happened up to a minute: whoever waits
 * for a long task learns of its end with a delay of a twentieth, and a task that nobody will end costs next to nothing.
 */
export function backoff(clock: () => number = Date.now): Backoff {
  let pause: number = pauseOf.first;
  let since = clock();
  return {
    next() {
      const now = pause;
      pause = Math.min(pause * 2, pauseOf.soon);
      return Math.max(now, Math.min((clock() - since) * share, pauseOf.longest));
    },
    reset() {
      pause = pauseOf.first;
      since = clock();
    },
  };
}
