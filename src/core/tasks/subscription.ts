import type { StreamShare } from '../limits/stream-limit.ts';
import type { LoggedEvent } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { isResting, isTerminal, stateOf } from '../model/lifecycle.ts';
import type { MemoryReservation, Room } from '../model/memory.ts';
import type { LogReader } from './listeners.ts';
import type { LiveTask } from './live-task.ts';
import { nextPage, pages } from './log-pages.ts';
import { outagePatience } from './outage.ts';

/** Events, and characters of their JSON, that may wait for a slow reader; those beyond are read from the log again. */
const maxBuffered = 1_024;
const maxHeld = 1_048_576;
/** Milliseconds until a page that could not be read is tried again. */
const retryAfter = 100;

/** Milliseconds that a reader which has begun waits until there is room for what it reads from the log. */
const patience = 30_000;

/** How a task's log is read. */
export interface SubscriptionOptions {
  /** When the stream ends by itself: at the task's end, or also where the task waits for its client. */
  readonly end: 'terminal' | 'resting';
  /** Handed out before everything else: the leading Task. */
  readonly first?: LoggedEvent;
  /** Where what waits for the reader is counted. Absent: nowhere. */
  readonly reservation?: MemoryReservation | undefined;
  /** Whether room for the first events is waited for, too, rather than that the stream is refused. */
  readonly isPatient?: boolean;
}

/**
 * One reader of one task's log, from a position on. What is published while the reader is quick comes from memory;
 * whatever was before, or was missed, comes from the store. Turns (a client's messages) are not part of a stream.
 */
export class Subscription implements AsyncIterableIterator<LoggedEvent>, LogReader {
  readonly #live: LiveTask;
  readonly #end: SubscriptionOptions['end'];
  readonly #reservation: MemoryReservation | undefined;
  readonly #room: Room | undefined;
  #isPatient: boolean;
  /** Why there was no room, if there was none. */
  #refusal: A2AError | undefined;
  #place: StreamShare | undefined;
  /** Position of the last event taken into the buffer, or handed out. */
  #cursor: number;
  #buffer: LoggedEvent[] = [];
  #at = 0;
  /** Characters of JSON in the buffer. */
  #held = 0;
  #page: number = pages.first;
  /** Since when the log cannot be read: milliseconds since the epoch. */
  #awaySince: number | undefined;
  #over = false;
  #failure: A2AError | undefined;
  #wake: (() => void) | undefined;

  /** @param after position after which to begin */
  constructor(live: LiveTask, after: number, { end, first, reservation, isPatient = false }: SubscriptionOptions) {
    this.#live = live;
    this.#cursor = after;
    this.#end = end;
    this.#isPatient = isPatient;
    this.#reservation = reservation;
    this.#room = reservation && { reserve: (bytes) => this.#reserve(reservation, bytes) };
    if (first) this.#buffer.push(first);
    live.subscribe(this);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<LoggedEvent>> {
    for (;;) {
      const event = this.#buffer[this.#at];
      if (event) {
        this.#at += 1;
        if (this.#at === this.#buffer.length) this.#letGo();
        this.#isPatient = true;
        return { done: false, value: event };
      }
      if (this.#failure) {
        const failure = this.#failure;
        this.#close();
        throw failure;
      }
      if (this.#over) return { done: true, value: undefined };
      if (this.#cursor < this.#live.committed) await this.#readLog();
      else if (this.#live.ended) this.#close();
      else await this.#park();
    }
  }

  async return(): Promise<IteratorResult<LoggedEvent>> {
    this.#close();
    this.#letGo();
    return { done: true, value: undefined };
  }

  /** Takes a place among its caller's streams, and gives it back at its end. */
  attach(place: StreamShare): void {
    if (this.#over) place.release();
    else this.#place = place;
  }

  /** Called by the live task when events became durable. */
  publish(events: readonly LoggedEvent[]): void {
    const first = events[0];
    // Leaving the cursor behind makes the next read come from the log, which forgets nothing.
    if (first?.seq === this.#cursor + 1 && this.#hasRoom()) this.#take(events);
    this.#wakeUp();
  }

  /** Who waits for just these events has them in a moment, and takes no room. */
  #hasRoom(): boolean {
    const waiting = this.#buffer.length - this.#at;
    const isFull = this.#reservation?.isFull ?? false;
    if (waiting === 0) return this.#wake !== undefined || !isFull;
    return waiting < maxBuffered && this.#held < maxHeld && !isFull;
  }

  /** Called by the live task when it can no longer tell what happens. The reader may resume later. */
  fail(error: A2AError): void {
    this.#failure = error;
    this.#wakeUp();
  }

  #take(events: readonly LoggedEvent[]): void {
    for (const event of events) {
      if (this.#over) return;
      this.#cursor = event.seq;
      if (event.event.message) continue;
      this.#buffer.push(event);
      this.#hold(event.json.length);
      const state = stateOf(event.event);
      if (state && (this.#end === 'terminal' ? isTerminal(state) : isResting(state))) this.#close();
    }
  }

  async #readLog(): Promise<void> {
    const events = await this.#tryToRead();
    if (this.#over || !events) return;
    if (events.length === 0) {
      // Whoever iterates is told by this that there is nothing more to end.
      this.#close();
      throw new A2AError('unavailable', 'The events that follow are gone; read the task instead.');
    }
    const before = this.#held;
    this.#take(events);
    this.#page = nextPage(this.#page, this.#held - before);
    // Turns are no part of the stream: nobody would give back what was reserved for them.
    if (this.#buffer.length === 0) this.#reservation?.release();
  }

  /** Undefined, after a while, when the store is away: it is tried again. Rejects when it has been away for long. */
  async #tryToRead(): Promise<LoggedEvent[] | undefined> {
    try {
      const events = await this.#live.read(this.#cursor, this.#page, this.#room);
      this.#awaySince = undefined;
      return events;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      this.#awaySince ??= Date.now();
      const isOutage = error.kind === 'unavailable' && error !== this.#refusal;
      if (isOutage && Date.now() - this.#awaySince < outagePatience) {
        setTimeout(() => this.#wakeUp(), retryAfter).unref();
        await this.#park();
        return undefined;
      }
      this.#close();
      throw error;
    }
  }

  #reserve(reservation: MemoryReservation, bytes: number): Promise<void> | undefined {
    return reservation.reserve(bytes, this.#isPatient ? Date.now() + patience : undefined)?.catch((thrown) => {
      this.#refusal = A2AError.from(thrown);
      throw this.#refusal;
    });
  }

  #hold(length: number): void {
    this.#held += length;
    this.#reservation?.count(length);
  }

  #letGo(): void {
    this.#reservation?.count(-this.#held);
    this.#held = 0;
    this.#buffer = [];
    this.#at = 0;
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

  #close(): void {
    if (!this.#over) {
      this.#live.unsubscribe(this);
      this.#place?.release();
    }
    this.#over = true;
    this.#wakeUp();
  }
}
