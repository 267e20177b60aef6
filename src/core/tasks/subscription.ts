import type { CallerStreams } from '../limits/stream-limit.ts';
import type { EndableEvents, LoggedEvent, MemoryReservation, ReadBudget } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { isResting, isTerminal, stateOf } from '../model/lifecycle.ts';
import type { LogReader } from './listeners.ts';
import type { LiveTask } from './live-task.ts';
import { outageTimeout } from './outage.ts';
import { nextPageSize, pageSizes } from './replay.ts';

/** Events, and characters of their JSON, that are buffered for a slow reader. Later ones are read from the log again. */
const maxBuffered = 1_024;
const maxBufferedLength = 1_048_576;
/** Milliseconds until a page that could not be read is read again. */
const retryDelay = 100;
/** Milliseconds that a reader which has begun waits for room in memory. */
const roomTimeout = 30_000;

export interface SubscriptionOptions {
  /** Where the stream ends: when the task is over, or also when the task waits for its client. */
  readonly end: 'terminal' | 'resting';
  /** Events up to this position do not end the stream. Default: all may. */
  readonly endAfter?: number;
  /** The leading Task, which comes before the events of the log. */
  readonly first?: LoggedEvent;
  /** Counts what waits for the reader. */
  readonly reservation?: MemoryReservation | undefined;
  /** Whether the first read waits for room in memory. Default: the stream is refused. Later reads always wait. */
  readonly isPatient?: boolean;
  /** Whether the messages of the task's client are part of the stream. Default: they are not. */
  readonly withMessages?: boolean;
}

/**
 * One reader of one task's log, from a position on. A reader that keeps up gets the published events from memory; missed
 * and earlier events come from the store. A client's messages are part of the streams of operators only.
 */
export class Subscription implements AsyncIterableIterator<LoggedEvent>, EndableEvents, LogReader {
  onOver: (() => void) | undefined = undefined;
  readonly #live: LiveTask;
  readonly #end: SubscriptionOptions['end'];
  readonly #endAfter: number;
  readonly #reservation: MemoryReservation | undefined;
  readonly #room: ReadBudget | undefined;
  #isPatient: boolean;
  readonly #withMessages: boolean;
  /** The error of a read for which there was no room. */
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
  /** Since when the log cannot be read: milliseconds since the epoch. */
  #outageSince: number | undefined;
  #isClosed = false;
  #failure: A2AError | undefined;
  #wake: (() => void) | undefined;

  /** @param after the stream begins after this position */
  constructor(live: LiveTask, after: number, options: SubscriptionOptions) {
    const { end, endAfter = 0, first, reservation, isPatient = false, withMessages = false } = options;
    this.#live = live;
    this.#cursor = after;
    this.#end = end;
    this.#endAfter = endAfter;
    this.#isPatient = isPatient;
    this.#withMessages = withMessages;
    this.#reservation = reservation;
    this.#room = reservation && { reserve: (bytes) => this.#reserve(reservation, bytes) };
    if (first) this.#buffer.push(first);
    live.listeners.add(this);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<LoggedEvent>> {
    for (;;) {
      const event = this.#buffer[this.#next];
      if (event) {
        this.#next += 1;
        if (this.#next === this.#buffer.length) this.#clearBuffer();
        this.#isPatient = true;
        return { done: false, value: event };
      }
      if (this.#failure) {
        const failure = this.#failure;
        this.#leave();
        throw failure;
      }
      if (this.#isClosed) {
        this.#leave();
        return { done: true, value: undefined };
      }
      if (this.#cursor < this.#live.log.committed) await this.#readLog();
      else if (this.#live.ended) this.#close();
      else await this.#park();
    }
  }

  async return(): Promise<IteratorResult<LoggedEvent>> {
    this.#leave();
    this.#clearBuffer();
    return { done: true, value: undefined };
  }

  /** Takes over a slot among its caller's streams, and releases it when the stream ends. */
  attach(slot: CallerStreams): void {
    if (this.#isClosed) slot.release();
    else this.#slot = slot;
  }

  publish(events: readonly LoggedEvent[]): void {
    const first = events[0];
    // Where the cursor stays behind, the next read takes the events from the log.
    if (first?.seq === this.#cursor + 1 && this.#hasRoom()) this.#take(events);
    this.#wakeUp();
  }

  /** A reader that is waiting for these events takes them at once, which needs no room. */
  #hasRoom(): boolean {
    const waiting = this.#buffer.length - this.#next;
    const isFull = this.#reservation?.isFull ?? false;
    if (waiting === 0) return this.#wake !== undefined || !isFull;
    return waiting < maxBuffered && this.#length < maxBufferedLength && !isFull;
  }

  fail(error: A2AError): void {
    this.#failure = error;
    this.#wakeUp();
  }

  end(error: A2AError): void {
    this.#failure = error;
    this.#leave();
    this.#clearBuffer();
  }

  #take(events: readonly LoggedEvent[]): void {
    const before = this.#length;
    for (const event of events) {
      if (this.#isClosed) break;
      this.#cursor = event.seq;
      if (event.event.message && !this.#withMessages) continue;
      this.#buffer.push(event);
      this.#length += event.json.length;
      const state = stateOf(event.event);
      if (!state || event.seq <= this.#endAfter) continue;
      if (this.#end === 'terminal' ? isTerminal(state) : isResting(state)) this.#close();
    }
    this.#reservation?.count(this.#length - before);
  }

  async #readLog(): Promise<void> {
    const events = await this.#tryToRead();
    if (this.#isClosed || !events) return;
    if (events.length === 0) {
      this.#leave();
      throw new A2AError('unavailable', 'The events that follow have been deleted; read the task instead.');
    }
    const before = this.#length;
    this.#take(events);
    this.#pageSize = nextPageSize(this.#pageSize, this.#length - before);
    // The page had only messages, which are not delivered: nothing would release what was reserved for them.
    if (this.#buffer.length === 0) this.#reservation?.release();
  }

  /** Undefined, after a delay, when the store is unavailable: read again. Rejects when the outage is long. */
  async #tryToRead(): Promise<LoggedEvent[] | undefined> {
    try {
      const events = await this.#live.read(this.#cursor, this.#pageSize, this.#room);
      this.#outageSince = undefined;
      return events;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      this.#outageSince ??= Date.now();
      const isOutage = error.kind === 'unavailable' && error !== this.#refusal;
      if (isOutage && Date.now() - this.#outageSince < outageTimeout) {
        setTimeout(() => this.#wakeUp(), retryDelay).unref();
        await this.#park();
        return undefined;
      }
      this.#leave();
      throw error;
    }
  }

  #reserve(reservation: MemoryReservation, bytes: number): Promise<void> | undefined {
    return reservation.reserve(bytes, this.#isPatient ? Date.now() + roomTimeout : undefined)?.catch((thrown) => {
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

  #park(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  /** The reader gets nothing more. */
  #leave(): void {
    this.#close();
    this.onOver?.();
    this.onOver = undefined;
  }

  #close(): void {
    if (!this.#isClosed) {
      this.#live.listeners.remove(this);
      this.#slot?.release();
    }
    this.#isClosed = true;
    this.#wakeUp();
  }
}
