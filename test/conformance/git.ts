import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { suiteCache } from './cache.ts';

/** Files of a repository at a commit. */
export interface Sources {
  readonly repository: string;
  readonly commit: string;
  readonly paths: readonly string[];
}

/** Milliseconds for a command of git. */
const timeoutMs = 300_000;

/** The work tree in the cache. */
export const folderOf = ({ repository, commit }: Sources): string =>
  suiteCache(`${repository.split('/').at(-1)}-${commit.slice(0, 12)}`);

export const areFetched = (sources: Sources): boolean =>
  sources.paths.every((path) => existsSync(join(folderOf(sources), path)));

/**
 * Fetches files of a repository, unless they are there.
 *
 * @param from a copy of the repository. Default: the repository itself
 * @returns the folder of the work tree
 * @throws Error that says why they cannot be had
 */
export function fetchSources(sources: Sources, from: string = sources.repository): string {
  const folder = folderOf(sources);
  if (areFetched(sources)) return folder;
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet');
  git(folder, 'fetch', '--quiet', '--depth=1', from, sources.commit);
  git(folder, 'checkout', '--quiet', 'FETCH_HEAD', '--', ...sources.paths);
  return folder;
}

function git(cwd: string, ...args: readonly string[]): void {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  const { status, stderr, error } = spawnSync('git', args, { cwd, env, encoding: 'utf8', timeout: timeoutMs });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
}
