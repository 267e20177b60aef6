import type { Logger, SharedTaskStore } from '../ports/task-store.ts';
import type { LiveTask } from './live-task.ts';

export interface FollowedTasksDeps {
  readonly store: Pick<SharedTaskStore, 'peers' | 'positions'>;
  /** The tasks in memory, by their keys. */
  readonly tasks: ReadonlyMap<string, LiveTask>;
  readonly logger: Logger;
}

/** Tasks that one statement names. */
const batch = 1_000;
/** Milliseconds until the next attempt: for tasks that were being written to, and after a failure. */
const retry = { busy: 5, failed: 1_000 } as const;

/**
 * Tells the other gateways which tasks this one follows: those that somebody here listens to and another gateway works on.
 * One statement at a time, for all that has changed meanwhile.
 */
export class FollowedTasks {
  readonly #deps: FollowedTasksDeps;
  /** Tasks that this gateway may be a follower of in the store, by their keys; and whether it certainly is. */
  readonly #followed = new Map<string, boolean>();
  /** Keys of tasks that are to be followed from now on, or no more. */
  #changed = new Set<string>();
  #busy = false;
  #stopped = false;

  constructor(deps: FollowedTasksDeps) {
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
    const wanted = keys.filter((key) => tasks.get(key)?.follows && this.#followed.get(key) !== true);
    if (wanted.length === 0) return [];
    for (const key of wanted) this.#followed.set(key, false);
    const busy = new Set(await store.peers.follow(wanted));
    const followed = wanted.filter((key) => !busy.has(key));
    for (const key of followed) this.#followed.set(key, true);
    // What was written before they were followed, nobody has told.
    const positions = followed.length > 0 ? await store.positions(followed) : [];
    for (const [key, seq] of positions) tasks.get(key)?.reached(seq);
    return [...busy];
  }

  async #unfollow(keys: readonly string[]): Promise<void> {
    const { store, tasks } = this.#deps;
    const unwanted = keys.filter((key) => !tasks.get(key)?.follows && this.#followed.has(key));
    if (unwanted.length === 0) return;
    await store.peers.unfollow(unwanted);
    for (const key of unwanted) this.#followed.delete(key);
  }
}
