import type { LoggedEvent } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { EventPage, TaskStore } from '../ports/task-store.ts';
import type { Listeners } from './listeners.ts';
import { nextPage, pages } from './log-pages.ts';
import type { TaskLog } from './task-log.ts';

export interface FollowerDeps {
  readonly key: string;
  readonly store: Pick<TaskStore, 'events' | 'load'>;
  readonly log: TaskLog;
  readonly audience: Listeners;
  /** Called when others have gone on with the task, before anybody hears of it. */
  readonly onTakenOver: () => void;
  /** Called when the task is not in the store any more. */
  readonly onDeleted: () => void;
}

/** Follows what other gateways append to one task's log. */
export class LogFollower {
  readonly #deps: FollowerDeps;
  /** Why what is in memory is not what the log says, until it has been read anew. */
  #conflict: A2AError | undefined;
  /** The read that is under way, and the one that is to follow. */
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** Position that the log is known to have reached. */
  #known = 0;
  #over = false;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
  }

  get conflict(): A2AError | undefined {
    return this.#conflict;
  }

  /** Whether there is more in the log than in memory, as far as is known. */
  get isBehind(): boolean {
    return this.#conflict !== undefined || this.#known > this.#deps.log.committed;
  }

  /** The log has reached a position by the events of another gateway. */
  noteRemotePosition(seq: number): void {
    this.#known = Math.max(this.#known, seq);
  }

  /** Another gateway was quicker: what was emitted here and is not durable is dropped, and the task is read anew. */
  reportConflict(error: A2AError): void {
    const { log, audience, onTakenOver: relieved } = this.#deps;
    this.#conflict = error;
    log.drop();
    relieved();
    audience.dropped(log.committed, error);
  }

  /** Nothing more is read. */
  close(): void {
    this.#over = true;
  }

  /**
   * Reads what others appended before this was called, and tells of it. One read at a time. Rejects with `unavailable`
   * when the store is away: whoever listens goes on doing so.
   */
  follow(): Promise<void> {
    if (!this.#reading) {
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    // The store may have answered the read that is under way before there was what is asked for now.
    const after = (): Promise<void> => {
      this.#next = undefined;
      return this.follow();
    };
    this.#next ??= this.#reading.then(after, after);
    return this.#next;
  }

  async #read(): Promise<void> {
    const { log } = this.#deps;
    if (this.#conflict) await this.#reload();
    for (let page: number = pages.first; !this.#over; ) {
      const from = log.committed;
      // What has been emitted here meanwhile finds out by itself whether others were quicker.
      if (from === 0 || log.head !== from) return;
      const events = await this.#page(page);
      if (events.length === 0 || log.committed !== from || log.head !== from || this.#over) return;
      log.adopt(events);
      this.#deps.onTakenOver();
      this.#tell(events);
      if (events.length < page && !events.isCut && !this.isBehind) return;
      page = nextPage(page, lengthOf(events));
    }
  }

  /** What is in memory was ahead of the log. Readers get what they have not had. */
  async #reload(): Promise<void> {
    const { store, key, log, onDeleted: gone } = this.#deps;
    const stored = await store.load(key);
    if (!stored) {
      gone();
      return;
    }
    for (let page: number = pages.first; log.committed < stored.seq; ) {
      const events = await this.#page(Math.min(page, stored.seq - log.committed));
      if (events.length === 0) throw new A2AError('unavailable');
      log.regain(events);
      this.#tell(events);
      page = nextPage(page, lengthOf(events));
    }
    log.restore(stored);
    this.#conflict = undefined;
  }

  #page(limit: number): Promise<EventPage> {
    const { store, key, log } = this.#deps;
    return store.events(key, log.committed, limit);
  }

  #tell(events: readonly LoggedEvent[]): void {
    this.#deps.audience.published(events, this.#deps.log);
  }
}

const lengthOf = (events: readonly LoggedEvent[]): number => events.reduce((sum, { json }) => sum + json.length, 0);
