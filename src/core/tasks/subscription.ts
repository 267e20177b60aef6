import type { CallerStreams } from '../limits/stream-limit.ts';
import type { TaskStatus } from '../model/a2a.ts';
import { openAskOf } from '../model/ask.ts';
import type { CallContext, EndableEvents, LoggedEvent, MemoryReservation, ReadBudget } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { isResting, isTerminal } from '../model/lifecycle.ts';
import { isOutage } from '../model/stored-form.ts';
import { steadyNow } from '../model/timing.ts';
import type { LogReader } from './listeners.ts';
import { outageTimeout } from './outage.ts';
import { nextPageSize, pageSizes } from './replay.ts';
import type { TaskJournal } from './task-journal.ts';

/**
 * Largest number of events, and of characters of their JSON, that are buffered for a slow reader. Later events are read from the
 * log.
 */
const maxBuffered = 1_024;
const maxBufferedLength = 1_048_576;
/** Milliseconds until a failed read of a page is retried. */
const retryDelay = 100;
/** Milliseconds that a reader waits for room in memory once its stream has begun. */
const roomTimeout = 30_000;

/** The conditions under which a status ends a stream. */
const ends = {
  /** The task is over. */
  terminal: ({ state }: TaskStatus): boolean => isTerminal(state),
  /** The task is over, or waits. */
  resting: ({ state }: TaskStatus): boolean => isResting(state),
  /** The task is over, or waits for its client, and not for people who are asked about the call. */
  restingUnheld: (status: TaskStatus): boolean => isResting(status.state) && !openAskOf({ status }),
} as const;

export interface SubscriptionOptions {
  /** The condition under which the stream ends. */
  readonly end: keyof typeof ends;
  /** Events up to this position do not end the stream. Default: any event may end it. */
  readonly endAfter?: number;
  /** The leading Task, which comes before the events of the log. */
  readonly first?: LoggedEvent;
  /** The reader's call. Buffered events are counted in its memory. Default: they are not counted. */
  readonly context?: Pick<CallContext, 'reservation'>;
  /**
   * Whether the first read waits for room in memory. Default: the stream is refused if there is no room. Later reads always wait.
   */
  readonly waitsForRoom?: boolean;
  /** Whether the messages of the task's client are part of the stream. Default: they are not. */
  readonly withMessages?: boolean;
}

/**
 * One reader of one task's log, from a position on. A reader that keeps up gets the published events from memory; missed
 * and earlier events come from the store. A client's messages are part of the streams of operators only.
 */
export class Subscription implements AsyncIterableIterator<LoggedEvent>, EndableEvents, LogReader, ReadBudget {
  onOver: (() => void) | undefined = undefined;
  readonly #journal: TaskJournal;
  readonly #isEnd: (status: TaskStatus) => boolean;
  readonly #endAfter: number;
  readonly #reservation: MemoryReservation | undefined;
  #waitsForRoom: boolean;
  readonly #withMessages: boolean;
  /** The error of a read for which there was no room, or that found no events. */
  #refusal: A2AError | undefined;
  #slot: CallerStreams | undefined;
  /** Position of the last event that was buffered or delivered. */
  #cursor: number;
  #buffer: LoggedEvent[] = [];
  /** Index of the next event in the buffer. */
  #next = 0;
  /** Characters of JSON in the buffer. */
  #length = 0;
  #pageSize: number = pageSizes.first;
  /** Start of the time in which the log cannot be read, by `steadyNow`. */
  #outageSince: number | undefined;
  #isClosed = false;
  #failure: A2AError | undefined;
  /** Resolves the promise of the reader that waits for the next event. */
  #resolve: ((step: IteratorResult<LoggedEvent> | Promise<never>) => void) | undefined;
  #isReading = false;

