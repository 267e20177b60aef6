import type { StreamResponse, Task } from '../model/a2a.ts';
import type { Requester, TaskFacts } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import { isConflict } from '../ports/store-errors.ts';
import type { EventPage, NewTaskRecord, SizedRecord, StoredTask } from '../ports/task-store.ts';
import { type JournalDeps, type JournalOwner, Listeners, type TaskParts } from './listeners.ts';
import { LogFollower } from './log-follower.ts';
import { LogWriter } from './log-writer.ts';
import { TaskLog, type TaskLogView } from './task-log.ts';
import type { TurnRequest } from './turn-request.ts';

/** Reason for stopping work at a task's end. All tasks share it, since creating an error costs more than an event. */
export const taskEnded = new A2AError('canceled', 'The task is over.');

/** Attempts to read a task whose log changes meanwhile. */
const readAttempts = 5;

/** A durable task, as of one of its events. */
export interface CurrentTask {
  /** The task. This object never changes: later events appear in later objects. */
  readonly task: Task;
  /** Position of that event. */
  readonly seq: number;
  readonly facts: TaskFacts;
}

/**
 * The log of one task in this process, which writes, follows and reads it. Events become visible only here: an event gets its
 * position, becomes durable, is folded, and is then published. Events of other replicas take the same path.
 */
export class TaskJournal {
  readonly record: NewTaskRecord;
  readonly log: TaskLogView;
  readonly listeners: Listeners;
  /** The writer of the log. Events are written only by `append`. */
  readonly writer: LogWriter;
  /** Reason why this object can write nothing more, and learn nothing more about the task. Set by `fail`. */
  failure: A2AError | undefined;
  readonly #parts: TaskParts;
  #follower: LogFollower | undefined;
  #folding: Promise<CurrentTask> | undefined;

  /** @param stored the row, with or without the task. Absent: a new task, whose row is created by its first event */
  constructor(deps: JournalDeps, record: NewTaskRecord, owner: JournalOwner, stored?: SizedRecord | StoredTask) {
    const { store, shared, logger, memory, hidesWords } = deps;
    const log = new TaskLog(record.createdAt, stored, store);
    const listeners = new Listeners(owner, log);
    this.record = record;
    this.log = log;
    this.listeners = listeners;
    this.#parts = { store, shared, logger, memory, hidesWords, record, log, listeners, owner, journal: this };
    this.writer = new LogWriter(this.#parts);
  }

  get facts(): TaskFacts {
    const { updatedAt, generation } = this.log;
    return { createdAt: this.record.createdAt, updatedAt, generation };
  }

  /** Whether the task is over and all of its events are durable. */
  get ended(): boolean {
    const { isTerminal, committed, head } = this.log;
    return isTerminal && committed === head && !this.#follower?.conflict;
  }

  /** Whether no other replica appends, as far as is known: the task is being created, or its owner here works on it. */
  get isOwnedHere(): boolean {
    return this.log.committed === 0 || (this.#parts.owner.isWorking && !this.#follower?.conflict);
  }

  /**
   * Appends an event, which becomes durable and visible with the others of this turn of the event loop, and returns its position.
   * Called only by `LiveTask.emit`. `call` and `request` belong to the message if the event is one. Throws when nothing can be
   * written any more, and `payloadTooLarge` when the events would have more bytes than `limit`.
   */
  append(event: StreamResponse, limit: number | undefined, call?: CallKey, request?: TurnRequest): number {
    const failure = this.failure ?? this.#follower?.conflict;
    if (failure) throw failure;
    const { log } = this.#parts;
    this.writer.write(log.emit(event, limit), call, request);
    return log.head;
  }

  /**
   * Resolves when all events appended before this call are durable. Rejects when another replica appended first, when the task
   * failed, or when the store is unavailable; in this case the write is still retried.
   */
  async settled(): Promise<void> {
    const { committed, head } = this.log;
    if (this.writer.writing && committed < head) await this.listeners.untilDurable(head, false);
    if (this.failure) throw this.failure;
    if (this.#follower?.conflict) await this.#follower.read();
  }

  /** Like `settled`, for a caller that has written nothing: if another replica appended first, its events are read. */
  settledOrCaughtUp(): Promise<void> {
    return this.settled().catch((thrown: unknown) => {
      if (this.failure || !isConflict(thrown)) throw thrown;
      return this.follower.read();
    });
  }

  /** Resolves when all events appended before this call are durable. By default, waits for the end of an outage. */
  async written(outlastsOutage = true): Promise<void> {
    if (this.failure) throw this.failure;
    const { committed, head } = this.log;
    if (committed < head) await this.listeners.untilDurable(head, outlastsOutage);
  }

  /**
   * Removes the row of a task that has only its opening event, and fails all that wait for the task with `error`. The row is
   * replaced by the answer under the call's key, or the key is released. Resolves with false if the task stays, because it has
   * further events or the store is unavailable.
   */
  async removeOpening(error: A2AError, call: CallKey | undefined, answer: string | undefined): Promise<boolean> {
    const hasMore = this.log.head > 1 || this.writer.isBinding;
    if (this.failure || this.log.committed === 0 || hasMore) return false;
    if (!(await this.writer.removeRow(call, answer))) return false;
    this.fail(error);
    return true;
  }

  /** Resolves when the size of the task's events is known, which is needed before the first event that is limited by it. */
  async counted(): Promise<void> {
    const { store, record, log } = this.#parts;
    if (log.isCounted) return;
    const { countedUntil } = log;
    const bytes = await store.logBytes(record.key, countedUntil);
    if (log.countedUntil === countedUntil) log.count(bytes);
  }

  /**
   * The durable task and its position. By the time the caller goes on, there may be further events.
   *
   * @param requester counts the bytes of the task if it must be read
   */
  async current(requester?: Requester): Promise<CurrentTask> {
    const { log } = this;
    if (this.failure) throw this.failure;
    const isUnsettled = log.committed < log.head && (log.isTerminal || log.committed === 0);
    if (isUnsettled || this.#follower?.conflict) await this.settled();
    if (!log.isFolded && requester) await countTask(this, requester);
    if (log.isFolded) return this.#folded();
    this.#folding ??= this.#readTask().finally(() => {
      this.#folding = undefined;
    });
    return this.#folding;
  }

  #folded(): CurrentTask {
    const { task, committed: seq } = this.#parts.log;
    if (!task) throw this.failure ?? new A2AError('internal');
    return { task, seq, facts: this.facts };
  }

  /** The task with all events that were appended before this call, once they are durable. Waits for the end of an outage. */
  async latest(): Promise<Task> {
    const { head } = this.log;
    await this.written();
    const { task, seq } = await this.current();
    return seq < head ? this.latest() : task;
  }

  /** Reads a task whose row alone is in memory. */
  async #readTask(): Promise<CurrentTask> {
    const { store, record, log, owner } = this.#parts;
    for (let attempt = 0; attempt < readAttempts; attempt += 1) {
      log.beginFold();
      const stored = await store.load(record.key);
      if (!stored) this.fail(A2AError.taskNotFound(record.id));
      if (this.failure || !stored) throw this.failure ?? new A2AError('internal');
      if (log.endFold(stored)) {
        const current = this.#folded();
        // There may be no room to keep it.
        owner.bytesChanged();
        return current;
      }
      // The store has events that are not in memory yet, from a write in progress or from another replica.
      await (this.writer.writing ? this.settled() : this.follower.read());
    }
    throw new A2AError('unavailable', 'The task changes too fast to be read; try again', { retryAfter: 1 });
  }

