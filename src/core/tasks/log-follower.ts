import type { LoggedEvent } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { takenOverError } from '../ports/store-errors.ts';
import type { EventPage } from '../ports/task-store.ts';
import type { TaskParts } from './listeners.ts';
import { nextPageSize, pageSizes } from './replay.ts';

/** Reason for stopping work when another replica continues the task. The work of that replica must not be canceled. */
const takenOver = new A2AError('canceled', 'Another replica took over the task.');

/** Reads the events that other replicas append to one task's log, and publishes them here. */
export class LogFollower {
  readonly #deps: TaskParts;
  /** Conflict between memory and log. Undefined again once the task has been reloaded. */
  conflict: A2AError | undefined;
  /** The read that is running, and the one queued after it. */
  #running: Promise<void> | undefined;
  #queued: Promise<void> | undefined;
  /** Position that the log is known to have reached. */
  #known = 0;

  constructor(deps: TaskParts) {
    this.#deps = deps;
  }

  /** Whether the log is known to have more events than memory. */
  get isBehind(): boolean {
    return this.conflict !== undefined || this.#known > this.#deps.log.committed;
  }

  /** Notes that another replica has appended up to this position. */
  noteRemotePosition(seq: number): void {
    this.#known = Math.max(this.#known, seq);
    // A running write finds out by itself whether another replica appended first.
    if (!this.#deps.journal.writer.writing) this.readIfBehind();
  }

  /** Notes that another replica owns the task. It may not have appended yet. */
  markTakenOver(): void {
    const { journal, record } = this.#deps;
    if (journal.writer.writing || !journal.isOwnedHere) return;
    this.reportConflict(takenOverError(record.id));
    this.readIfBehind();
  }

  /**
   * Notes that another replica appended first: discards the events of this replica that are not durable; `read` reloads the task.
   */
  reportConflict(error: A2AError): void {
    const { log, listeners, owner } = this.#deps;
    this.conflict = error;
    log.discard();
    owner.stopWork(takenOver);
    listeners.discard(log.committed, error);
  }

  /**
   * Reads in the background if memory is behind. A failed read is repeated with the next notification, or when log sync next
   * compares positions.
   */
  readIfBehind(): void {
    const { logger, record } = this.#deps;
    if (this.#isClosed || !this.isBehind) return;
    this.read().catch((err: unknown) => {
      logger.debug({ task: record.id, err }, 'events of other replicas could not be read');
    });
  }

  /** Whether nothing more is read. */
  get #isClosed(): boolean {
    return this.#deps.journal.failure !== undefined;
  }

  /** Reads and publishes the events that other replicas appended before this call. Rejects if the store is unavailable. */
  read(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#readOnce().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    // The running read may have missed what was appended after it began.
    const again = (): Promise<void> => {
      this.#queued = undefined;
      return this.read();
    };
    this.#queued ??= this.#running.then(again, again);
    return this.#queued;
  }

  async #readOnce(): Promise<void> {
    const { log, owner } = this.#deps;
    if (this.conflict) await this.#reload();
    for (let size: number = pageSizes.first; !this.#isClosed; ) {
      const from = log.committed;
      // If this replica is writing, the write itself finds out whether another replica was first.
      if (from === 0 || log.head !== from) return;
      const events = await this.#page(size);
      if (events.length === 0 || log.committed !== from || log.head !== from || this.#isClosed) return;
      log.adopt(events);
      owner.stopWork(takenOver);
      this.#publish(events);
      if (events.length < size && !events.isCut && !this.isBehind) return;
      size = nextPageSize(size, lengthOf(events));
    }
  }

  /** Replaces the task in memory by the stored one, and publishes the events that readers have not received. */
  async #reload(): Promise<void> {
    const { store, record, log, journal } = this.#deps;
    const stored = await store.loadRecord(record.key);
    if (!stored) return journal.fail(A2AError.taskNotFound(record.id));
    for (let size: number = pageSizes.first; log.committed < stored.seq; ) {
      const events = await this.#page(Math.min(size, stored.seq - log.committed));
      if (events.length === 0) throw new A2AError('unavailable');
      log.skip(events);
      this.#publish(events);
      size = nextPageSize(size, lengthOf(events));
    }
    log.restore(stored);
    this.conflict = undefined;
  }

  #page(limit: number): Promise<EventPage> {
    const { store, record, log } = this.#deps;
    return store.events(record.key, log.committed, limit);
  }

  #publish(events: readonly LoggedEvent[]): void {
    this.#deps.listeners.publish(events);
  }
}

const lengthOf = (events: readonly LoggedEvent[]): number => events.reduce((sum, { json }) => sum + json.length, 0);
