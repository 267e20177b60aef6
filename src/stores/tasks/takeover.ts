import { A2AError } from '../../core/model/errors.ts';
import { isUnreadable } from '../../core/model/stored-form.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { unconfirmedFor } from '../../core/ports/store.ts';
import type { SizedRecord } from '../../core/ports/task-store.ts';
import { heartbeat, type Leases } from '../cluster/leases.ts';
import type { Database } from '../database.ts';
import type { AppendQueue } from './append-queue.ts';
import type { TaskReader } from './reader.ts';

export interface TakeoverDeps {
  readonly database: Database;
  readonly leases: Leases;
  readonly reader: TaskReader;
  readonly appends: AppendQueue;
  readonly logger: Logger | undefined;
}

/** Claims the tasks of dead replicas, and those that this gateway owns without working on them. */
export function createTakeover({ database, leases, reader, appends, logger }: TakeoverDeps) {
  let claiming: Promise<unknown> = Promise.resolve();
  /** Time until which a claim whose answer was lost may still be carried out. */
  let unconfirmedUntil = 0;

  const claim = async (limit: number, agents: readonly string[] | undefined): Promise<SizedRecord[]> => {
    const began = performance.now();
    if (began < unconfirmedUntil) appends.markUnknownUnconfirmed(await leases.owned());
    const unconfirmed = appends.unconfirmed(limit);
    const keys = await leases.claim(limit, unconfirmed, agents).catch((error: unknown) => {
      // If only the answer was lost, this gateway owns some tasks now, or will in a moment.
      unconfirmedUntil = performance.now() + unconfirmedFor;
      throw error;
    });
    // A page that is not full contains all tasks that could be claimed.
    if (keys.length < limit) appends.notFound(unconfirmed);
    // From here on the tasks are owned, but nothing works on them before they are handed out.
    appends.markUnconfirmed(keys);
    const claimed: SizedRecord[] = [];
    for (const key of keys) {
      const task = await reader.loadReadable(key).catch((err: unknown) => {
        if (!(err instanceof A2AError) && database.isUnavailable(err)) throw err;
        // The reader has already noted a row that is damaged, or that a newer version wrote.
        if (!isUnreadable(err)) logger?.error({ task: key, err }, 'an orphaned task cannot be read');
      });
      if (task) claimed.push(task);
    }
    // Another replica may have declared this process dead while it was paused, and taken over its tasks.
    const owned = performance.now() - began > heartbeat.deadAfter / 2 ? new Set(await leases.owned()) : undefined;
    appends.confirm(keys);
    const held = owned ? claimed.filter(({ key }) => owned.has(key)) : claimed;
    for (const { key } of held) appends.own(key);
    return held;
  };

  return {
    /**
     * Implements `TaskStore.claimOrphans`. One claim runs at a time, because the next one must not see the tasks that this one
     * will hand out.
     */
    claimOrphans(limit: number, agents?: readonly string[]): Promise<SizedRecord[]> {
      const claimed = claiming.then(() => claim(limit, agents));
      claiming = claimed.catch(() => undefined);
      return claimed;
    },
  };
}