  /** Frees the memory of the folded task: it is read again when it is needed. */
  forget(): void {
    this.#parts.log.forget();
  }

  /** Events after a position, from the store. */
  read(after: number, limit: number, requester?: Requester): Promise<EventPage> {
    return this.#parts.store.events(this.record.key, after, limit, requester);
  }

  /** Whether the events of other replicas are needed here. */
  get hasListeners(): boolean {
    return this.listeners.size > 0 || this.#follower?.conflict !== undefined;
  }

  /** Whether other replicas should notify this one when they append. */
  get wantsNotifications(): boolean {
    const mayContinue = !this.log.isTerminal || this.#follower?.conflict !== undefined;
    // A write in progress finds out by itself whether another replica appended first.
    const isIdle = !this.isOwnedHere && !this.writer.writing;
    return this.listeners.size > 0 && mayContinue && isIdle && !this.failure;
  }

  /** The follower of the log, for events that another replica has written or may have written. */
  get follower(): LogFollower {
    this.#follower ??= new LogFollower(this.#parts);
    return this.#follower;
  }

  /** Reads the log if other replicas may have appended. Undefined if there is nothing to read. */
  catchUp(): Promise<void> | undefined {
    if (!this.#follower?.conflict && (!this.#parts.shared || this.isOwnedHere)) return undefined;
    const read = (): Promise<void> => this.follower.read();
    // The running write may turn out to be too late.
    return this.log.committed < this.log.head ? this.settled().then(read, read) : read();
  }

  /** Ends the task in this process: nothing more is written or read. */
  fail(error: A2AError): void {
    this.failure ??= error;
    this.listeners.failAll(error);
    this.#parts.owner.stopWork(taskEnded);
    this.#parts.owner.useChanged();
  }

  /** Called by the writer when nothing is left to write. @param refusal why the queued events never will be durable */
  writesDone(refusal?: A2AError): void {
    const { owner } = this.#parts;
    // Without a row of its own yet, the task has lost its id to another task, and there is nothing to read for its listeners.
    if (refusal && isConflict(refusal) && this.log.committed > 0) this.follower.reportConflict(refusal);
    else if (refusal) this.fail(refusal);
    owner.bytesChanged();
    this.#follower?.readIfBehind();
    owner.useChanged();
  }
}

/**
 * Counts the bytes of a whole task for a call, before the task is read or becomes part of an answer. Waits for room until the
 * time `until`; without it, does not wait.
 */
export const countTask = (
  { log }: Pick<TaskJournal, 'log'>,
  { reservation }: Requester,
  until?: number,
): Promise<void> | undefined => reservation?.reserve(log.bytes, until);

/** The durable task for the answer to a call. Its bytes are counted for the call, as in `countTask`. */
export async function taskFor(journal: TaskJournal, requester: Requester, until?: number): Promise<CurrentTask> {
  await countTask(journal, requester, until);
  return journal.current();
}
