import { A2AError } from '../model/errors.ts';
import type { Logger } from '../ports/logger.ts';
import type { SharedTaskStore } from '../ports/task-store.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import type { LiveTasks } from '../tasks/live-tasks.ts';
import { outageTimeout } from '../tasks/outage.ts';

export interface LogSyncDeps {
  readonly store: SharedTaskStore;
  /** The tasks in memory. */
  readonly tasks: Pick<LiveTasks, 'get' | 'values' | 'onFollowChanged'>;
  readonly logger: Logger;
}

/** Milliseconds between two checks of the tasks that have listeners here. */
const interval = 1_000;
/** Every fifth check includes the tasks owned here: another replica owns them if this one was declared dead. */
const fullCheckEvery = 5;
/** Tasks in one query. */
const batchSize = 1_000;
/** Milliseconds until following is retried: for tasks that were being written to, and after a failure. */
const followRetryDelay = { busy: 5, failed: 1_000 } as const;

/**
 * Keeps the tasks in memory up to date with what other replicas append. Other replicas notify this one when they write to
 * a task that it follows; comparing positions at an interval finds what notifications missed. Does nothing where the store
 * is not shared.
 */
export class LogSync {
  readonly #deps: LogSyncDeps;
  readonly #follows: FollowRegistry;
  readonly #timer: NodeJS.Timeout | undefined;
  #checks = 0;
  #isChecking = false;
  /** Whether a check of all tasks was requested and has not begun. */
  #isFullCheckQueued = false;
  #isStopped = false;
  /** Since when the store has not answered: milliseconds since the epoch. */
  #outageSince: number | undefined;

  constructor(deps: LogSyncDeps) {
    this.#deps = deps;
    this.#follows = new FollowRegistry(deps);
    const { peers } = deps.store;
    if (!peers.shared) return;
    deps.tasks.onFollowChanged = (key) => this.#follows.changed(key);
    peers.onTaskWritten((key, seq) => this.#onTaskWritten(key, seq));
    this.#timer = setInterval(() => {
      this.#checks += 1;
      void this.#check(this.#checks % fullCheckEvery === 0);
    }, interval);
    this.#timer.unref();
  }

  stop(): void {
    this.#isStopped = true;
    this.#follows.stop();
    clearInterval(this.#timer);
  }

  /** Without a key, notifications may have been lost. */
  #onTaskWritten(key: string | undefined, seq: number | undefined): void {
    if (this.#isStopped) return;
    if (key !== undefined && seq !== undefined) {
      this.#deps.tasks.get(key)?.noteRemotePosition(seq);
      return;
    }
    this.#follows.renew();
    void this.#check(true);
  }

  /** One check at a time. A full check that is requested meanwhile follows it. */
  async #check(isFull: boolean): Promise<void> {
    if (isFull) this.#isFullCheckQueued = true;
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      do {
        const isFullCheck = this.#isFullCheckQueued;
        this.#isFullCheckQueued = false;
        await this.#comparePositions(isFullCheck);
      } while (this.#isFullCheckQueued);
      this.#outageSince = undefined;
    } catch (thrown) {
      this.#onFailure(A2AError.from(thrown));
    } finally {
      this.#isChecking = false;
    }
  }

  async #comparePositions(isFull: boolean): Promise<void> {
    const { store, tasks } = this.#deps;
    const isDue = (live: LiveTask): boolean =>
      live.log.committed > 0 && (isFull || (live.hasListeners && !live.isOwnedHere));
    const due = [...tasks.values()].filter(isDue);
    for (let at = 0; at < due.length && !this.#isStopped; at += batchSize) {
      const batch = due.slice(at, at + batchSize);
      const positions = await store.positions(batch.map(({ key }) => key));
      for (const live of batch) {
        const seq = positions.get(live.key);
        if (seq === undefined) live.markDeleted();
        else live.noteRemotePosition(seq);
      }
      if (isFull) await this.#findTakenOver(batch);
    }
  }

  /** A replica that was declared dead stops working on tasks that others took over, even where nothing was written yet. */
  async #findTakenOver(batch: readonly LiveTask[]): Promise<void> {
    const { store, tasks } = this.#deps;
    const owned = batch.filter((live) => live.isOwnedHere).map(({ key }) => key);
    for (const key of await store.peers.takenOver(owned)) tasks.get(key)?.markTakenOver();
  }

  /** After a long outage, listeners fail. Runs continue: they learn of the outage when they write. */
  #onFailure(error: A2AError): void {
    const { tasks, logger } = this.#deps;
    this.#outageSince ??= Date.now();
    logger.debug({ err: error }, 'positions of task logs could not be compared; trying again');
    if (Date.now() - this.#outageSince < outageTimeout) return;
    for (const live of tasks.values()) if (!live.isOwnedHere) live.failListeners(error);
  }
}

