import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './processes.ts';

/**
 * Brings a version of Node from its npm package, as `tools/node` does for the project.
 *
 * @param folder where it is installed
 * @param bin folder with the `node` that npm runs on meanwhile
 * @returns the folder with the `node` of that version
 */
export async function installNode(version: string, folder: string, bin: string, signal: AbortSignal): Promise<string> {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
  await run({ cwd: folder, bin, signal }, 'npm', 'install', '--prefer-offline', `${name}@${version}`);
  return join(folder, 'node_modules', name, 'bin');
}
