import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents. Not with `mkdirSync` and `recursive`, which tries forever if the system reports an
 * existing parent as missing, as below `/proc`.
 *
 * @throws Error of the system
 */
export function makeFolder(path: string): void {
  if (isMade(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  if (!isMade(path)) mkdirSync(path);
}

/** Creates a folder in an existing one. Returns whether the folder exists now. */
function isMade(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return true;
    throw error;
  }
}
