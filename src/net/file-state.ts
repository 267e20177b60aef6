import { statSync } from 'node:fs';

/** A text that changes when a file is replaced or written, also by a symbolic link to another. */
export function fileState(path: string): string {
  try {
    const { dev, ino, size, mtimeMs } = statSync(path);
    return [dev, ino, size, mtimeMs].join(' ');
  } catch {
    return 'none';
  }
}
