import type { LoggedEvent } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { Logger } from '../ports/logger.ts';
import type { NewTaskRecord, TaskStore } from '../ports/task-store.ts';
import type { TaskLog } from './task-log.ts';
import type { TaskMemory } from './task-memory.ts';

/** The entry of a task in this process, as the journal of the task knows it. */
export interface JournalOwner {
  /** Whether the task is being worked on in this process, and has not come to rest by that. */
  readonly isWorking: boolean;
  /** Nothing in this process may work on the task any more: it is over here, or another replica has continued it. */
  stopWork(reason: A2AError): void;
  /** The journal takes more memory than before, or less. */
  bytesChanged(): void;
  /** A reader, or a caller that waits for the task to rest, has come or left, or nothing is left to write. */
  useChanged(): void;
}

/** Services and settings of the journals of all tasks. */
export interface JournalDeps {
  readonly store: TaskStore;
  /** Whether other replicas use the store too: then memory may be behind the log. */
  readonly shared: boolean;
  readonly logger: Logger;
  readonly memory: Pick<TaskMemory, 'isCrowded'>;
  /** Whether nothing of what the events say may be copied to a task's row. Default: it is. Called for each write. */
  readonly hidesWords?: (() => boolean) | undefined;
}

/** The journal of a task, as its writer and its follower know it. */
export interface WrittenJournal {
  readonly writer: { readonly writing: Promise<void> | undefined };
  /** Why nothing more can be written, or learned of the task. */
  readonly failure: A2AError | undefined;
  /** Whether no other replica appends, as far as is known. */
  readonly isOwnedHere: boolean;
  /** Ends the task in this process. */
  fail(error: A2AError): void;
  /** Called when nothing is left to write. @param refusal why the queued events never will be durable */
  writesDone(refusal?: A2AError): void;
}

/** Parts that the writer and the follower of a task's log share. */
export interface TaskParts extends JournalDeps {
  readonly record: NewTaskRecord;
  readonly log: TaskLog;
  readonly listeners: Listeners;
  readonly owner: JournalOwner;
  readonly journal: WrittenJournal;
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
  readonly outlastsOutage?: boolean;
  readonly resolve: () => void;
  readonly reject: (error: A2AError) => void;
}

/**
 * The listeners of one task: readers of its log, and callers that wait for it to rest or for a write to be durable. Most
 * tasks never have some of them, so that each set is created with its first member.
 */
export class Listeners {
  #readers: Set<LogReader> | undefined;
  /** Wait until a durable event after a position leaves the task at rest. */
  #restWaiters: Set<Waiter> | undefined;
  /** Wait until an event after a position is durable. */
  #writeWaiters: Set<Waiter> | undefined;
  readonly #owner: Pick<JournalOwner, 'useChanged'>;
  readonly #log: TaskLog;
  /** Why those that come now would wait in vain. */
  #failure: A2AError | undefined;

  constructor(owner: Pick<JournalOwner, 'useChanged'>, log: TaskLog) {
    this.#owner = owner;
    this.#log = log;
  }

  get readerCount(): number {
    return this.#readers?.size ?? 0;
  }

  /** Returns the number of listeners that need the events of other replicas. */
  get size(): number {
    return (this.#readers?.size ?? 0) + (this.#restWaiters?.size ?? 0);
  }

  add(reader: LogReader): void {
    this.#readers ??= new Set();
    this.#readers.add(reader);
    this.#owner.useChanged();
  }

  remove(reader: LogReader): void {
    this.#readers?.delete(reader);
    this.#owner.useChanged();
  }

  /**
   * Resolves when a durable event after `after` leaves the task at rest, or after `timeout` milliseconds. Rejects with the
   * signal's reason.
   */
  async untilRest(after: number, signal: AbortSignal, timeout?: number): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#log.hasDurablyRested(after)) return;
    this.#restWaiters ??= new Set();
    await this.#until(this.#restWaiters, (resolve, reject) => ({ after, resolve, reject }), signal, timeout);
  }

  /**
   * Resolves when the durable task has a generation above `after`, or is over, or after `timeout` milliseconds. Rejects
   * with the signal's reason. The caller counts as a reader.
   */
  async untilGeneration(after: number, signal: AbortSignal, timeout: number): Promise<void> {
    const log = this.#log;
    if (this.#failure) throw this.#failure;
    if (log.generation > after || log.isTerminal) return;
    this.#readers ??= new Set();
    const reader = (resolve: () => void, fail: LogReader['fail']): LogReader => ({
      publish: () => {
        if (log.generation > after || log.isTerminal) resolve();
      },
      fail,
    });
    await this.#until(this.#readers, reader, signal, timeout);
  }

  /** Adds a listener until it resolves or rejects, the timeout is over, or the signal aborts. */
  async #until<Listener>(
    listeners: Set<Listener>,
    listenerOf: (resolve: () => void, reject: (error: A2AError) => void) => Listener,
    signal: AbortSignal,
    timeout: number | undefined,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const listener = listenerOf(resolve, reject);
    const abort = (): void => reject(A2AError.from(signal.reason));
    listeners.add(listener);
    this.#owner.useChanged();
    signal.addEventListener('abort', abort, { once: true });
    const timer = timeout === undefined ? undefined : setTimeout(resolve, timeout);
    try {
      if (signal.aborted) throw A2AError.from(signal.reason);
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      listeners.delete(listener);
      this.#owner.useChanged();
    }
  }

  /** Resolves when a position is durable. Rejects when it never will be or, unless it outlasts outages, during one. */
  untilDurable(position: number, outlastsOutage: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#writeWaiters ??= new Set();
    this.#writeWaiters.add({ after: position - 1, outlastsOutage, resolve, reject });
    return promise;
  }

  /** Publishes events that have become durable; the log contains them already. */
  publish(events: readonly LoggedEvent[]): void {
    const log = this.#log;
    for (const reader of this.#readers ?? none) reader.publish(events);
    for (const waiter of this.#restWaiters ?? none) if (log.hasDurablyRested(waiter.after)) waiter.resolve();
    for (const waiter of this.#writeWaiters ?? none) {
      if (log.committed <= waiter.after) continue;
      this.#writeWaiters?.delete(waiter);
      waiter.resolve();
    }
  }

  /** Fails all that wait for events after position `committed`, which were discarded. */
  discard(committed: number, error: A2AError): void {
    this.#failWrites(error, true);
    for (const waiter of this.#restWaiters ?? none) if (waiter.after >= committed) waiter.reject(error);
  }

  /** The store is unavailable: fails waiting callers, and readers where the outage is long. */
  failOnOutage(error: A2AError, isLong: boolean): void {
    this.#failWrites(error, false);
    for (const waiter of this.#restWaiters ?? none) waiter.reject(error);
    if (isLong) for (const reader of this.#readers ?? none) reader.fail(error);
  }

  /** Fails all listeners, and those that come later. */
  failAll(error: A2AError): void {
    this.#failure ??= error;
    this.#failWrites(error, true);
    this.failOnOutage(error, true);
  }

  #failWrites(error: A2AError, endsAll: boolean): void {
    for (const waiter of this.#writeWaiters ?? none) {
      if (waiter.outlastsOutage && !endsAll) continue;
      this.#writeWaiters?.delete(waiter);
      waiter.reject(error);
    }
  }
}

const none: readonly never[] = [];
