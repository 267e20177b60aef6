import { type RawBuilder, sql } from 'kysely';
import type { Logger } from '../../core/ports/logger.ts';
import type { StoreTopic } from '../../core/ports/store-watch.ts';
import type { Database } from '../database.ts';

/** Smallest number of milliseconds between two readings while notifications arrive and every writer sends them. */
const relaxed = 1_000;
/** Milliseconds after which another reading may begin although one has no answer, because that answer may be lost. */
const overdueAfter = 2_000;
/** Largest number of readings in progress. */
const mostReadings = 3;
/** Fraction of its period by which a topic may be read early, together with one that is due. */
const early = 0.25;

/** Query for a text that differs after each change of the rows. */
export type VersionQuery = () => RawBuilder<unknown>;

export interface TopicOptions {
  /**
   * Whether writers notify other replicas. Default true. If false, notifications from other replicas do not make readings rarer.
   */
  readonly isNotified?: boolean;
  /** Whether rows change without a call of `wrote`, so that they are read even if no other replica writes. Default false. */
  readonly changesBySelf?: boolean;
}

/** A topic, for the part of the store that writes its rows. */
export interface WrittenTopic extends StoreTopic {
  /**
   * Must be called after this replica has written the rows, or may have written them. Wakes the listeners here, and notifies
   * other replicas.
   */
  wrote(): void;
  /** Notifies only the other replicas: the listeners here need not read. */
  notify(): void;
  /**
   * Reads the version at once, and wakes the listeners here in any case, because the passing of time has changed the meaning of
   * the rows.
   */
  reread(): void;
}

export interface StoreWatchOptions {
  readonly database: Database;
  /** Whether no other gateway uses the database, and none can start to use it unnoticed. */
  readonly isAlone: () => boolean;
  /** Whether notifications of other replicas arrive. */
  readonly isNotified: () => boolean;
  /** Notifies the other replicas that rows of a topic have changed. */
  readonly notify: (topic: string) => void;
  readonly logger: Logger | undefined;
}

interface Listener {
  readonly within: number;
  readonly changed: () => void | Promise<void>;
  /** Whether the listener must be called. */
  isPending: boolean;
  isRunning: boolean;
  /** No call before this time, by `performance.now()`. */
  notBefore: number;
}

interface Topic {
  readonly name: string;
  readonly version: VersionQuery;
  readonly options: TopicOptions;
  readonly listeners: Set<Listener>;
  /** The version as last read. Undefined: not read since the first listener was added. */
  known: string | undefined;
  /** Time when the last reading began, by `performance.now()`. */
  readAt: number;
}

/** Version of a topic whose reading failed. No rows have it. */
const unknownVersion = '?';

/**
 * Watches a database for all code that waits for changes in it, with one timer and one query for the versions of all topics that
 * are due. Topics without listeners are not read. Versions are computed from the rows themselves, so that changes by replicas of
 * any version are noticed. A notification only makes the watch read a version at once.
 */
export class StoreWatch {
  readonly #options: StoreWatchOptions;
  readonly #topics = new Map<string, Topic>();
  #timer: NodeJS.Timeout | undefined;
  #readings = 0;
  /** Time when the latest reading began, by `performance.now()`. */
  #readingSince = 0;
  #isClosed = false;

  constructor(options: StoreWatchOptions) {
    this.#options = options;
  }

