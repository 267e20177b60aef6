import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamLimit } from '../../core/limits/stream-limit.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { AdminStore, ChangePosition, TaskOverview } from '../../core/ports/admin-store.ts';
import type { StoreTopics } from '../../core/ports/store-watch.ts';
import { outageTimeout } from '../../core/tasks/outage.ts';
import type { TaskSummary } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from '../handlers.ts';
import { timeOf } from '../requests.ts';
import { summaryOf } from '../subjects.ts';
import { Watch, WatchStream } from '../watch-stream.ts';
import { statesOf } from './tasks.ts';

/** Milliseconds within which a change is passed on, and the part of the time that readings may take. */
const within = 1_000;
const readingShare = 0.05;
/** Milliseconds by which a change may be stored later than its time says. */
const lateness = 3_000;
/** Number of tasks in one reading. */
const pageSize = 1_000;
/** Most tasks that wait for a slow reader. */
const maxWaiting = 10_000;

export interface TaskWatchOptions {
  readonly store: Pick<AdminStore, 'changedTasks'> & {
    now(): number;
    readonly topics: Pick<StoreTopics, 'tasks'>;
  };
  /** Whether tasks omit the texts of messages and agents. Default: they have them. */
  readonly hidesWords?: () => boolean;
}

/** Selection of the tasks that one reader watches. */
export interface WatchedTasks {
  readonly matches: (task: TaskOverview) => boolean;
  /** Earliest time of a change, in milliseconds since the epoch. Default: now. */
  readonly since?: number | undefined;
  /** Called once when the stream is over. */
  readonly onEnd?: () => void;
}

/**
 * Streams of the tasks of all owners as they change, at any replica. One reading of the store serves all streams: it reads what
 * changed lately once more, since a change becomes visible after its time, and passes on what is new.
 */
export class TaskWatch extends Watch<TaskChanges> {
  readonly #store: TaskWatchOptions['store'];
  readonly #hidesWords: () => boolean;
  /** Positions at which tasks that changed lately were passed on. */
  readonly #seen = new Map<string, Pick<TaskOverview, 'seq' | 'updatedAt'>>();
  /** Time when the last successful poll began, by the store's clock. */
  #polledAt = 0;
  #failingSince: number | undefined;

  constructor({ store, hidesWords = () => false }: TaskWatchOptions) {
    super();
    this.#store = store;
    this.#hidesWords = hidesWords;
  }

  watch({ matches, since, onEnd = () => {} }: WatchedTasks): AsyncIterableIterator<LoggedEvent<TaskSummary>> {
    const now = this.#store.now();
    if (this.streams.size === 0) this.#polledAt = now;
    const stream = new TaskChanges({
      store: this.#store,
      hidesWords: this.#hidesWords,
      matches,
      since: since ?? now,
      hasPast: since !== undefined,
    });
    return this.add(stream, onEnd);
  }

  protected follow(read: () => Promise<void>): () => void {
    return this.#store.topics.tasks.listen(within, async () => {
      const began = performance.now();
      await read();
      // After a slow reading, the next one waits longer.
      const pause = (performance.now() - began) * (1 / readingShare - 1);
      if (pause > within) await sleep(pause - within, undefined, { ref: false });
    });
  }

  protected reset(): void {
    this.#seen.clear();
    this.#failingSince = undefined;
  }

  protected async read(): Promise<void> {
    const began = performance.now();
    try {
      await this.#readChanges();
      this.#failingSince = undefined;
    } catch (thrown) {
      this.#failingSince ??= began;
      if (began - this.#failingSince < outageTimeout) return;
      for (const stream of this.streams) stream.fail(A2AError.from(thrown));
    }
  }

  async #readChanges(): Promise<void> {
    const now = this.#store.now();
    const horizon = Math.min(this.#polledAt, now) - lateness;
    for (const [key, { updatedAt }] of this.#seen) if (updatedAt < horizon) this.#seen.delete(key);
    for await (const page of pagesOf(this.#store, horizon)) {
      if (this.streams.size === 0) return;
      const changed = page.filter(({ key, seq }) => this.#seen.get(key)?.seq !== seq);
      for (const { key, seq, updatedAt } of changed) this.#seen.set(key, { seq, updatedAt });
      for (const stream of this.streams) stream.offer(changed);
    }
    for (const stream of this.streams) stream.polled();
    this.#polledAt = now;
  }
}

/** Yields the tasks that changed since a time. The earliest change comes first. */
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

interface TaskChangesOptions extends Pick<WatchedTasks, 'matches'> {
  readonly store: TaskWatchOptions['store'];
  readonly hidesWords: () => boolean;
  readonly since: number;
  /** Whether the stream begins with tasks that changed before it was opened. */
  readonly hasPast: boolean;
}

/**
 * The stream of one reader: first earlier changes, then those that polls find. A task that changes meanwhile waits
 * once.
 */
class TaskChanges extends WatchStream<TaskSummary> {
  readonly #options: TaskChangesOptions;
  #past: AsyncIterator<readonly TaskOverview[]> | undefined;
  #page: readonly TaskOverview[] = [];
  /** Index of the next task in the page. */
  #next = 0;
  /** Tasks from polls that the reader has not taken, by their keys. */
  readonly #waiting = new Map<string, TaskOverview>();
  /** Positions of the tasks of the past that were passed on, until the next poll has ended. */
  readonly #sent = new Map<string, number>();
  /**
   * Whether a whole poll has taken place since the stream was opened. From then on, each task that a poll finds is new, even if
   * its time is earlier.
   */
  #hasBaseline = false;
  /** Whether a poll has ended since the past was read. The next one began afterwards. */
  #pastIsPolled = false;

  constructor(options: TaskChangesOptions) {
    super();
    this.#options = options;
    const { store, since, hasPast } = options;
    if (hasPast) this.#past = pagesOf(store, since);
  }

  protected async take(): Promise<LoggedEvent<TaskSummary> | undefined> {
    const task = this.#takeOfPage() ?? (await this.#takeOfPast()) ?? this.#takeOfWaiting();
    return task && eventOf(task, this.#options.hidesWords());
  }

  protected clear(): void {
    this.#waiting.clear();
    this.#past?.return?.()?.then(undefined, () => {});
    this.#past = undefined;
  }

  /** Takes the tasks that a poll found. */
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
    else if (this.#waiting.size > 0) this.wake();
  }

  /** Notes that a poll has read all tasks that changed lately. */
  polled(): void {
    this.#hasBaseline = true;
    if (this.#past) return;
    if (this.#pastIsPolled) this.#sent.clear();
    this.#pastIsPolled = true;
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
    while (this.#past && this.isOpen) {
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
