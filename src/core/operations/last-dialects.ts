import { canonicalDialect } from '../model/call.ts';
import type { Logger } from '../ports/logger.ts';
import type { TaskRecord, TaskStore } from '../ports/task-store.ts';

/** `created` resolves when the task is in the store; absent: it is. */
type UsedTask = { readonly key: string; dialect: string; created?(): Promise<void> };

/** Stores the legacy dialect in which each task was last used, in the background: requests do not always name it. */
export class LastDialects {
  readonly #store: TaskStore;
  readonly #logger: Logger;
  /** Dialects that are not stored yet, by the task's key. */
  readonly #wanted = new Map<string, string>();
  readonly #writing = new Set<Promise<void>>();

  constructor(store: TaskStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Records that the task's owner uses it in this dialect. */
  used(task: UsedTask, dialect: string): void {
    if (dialect === canonicalDialect || dialect === this.of(task)) return;
    task.dialect = dialect;
    const isWriting = this.#wanted.has(task.key);
    this.#wanted.set(task.key, dialect);
    if (isWriting) return;
    const writing = this.#write(task).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /** The dialect in which the task was last used, stored or not. */
  of({ key, dialect }: Pick<TaskRecord, 'key' | 'dialect'>): string {
    return this.#wanted.get(key) ?? dialect;
  }

  /** Resolves when no dialect is being written. */
  async idle(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  /** One write per task at a time, so that the latest dialect wins. */
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
      this.#logger.warn({ task: key, err }, 'the dialect in which a task was used could not be stored');
    } finally {
      this.#wanted.delete(key);
    }
  }
}
