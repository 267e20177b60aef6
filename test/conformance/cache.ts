import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder outside the checkout for suites that are installed once: programs, packages of Python, and clones of kits. */
export const suiteCache = (name: string): string => {
  const base = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return join(base, 'a2a-gateway', 'conformance', name);
};

/** Whether a suite has been installed there. */
export const isCached = (name: string, file: string): boolean => existsSync(join(suiteCache(name), file));
