import { statSync } from 'node:fs';

/**
 * Returns a text that changes when a file is written or replaced, or when a symbolic link is pointed to another file.
 */
export function fileState(path: string): string {
  try {
    const { dev, ino, size, mtimeMs } = statSync(path);
    return [dev, ino, size, mtimeMs].join(' ');
  } catch {
    return 'none';
  }
}
