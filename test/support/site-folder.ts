import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder in which one test run keeps the documentation site and the console that it builds. */
    siteFolder: string;
  }
}

/**
 * vitest's global set-up: a folder for what all files of tests share, such as the documentation site. Helpers that run outside of
 * vitest, too, find it in the environment.
 */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-site-'));
  project.provide('siteFolder', folder);
  process.env.TEST_FOLDER = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
