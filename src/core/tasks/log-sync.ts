import { A2AError } from '../model/errors.ts';
import type { Logger, SharedTaskStore } from '../ports/task-store.ts';
import { FollowedTasks } from './followed-logs.ts';
import type { LiveTask } from './live-task.ts';
import { outagePatience } from './outage.ts';

export interface FollowingDeps {
  readonly store: SharedTaskStore;
  /** The tasks in memory, by their keys. */
  readonly tasks: ReadonlyMap<string, LiveTask>;
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
export class Following {
  readonly #deps: FollowingDeps;
  readonly #followed: FollowedTasks;
  readonly #timer: NodeJS.Timeout | undefined;
  #looks = 0;
  #looking = false;
  /** Whether a look at all tasks was asked for that has not begun. */
  #allWanted = false;
  #stopped = false;
  /** Since when the store has not answered: milliseconds since the epoch. */
  #awaySince: number | undefined;

  constructor(deps: FollowingDeps) {
    this.#deps = deps;
    this.#followed = new FollowedTasks(deps);
    const { peers } = deps.store;
    if (!peers.shared) return;
    peers.onWritten((key, seq) => this.#notified(key, seq));
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

  /** A task is to be followed from now on, or no more. */
  changed(key: string): void {
    this.#followed.changed(key);
  }

  #notified(key: string | undefined, seq: number | undefined): void {
    if (this.#stopped) return;
    if (key !== undefined && seq !== undefined) {
      this.#deps.tasks.get(key)?.reached(seq);
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
    const asked = [...tasks.values()].filter((live) => live.committed > 0 && (atAll || (live.watched && !live.isOurs)));
    for (let at = 0; at < asked.length && !this.#stopped; at += batch) {
      const some = asked.slice(at, at + batch);
      const positions = await store.positions(some.map(({ key }) => key));
      for (const live of some) {
        const seq = positions.get(live.key);
        if (seq === undefined) live.gone();
        else live.reached(seq);
      }
      if (atAll) await this.#lookForHeirs(some);
    }
  }

  /** A replica that was declared dead stops working on tasks that others took over, also where they wrote nothing yet. */
  async #lookForHeirs(some: readonly LiveTask[]): Promise<void> {
    const { store, tasks } = this.#deps;
    const taken = await store.peers.takenOver(some.filter((live) => live.isOurs).map(({ key }) => key));
    for (const key of taken) tasks.get(key)?.relieve();
  }

  /** Those who listen are patient, but not for ever. What is worked on here hears of it when it cannot be written. */
  #failed(error: A2AError): void {
    const { tasks, logger } = this.#deps;
    this.#awaySince ??= Date.now();
    logger.debug({ err: error }, 'the logs could not be looked at');
    if (Date.now() - this.#awaySince < outagePatience) return;
    for (const live of tasks.values()) if (!live.isOurs) live.giveUp(error);
  }
}
