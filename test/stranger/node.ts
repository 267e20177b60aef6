import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Installs a version of Node from npm's registry, as a package for this platform.
 *
 * @param version such as `22` or `24.1.0`
 * @returns the folder with the program
 */
export async function installNode(version: string, folder: string): Promise<string> {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`];
  await promisify(execFile)('npm', install, { cwd: folder, timeout: 180_000 });
  return join(folder, 'node_modules', name, 'bin');
}
