import { A2AError } from '../model/errors.ts';
import type { KnowledgeStore } from '../ports/knowledge-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { Peers } from '../ports/peers.ts';
import type { TaskStore } from '../ports/task-store.ts';

export interface MaintenanceOptions {
  /** Open. */
  readonly store: Pick<TaskStore, 'expire' | 'now'> & {
    readonly knowledge: Pick<KnowledgeStore, 'expireChanges'>;
    readonly peers: Pick<Peers, 'shared' | 'lease' | 'onReplicaLeft'>;
  };
  readonly logger: Logger;
  /** Takes up what dead gateways left behind. */
  readonly takeOver: () => Promise<number>;
  readonly retention: {
    /** Milliseconds that a task at rest is kept; undefined keeps it for ever. */
    readonly tasks: number | undefined;
    /** Milliseconds that changes of what agents know stay in their log; undefined keeps them for ever. */
    readonly changes: number | undefined;
  };
}

/** Milliseconds between two looks: whoever is waited for by other gateways' callers is looked for more often. */
const every = { takeOverAlone: 5_000, takeOver: 2_000, expire: 60_000 };
/** What only one gateway at a time does, and for how many milliseconds it is its own: longer than until the next look. */
const expiry = { name: 'expiry', ms: 2 * every.expire };
/** Tasks, or changes, that are deleted at once, so that nobody waits long for the database. */
const batch = 500;

/**
 * What has to be done again and again: taking up tasks of dead gateways, which all gateways on a store do, and deleting
 * what has been kept long enough, which one of them does until it dies. Begins at once; returns what stops it.
 */
export function maintain({ store, logger, takeOver, retention }: MaintenanceOptions): () => void {
  const { peers } = store;
  const takingOver = repeat(peers.shared ? every.takeOver : every.takeOverAlone, logger, async () => {
    const tasks = await takeOver();
    if (tasks > 0) logger.warn({ tasks }, 'took up the tasks that a gateway left behind');
  });
  peers.onReplicaLeft(takingOver.now);
  const expiring = repeat(every.expire, logger, async () => {
    const { tasks, changes } = retention;
    /** As long as it is this gateway's to do, and there is more to do. */
    const thorough = async (step: () => Promise<boolean>): Promise<void> => {
      while ((await peers.lease(expiry.name, expiry.ms)) && (await step())) await breath();
    };
    const before = tasks === undefined ? 0 : store.now() - tasks;
    await thorough(async () => (await store.expire(before, batch)) === batch);
    if (changes === undefined) return;
    await thorough(async () => (await store.knowledge.expireChanges(store.now() - changes, batch)) > 0);
  });
  return () => {
    takingOver.stop();
    expiring.stop();
  };
}

/** Lets others have their turn of the loop. */
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Repeated {
  /** Does it without waiting for its time; after the one that is under way, if any. */
  readonly now: () => void;
  readonly stop: () => void;
}

/** Never two at a time; the next one tries again what failed, which is said once until it succeeds. */
function repeat(ms: number, logger: Logger, work: () => Promise<void>): Repeated {
  let busy = false;
  let again = false;
  let stopped = false;
  let failed = false;
  const once = (): void => {
    if (busy) return;
    busy = true;
    work()
      .then(
        () => {
          failed = false;
        },
        (err: unknown) => {
          // That the store is away is in the log already.
          const isNews = !failed && A2AError.from(err).kind !== 'unavailable';
          logger[isNews ? 'error' : 'debug']({ err }, 'maintenance failed');
          failed = true;
        },
      )
      .finally(() => {
        busy = false;
        if (again) now();
      });
  };
  const now = (): void => {
    again = busy;
    if (!busy && !stopped) once();
  };
  once();
  const timer = setInterval(once, ms);
  timer.unref();
  return {
    now,
    stop: () => {
      stopped = true;
      clearInterval(timer);
    },
  };
}
