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
export function expireChanges({ store, retention: kept, logger, every = 60_000 }: ChangeRetentionOptions): () => void {
  let [busy, stopped] = [false, false];
  const look = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    try {
      while (!stopped && (await store.expireChanges(Date.now() - kept, batch)) > 0);
    } catch (err) {
      if (!stopped) logger.error({ err }, 'expired knowledge changes could not be deleted');
    } finally {
      busy = false;
    }
  };
  void look();
  const timer = setInterval(look, every);
  timer.unref();
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}
