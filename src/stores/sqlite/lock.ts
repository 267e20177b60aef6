import { realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A lock that this process holds, and how many of its stores rely on it. */
interface HeldLock {
  readonly connection: DatabaseSync;
  users: number;
}

/** By the path of the lock file. */
const heldLocks = new Map<string, HeldLock>();

/** Milliseconds that a process which only reads the holder's id is waited for. */
const timeout = 100;

/**
 * Locks a SQLite database for this process, and returns what unlocks it. Throws when another process holds the lock.
 *
 * The lock is a write transaction that is never ended, on an empty database beside the real one. SQLite asks the
 * operating system for it (fcntl, LockFileEx), which releases it with the process however that ends; ids of processes
 * and times of heartbeats cannot tell so exactly. Several stores of one process share it.
 *
 * @param path of the database, which must exist
 */
export function lockSqlite(path: string, makePrivate: (path: string) => void): () => void {
  const file = `${realpathSync(path)}-lock`;
  let held = heldLocks.get(file);
  if (!held) {
    makePrivate(file);
    held = { connection: acquire(file), users: 0 };
    heldLocks.set(file, held);
  }
  const { connection } = held;
  held.users++;
  let released = false;
  return () => {
    if (released || !held) return;
    released = true;
    if (--held.users > 0) return;
    heldLocks.delete(file);
    connection.close();
  };
}

function acquire(file: string): DatabaseSync {
  const connection = new DatabaseSync(file, { timeout });
  try {
    connection.exec('begin immediate');
    // Committed before the lock is taken for good, so that those who do not get it can say who has it.
    connection.exec(`pragma user_version = ${process.pid}`);
    connection.exec('commit; begin immediate');
    return connection;
  } catch (error) {
    const reason = isBusy(error) ? holderMessage(connection) : `${file} cannot be locked: ${(error as Error).message}`;
    connection.close();
    throw new Error(reason, { cause: error });
  }
}

const isBusy = (error: unknown): boolean => (Number((error as { errcode?: number }).errcode) & 0xff) === 5;

function holderMessage(connection: DatabaseSync): string {
  let holder = '';
  try {
    const { user_version: pid } = connection.prepare('pragma user_version').get() as { user_version: number };
    holder = ` (process ${pid})`;
  } catch {
    // It is being written; the message does without.
  }
  return `another gateway is running on it${holder}; one SQLite file serves one gateway, PostgreSQL serves many`;
}
