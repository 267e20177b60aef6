import { A2AError } from '../model/errors.ts';
import type { Logger } from '../ports/logger.ts';
import type { SharedTaskStore } from '../ports/task-store.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import type { LiveTasks } from '../tasks/live-tasks.ts';
import { outageTimeout } from '../tasks/outage.ts';

export interface LogSyncDeps {
  readonly store: SharedTaskStore;
  /** The tasks in memory, by their keys. */
  readonly tasks: Pick<LiveTasks, 'get' | 'values' | 'onFollowChanged'>;
  readonly logger: Logger;
}

/** Milliseconds between two looks at the logs that somebody here listens to. */
const every = 1_000;
/** Looks of which one is at the tasks that are worked on here, too: others have them when this gateway was declared dead. */
const thorough = 5;
/** Tasks that are asked for at once. */
const batch = 1_000;

/**
 * Keeps the tasks in memory up with what other gateways append: those that somebody here listens to are followed, so that
 * other gateways tell when they write to them; a look at the positions of the logs now and then makes it certain. Does
 * nothing where the store is this gateway's alone.
 */
export class LogSync {
  readonly #deps: LogSyncDeps;
  readonly #followed: FollowRegistry;
  readonly #timer: NodeJS.Timeout | undefined;
  #looks = 0;
  #looking = false;
  /** Whether a look at all tasks was asked for that has not begun. */
  #allWanted = false;
  #stopped = false;
  /** Since when the store has not answered: milliseconds since the epoch. */
  #awaySince: number | undefined;

  constructor(deps: LogSyncDeps) {
    this.#deps = deps;
    this.#followed = new FollowRegistry(deps);
    const { peers } = deps.store;
    if (!peers.shared) return;
    deps.tasks.onFollowChanged = (key) => this.#followed.changed(key);
    peers.onTaskWritten((key, seq) => this.#notified(key, seq));
    this.#timer = setInterval(() => {
      this.#looks += 1;
      void this.#look(this.#looks % thorough === 0);
    }, every);
    this.#timer.unref();
  }

  stop(): void {
    this.#stopped = true;
    this.#followed.stop();
    clearInterval(this.#timer);
  }

  #notified(key: string | undefined, seq: number | undefined): void {
    if (this.#stopped) return;
    if (key !== undefined && seq !== undefined) {
      this.#deps.tasks.get(key)?.noteRemotePosition(seq);
      return;
    }
    this.#followed.forgotten();
    void this.#look(true);
  }

  /** One look at a time: one at all tasks that is asked for meanwhile follows it. */
  async #look(atAll: boolean): Promise<void> {
    if (atAll) this.#allWanted = true;
    if (this.#looking) return;
    this.#looking = true;
    try {
      do {
        const all = this.#allWanted;
        this.#allWanted = false;
        await this.#compare(all);
      } while (this.#allWanted);
      this.#awaySince = undefined;
    } catch (thrown) {
      this.#failed(A2AError.from(thrown));
    } finally {
      this.#looking = false;
    }
  }

  async #compare(atAll: boolean): Promise<void> {
    const { store, tasks } = this.#deps;
    const asked = [...tasks.values()].filter(
      (live) => live.log.committed > 0 && (atAll || (live.hasListeners && !live.isOwnedHere)),
    );
    for (let at = 0; at < asked.length && !this.#stopped; at += batch) {
      const some = asked.slice(at, at + batch);
      const positions = await store.positions(some.map(({ key }) => key));
      for (const live of some) {
        const seq = positions.get(live.key);
        if (seq === undefined) live.markDeleted();
        else live.noteRemotePosition(seq);
      }
      if (atAll) await this.#lookForHeirs(some);
    }
  }

  /** A replica that was declared dead stops working on tasks that others took over, also where they wrote nothing yet. */
  async #lookForHeirs(some: readonly LiveTask[]): Promise<void> {
    const { store, tasks } = this.#deps;
    const taken = await store.peers.takenOver(some.filter((live) => live.isOwnedHere).map(({ key }) => key));
    for (const key of taken) tasks.get(key)?.markTakenOver();
  }

  /** Those who listen are patient, but not for ever. What is worked on here hears of it when it cannot be written. */
  #failed(error: A2AError): void {
    const { tasks, logger } = this.#deps;
    this.#awaySince ??= Date.now();
    logger.debug({ err: error }, 'the logs could not be looked at');
    if (Date.now() - this.#awaySince < outageTimeout) return;
    for (const live of tasks.values()) if (!live.isOwnedHere) live.failListeners(error);
  }
}

/** Milliseconds until the next attempt: for tasks that were being written to, and after a failure. */
const retry = { busy: 5, failed: 1_000 } as const;

/**
 * Tells the other gateways which tasks this one follows: those that somebody here listens to and another gateway works on.
 * One statement at a time, for all that has changed meanwhile.
 */
class FollowRegistry {
  readonly #deps: LogSyncDeps;
  /** Tasks that this gateway may be a follower of in the store, by their keys; and whether it certainly is. */
  readonly #followed = new Map<string, boolean>();
  /** Keys of tasks that are to be followed from now on, or no more. */
  #changed = new Set<string>();
  #busy = false;
  #stopped = false;

  constructor(deps: LogSyncDeps) {
    this.#deps = deps;
  }

  /** A task is to be followed from now on, or no more. */
  changed(key: string): void {
    this.#changed.add(key);
    this.#begin();
  }

  /** The store may have forgotten what is followed here. */
  forgotten(): void {
    for (const key of this.#followed.keys()) {
      this.#followed.set(key, false);
      this.#changed.add(key);
    }
    this.#begin();
  }

  stop(): void {
    this.#stopped = true;
  }

  #begin(): void {
    if (this.#busy || this.#stopped || this.#changed.size === 0) return;
    this.#busy = true;
    // What changes in the same turn of the loop goes together, and what changes back is left alone.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    const keys = [...this.#changed].slice(0, batch);
    for (const key of keys) this.#changed.delete(key);
    let pause = 0;
    try {
      for (const key of await this.#follow(keys)) {
        this.#changed.add(key);
        pause = retry.busy;
      }
      await this.#unfollow(keys);
    } catch (err) {
      for (const key of keys) this.#changed.add(key);
      pause = retry.failed;
      this.#deps.logger.debug({ err }, 'tasks of other gateways could not be followed');
    }
    if (pause > 0) await new Promise<void>((resolve) => setTimeout(resolve, pause).unref());
    this.#busy = false;
    this.#begin();
  }

  /** Resolves with the keys that have to be tried again. */
  async #follow(keys: readonly string[]): Promise<readonly string[]> {
    const { store, tasks } = this.#deps;
    const wanted = keys.filter((key) => tasks.get(key)?.wantsNotifications && this.#followed.get(key) !== true);
    if (wanted.length === 0) return [];
    for (const key of wanted) this.#followed.set(key, false);
    const busy = new Set(await store.peers.follow(wanted));
    const followed = wanted.filter((key) => !busy.has(key));
    for (const key of followed) this.#followed.set(key, true);
    // What was written before they were followed, nobody has told.
    const positions = followed.length > 0 ? await store.positions(followed) : [];
    for (const [key, seq] of positions) tasks.get(key)?.noteRemotePosition(seq);
    return [...busy];
  }

  async #unfollow(keys: readonly string[]): Promise<void> {
    const { store, tasks } = this.#deps;
    const unwanted = keys.filter((key) => !tasks.get(key)?.wantsNotifications && this.#followed.has(key));
    if (unwanted.length === 0) return;
    await store.peers.unfollow(unwanted);
    for (const key of unwanted) this.#followed.delete(key);
  }
}
