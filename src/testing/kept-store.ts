import type { Store } from '../core/ports/store.ts';
import type { Database } from '../stores/database.ts';
import { openSqlite } from '../stores/sqlite/database.ts';
import { createSqlStore } from '../stores/store.ts';

/** A database in memory that outlives the stores on it, as a file outlives processes. */
export interface KeptDatabase {
  /** Returns a store for one gateway, which opens and closes it. */
  store(): Store;
  close(): Promise<void>;
}

/** Opens a database in memory. */
export async function openKeptDatabase(): Promise<KeptDatabase> {
  const database = await openSqlite({ path: ':memory:', flush: false });
  const openDatabase = withoutClose(database);
  return {
    store: () => createSqlStore({ instance: 'test', shown: 'memory:', connect: async () => openDatabase }),
    close: () => database.close(),
  };
}

/** Wraps a database so that closing it does nothing. */
const withoutClose = (database: Database): Database =>
  new Proxy(database, {
    get(target, name) {
      if (name === 'close') return async () => undefined;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
