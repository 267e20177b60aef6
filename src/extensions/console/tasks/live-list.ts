import { batch, signal } from '@preact/signals';
import type { OpenStream } from '../gateway/live.ts';
import { noteRead } from '../shell/facts.ts';
import { Following } from './following.ts';
import { type LiveRow, LiveRows } from './live-rows.ts';

/** Rows of one request. */
const pageSize = 200;

/** Requests for one page: a filter that no index serves is answered with short pages. */
const maxRequests = 10;

/** Milliseconds that a stream begins before the last change: two changes may be stored in another order than they happened. */
const overlap = 5_000;

/** Milliseconds in which live changes are collected before they are shown. */
const frame = 100;

/** A page of rows, the latest change first. */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly nextPageToken?: string;
}

/** The tasks, or calls, that pass some filters, kept current. */
export abstract class LiveList<Row extends LiveRow> {
  readonly rows = signal<readonly Row[]>([]);
  /** Number of new rows that are not shown while the others keep their places. */
  readonly waiting = signal(0);
  /** Whether a page is being read. */
  readonly busy = signal(true);
  /** Why the latest page could not be read. */
  readonly error = signal<unknown>(undefined);
  /** Whether there are older rows. */
  readonly hasMore = signal(false);
  /** Whether the oldest rows are left out, because there are too many. */
  readonly isCut = signal(false);
  /** Whether the search ended early for now: it found little among much. */
  readonly isLong = signal(false);
  /** Ids of replicas that did not answer, whose rows are missing. */
  readonly missing = signal<readonly string[]>([]);
  /** The stream of changes. */
  readonly stream: Following<Row, string>;
  readonly #rows = new LiveRows<Row>((row) => this.matches(row));
  readonly #abort = new AbortController();
  #token = '';

  constructor() {
    this.stream = new Following<Row, string>({
      open: (after, options) =>
        this.watch(after && new Date(Math.max(0, Date.parse(after) - overlap)).toISOString(), options),
      next: ({ updatedAt = '' }, last = '') => (updatedAt > last ? updatedAt : last),
      endless: true,
      frame,
      onEvents: (rows) => this.take(rows),
    });
  }

  /** Whether a row that arrives live belongs to the list. */
  protected abstract matches(row: Row): boolean;
  /** Time of the latest change that the gateway knows, by its own clock and not by this machine's. */
  protected abstract latest(signal: AbortSignal): Promise<string | undefined>;
  protected abstract page(
    request: { readonly pageSize: number; readonly pageToken?: string },
    signal: AbortSignal,
  ): Promise<RowPage<Row>>;
  protected abstract watch(
    after: string | undefined,
    options: Parameters<OpenStream<Row, string>>[1],
  ): ReturnType<OpenStream<Row, string>>;

  /** Reads the first page, and follows changes until `close`. */
  async open(): Promise<void> {
    const { signal: closed } = this.#abort;
    try {
      this.stream.start(closed, await this.latest(closed));
    } catch (error) {
      if (!closed.aborted) batch(() => this.#fail(error));
      return;
    }
    await this.more();
  }

  /** Reads the next page of older rows. */
  async more(): Promise<void> {
    const { signal: closed } = this.#abort;
    this.busy.value = true;
    try {
      let found = 0;
      for (let requests = 0; requests < maxRequests && found < pageSize; requests++) {
        const token = this.#token && { pageToken: this.#token };
        const { rows, nextPageToken = '' } = await this.page({ pageSize, ...token }, closed);
        this.#token = nextPageToken;
        found += rows.length;
        this.#rows.merge(rows, { older: true });
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

  /** Merges rows that an action returned, or that changed. */
  take(rows: readonly Row[]): void {
    this.#rows.merge(rows);
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
