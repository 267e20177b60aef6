import type { StreamLimit } from '../../core/limits/stream-limit.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { AdminStore, ChangePosition, TaskOverview } from '../../core/ports/admin-store.ts';
import { outageTimeout } from '../../core/tasks/outage.ts';
import type { TaskSummary } from '../../gen/admin-v1/types.ts';
import { timeOf } from './requests.ts';
import type { AdminHandlers } from './service.ts';
import { statesOf, summaryOf } from './tasks.ts';

/** Milliseconds between two polls, and the part of the time that they may take. */
const defaultInterval = 1_000;
const pollShare = 0.05;
/** A change can be stored so many milliseconds after its time. */
const lateness = 3_000;
/** Tasks that are read at once. */
const pageSize = 1_000;
/** Tasks that may wait for a slow reader. */
const maxWaiting = 10_000;

export interface TaskWatchOptions {
  readonly store: Pick<AdminStore, 'changedTasks'> & { now(): number };
  /** Milliseconds between two polls. Default: a second. */
  readonly interval?: number;
  /** Whether the tasks are without what messages and agents say. Default: with it. */
  readonly hidesWords?: () => boolean;
}

/** Which tasks one reader wants. */
export interface WatchedTasks {
  readonly matches: (task: TaskOverview) => boolean;
  /** Milliseconds: tasks that changed at this time or later. Default: now. */
  readonly since?: number | undefined;
  /** Called once when the stream is over. */
  readonly onEnd?: () => void;
}

/**
 * Streams of the tasks of all owners as they change, at any replica. One poll of the store serves all streams: it reads what
 * changed lately once more, since a change becomes visible after its time, and passes on what is new.
 */
export class TaskWatch {
  readonly #store: TaskWatchOptions['store'];
  readonly #interval: number;
  readonly #hidesWords: () => boolean;
  readonly #readers = new Set<TaskChanges>();
  /** Positions of the tasks that changed lately, as they were passed on. */
  readonly #seen = new Map<string, Pick<TaskOverview, 'seq' | 'updatedAt'>>();
  /** When the last successful poll began, by the store's clock. */
  #polledAt = 0;
  #failingSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;

  constructor({ store, interval = defaultInterval, hidesWords = () => false }: TaskWatchOptions) {
    this.#store = store;
    this.#interval = interval;
    this.#hidesWords = hidesWords;
  }

