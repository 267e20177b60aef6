import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { isObject } from '../core/model/json.ts';

/** Name of the file beside a SQLite database. */
export const adminKeyFileName = 'admin-key';

/** What a running gateway writes for commands on the same machine. */
export interface AdminKeyFile {
  readonly key: string;
  readonly pid: number;
  /** The gateway's store, which it has to itself. */
  readonly store: string;
  /** Scheme and loopback address, where the gateway has the port to itself. */
  readonly listen: readonly string[];
}

/** Says what is wrong with a file, and what to do. */
export class AdminKeyFileRefused extends Error {}

/** Bytes of a file at most. */
const maxSize = 8_192;

/** Absent on Windows, where neither owners nor modes protect files; folders of users do. */
const ownUid = process.getuid?.();

function requirePrivate(path: string, stats: Stats): void {
  const fault = stats.isSymbolicLink()
    ? 'it is a symbolic link'
    : !stats.isFile()
      ? 'it is not a file'
      : ownUid !== undefined && stats.uid !== ownUid
        ? 'it belongs to another user'
        : ownUid !== undefined && (stats.mode & 0o077) !== 0
          ? `other users can access it (mode ${(stats.mode & 0o777).toString(8)}, expected 600)`
          : undefined;
  if (fault !== undefined) throw new AdminKeyFileRefused(`${path} is not used: ${fault}; remove it`);
}

/**
 * Reads the file; undefined where there is none.
 *
 * @throws AdminKeyFileRefused for a link, another user's file, one that others can access, and one without a key
 */
export function readAdminKeyFile(path: string): AdminKeyFile | undefined {
  let file: number;
  try {
    // A link is refused by the system itself, so that nobody can put one there between a check and the opening.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats) requirePrivate(path, stats);
    throw new AdminKeyFileRefused(`${path} cannot be read (${code})`);
  }
  try {
    requirePrivate(path, fstatSync(file));
    const buffer = Buffer.alloc(maxSize);
    const content = parse(buffer.toString('utf8', 0, readSync(file, buffer)));
    if (!content) throw new AdminKeyFileRefused(`${path} is not used: no gateway wrote it; remove it`);
    return content;
  } finally {
    closeSync(file);
  }
}

function parse(text: string): AdminKeyFile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { key, pid, store, listen } = value;
  const valid = typeof key === 'string' && Number.isInteger(pid) && typeof store === 'string' && Array.isArray(listen);
  return valid ? (value as unknown as AdminKeyFile) : undefined;
}

/** Whether a process exists and may be the user's. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The files of this process, by path. */
const written = new Map<string, string>();

/**
 * Writes the file for its owner alone, in place of one that a gateway left which no longer runs. Returns what removes it.
 *
 * @throws AdminKeyFileRefused where another gateway uses it, or where what is there is not a private file
 */
export function writeAdminKeyFile(path: string, content: AdminKeyFile): () => void {
  const before = readAdminKeyFile(path);
  if (before) {
    const { pid, store } = before;
    // A store serves one gateway, so that an earlier one on the same store has ended.
    const isLive = pid === process.pid ? written.get(path) === before.key : store !== content.store && isRunning(pid);
    if (isLive) throw new AdminKeyFileRefused(`${path} is in use by another gateway (process ${pid}, ${store})`);
    unlinkSync(path);
  }
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      writeSync(file, `${JSON.stringify(content)}\n`);
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    throw new AdminKeyFileRefused(`${path} cannot be written (${(thrown as NodeJS.ErrnoException).code})`);
  }
  written.set(path, content.key);
  return () => {
    if (written.get(path) === content.key) written.delete(path);
    try {
      if (readAdminKeyFile(path)?.key === content.key) unlinkSync(path);
    } catch {
      // It is no longer the gateway's.
    }
  };
}

/**
 * The target under which a command may send the key, so that nobody but the gateway gets it; undefined where there is none.
 * `localhost` may lead to two addresses: where the gateway listens on one of them only, the target names that one.
 */
export function targetOfKey({ listen }: AdminKeyFile, { protocol, hostname, host, port }: URL): string | undefined {
  const at = `${protocol}//${host}`;
  if (listen.includes(at)) return at;
  if (hostname !== 'localhost') return undefined;
  const suffix = port === '' ? '' : `:${port}`;
  const addresses = ['127.0.0.1', '[::1]'].map((address) => `${protocol}//${address}${suffix}`);
  const listened = addresses.filter((address) => listen.includes(address));
  if (listened.length === addresses.length) return at;
  // The certificate may be for the name alone.
  return protocol === 'http:' ? listened[0] : undefined;
}
