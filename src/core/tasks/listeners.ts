import type { LoggedEvent } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { Logger } from '../ports/logger.ts';
import type { NewTaskRecord, TaskStore } from '../ports/task-store.ts';
import type { TaskLog } from './task-log.ts';
import type { TaskMemory } from './task-memory.ts';

/** The entry of a task in this process, in the form that the task's journal uses. */
export interface JournalOwner {
  /** Whether a run in this process works on the task, and has not brought it to rest. */
  readonly isWorking: boolean;
  /** Stops all work on the task in this process, because the task is over here, or another replica has continued it. */
  stopWork(reason: A2AError): void;
  /** Called when the memory of the journal has grown or shrunk. */
  bytesChanged(): void;
  /** Called when a reader, or a caller that waits for the task to rest, has come or left, and when nothing is left to write. */
  useChanged(): void;
}

/** Services and settings of the journals of all tasks. */
export interface JournalDeps {
  readonly store: TaskStore;
  /** Whether other replicas use the store, too. Memory may then be behind the log. */
  readonly shared: boolean;
  readonly logger: Logger;
  readonly memory: Pick<TaskMemory, 'isCrowded'>;
  /** Whether no text of the events may be copied to a task's row. Called for each write. Default: texts are copied. */
  readonly hidesWords?: (() => boolean) | undefined;
}

/** The journal of a task, in the form that its writer and its follower use. */
export interface WrittenJournal {
  readonly writer: { readonly writing: Promise<void> | undefined };
  /** Reason why nothing more can be written, or learned about the task. */
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

/** A reader of a task's log, which also gets the events that become durable while it reads. */
export interface LogReader {
  /** Called when events have become durable. The reader takes them, or reads them from the store later. */
  publish(events: readonly LoggedEvent[]): void;
  /** Ends the stream with an error. Its caller may resume it later. */
  fail(error: A2AError): void;
}

interface Waiter {
  readonly after: number;
  /** Whether the reader waits for the end of an outage. */
  readonly outlastsOutage?: boolean;
  readonly resolve: () => void;
  readonly reject: (error: A2AError) => void;
}

/**
 * The listeners of one task: readers of its log, and callers that wait for it to rest or for a write to be durable. Many tasks
 * never have listeners of some kinds, so each set is created with its first member.
 */
export class Listeners {
  #readers: Set<LogReader> | undefined;
  /** Callers that wait until a durable event after a position leaves the task at rest. */
  #restWaiters: Set<Waiter> | undefined;
  /** Callers that wait until an event after a position is durable. */
  #writeWaiters: Set<Waiter> | undefined;
  readonly #owner: Pick<JournalOwner, 'useChanged'>;
  readonly #log: TaskLog;
  /** Reason why listeners that are added from now on would wait in vain. */
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

  /**
   * Resolves when a position is durable. Rejects when it never will be durable, and during an outage unless `outlastsOutage` is
   * set.
   */
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

  /** Fails all listeners that wait for events after position `committed`, because these events were discarded. */
  discard(committed: number, error: A2AError): void {
    this.#failWrites(error, true);
    for (const waiter of this.#restWaiters ?? none) if (waiter.after >= committed) waiter.reject(error);
  }

  /** The store is unavailable: fails waiting callers, and readers if the outage is long. */
  failOnOutage(error: A2AError, isLong: boolean): void {
    this.#failWrites(error, false);
    for (const waiter of this.#restWaiters ?? none) waiter.reject(error);
    if (isLong) for (const reader of this.#readers ?? none) reader.fail(error);
  }

  /** Fails all listeners, and those that are added later. */
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
