import { setTimeout as delay } from 'node:timers/promises';
import type { KnowledgeStore } from '../core/ports/knowledge-store.ts';
import type { Logger } from '../core/ports/logger.ts';

export interface ChangeRetentionOptions {
  readonly store: Pick<KnowledgeStore, 'expireChanges'>;
  /** Milliseconds that changes are kept. */
  readonly retention: number;
  readonly logger: Pick<Logger, 'error'>;
  /** Milliseconds between two runs. */
  readonly every?: number;
}

/** Changes per transaction, so that other calls do not wait long for the database. */
const batch = 500;

/**
 * Deletes expired changes periodically, in a store that the maintenance of tasks does not cover. Starts at once; a
 * failure is logged, and the next run tries again. Returns the function that stops it.
 */
export function expireChanges({ store, retention, logger, every = 60_000 }: ChangeRetentionOptions): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        while (!signal.aborted && (await store.expireChanges(Date.now() - retention, batch)) > 0);
      } catch (err) {
        if (!signal.aborted) logger.error({ err }, 'expired knowledge changes could not be deleted');
      }
      await delay(every, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  void run();
  return () => stop.abort();
}
