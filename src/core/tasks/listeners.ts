import type { LoggedEvent } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { TaskLog } from './task-log.ts';

/** Reads a task's log, and is given the events that become durable meanwhile. */
export interface LogReader {
  /** Events have become durable: takes them, or reads them from the store later. */
  publish(events: readonly LoggedEvent[]): void;
  /** Ends the stream with an error. Its caller may resume it later. */
  fail(error: A2AError): void;
}

interface Waiter {
  readonly after: number;
  readonly resolve: () => void;
  readonly reject: (error: A2AError) => void;
}

/** The listeners of one task: readers of its log, and callers that wait for it to rest or for a write to be durable. */
export class Listeners {
  readonly #readers = new Set<LogReader>();
  /** Wait until a durable event after a position leaves the task at rest. */
  readonly #restWaiters = new Set<Waiter>();
  /** Wait until a position is durable; fail when the store is unavailable. */
  readonly #writeWaiters = new Set<Waiter>();
  /** The same, but wait for the end of an outage. */
  readonly #patientWaiters = new Set<Waiter>();
  readonly #onLeft: () => void;

  /** @param onLeft called when a reader, or a caller that waited for the task to rest, has left */
  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
  }

  get readerCount(): number {
    return this.#readers.size;
  }

  /** How many need the events of other replicas. */
  get size(): number {
    return this.#readers.size + this.#restWaiters.size;
  }

  add(reader: LogReader): void {
    this.#readers.add(reader);
  }

  remove(reader: LogReader): void {
    this.#readers.delete(reader);
    this.#onLeft();
  }

  /** Resolves when a durable event after `after` leaves the task at rest. Rejects with the signal's reason. */
  async untilRest(after: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { after, resolve, reject };
    const abort = (): void => reject(A2AError.from(signal.reason));
    this.#restWaiters.add(waiter);
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) throw A2AError.from(signal.reason);
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#restWaiters.delete(waiter);
      this.#onLeft();
    }
  }

  /**
   * Resolves when a position is durable. Rejects when it never will be.
   *
   * @param isPatient false: rejects also when the store is unavailable
   */
  untilDurable(position: number, isPatient: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    (isPatient ? this.#patientWaiters : this.#writeWaiters).add({ after: position - 1, resolve, reject });
    return promise;
  }

  /** Publishes events that have become durable; `log` contains them already. */
  publish(events: readonly LoggedEvent[], log: TaskLog): void {
    for (const reader of this.#readers) reader.publish(events);
    for (const waiter of this.#restWaiters) if (log.hasDurablyRested(waiter.after)) waiter.resolve();
    for (const waiters of [this.#writeWaiters, this.#patientWaiters]) {
      for (const waiter of waiters) {
        if (log.committed <= waiter.after) continue;
        waiters.delete(waiter);
        waiter.resolve();
      }
    }
  }

  /** Fails all that wait for events after position `committed`, which were discarded. */
  discard(committed: number, error: A2AError): void {
    rejectAll(this.#writeWaiters, error);
    rejectAll(this.#patientWaiters, error);
    for (const waiter of this.#restWaiters) if (waiter.after >= committed) waiter.reject(error);
  }

  /** The store is unavailable: fails waiting callers, and readers where the outage is long. */
  failOnOutage(error: A2AError, isLong: boolean): void {
    rejectAll(this.#writeWaiters, error);
    for (const waiter of this.#restWaiters) waiter.reject(error);
    if (isLong) for (const reader of this.#readers) reader.fail(error);
  }

  failAll(error: A2AError): void {
    rejectAll(this.#patientWaiters, error);
    this.failOnOutage(error, true);
  }
}

function rejectAll(waiters: Set<Waiter>, error: A2AError): void {
  for (const waiter of waiters) waiter.reject(error);
  waiters.clear();
}