  /** Creates a topic. If the name is taken, returns the existing topic. */
  topic(name: string, version: VersionQuery, options: TopicOptions = {}): WrittenTopic {
    const readAt = Number.NEGATIVE_INFINITY;
    const topic: Topic = this.#topics.get(name) ?? {
      name,
      version,
      options,
      listeners: new Set(),
      known: undefined,
      readAt,
    };
    this.#topics.set(name, topic);
    const notify = (): void => this.#options.notify(name);
    return {
      listen: (within, changed) => this.#listen(topic, within, changed),
      notify,
      reread: () => {
        topic.known = undefined;
        wake(topic);
        this.notified([name]);
      },
      wrote: () => {
        wake(topic);
        this.#schedule();
        notify();
      },
    };
  }

  /** Reads topics at once, after a notification that another replica has changed them. */
  notified(names: readonly unknown[]): void {
    for (const name of names) {
      const topic = this.#topics.get(String(name));
      if (topic) topic.readAt = Number.NEGATIVE_INFINITY;
    }
    this.#schedule();
  }

  /** Reads all topics at once, because notifications may have been lost, or the set of replicas has changed. */
  readAll(): void {
    this.notified([...this.#topics.keys()]);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #listen(topic: Topic, within: number, changed: Listener['changed']): () => void {
    const listener: Listener = { within, changed, isPending: true, isRunning: false, notBefore: 0 };
    if (topic.listeners.size === 0) {
      topic.known = undefined;
      topic.readAt = Number.NEGATIVE_INFINITY;
    }
    topic.listeners.add(listener);
    this.#schedule();
    return () => {
      topic.listeners.delete(listener);
      this.#schedule();
    };
  }

  /** Milliseconds between two readings of a topic. Infinity if it need not be read. */
  #periodOf({ listeners, options }: Topic): number {
    const { isAlone, isNotified } = this.#options;
    if (listeners.size === 0 || (!options.changesBySelf && isAlone())) return Number.POSITIVE_INFINITY;
    const within = Math.min(...Array.from(listeners, (listener) => listener.within));
    return options.isNotified === false || !isNotified() ? within : Math.max(within, relaxed);
  }

  /** Time when a topic must be read, by `performance.now()`. */
  #dueAt(topic: Topic): number {
    const period = this.#periodOf(topic);
    return period === Number.POSITIVE_INFINITY ? period : topic.readAt + period;
  }

  /**
   * The listeners to call. Listeners of a topic that was never read wait for its first reading, so that no change is missed in
   * between.
   */
  *#pending(): Generator<Listener> {
    for (const topic of this.#topics.values()) {
      if (topic.known === undefined && this.#periodOf(topic) < Number.POSITIVE_INFINITY) continue;
      for (const listener of topic.listeners) if (listener.isPending && !listener.isRunning) yield listener;
    }
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const due = Math.min(...Array.from(this.#topics.values(), (topic) => this.#dueAt(topic)));
    const next = Math.min(Math.max(due, this.#mayReadAt), ...Array.from(this.#pending(), ({ notBefore }) => notBefore));
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#tick(), Math.max(0, next - performance.now())).unref();
  }

  /** Time when a reading may begin, by `performance.now()`. */
  get #mayReadAt(): number {
    if (this.#readings === 0) return 0;
    return this.#readings < mostReadings ? this.#readingSince + overdueAfter : Number.POSITIVE_INFINITY;
  }

  #tick(): void {
    const now = performance.now();
    for (const listener of [...this.#pending()]) if (listener.notBefore <= now) void this.#call(listener);
    const topics = [...this.#topics.values()];
    const isDue = topics.some((topic) => this.#dueAt(topic) <= now) && this.#mayReadAt <= now;
    if (isDue) void this.#read(topics.filter((topic) => this.#dueAt(topic) - early * this.#periodOf(topic) <= now));
    this.#schedule();
  }

  async #read(due: readonly Topic[]): Promise<void> {
    const began = performance.now();
    // The answer to the earlier reading may be lost.
    if (this.#readings > 0) for (const topic of due) wake(topic);
    this.#readings += 1;
    this.#readingSince = began;
    for (const topic of due) topic.readAt = began;
    let versions: ReadonlyMap<string, string> | undefined;
    try {
      versions = await this.#versionsOf(due);
    } catch (err) {
      this.#options.logger?.debug({ err }, 'changes in the store could not be read; trying again');
    }
    this.#readings -= 1;
    for (const topic of due) {
      const version = versions ? (versions.get(topic.name) ?? '') : unknownVersion;
      // In an outage, listeners notice it when they read.
      if (version !== topic.known || !versions) wake(topic);
      topic.known = version;
    }
    this.#schedule();
  }

  async #versionsOf(topics: readonly Topic[]): Promise<ReadonlyMap<string, string>> {
    const each = topics.map(
      ({ name, version }) => sql`select ${sql.lit(name)} as topic, cast(${version()} as text) as version`,
    );
    const { rows } = await sql<{ topic: string; version: string | null }>`${sql.join(each, sql` union all `)}`.execute(
      this.#options.database.sql,
    );
    return new Map(rows.map(({ topic, version }) => [topic, version ?? '']));
  }

  async #call(listener: Listener): Promise<void> {
    listener.isPending = false;
    listener.isRunning = true;
    try {
      await listener.changed();
    } catch (err) {
      listener.isPending = true;
      listener.notBefore = performance.now() + listener.within;
      this.#options.logger?.debug({ err }, 'the changed rows of the store could not be read; trying again');
    }
    listener.isRunning = false;
    this.#schedule();
  }
}

function wake({ listeners }: Topic): void {
  for (const listener of listeners) listener.isPending = true;
}
