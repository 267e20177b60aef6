import type { LoggedEvent } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { Logger } from '../ports/logger.ts';
import type { NewTaskRecord, TaskStore } from '../ports/task-store.ts';
import type { TaskLog } from './task-log.ts';

/** What the writer and the follower of a task's log share. */
export interface TaskParts {
  readonly store: TaskStore;
  readonly logger: Logger;
  readonly record: NewTaskRecord;
  readonly log: TaskLog;
  readonly listeners: Listeners;
}

/** Reads a task's log, and is given the events that become durable meanwhile. */
export interface LogReader {
  /** Events have become durable: takes them, or reads them from the store later. */
  publish(events: readonly LoggedEvent[]): void;
  /** Ends the stream with an error. Its caller may resume it later. */
  fail(error: A2AError): void;
}

interface Waiter {
  readonly after: number;
  /** Whether it waits for the end of an outage. */
  readonly isPatient?: boolean;
  readonly resolve: () => void;
  readonly reject: (error: A2AError) => void;
}

/** The listeners of one task: readers of its log, and callers that wait for it to rest or for a write to be durable. */
export class Listeners {
  readonly #readers = new Set<LogReader>();
  /** Wait until a durable event after a position leaves the task at rest. */
  readonly #restWaiters = new Set<Waiter>();
  /** Wait until an event after a position is durable. */
  readonly #writeWaiters = new Set<Waiter>();
  readonly #onChanged: () => void;

  /** @param onChanged called when a reader, or a caller that waits for the task to rest, has come or left */
  constructor(onChanged: () => void) {
    this.#onChanged = onChanged;
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
    this.#onChanged();
  }

  remove(reader: LogReader): void {
    this.#readers.delete(reader);
    this.#onChanged();
  }

  /** Resolves when a durable event after `after` leaves the task at rest. Rejects with the signal's reason. */
  async untilRest(after: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { after, resolve, reject };
    const abort = (): void => reject(A2AError.from(signal.reason));
    this.#restWaiters.add(waiter);
    this.#onChanged();
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) throw A2AError.from(signal.reason);
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#restWaiters.delete(waiter);
      this.#onChanged();
    }
  }

  /** Resolves when a position is durable. Rejects when it never will be or, unless patient, during an outage. */
  untilDurable(position: number, isPatient: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#writeWaiters.add({ after: position - 1, isPatient, resolve, reject });
    return promise;
  }

  /** Publishes events that have become durable; `log` contains them already. */
  publish(events: readonly LoggedEvent[], log: TaskLog): void {
    for (const reader of this.#readers) reader.publish(events);
    for (const waiter of this.#restWaiters) if (log.hasDurablyRested(waiter.after)) waiter.resolve();
    for (const waiter of this.#writeWaiters) {
      if (log.committed <= waiter.after) continue;
      this.#writeWaiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** Fails all that wait for events after position `committed`, which were discarded. */
  discard(committed: number, error: A2AError): void {
    this.#failWrites(error, true);
    for (const waiter of this.#restWaiters) if (waiter.after >= committed) waiter.reject(error);
  }

  /** The store is unavailable: fails waiting callers, and readers where the outage is long. */
  failOnOutage(error: A2AError, isLong: boolean): void {
    this.#failWrites(error, false);
    for (const waiter of this.#restWaiters) waiter.reject(error);
    if (isLong) for (const reader of this.#readers) reader.fail(error);
  }

  failAll(error: A2AError): void {
    this.#failWrites(error, true);
    this.failOnOutage(error, true);
  }

  #failWrites(error: A2AError, arePatient: boolean): void {
    for (const waiter of this.#writeWaiters) {
      if (waiter.isPatient && !arePatient) continue;
      this.#writeWaiters.delete(waiter);
      waiter.reject(error);
    }
  }
}
