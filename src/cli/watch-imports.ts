import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Milliseconds without another change after which a save counts as complete: editors write in several steps. */
const settled = 100;

/**
 * Watches a module and everything that it imports from its folder and below, except packages in `node_modules`. Must be
 * called before the module is loaded. Imports that cannot be found are watched for, too.
 *
 * @param file path of the module
 * @param onSaved called with the path of a file that was changed, replaced or added
 * @returns stops watching
 */
export function watchImports(file: string, onSaved: (path: string) => void): () => void {
  const folder = dirname(realpathSync(file)) + sep;
  const paths = new Set<string>();
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;

  const saved = (path: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => onSaved(path), settled);
  };
  // Folders are watched instead of files, since editors replace files.
  const watchFolder = (place: string): void => {
    if (watchers.has(place)) return;
    try {
      const watcher = watch(place, (_, name) => {
        if (name !== null && paths.has(join(place, name))) saved(join(place, name));
      });
      watcher.on('error', () => watcher.close());
      watchers.set(place, watcher);
    } catch {
      // The folder does not exist, as in an import with a mistake.
    }
  };
  const add = (url: string): void => {
    if (!url.startsWith('file:')) return;
    const path = fileURLToPath(url);
    if (!path.startsWith(folder) || path.includes(`${sep}node_modules${sep}`)) return;
    paths.add(path);
    watchFolder(dirname(path));
  };

  const hooks = registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        const { parentURL } = context;
        const missing = /^\.{0,2}\//.test(specifier) ? URL.parse(specifier, parentURL) : null;
        if (missing) add(missing.href);
        throw error;
      }
    },
    load(url, context, next) {
      add(url);
      return next(url, context);
    },
  });
  return () => {
    clearTimeout(timer);
    hooks.deregister();
    for (const watcher of watchers.values()) watcher.close();
  };
}
