import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those that it is in. `mkdirSync` with `recursive` tries for ever where the system says that the parent
 * is missing, which is there, as below `/proc`.
 *
 * @throws Error of the system
 */
export function makeFolder(path: string): void {
  if (isMade(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  if (!isMade(path)) mkdirSync(path);
}

/** Makes a folder in one that is there. Returns whether there is one now. */
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
