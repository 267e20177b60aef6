import type { Store } from '../core/ports/store.ts';
import { readNatsUrl } from './cluster/nats.ts';
import type { Database } from './database.ts';
import { readPostgresUrl } from './postgres/url.ts';
import { createSqlStore, type SqlStoreOptions, type StoreOptions } from './store.ts';

export type { StoreOptions } from './store.ts';

/**
 * Creates a store. `open()` connects; it rejects with A2AError `unavailable` and the reason.
 *
 * @param url `memory:` (lost with the process), `sqlite:PATH` (its folder is created) or
 *   `postgres://USER:PASSWORD@HOST/DATABASE`, with several hosts separated by commas and settings after a question mark
 *   (`?statement_timeout=20000`); see `readPostgresUrl`. Throws TypeError for anything else, and if `notifications` do not work
 *   with it.
 */
export function createStore(url: string, options: StoreOptions): Store {
  const location = locationOf(url, options);
  const fault = notificationsFault(options.notifications, url);
  if (fault !== undefined) throw new TypeError(`The store ${location.shown} has invalid notifications: ${fault}`);
  return createSqlStore({ ...options, ...location });
}

/** The reason why notifications cannot use these servers, or cannot use the store without servers; undefined if they can. */
export function notificationsFault(servers: string | undefined, store: string): string | undefined {
  const isPostgres = store.startsWith('postgres');
  if (servers === undefined)
    return isPostgres && readPostgresUrl(store).shared
      ? 'expected nats://HOST:4222: LISTEN does not work with pool_mode=transaction'
      : undefined;
  if (!isPostgres) return 'expected a store in PostgreSQL: only there are other replicas to notify';
  try {
    readNatsUrl(servers);
    return undefined;
  } catch (error) {
    return (error as TypeError).message;
  }
}

/**
 * Returns the location of a store, and the function that opens its database. Throws TypeError for an unknown scheme.
 */
function locationOf(url: string, options: StoreOptions): Pick<SqlStoreOptions, 'shown' | 'connect'> {
  const { logger, durability } = options;
  const [scheme] = url.split(':', 1);
  const sqlite = async (path: string, lock: boolean): Promise<Database> =>
    (await import('./sqlite/database.ts')).openSqlite({ path, flush: durability === 'full', lock, logger });
  if (scheme === 'memory') return { shown: 'memory:', connect: () => sqlite(':memory:', false) };
  if (scheme === 'sqlite' && url.length > 'sqlite:'.length) {
    const file = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    return { shown: url, connect: () => sqlite(file, true) };
  }
  if (/^postgres(?:ql)?:\/\/./.test(url)) {
    const connect = async () => (await import('./postgres/database.ts')).openPostgres(url, logger);
    return { shown: readPostgresUrl(url).shown, connect };
  }
  throw new TypeError(
    `Unknown store ${scheme}: expected memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE`,
  );
}
