import { batch, signal } from '@preact/signals';
import { admin, type TaskSummary } from '../gateway/admin.ts';
import { noteRead } from '../shell/facts.ts';
import { matches, requestOf, type TaskFilters } from './filters.ts';
import { Following } from './following.ts';
import { TaskRows } from './task-rows.ts';

/** Tasks of one request. */
const pageSize = 200;

/** Requests for one page: a filter that no index serves is answered with short pages. */
const maxRequests = 10;

/** Milliseconds that a stream begins before the last change: two changes may be stored in another order than they happened. */
const overlap = 5_000;

/** Milliseconds in which live changes are collected before they are shown. */
const frame = 100;

/** The tasks that pass the filters, kept current. */
export class TaskList {
  readonly rows = signal<readonly TaskSummary[]>([]);
  /** Number of new tasks that are not shown while the rows keep their places. */
  readonly waiting = signal(0);
  /** Whether a page is being read. */
  readonly busy = signal(true);
  /** Why the latest page could not be read. */
  readonly error = signal<unknown>(undefined);
  /** Whether there are older tasks. */
  readonly hasMore = signal(false);
  /** Whether the oldest tasks are left out, because there are too many. */
  readonly isCut = signal(false);
  /** Whether the search ended early for now: it found few tasks among many. */
  readonly isLong = signal(false);
  /** The stream of changes. */
  readonly stream: Following<TaskSummary, string>;
  readonly #filters: TaskFilters;
  readonly #rows: TaskRows;
  /** Of which tasks changes are watched. */
  readonly #scope: { readonly agent?: string; readonly contextId?: string };
  readonly #abort = new AbortController();
  #token = '';

  constructor(filters: TaskFilters) {
    this.#filters = filters;
    this.#rows = new TaskRows((task) => matches(filters, task, Date.now()));
    const { agent, contextId } = requestOf(filters, Date.now());
    this.#scope = { ...(agent && { agent }), ...(contextId && { contextId }) };
    this.stream = new Following<TaskSummary, string>({
      open: (after = '', options) => {
        const changedAfter = new Date(Math.max(0, Date.parse(after) - overlap)).toISOString();
        // The states are not part of the request: a task that leaves them has to leave the list.
        return admin.stream('WatchTasks', { ...this.#scope, changedAfter }, options);
      },
      next: ({ updatedAt = '' }, last = '') => (updatedAt > last ? updatedAt : last),
      endless: true,
      frame,
      onEvents: (tasks) => this.take(tasks),
    });
  }

  /** Reads the first page, and follows changes until `close`. */
  async open(): Promise<void> {
    const { signal: closed } = this.#abort;
    try {
      // The stream begins with the latest change that the gateway knows, by its own clock, and not with this machine's time.
      const { tasks = [] } = await admin.call('FindTasks', { ...this.#scope, pageSize: 1 }, { signal: closed });
      this.stream.start(closed, tasks[0]?.updatedAt ?? new Date(0).toISOString());
    } catch (error) {
      if (!closed.aborted) batch(() => this.#fail(error));
      return;
    }
    await this.more();
  }

  /** Reads the next page of older tasks. */
  async more(): Promise<void> {
    const { signal: closed } = this.#abort;
    this.busy.value = true;
    try {
      let found = 0;
      for (let requests = 0; requests < maxRequests && found < pageSize; requests++) {
        const request = {
          ...requestOf(this.#filters, Date.now()),
          pageSize,
          ...(this.#token && { pageToken: this.#token }),
        };
        const { tasks = [], nextPageToken = '' } = await admin.call('FindTasks', request, { signal: closed });
        this.#token = nextPageToken;
        found += tasks.length;
        this.#rows.merge(tasks, { older: true });
        this.#show();
        if (this.#token === '') break;
      }
      batch(() => {
        this.busy.value = false;
        this.error.value = undefined;
        noteRead();
        this.hasMore.value = this.#token !== '' && !this.#rows.isCut;
        this.isLong.value = this.#token !== '' && found < pageSize;
      });
    } catch (error) {
      if (!closed.aborted) batch(() => this.#fail(error));
    }
  }

  /** Merges tasks that an action returned, or that changed. */
  take(tasks: readonly TaskSummary[]): void {
    this.#rows.merge(tasks);
    this.#show();
  }

  /** Whether the rows keep their places while they change. */
  hold(held: boolean): void {
    if (held === this.#rows.isHeld) return;
    if (held) this.#rows.hold();
    else this.#rows.release();
    this.#show();
  }

  close(): void {
    this.#abort.abort();
  }

  #show(): void {
    batch(() => {
      this.rows.value = this.#rows.rows;
      this.waiting.value = this.#rows.waiting;
      this.isCut.value = this.#rows.isCut;
    });
  }

  #fail(error: unknown): void {
    this.busy.value = false;
    this.error.value = error;
  }
}