  /** @param after position after which the stream begins */
  constructor(journal: TaskJournal, after: number, options: SubscriptionOptions) {
    const { end, endAfter = 0, first, context, waitsForRoom = false, withMessages = false } = options;
    this.#journal = journal;
    this.#failure = journal.failure;
    this.#cursor = after;
    this.#isEnd = ends[end];
    this.#endAfter = endAfter;
    this.#waitsForRoom = waitsForRoom;
    this.#withMessages = withMessages;
    this.#reservation = context?.reservation;
    if (first) this.#buffer.push(first);
    journal.listeners.add(this);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Not an async function, because an idle stream would keep its state in memory. */
  next(): Promise<IteratorResult<LoggedEvent>> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#advance();
    });
  }

  /** Answers the reader that waits, if there is a reader and an event or an end for it. */
  #advance(): void {
    if (!this.#resolve || this.#isReading) return;
    const event = this.#buffer[this.#next];
    if (event) {
      this.#next += 1;
      if (this.#next === this.#buffer.length) this.#clearBuffer();
      this.#waitsForRoom = true;
      this.#answer({ done: false, value: event });
    } else if (this.#failure) {
      this.#leave();
      this.#answer(Promise.reject(this.#failure));
    } else if (!this.#isClosed && this.#cursor < this.#journal.log.committed) void this.#readLog();
    else if (this.#isClosed || this.#journal.ended) {
      this.#leave();
      this.#answer({ done: true, value: undefined });
    }
  }

  #answer(step: IteratorResult<LoggedEvent> | Promise<never>): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(step);
  }

  async return(): Promise<IteratorResult<LoggedEvent>> {
    this.#leave();
    this.#clearBuffer();
    this.#advance();
    return { done: true, value: undefined };
  }

  /** Takes over a slot among its caller's streams, and releases it when the stream ends. */
  attach(slot: CallerStreams): void {
    if (this.#isClosed) slot.release();
    else this.#slot = slot;
  }

  publish(events: readonly LoggedEvent[]): void {
    const first = events[0];
    // If the cursor stays behind, the next read takes the events from the log.
    if (first?.seq === this.#cursor + 1 && this.#hasRoom()) this.#take(events);
    this.#advance();
  }

  /** A reader that is waiting for these events takes them at once, which needs no room. */
  #hasRoom(): boolean {
    const waiting = this.#buffer.length - this.#next;
    const isFull = this.#reservation?.isFull ?? false;
    if (waiting === 0) return (this.#resolve !== undefined && !this.#isReading) || !isFull;
    return waiting < maxBuffered && this.#length < maxBufferedLength && !isFull;
  }

  fail(error: A2AError): void {
    this.#failure = error;
    this.#advance();
  }

  end(error: A2AError): void {
    this.#failure = error;
    this.#leave();
    this.#clearBuffer();
    this.#advance();
  }

  #take(events: readonly LoggedEvent[]): void {
    const before = this.#length;
    for (const event of events) {
      if (this.#isClosed) break;
      this.#cursor = event.seq;
      if (event.isUnread || (event.event.message && !this.#withMessages)) continue;
      this.#buffer.push(event);
      this.#length += event.json.length;
      const { statusUpdate, task } = event.event;
      const status = (statusUpdate ?? task)?.status;
      if (status && event.seq > this.#endAfter && this.#isEnd(status)) this.#close();
    }
    this.#reservation?.count(this.#length - before);
  }

  /** Reads a page for the reader that waits. While the store is unavailable, the page is read again; a long outage is an error. */
  async #readLog(): Promise<void> {
    this.#isReading = true;
    try {
      const events = await this.#journal.read(this.#cursor, this.#pageSize, this.#reservation && { reservation: this });
      this.#outageSince = undefined;
      if (!this.#isClosed) this.#takePage(events);
    } catch (thrown) {
      const error = A2AError.from(thrown);
      this.#outageSince ??= steadyNow();
      const isTemporary = isOutage(error) && error !== this.#refusal;
      if (isTemporary && steadyNow() - this.#outageSince < outageTimeout) {
        setTimeout(() => this.#advance(), retryDelay).unref();
        this.#isReading = false;
        return;
      }
      this.#failure ??= error;
    }
    this.#isReading = false;
    this.#advance();
  }

  #takePage(events: readonly LoggedEvent[]): void {
    if (events.length === 0) {
      this.#refusal = new A2AError('unavailable', 'The events that follow have been deleted; read the task instead.');
      throw this.#refusal;
    }
    const before = this.#length;
    this.#take(events);
    this.#pageSize = nextPageSize(this.#pageSize, this.#length - before);
    // The page contained only messages, which are not delivered, so that no delivery would release the reserved bytes.
    if (this.#buffer.length === 0) this.#reservation?.release();
  }

  /** Reserves memory for a page that is read. */
  reserve(bytes: number): Promise<void> | undefined {
    return this.#reservation
      ?.reserve(bytes, this.#waitsForRoom ? steadyNow() + roomTimeout : undefined)
      ?.catch((thrown) => {
        this.#refusal = A2AError.from(thrown);
        throw this.#refusal;
      });
  }

  #clearBuffer(): void {
    if (this.#length > 0) this.#reservation?.count(-this.#length);
    this.#length = 0;
    this.#buffer = [];
    this.#next = 0;
  }

  /** Ends the stream for the reader. */
  #leave(): void {
    this.#close();
    this.onOver?.();
    this.onOver = undefined;
  }

  #close(): void {
    if (!this.#isClosed) {
      this.#journal.listeners.remove(this);
      this.#slot?.release();
    }
    this.#isClosed = true;
  }
}
