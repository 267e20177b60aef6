import { A2AError } from '../model/errors.ts';
import { steadyNow } from '../model/timing.ts';
import type { LiveTask, LiveTasks } from '../tasks/live-tasks.ts';
import { outageTimeout } from '../tasks/outage.ts';
import type { TakeoverDeps } from './takeover.ts';

type LogSyncDeps = Pick<TakeoverDeps, 'store' | 'logger'>;

/** Milliseconds between two checks of the tasks that have listeners here. */
const interval = 1_000;
/** Every fifth check includes the tasks owned here: another replica owns them if this one was declared dead. */
const fullCheckEvery = 5;
/** Tasks in one query. */
const batchSize = 1_000;
/** Milliseconds until following is retried: for tasks that were being written to, and after a failure. */
const followRetryDelay = { busy: 5, failed: 1_000 } as const;

/**
 * Keeps the tasks in memory up to date with events that other replicas append. They notify this one of writes to tasks
 * that it follows; comparing positions at an interval finds missed notifications. Returns a function that stops it.
 */
export function syncLogs(deps: LogSyncDeps, tasks: LiveTasks): () => void {
  const { store, logger } = deps;
  const { peers } = store;
  if (!peers.shared) return () => undefined;
  let isChecking = false;
  /** Whether a check of all tasks was requested and has not begun. */
  let isFullCheckQueued = false;
  let isStopped = false;
  /** Time of the first failure of an outage of the store, by `steadyNow`; undefined while it answers. */
  let outageSince: number | undefined;

  /** One check at a time. A full check that is requested meanwhile follows it. */
  const check = async (isFull: boolean): Promise<void> => {
    isFullCheckQueued ||= isFull;
    if (isChecking) return;
    isChecking = true;
    try {
      do {
        const isFullCheck = isFullCheckQueued;
        isFullCheckQueued = false;
        await comparePositions(isFullCheck);
      } while (isFullCheckQueued);
      outageSince = undefined;
    } catch (thrown) {
      onFailure(A2AError.from(thrown));
    } finally {
      isChecking = false;
    }
  };

  const comparePositions = async (isFull: boolean): Promise<void> => {
    const isDue = ({ log, journal }: LiveTask): boolean =>
      log.committed > 0 && (isFull || (journal.hasListeners && !journal.isOwnedHere));
    const due = tasks.inMemory.values().filter(isDue);
    for (let at = 0; at < due.length && !isStopped; at += batchSize) {
      const batch = due.slice(at, at + batchSize);
      const positions = await store.positions(batch.map(({ key }) => key));
      for (const { key, record, journal } of batch) {
        const seq = positions.get(key);
        if (seq === undefined) journal.fail(A2AError.taskNotFound(record.id));
        else journal.follower.noteRemotePosition(seq);
      }
      if (!isFull) continue;
      // If this replica was declared dead, it stops working on tasks that others took over, also before they write.
      const owned = batch.filter(({ journal }) => journal.isOwnedHere).map(({ key }) => key);
      for (const key of await peers.takenOver(owned)) tasks.inMemory.get(key)?.journal.follower.markTakenOver();
    }
  };

  /** After a long outage, listeners fail. Runs continue: they learn of the outage when they write. */
  const onFailure = (error: A2AError): void => {
    outageSince ??= steadyNow();
    logger.debug({ err: error }, 'positions of task logs could not be compared; trying again');
    if (steadyNow() - outageSince < outageTimeout) return;
    failFollowing(tasks, error);
  };

  const follows = new FollowedTasks(deps, tasks);
  tasks.onFollowChanged = follows.changed;
  peers.onTaskWritten((key, seq) => {
    if (isStopped) return;
    if (key !== undefined && seq !== undefined) {
      tasks.inMemory.get(key)?.journal.follower.noteRemotePosition(seq);
      return;
    }
    // Notifications may have been lost.
    follows.renew();
    void check(true);
  });
  let checks = 0;
  const timer = setInterval(() => {
    checks += 1;
    void check(checks % fullCheckEvery === 0);
  }, interval).unref();
  return () => {
    isStopped = true;
    follows.stop();
    clearInterval(timer);
  };
}

/** Fails the listeners of the tasks that other replicas own. */
function failFollowing(tasks: LiveTasks, error: A2AError): void {
  for (const { journal } of tasks.inMemory.values()) {
    if (!journal.isOwnedHere) journal.listeners.failOnOutage(error, true);
  }
}

/** Registers in the store which tasks this replica follows: those with listeners here that other replicas own. */
class FollowedTasks {
  readonly #deps: LogSyncDeps;
  readonly #tasks: LiveTasks;
  /** Keys of tasks that the store may have registered for this replica; true: it certainly has. */
  readonly #registered = new Map<string, boolean>();
  /** Keys of tasks whose registration may have to change. */
  readonly #changed = new Set<string>();
  #isBusy = false;
  #isStopped = false;

  constructor(deps: LogSyncDeps, tasks: LiveTasks) {
    this.#deps = deps;
    this.#tasks = tasks;
  }

  /** Notes that a task is followed from now on, or no longer. */
  readonly changed = (key: string): void => {
    this.#changed.add(key);
    this.#begin();
  };

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

  #isWanted(key: string): boolean {
    return this.#tasks.inMemory.get(key)?.journal.wantsNotifications === true;
  }

  /** Resolves with the keys that must be retried. */
  async #follow(keys: readonly string[]): Promise<Iterable<string>> {
    const { store } = this.#deps;
    const wanted = keys.filter((key) => this.#isWanted(key) && this.#registered.get(key) !== true);
    if (wanted.length === 0) return [];
    for (const key of wanted) this.#registered.set(key, false);
    const busy = new Set(await store.peers.follow(wanted));
    const followed = wanted.filter((key) => !busy.has(key));
    for (const key of followed) this.#registered.set(key, true);
    // Writes before the registration were not notified.
    const positions = followed.length > 0 ? await store.positions(followed) : [];
    for (const [key, seq] of positions) this.#tasks.inMemory.get(key)?.journal.follower.noteRemotePosition(seq);
    return busy;
  }

  async #unfollow(keys: readonly string[]): Promise<void> {
    const unwanted = keys.filter((key) => !this.#isWanted(key) && this.#registered.has(key));
    if (unwanted.length === 0) return;
    await this.#deps.store.peers.unfollow(unwanted);
    for (const key of unwanted) this.#registered.delete(key);
  }
}
