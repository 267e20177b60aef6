import { existsSync } from 'node:fs';
import type { Store } from '../core/ports/store.ts';
import type { Database } from './database.ts';
import { requireCurrent } from './migrations/run.ts';
import { readPostgresUrl } from './postgres/url.ts';
import { createPushAdmin, type PushAdmin } from './push/admin.ts';
import { cannotOpen, createSqlStore, type StoreOptions } from './store.ts';

export type { PushAdmin, UndeliveredPush } from './push/admin.ts';
export type { StoreOptions } from './store.ts';

/** Where a store is, and the function that opens its database. */
interface StoreLocation {
  /** The URL without a password. */
  readonly shown: string;
  /** Path of a SQLite file. */
  readonly file?: string;
  /** @param serve whether a gateway serves the database, rather than a command that looks into it */
  readonly connect: (serve: boolean) => Promise<Database>;
}

/** Throws TypeError for an unknown scheme. */
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
 * Creates a store. `open()` connects; it rejects with A2AError `unavailable` and the reason.
 *
 * @param url `memory:` (lost with the process), `sqlite:PATH` (its folder is created) or
 * `postgres://USER:PASSWORD@HOST/DATABASE`, with several hosts separated by commas and settings after a question mark
 * (`?statement_timeout=20000`); see `readPostgresUrl`. Throws TypeError for anything else.
 */
export function createStore(url: string, options: StoreOptions): Store {
  const { shown, connect } = locationOf(url, options);
  return createSqlStore({ ...options, shown, connect: () => connect(true) });
}

/**
 * Opens a store to list and retry undelivered push notifications, also while gateways serve it. Rejects with A2AError
 * `unavailable` and the reason. Creates nothing and does not migrate.
 *
 * @param url as of `createStore`, except `memory:`. Throws TypeError for anything else.
 */
export async function openPushAdmin(url: string): Promise<PushAdmin> {
  const { shown, file, connect } = locationOf(url, {});
  if (shown === 'memory:') throw cannotOpen(shown, 'a memory: store exists only inside its gateway process');
  if (file !== undefined && !existsSync(file)) throw cannotOpen(shown, 'the file does not exist');
  let database: Database | undefined;
  try {
    database = await connect(false);
    await requireCurrent(database);
    return createPushAdmin(database);
  } catch (cause) {
    await database?.close().catch(() => undefined);
    throw cannotOpen(shown, cause);
  }
}
