import type { LoggedEvent } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { TaskLog } from './task-log.ts';

/** Reads a task's log, and is given the events that become durable meanwhile. */
export interface LogReader {
  /** Takes events that have become durable, or reads them from the store later. */
  publish(events: readonly LoggedEvent[]): void;
  /** Ends the stream with an error. Its caller may resume it later. */
  fail(error: A2AError): void;
}

interface Waiter {
  readonly after: number;
  readonly resolve: () => void;
  readonly reject: (error: A2AError) => void;
}

/** Those who hear of one task: the readers of its log, and whoever waits for it to rest or for the disk. */
export class Listeners {
  readonly #readers = new Set<LogReader>();
  /** Those who wait until a durable event after a position leaves the task at rest. */
  readonly #resting = new Set<Waiter>();
  /** Those who wait until what was emitted up to a position is durable, and want to know when the store is away. */
  readonly #settling = new Set<Waiter>();
  /** The same, for as long as it may take. */
  readonly #patient = new Set<Waiter>();
  readonly #left: () => void;

  /** @param left called when somebody has left */
  constructor(left: () => void) {
    this.#left = left;
  }

  /** How many read the log. */
  get readers(): number {
    return this.#readers.size;
  }

  /** How many need to be told of what happens to the task. */
  get size(): number {
    return this.#readers.size + this.#resting.size;
  }

  add(reader: LogReader): void {
    this.#readers.add(reader);
  }

  remove(reader: LogReader): void {
    this.#readers.delete(reader);
    this.#left();
  }

  /** Resolves when a durable event after `after` leaves the task at rest. Rejects with the signal's reason. */
  async rest(after: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { after, resolve, reject };
    const abort = (): void => reject(A2AError.from(signal.reason));
    this.#resting.add(waiter);
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) throw A2AError.from(signal.reason);
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#resting.delete(waiter);
      this.#left();
    }
  }

  /** Resolves when what was emitted up to a position is durable. Rejects when it never will be, or the store is away. */
  settled(position: number): Promise<void> {
    return waitIn(this.#settling, position);
  }

  /** The same, but a store that is away is waited for. */
  written(position: number): Promise<void> {
    return waitIn(this.#patient, position);
  }

  /** Events have become durable; `log` knows them already. */
  published(events: readonly LoggedEvent[], log: TaskLog): void {
    for (const reader of this.#readers) reader.publish(events);
    for (const waiter of this.#resting) if (log.hasDurablyRested(waiter.after)) waiter.resolve();
    for (const waiters of [this.#settling, this.#patient]) {
      for (const waiter of waiters) {
        if (log.committed <= waiter.after) continue;
        waiters.delete(waiter);
        waiter.resolve();
      }
    }
  }

  /** What comes after a position was dropped: whoever waits for what it was to bring waits in vain. */
  dropped(committed: number, error: A2AError): void {
    rejectAll(this.#settling, error);
    rejectAll(this.#patient, error);
    for (const waiter of this.#resting) if (waiter.after >= committed) waiter.reject(error);
  }

  /** The store is away: those who wait for an answer are told; readers, where they have been patient for long enough. */
  away(error: A2AError, isLong: boolean): void {
    rejectAll(this.#settling, error);
    for (const waiter of this.#resting) waiter.reject(error);
    if (isLong) for (const reader of this.#readers) reader.fail(error);
  }

  /** Nothing more can be told of the task. */
  end(error: A2AError): void {
    rejectAll(this.#patient, error);
    this.away(error, true);
  }
}

function waitIn(waiters: Set<Waiter>, position: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  waiters.add({ after: position - 1, resolve, reject });
  return promise;
}

function rejectAll(waiters: Set<Waiter>, error: A2AError): void {
  for (const waiter of waiters) waiter.reject(error);
  waiters.clear();
}
