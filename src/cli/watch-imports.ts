import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Milliseconds without a further change after which a save counts as complete, because editors write in several steps.
 */
const settled = 100;

/**
 * Watches a module and everything that it imports from its folder and below, except packages in `node_modules`. It must
 * be created before the module is loaded. Imports that cannot be found are watched too.
 */
export class ImportWatcher {
  readonly #onSaved: (path: string) => void;
  readonly #folder: string;
  readonly #paths = new Set<string>();
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  readonly #hooks: ReturnType<typeof registerHooks>;

  /**
   * @param file path of the module
   * @param onSaved called with the path of a file that was changed, replaced or added
   */
  constructor(file: string, onSaved: (path: string) => void) {
    this.#onSaved = onSaved;
    this.#folder = dirname(realpathSync(file)) + sep;
    this.#hooks = registerHooks({
      resolve: (specifier, context, next) => {
        try {
          return next(specifier, context);
        } catch (error) {
          const { parentURL } = context;
          const missing = /^\.{0,2}\//.test(specifier) ? URL.parse(specifier, parentURL) : null;
          if (missing) this.#add(missing.href);
          throw error;
        }
      },
      load: (url, context, next) => {
        this.#add(url);
        return next(url, context);
      },
    });
  }

  #saved(path: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onSaved(path), settled);
  }

  /** Watches a folder instead of single files, because editors replace files. */
  #watchFolder(place: string): void {
    if (this.#watchers.has(place)) return;
    try {
      const watcher = watch(place, (_, name) => {
        if (name !== null && this.#paths.has(join(place, name))) this.#saved(join(place, name));
      });
      watcher.on('error', () => watcher.close());
      this.#watchers.set(place, watcher);
    } catch {
      // The folder does not exist, for example because of a mistake in an import.
    }
  }

  #add(url: string): void {
    if (!url.startsWith('file:')) return;
    const path = fileURLToPath(url);
    if (!path.startsWith(this.#folder) || path.includes(`${sep}node_modules${sep}`)) return;
    this.#paths.add(path);
    this.#watchFolder(dirname(path));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#hooks.deregister();
    for (const watcher of this.#watchers.values()) watcher.close();
  }
}
