import { v1Dialects } from '../model/a2a.ts';
import type { Logger } from '../ports/logger.ts';
import type { TaskRecord, TaskStore } from '../ports/task-store.ts';

/** `created` resolves when the task is in the store; absent: it is. */
type UsedTask = { readonly key: string; dialect: string; created?(): Promise<void> };

export type LastDialects = ReturnType<typeof createLastDialects>;

/** Stores the legacy dialect in which each task was last used, in the background: requests do not always name it. */
export function createLastDialects(store: TaskStore, logger: Logger) {
  /** Dialects that are not stored yet, by the task's key. */
  const wanted = new Map<string, string>();
  const writing = new Set<Promise<void>>();

  /** The dialect in which the task was last used, stored or not. */
  const of = ({ key, dialect }: Pick<TaskRecord, 'key' | 'dialect'>): string => wanted.get(key) ?? dialect;

  /** One write per task at a time, so that the latest dialect wins. */
  const write = async (task: UsedTask): Promise<void> => {
    const { key } = task;
    let written: string | undefined;
    try {
      await task.created?.();
      for (let latest = wanted.get(key); latest !== written; latest = wanted.get(key)) {
        if (latest !== undefined) await store.setDialect(key, latest);
        written = latest;
      }
    } catch (err) {
      logger.warn({ task: key, err }, 'the dialect in which a task was used could not be stored');
    } finally {
      wanted.delete(key);
    }
  };

  return {
    of,
    /** Records that the task's owner uses it in this dialect. */
    used(task: UsedTask, dialect: string): void {
      if (v1Dialects.has(dialect) || dialect === of(task)) return;
      task.dialect = dialect;
      const isWriting = wanted.has(task.key);
      wanted.set(task.key, dialect);
      if (isWriting) return;
      const done = write(task).finally(() => writing.delete(done));
      writing.add(done);
    },
    /** Resolves when no dialect is being written. */
    async idle(): Promise<void> {
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}
