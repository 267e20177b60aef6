import { realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './errors.ts';

/** A lock of this process, and the number of its stores that use it. */
interface ProcessLock {
  readonly connection: DatabaseSync;
  users: number;
}

/** The locks of this process, by the paths of their files. */
const locks = new Map<string, ProcessLock>();

/** Milliseconds to wait for a process that only reads the holder's id. */
const timeout = 100;

/**
 * Locks a SQLite database for this process, and returns the function that unlocks it. Throws if another process holds the lock.
 *
 * The lock is a write transaction that is never ended, on an empty database beside the real one. SQLite takes it from the
 * operating system (fcntl, LockFileEx), which releases it when the process ends, however that ends. Several stores of one process
 * share it.
 *
 * @param path path of the database, which must exist
 */
export function lockSqlite(path: string, makePrivate: (path: string) => void): () => void {
  const file = `${realpathSync(path)}-lock`;
  let lock = locks.get(file);
  if (!lock) {
    makePrivate(file);
    lock = { connection: acquire(file), users: 0 };
    locks.set(file, lock);
  }
  const { connection } = lock;
  lock.users++;
  let released = false;
  return () => {
    if (released || !lock) return;
    released = true;
    if (--lock.users > 0) return;
    locks.delete(file);
    connection.close();
  };
}

function acquire(file: string): DatabaseSync {
  const connection = new DatabaseSync(file, { timeout });
  try {
    connection.exec('begin immediate');
    // Committed before the lock is taken permanently, so that processes that fail to get it can report the holder.
    connection.exec(`pragma user_version = ${process.pid}`);
    connection.exec('commit; begin immediate');
    return connection;
  } catch (error) {
    const reason = isBusy(error) ? holderMessage(connection) : `${file} cannot be locked: ${(error as Error).message}`;
    connection.close();
    throw new Error(reason, { cause: error });
  }
}

function holderMessage(connection: DatabaseSync): string {
  let holder = '';
  try {
    const { user_version: pid } = connection.prepare('pragma user_version').get() as { user_version: number };
    holder = ` (process ${pid})`;
  } catch {
    // The file is being written, so the message cannot name the process.
  }
  return `another gateway is running on it${holder}; one SQLite file serves one gateway, PostgreSQL serves many`;
}
