import type { KnowledgeStore } from './knowledge.ts';
import type { Logger, TaskStore } from './ports.ts';

export interface MaintenanceOptions {
  readonly store: TaskStore & { readonly knowledge: Pick<KnowledgeStore, 'expireChanges'> };
  readonly logger: Logger;
  /** Takes up what dead gateways left behind. */
  readonly recover: () => Promise<number>;
  readonly retention: {
    /** Milliseconds that a task at rest is kept; undefined keeps it for ever. */
    readonly tasks: number | undefined;
    /** Milliseconds that changes of what agents know stay in their log; undefined keeps them for ever. */
    readonly changes: number | undefined;
  };
}

/** Milliseconds between two looks. */
const every = { recover: 5_000, expire: 60_000 };
/** Tasks, or changes, that are deleted at once, so that nobody waits long for the database. */
const batch = 500;

/**
 * What has to be done again and again: taking up tasks of dead gateways, deleting what has been kept long enough.
 * Begins at once; returns what stops it.
 */
export function maintain({ store, logger, recover, retention }: MaintenanceOptions): () => void {
  const recovering = repeat(every.recover, logger, async () => {
    const tasks = await recover();
    if (tasks > 0) logger.warn({ tasks }, 'took up the tasks that a gateway left behind');
  });
  const expiring = repeat(every.expire, logger, async () => {
    const { tasks, changes } = retention;
    const before = tasks === undefined ? 0 : Date.now() - tasks;
    while ((await store.expire(before, batch)) === batch) await breath();
    if (changes === undefined) return;
    while ((await store.knowledge.expireChanges(Date.now() - changes, batch)) > 0) await breath();
  });
  return () => {
    recovering();
    expiring();
  };
}

/** Lets others have their turn of the loop. */
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Never two at a time; a failure is logged and the next one tries again. */
function repeat(ms: number, logger: Logger, work: () => Promise<void>): () => void {
  let busy = false;
  const once = (): void => {
    if (busy) return;
    busy = true;
    work()
      .catch((err: unknown) => logger.error({ err }, 'maintenance failed'))
      .finally(() => {
        busy = false;
      });
  };
  once();
  const timer = setInterval(once, ms);
  timer.unref();
  return () => clearInterval(timer);
}
