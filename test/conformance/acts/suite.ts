import { join } from 'node:path';
import { areFetched, fetchSources, type Sources } from '../git.ts';

/** ACTS, A2A's own conformance specification: files in YAML in the specification's repository, which are not copied here. */

const repository = 'https://github.com/a2aproject/A2A';

/** The head of pull request 1882 on 29 May 2026. */
export const commit = 'dbcabfba4f01cc162c965f0fde5f44fc1f1e70e5';

const suite: Sources = { repository, commit, paths: ['tests/acts'] };

/** The last commit of 25 April 2025, with the server of A2A 0.1. */
const samples: Sources = {
  repository,
  commit: 'b52c2ebb381f2769159af90e35ac975313f59fd4',
  paths: ['samples/js'],
};

/** Whether the files of ACTS and the server of A2A 0.1 have been fetched. */
export const isInstalled = (): boolean => areFetched(suite) && areFetched(samples);

/**
 * The folder of ACTS' files.
 *
 * @param from a copy of the specification's repository. Default: that at GitHub
 * @throws Error that says why they cannot be had
 */
export const installSuite = (from?: string): string => join(fetchSources(suite, from), 'tests/acts');

/** The work tree with the server of A2A 0.1 in `samples/js`. Throws an Error that says why it cannot be had. */
export const installSamples = (from?: string): string => fetchSources(samples, from);