/**
 * Registers in the store which tasks this replica follows: those that have listeners here and are owned by other replicas.
 * One statement at a time, for all changes since the last one.
 */
class FollowRegistry {
  readonly #deps: LogSyncDeps;
  /** Keys of tasks that the store may have registered for this replica; true: it certainly has. */
  readonly #registered = new Map<string, boolean>();
  /** Keys of tasks whose registration may have to change. */
  readonly #changed = new Set<string>();
  #isBusy = false;
  #isStopped = false;

  constructor(deps: LogSyncDeps) {
    this.#deps = deps;
  }

  /** Whether the task is followed has changed. */
  changed(key: string): void {
    this.#changed.add(key);
    this.#begin();
  }

  /** Registers all followed tasks again, since the store may have lost the registrations. */
  renew(): void {
    for (const key of this.#registered.keys()) {
      this.#registered.set(key, false);
      this.#changed.add(key);
    }
    this.#begin();
  }

  stop(): void {
    this.#isStopped = true;
  }

  #begin(): void {
    if (this.#isBusy || this.#isStopped || this.#changed.size === 0) return;
    this.#isBusy = true;
    // Collects the changes of this turn of the event loop. Changes that cancel each other out need no statement.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    const keys = [...this.#changed].slice(0, batchSize);
    for (const key of keys) this.#changed.delete(key);
    let delay = 0;
    try {
      for (const key of await this.#follow(keys)) {
        this.#changed.add(key);
        delay = followRetryDelay.busy;
      }
      await this.#unfollow(keys);
    } catch (err) {
      for (const key of keys) this.#changed.add(key);
      delay = followRetryDelay.failed;
      this.#deps.logger.debug({ err }, 'tasks of other replicas could not be followed; trying again');
    }
    if (delay > 0) await new Promise<void>((resolve) => setTimeout(resolve, delay).unref());
    this.#isBusy = false;
    this.#begin();
  }

  /** Resolves with the keys that must be retried. */
  async #follow(keys: readonly string[]): Promise<readonly string[]> {
    const { store, tasks } = this.#deps;
    const wanted = keys.filter((key) => tasks.get(key)?.wantsNotifications && this.#registered.get(key) !== true);
    if (wanted.length === 0) return [];
    for (const key of wanted) this.#registered.set(key, false);
    const busy = new Set(await store.peers.follow(wanted));
    const followed = wanted.filter((key) => !busy.has(key));
    for (const key of followed) this.#registered.set(key, true);
    // Writes before the registration were not notified.
    const positions = followed.length > 0 ? await store.positions(followed) : [];
    for (const [key, seq] of positions) tasks.get(key)?.noteRemotePosition(seq);
    return [...busy];
  }

  async #unfollow(keys: readonly string[]): Promise<void> {
    const { store, tasks } = this.#deps;
    const unwanted = keys.filter((key) => !tasks.get(key)?.wantsNotifications && this.#registered.has(key));
    if (unwanted.length === 0) return;
    await store.peers.unfollow(unwanted);
    for (const key of unwanted) this.#registered.delete(key);
  }
}
