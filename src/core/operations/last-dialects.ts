import { canonicalDialect } from '../model/call.ts';
import type { Logger } from '../ports/logger.ts';
import type { TaskRecord, TaskStore } from '../ports/task-store.ts';

/** A task as far as it matters here. */
export interface UsedTask {
  readonly key: string;
  dialect: string;
  /** Resolves when the task is in the store. */
  created?(): Promise<void>;
}

/**
 * Remembers with each task the legacy dialect in which its owner last used it, since a request of such a dialect does
 * not always say which one it is. Nobody waits for it to be written down, and one that cannot be is lost.
 */
export class LastDialects {
  readonly #store: TaskStore;
  readonly #logger: Logger;
  /** What the store is to hold and does not hold yet, by the task's key. */
  readonly #wanted = new Map<string, string>();
  readonly #writing = new Set<Promise<void>>();

  constructor(store: TaskStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** The task's owner uses it in this dialect. */
  used(task: UsedTask, dialect: string): void {
    if (dialect === canonicalDialect || dialect === this.of(task)) return;
    task.dialect = dialect;
    const begun = this.#wanted.has(task.key);
    this.#wanted.set(task.key, dialect);
    if (begun) return;
    const writing = this.#write(task).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /** The dialect in which the task was last used, with what is not in the store yet. */
  of({ key, dialect }: Pick<TaskRecord, 'key' | 'dialect'>): string {
    return this.#wanted.get(key) ?? dialect;
  }

  /** Resolves when all that was to be written is, or could not be. */
  async idle(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  /** One write of a task at a time, so that the last one wins. */
  async #write(task: UsedTask): Promise<void> {
    const { key } = task;
    let written: string | undefined;
    try {
      await task.created?.();
      for (let wanted = this.#wanted.get(key); wanted !== written; wanted = this.#wanted.get(key)) {
        if (wanted !== undefined) await this.#store.setDialect(key, wanted);
        written = wanted;
      }
    } catch (err) {
      this.#logger.warn({ task: key, err }, 'the dialect in which a task was used could not be remembered');
    } finally {
      this.#wanted.delete(key);
    }
  }
}
