import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { suiteCache } from '../cache.ts';

/** ACTS, A2A's own conformance specification: files in YAML in the specification's repository, which are not copied here. */

export const repository = 'https://github.com/a2aproject/A2A';

/** The head of pull request 1882 on 29 May 2026. */
export const commit = 'dbcabfba4f01cc162c965f0fde5f44fc1f1e70e5';

/** The last commit on 25 April 2025, with the server of A2A 0.1 in `samples/js`. */
export const commitOfSamples = 'b52c2ebb381f2769159af90e35ac975313f59fd4';

const folderOf = (hash: string): string => suiteCache(`A2A-${hash.slice(0, 12)}`);

/** Whether the files of ACTS and the server of A2A 0.1 have been fetched. */
export const isInstalled = (): boolean =>
  [join(folderOf(commit), 'tests/acts'), join(folderOf(commitOfSamples), 'samples/js')].every((path) =>
    existsSync(path),
  );

/** Milliseconds for a command of git. */
const patience = 300_000;

/**
 * Fetches a commit of the specification's repository, unless it is there.
 *
 * @param from the repository's URL, or a path to a copy of it
 * @returns the folder of the work tree
 * @throws Error that says why it cannot be had
 */
export function fetchCommit(hash: string, paths: readonly string[], from: string = repository): string {
  const folder = folderOf(hash);
  if (paths.every((path) => existsSync(join(folder, path)))) return folder;
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet');
  git(folder, 'fetch', '--quiet', '--depth=1', from, hash);
  git(folder, 'checkout', '--quiet', 'FETCH_HEAD', '--', ...paths);
  return folder;
}

function git(cwd: string, ...args: readonly string[]): void {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  const { status, stderr, error } = spawnSync('git', args, { cwd, env, encoding: 'utf8', timeout: patience });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
}

/** The folder of ACTS' files. @throws Error that says why they cannot be had */
export function installSuite(from?: string): string {
  return join(fetchCommit(commit, ['tests/acts'], from), 'tests/acts');
}

/** The work tree with the server of A2A 0.1. @throws Error that says why it cannot be had */
export const installSamples = (from?: string): string => fetchCommit(commitOfSamples, ['samples/js'], from);
