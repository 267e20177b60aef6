import { randomInt } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from '../../core/ports/logger.ts';
import { isCannotOpen } from './errors.ts';

/** Network file systems, by the types that Linux reports. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
]);

/** Device and number of the file at a path; '' if there is no file. */
export function fileAt(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.dev}:${stats.ino}` : '';
}

/**
 * Creates the file of a database and its folder if they are missing. Throws if the file has other names, because a lock applies
 * to one name. Warns if the file may not be the intended one, or cannot be locked.
 */
export function makeFile(path: string, logger: Logger | undefined): void {
  makeFolder(dirname(path));
  const isNew = createPrivateFile(path);
  const stats = statSync(path, { throwIfNoEntry: false });
  const { size = 0, nlink = 1 } = stats?.isFile() ? stats : {};
  if (nlink > 1)
    throw new Error(`it has ${nlink} names (hard links), and another gateway may use one; leave one of them`);
  if (stats?.isFile() && size === 0 && !isNew)
    logger?.warn({ path }, 'the file of the store is empty; creating a new store in it');
  const fileSystem = process.platform === 'linux' ? networkFileSystems.get(statfsSync(dirname(path)).type) : undefined;
  if (fileSystem === undefined) return;
  const problem =
    'the file of the store is on a network file system, which may corrupt it; use a local disk or PostgreSQL';
  logger?.warn({ path, fileSystem }, problem);
}

/**
 * Creates a folder and its parents. Not `mkdirSync` with `recursive`: on a file system without folders, such as /proc,
 * that never returns.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!existsSync(path)) throw error; // otherwise another process was faster
  }
}

/**
 * Creates a file that only its owner can read, as SQLite does then for the files next to it, because the database holds all
 * tasks, credentials of webhooks and signing secrets. Returns whether the file was created.
 */
export function createPrivateFile(path: string): boolean {
  try {
    closeSync(openSync(path, 'ax', 0o600));
    return true;
  } catch {
    // The file exists, or the open reports why it cannot be created.
    return false;
  }
}

/** A random number for the header of a database, which its log then contains, too. No two files have the same number. */
export const newFileId = (): number => randomInt(1, 2 ** 31);

/**
 * Throws if the log next to a database belongs to another file, as after a restore next to the log of a killed process. The first
 * checkpoint would write it into the database.
 */
export function requireOwnLog(path: string): void {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const header = Buffer.alloc(64);
  const file = openSync(path, 'r');
  readSync(file, header, 0, header.length, 0);
  closeSync(file);
  const id = header.readInt32BE(60);
  const connection = new DatabaseSync(path, { readOnly: true });
  const { user_version: idWithLog } = connection.prepare('pragma user_version').get() ?? {};
  connection.close();
  // Versions before this one wrote no number.
  if (id === 0 || id === idWithLog) return;
  throw new Error(`${path}-wal is the log of another database, for example of the one before a restore; remove it`);
}

/** Throws if a database contains the tables of another program. */
export function requireOwn(connection: DatabaseSync): void {
  const { tables, columns } = connection
    .prepare(`
      select (select count(*) from sqlite_master where type = 'table') as tables,
        (select count(*) from pragma_table_info('migration') where name in ('number', 'name', 'applied_at')) as columns`)
    .get() as { tables: number; columns: number };
  if (tables > 0 && columns < 3) throw new Error('it is the database of another program; name another file');
}

/** The error of a database that cannot be opened, with the reason of the system, which SQLite does not report. */
export function withReason(error: unknown, path: string): unknown {
  if (!isCannotOpen(error)) return error;
  try {
    closeSync(openSync(path, 'r+'));
    accessSync(dirname(path), constants.W_OK);
  } catch (cause) {
    return new Error((cause as Error).message, { cause: error });
  }
  return error;
}
