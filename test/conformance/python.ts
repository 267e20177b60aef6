import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suiteCache } from './cache.ts';

/** Milliseconds for an installation. */
const timeoutMs = 600_000;

/**
 * Installs packages of Python in an environment of their own in the cache, unless they are there.
 *
 * @returns the folder of the environment's programs; rejects with the words of pip
 */
export function pythonWith(name: string, packages: readonly string[]): string {
  const folder = suiteCache(name);
  const bin = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  const mark = join(folder, 'installed.txt');
  const wanted = packages.join('\n');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return bin;
  console.error(`installing ${packages.join(', ')} with pip`);
  mkdirSync(folder, { recursive: true });
  run('python3', ['-m', 'venv', folder]);
  run(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  writeFileSync(mark, wanted);
  return bin;
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: timeoutMs });
  if (status !== 0) throw new Error(`${program} ${args.slice(0, 3).join(' ')} failed: ${error?.message ?? stderr}`);
}
