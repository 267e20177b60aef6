import { closeSync, constants, type Dirent, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/** Largest file that is read whole, in bytes. */
export const maxFile = 16 * 1024 * 1024;

/** Number of bytes that are read at a time. */
const step = 64 * 1024;

/**
 * Error for a file that is not read. `code` is the reason, for messages: `a folder`, `a named pipe`, `larger than 16
 * MiB`.
 */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly code: string;

  constructor(path: string, why: string) {
    super(`${path} is ${why}`);
    this.code = why;
  }
}

/** Returns the kind of an entry that is not a regular file, such as `a folder`. Undefined for a regular file. */
export function kindOf(stats: Stats | Dirent): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'a device' : 'not a regular file';
}

/**
 * Reads a file that the configuration or the command line names. Only regular files are read: a pipe would block, and a
 * device has no end.
 *
 * @throws FileRefused, or the error of the system
 */
export function readFileBytes(path: string, most = maxFile): Buffer {
  requireRegular(path);
  // Does not block if the file has meanwhile been replaced by a pipe.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const kind = kindOf(fstatSync(file));
    if (kind !== undefined) throw new FileRefused(path, kind);
    const chunks: Buffer[] = [];
    for (let size = 0; ; ) {
      const chunk = Buffer.allocUnsafe(step);
      const read = readSync(file, chunk, 0, step, null);
      if (read === 0) return Buffer.concat(chunks);
      size += read;
      if (size > most) throw new FileRefused(path, `larger than ${Math.floor(most / 1_048_576)} MiB`);
      chunks.push(chunk.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}

export const readFileText = (path: string, most = maxFile): string => readFileBytes(path, most).toString('utf8');

/** Reads a file like `readFileBytes`, but rejects instead of throwing. */
export const fileBytes = async (path: string): Promise<Buffer> => readFileBytes(path);
/** Reads a file like `readFileText`, but rejects instead of throwing. */
export const fileText = async (path: string): Promise<string> => readFileText(path);

/** Throws FileRefused if the path is not a regular file, and the error of the system if it cannot be examined. */
export function requireRegular(path: string): void {
  const kind = kindOf(statSync(path));
  if (kind !== undefined) throw new FileRefused(path, kind);
}