  watch({ matches, since, onEnd = () => {} }: WatchedTasks): AsyncIterableIterator<LoggedEvent<TaskSummary>> {
    const now = this.#store.now();
    const reader = new TaskChanges({
      store: this.#store,
      hidesWords: this.#hidesWords,
      matches,
      since: since ?? now,
      hasPast: since !== undefined,
      onEnd: () => {
        this.#readers.delete(reader);
        if (this.#readers.size === 0) this.#stop();
        onEnd();
      },
    });
    this.#readers.add(reader);
    if (this.#readers.size === 1) this.#polledAt = now;
    if (!this.#timer && !this.#isPolling) this.#schedule(this.#interval);
    return reader;
  }

  /** Ends all streams with `unavailable`. */
  close(): void {
    for (const reader of this.#readers) reader.fail(new A2AError('unavailable', 'The gateway is stopping'));
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#seen.clear();
    this.#failingSince = undefined;
  }

  #schedule(delay: number): void {
    this.#timer = setTimeout(() => void this.#poll(), delay).unref();
  }

  async #poll(): Promise<void> {
    this.#timer = undefined;
    this.#isPolling = true;
    const began = performance.now();
    try {
      await this.#readChanges();
      this.#failingSince = undefined;
    } catch (thrown) {
      this.#failingSince ??= began;
      if (began - this.#failingSince >= outageTimeout) {
        for (const reader of this.#readers) reader.fail(A2AError.from(thrown));
      }
    }
    this.#isPolling = false;
    if (this.#readers.size === 0) this.#stop();
    else this.#schedule(Math.max(this.#interval, (performance.now() - began) / pollShare));
  }

  async #readChanges(): Promise<void> {
    const now = this.#store.now();
    const horizon = Math.min(this.#polledAt, now) - lateness;
    for (const [key, { updatedAt }] of this.#seen) if (updatedAt < horizon) this.#seen.delete(key);
    for await (const page of pagesOf(this.#store, horizon)) {
      if (this.#readers.size === 0) return;
      const changed = page.filter(({ key, seq }) => this.#seen.get(key)?.seq !== seq);
      for (const { key, seq, updatedAt } of changed) this.#seen.set(key, { seq, updatedAt });
      for (const reader of this.#readers) reader.offer(changed);
    }
    for (const reader of this.#readers) reader.polled();
    this.#polledAt = now;
  }
}

/** The tasks that changed since a time, the earliest first. */
async function* pagesOf(store: TaskWatchOptions['store'], since: number): AsyncGenerator<readonly TaskOverview[]> {
  for (let after: ChangePosition = { at: since, key: '' }; ; ) {
    const page = await store.changedTasks(after, pageSize);
    yield page;
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = { at: last.updatedAt, key: last.key };
    await new Promise((resolve) => setImmediate(resolve));
  }
}

type Step = IteratorResult<LoggedEvent<TaskSummary>>;

interface TaskChangesOptions extends Required<Pick<WatchedTasks, 'matches' | 'onEnd'>> {
  readonly store: TaskWatchOptions['store'];
  readonly hidesWords: () => boolean;
  readonly since: number;
  /** Whether it begins with tasks that changed before it was opened. */
  readonly hasPast: boolean;
}

/** What one reader gets: first what changed before it came, then what polls find. A task that changes meanwhile waits once. */
class TaskChanges implements AsyncIterableIterator<LoggedEvent<TaskSummary>> {
  readonly #options: TaskChangesOptions;
  #past: AsyncIterator<readonly TaskOverview[]> | undefined;
  #page: readonly TaskOverview[] = [];
  /** Index of the next task in the page. */
  #next = 0;
  /** Tasks that polls found, by their keys. */
  readonly #waiting = new Map<string, TaskOverview>();
  /** Positions of the tasks of the past that were passed on, until the next poll has ended. */
  readonly #sent = new Map<string, number>();
  /** Whether a whole poll has taken place: what polls find from then on is new, whatever its time is. */
  #hasBaseline = false;
  /** Whether a poll has ended since the past was read. The next one began afterwards. */
  #pastIsPolled = false;
  #failure: A2AError | undefined;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(options: TaskChangesOptions) {
    this.#options = options;
    const { store, since, hasPast } = options;
    if (hasPast) this.#past = pagesOf(store, since);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step> {
    for (;;) {
      if (this.#failure) {
        const thrown = this.#failure;
        this.#failure = undefined;
        this.#end();
        throw thrown;
      }
      if (this.#isOver) return { done: true, value: undefined };
      const task = this.#takeOfPage() ?? (await this.#takeOfPast()) ?? this.#takeOfWaiting();
      if (task) return { done: false, value: eventOf(task, this.#options.hidesWords()) };
      if (this.#isOver || this.#failure) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<Step> {
    this.#end();
    return { done: true, value: undefined };
  }

  /** Takes what a poll found. */
  offer(changed: readonly TaskOverview[]): void {
    const { matches, since } = this.#options;
    for (const task of changed) {
      if (!this.#hasBaseline && task.updatedAt < since) continue;
      if (!matches(task) || this.#sent.get(task.key) === task.seq) continue;
      // Behind the others: readers resume after the latest change that they have.
      this.#waiting.delete(task.key);
      this.#waiting.set(task.key, task);
    }
    if (this.#waiting.size > maxWaiting) this.fail(tooSlow());
    else if (this.#waiting.size > 0) this.#wakeUp();
  }

  /** A poll has read everything that changed lately. */
  polled(): void {
    this.#hasBaseline = true;
    if (this.#past) return;
    if (this.#pastIsPolled) this.#sent.clear();
    this.#pastIsPolled = true;
  }

  fail(error: A2AError): void {
    this.#failure ??= error;
    this.#waiting.clear();
    this.#wakeUp();
  }

  #takeOfPage(): TaskOverview | undefined {
    for (;;) {
      const task = this.#page[this.#next];
      if (!task) return undefined;
      this.#next += 1;
      if (!this.#options.matches(task)) continue;
      this.#sent.set(task.key, task.seq);
      if (this.#waiting.get(task.key)?.seq === task.seq) this.#waiting.delete(task.key);
      return task;
    }
  }

  async #takeOfPast(): Promise<TaskOverview | undefined> {
    while (this.#past && !this.#isOver && !this.#failure) {
      const { value, done } = await this.#past.next();
      if (done) this.#past = undefined;
      else {
        this.#page = value;
        this.#next = 0;
        // Only what changed lately can be found by a poll, too.
        const recent = this.#options.store.now() - 10 * lateness;
        if ((value.at(-1)?.updatedAt ?? 0) < recent) this.#sent.clear();
        const task = this.#takeOfPage();
        if (task) return task;
      }
    }
    return undefined;
  }

  #takeOfWaiting(): TaskOverview | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    this.#waiting.delete(first[0]);
    return first[1];
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting.clear();
    this.#past?.return?.()?.then(undefined, () => {});
    this.#past = undefined;
    this.#wakeUp();
    this.#options.onEnd();
  }
}

const tooSlow = (): A2AError =>
  new A2AError(
    'unavailable',
    'Tasks change faster than this stream is read; watch fewer tasks, or begin again with changedAfter',
  );

/** The position of a change is its time, from which a reader can resume. */
function eventOf(task: TaskOverview, hidden: boolean): LoggedEvent<TaskSummary> {
  const event = summaryOf(task, hidden);
  return { seq: task.updatedAt, at: task.updatedAt, generation: 0, event, json: JSON.stringify(event) };
}

const equalFields = ['agent', 'contextId', 'dialect', 'binding'] as const;

export interface WatchHandlersDeps {
  readonly watch: TaskWatch;
  readonly streams: StreamLimit;
}

/** The operation that streams the tasks of all callers as they change. */
export function watchHandlers({ watch, streams }: WatchHandlersDeps): AdminHandlers<'WatchTasks'> {
  return {
    async WatchTasks(request, context) {
      const { replay } = context;
      const from = typeof replay === 'object' ? replay.after : timeOf('changedAfter', request.changedAfter);
      const { states } = statesOf(request.states);
      const slot = streams.take(context);
      const events = watch.watch({
        matches: (task) =>
          equalFields.every((name) => !request[name] || task[name] === request[name]) &&
          (!states || states.includes(task.state)),
        // Some of what changed before may have been stored later.
        since: from === undefined ? undefined : Math.max(0, from - lateness),
        onEnd: () => slot.release(),
      });
      return { events };
    },
  };
}
