import type { Logger } from '../core/ports/logger.ts';
import type { Store, StoreBatch } from '../core/ports/store.ts';

export { taskKey } from '../core/model/ids.ts';

import { existsSync } from 'node:fs';
import { A2AError } from '../core/model/errors.ts';
import type { Database } from './database.ts';
import { requireCurrent } from './migrations/run.ts';
import { readPostgresUrl } from './postgres/url.ts';
import { type PushAdmin, SqlPushAdmin } from './push/admin.ts';
import { SqlStore } from './store.ts';

export type { PushAdmin, UndeliveredPush } from './push/admin.ts';

export interface StoreOptions {
  /** Name of this gateway, for people; the store adds what makes it unique. */
  readonly instance: string;
  /**
   * What an acknowledged event survives: the death of the process (the default), or with `full` also a power cut, at
   * one flush to the disk for each batch. Of SQLite only; PostgreSQL's `synchronous_commit` is the server's own matter.
   */
  readonly durability?: 'process' | 'full';
  readonly logger?: Logger;
  /** Told of every transaction that wrote events. Must not throw. */
  readonly onBatch?: (batch: StoreBatch) => void;
}

/** Where a store is, and what opens its database. */
interface StoreLocation {
  /** As it may be shown: without a password. */
  readonly shown: string;
  /** Path of a SQLite file. */
  readonly file?: string;
  /** @param serve whether a gateway is to serve the database, rather than that somebody looks into it */
  readonly connect: (serve: boolean) => Promise<Database>;
}

/** Throws TypeError for a URL that is no store's. */
function locationOf(url: string, { logger, durability = 'process' }: Omit<StoreOptions, 'instance'>): StoreLocation {
  const [scheme] = url.split(':', 1);
  const sqlite = async (path: string, lock: boolean): Promise<Database> =>
    (await import('./sqlite/database.ts')).openSqlite({ path, flush: durability === 'full', lock, logger });
  if (scheme === 'memory') return { shown: 'memory:', connect: () => sqlite(':memory:', false) };
  if (scheme === 'sqlite' && url.length > 'sqlite:'.length) {
    const file = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    return { shown: url, file, connect: (serve) => sqlite(file, serve) };
  }
  if (/^postgres(?:ql)?:\/\/./.test(url)) {
    const connect = async () => (await import('./postgres/database.ts')).openPostgres(url, logger);
    return { shown: readPostgresUrl(url).shown, connect };
  }
  throw new TypeError(
    `Unknown store ${scheme}: expected memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE`,
  );
}

/**
 * A store of tasks. Nothing is opened before `open()`, which rejects with A2AError `unavailable` and a message that
 * says why.
 *
 * @param url `memory:` (gone with the process), `sqlite:PATH` (its folder is made) or
 *   `postgres://USER:PASSWORD@HOST/DATABASE`, where several hosts may be separated by commas, and settings may follow
 *   a question mark (`?statement_timeout=20000`); `readPostgresUrl` says which. Throws TypeError for anything else.
 */
export function createStore(url: string, options: StoreOptions): Store {
  const { instance, logger, onBatch } = options;
  const { shown, connect } = locationOf(url, options);
  return new SqlStore({ shown, instance, logger, connect: () => connect(true), onBatch });
}

/**
 * Opens a store to look for push notifications that do not arrive, also while gateways are at work on it. Rejects with
 * A2AError `unavailable` and a message that says why it cannot: nothing is made, and no schema changed.
 *
 * @param url as of `createStore`, but for `memory:`. Throws TypeError for anything else.
 */
export async function openPushAdmin(url: string): Promise<PushAdmin> {
  const { shown, file, connect } = locationOf(url, {});
  const failure = (reason: string, cause?: unknown): A2AError =>
    new A2AError('unavailable', `The store ${shown} cannot be opened: ${reason}`, { cause });
  if (shown === 'memory:') throw failure('what is in memory is its gateway’s alone');
  if (file !== undefined && !existsSync(file)) throw failure('there is no such file');
  let database: Database | undefined;
  try {
    database = await connect(false);
    await requireCurrent(database);
    return new SqlPushAdmin(database);
  } catch (cause) {
    await database?.close().catch(() => undefined);
    throw failure(cause instanceof Error ? cause.message : String(cause), cause);
  }
}
