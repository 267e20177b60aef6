import { readFile } from 'node:fs/promises';
import { UsageError } from './endings.ts';

/**
 * A file that was named on the command line.
 *
 * @param flag what the message begins with, such as `--file: `
 * @throws UsageError when it cannot be read
 */
export async function readInput(path: string, flag = ''): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw new UsageError(`${flag}cannot read ${path} (${code === 'ENOENT' ? 'no such file' : code})`);
  }
}
