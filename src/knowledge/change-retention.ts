import type { KnowledgeStore } from '../core/ports/knowledge-store.ts';
import type { Logger } from '../core/ports/logger.ts';

export interface ChangeRetentionOptions {
  readonly store: Pick<KnowledgeStore, 'expireChanges'>;
  /** Milliseconds that changes stay in their log. */
  readonly retention: number;
  readonly logger: Pick<Logger, 'error'>;
  /** Milliseconds between two looks. */
  readonly every?: number;
}

/** Changes that are forgotten at once, so that nobody waits long for the database. */
const batch = 500;

/**
 * Forgets changes that have been kept long enough, in a database that nobody else looks after. Begins at once, never two
 * at a time; a failure is logged, and the next look tries again. Returns what stops it.
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
