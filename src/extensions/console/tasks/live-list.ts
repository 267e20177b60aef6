import { batch, type Signal, signal } from '@preact/signals';
import { admin, type FindTasksRequest, type TaskSummary } from '../gateway/admin.ts';
import type { OpenStream } from '../gateway/live.ts';
import { noteRead } from '../shell/facts.ts';
import { requestOf, type TaskFilters, taskFilters, taskMatcher } from './filters.ts';
import { Following } from './following.ts';
import { type LiveRow, LiveRows, type Matcher } from './live-rows.ts';

/** Rows of one request. */
const pageSize = 200;

/** Largest number of requests for one page: a filter without an index is answered with short pages. */
const maxRequests = 10;

/**
 * Milliseconds by which a stream begins before the last change: two changes may be stored in another order than they
 * happened.
 */
const overlap = 5_000;

/** Source of the rows of a list. */
interface RowSource<Row> {
  /** Returns a function that decides which live rows belong to the list at this moment. */
  matcher(): Matcher<Row>;
  /** Returns the time of the latest change that the gateway knows, by its own clock rather than this machine's. */
  latest(signal: AbortSignal): Promise<string | undefined>;
  /** A page of rows, the latest change first. */
  page(
    request: { readonly pageSize: number; readonly pageToken?: string },
    signal: AbortSignal,
  ): Promise<{ readonly rows: readonly Row[]; readonly nextPageToken?: string | undefined }>;
  readonly watch: OpenStream<Row, string>;
  /** Ids of replicas that did not answer, whose rows are missing. */
  readonly missing?: Signal<readonly string[]>;
}

/** The tasks, or calls, that pass some filters, kept current. */
export class LiveList<Row extends LiveRow> extends LiveRows<Row> {
  /** Whether a page is being read. */
  readonly busy = signal(true);
  /** Reason why the latest page could not be read. */
  readonly error = signal<unknown>(undefined);
  /** Whether there are older rows. */
  readonly hasMore = signal(false);
  /** Whether the search stopped early for now: it found few rows among many. */
  readonly isLong = signal(false);
  readonly missing: Signal<readonly string[]>;
  /** The stream of changes. */
  readonly stream: Following<Row, string>;
  readonly #source: RowSource<Row>;
  readonly #abort = new AbortController();
  #token = '';

  constructor(source: RowSource<Row>) {
    super(() => source.matcher());
    this.#source = source;
    this.missing = source.missing ?? signal([]);
    this.stream = new Following<Row, string>({
      open: (after, options) =>
        source.watch(after && new Date(Math.max(0, Date.parse(after) - overlap)).toISOString(), options),
      next: ({ updatedAt = '' }, last = '') => (updatedAt > last ? updatedAt : last),
      endless: true,
      onEvents: (rows) => this.take(rows),
    });
  }

  /** Reads the first page, and follows changes until `close`. */
  async open(): Promise<void> {
    await this.#try(async (closed) => this.stream.start(closed, await this.#source.latest(closed)));
    if (this.error.peek() === undefined) await this.more();
  }

  /** Reads the next page of older rows. */
  more(): Promise<void> {
    return this.#try(async (closed) => {
      let found = 0;
      for (let requests = 0; requests < maxRequests && found < pageSize; requests++) {
        const token = this.#token && { pageToken: this.#token };
        const { rows, nextPageToken = '' } = await this.#source.page({ pageSize, ...token }, closed);
        this.#token = nextPageToken;
        found += rows.length;
        this.take(rows, { older: true });
        if (this.#token === '') break;
      }
      batch(() => {
        this.busy.value = false;
        noteRead();
        this.hasMore.value = this.#token !== '' && !this.isCut.peek();
        this.isLong.value = this.#token !== '' && found < pageSize;
      });
    });
  }

  close(): void {
    this.#abort.abort();
  }

  async #try(read: (closed: AbortSignal) => Promise<void>): Promise<void> {
    const { signal: closed } = this.#abort;
    this.busy.value = true;
    try {
      await read(closed);
      this.error.value = undefined;
    } catch (error) {
      if (closed.aborted) return;
      batch(() => {
        this.busy.value = false;
        this.error.value = error;
      });
    }
  }
}

/** Returns the tasks that pass the filters, kept current. */
export function taskList(filters: TaskFilters): LiveList<TaskSummary> {
  const request = () => requestOf<FindTasksRequest>(taskFilters, filters, Date.now());
  const { agent, contextId } = request();
  // Changes are watched without the states: a task that leaves them must leave the list.
  const scope = { ...(agent && { agent }), ...(contextId && { contextId }) };
  /** Keys of the tasks that the gateway found. */
  const found = new Set<string>();
  return new LiveList<TaskSummary>({
    matcher: () => taskMatcher(filters, Date.now(), found),
    async latest(signal) {
      const { tasks = [] } = await admin.call('FindTasks', { ...scope, pageSize: 1 }, { signal });
      return tasks[0]?.updatedAt ?? new Date(0).toISOString();
    },
    async page(page, signal) {
      const { tasks: rows = [], nextPageToken } = await admin.call('FindTasks', { ...request(), ...page }, { signal });
      for (const { key } of rows) found.add(key);
      return { rows, nextPageToken };
    },
    watch: (changedAfter = '', options) => admin.stream('WatchTasks', { ...scope, changedAfter }, options),
  });
}
