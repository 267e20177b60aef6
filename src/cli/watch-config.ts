import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentFolderOf, namedFiles } from '../config/load.ts';
import type { Config } from '../config/types.ts';
import { fileState } from '../net/file-state.ts';

/** Milliseconds without another change after which a file counts as complete. */
const settled = 300;
/** Milliseconds between two looks without a notice from the system: network file systems send none. */
const lookEvery = 5_000;

/**
 * Watches the files of a configuration: its own, `agents.d/*.yaml` beside it, and those that they name. A symbolic link that
 * leads elsewhere is a change, as in a mounted ConfigMap.
 *
 * @param config returns the active configuration, whose files are watched
 * @param onChanged called when files have changed, once at a time. Resolves with whether the configuration was used; where it
 *   was not, any notice of these folders leads to another call, as when a file that was missing is added
 * @returns stops watching
 */
export function watchConfig(file: string, config: () => Config, onChanged: () => Promise<boolean>): () => void {
  const agentFolder = agentFolderOf(file);
  const watchers = new Map<string, FSWatcher>();
  let files: ReadonlySet<string> = new Set();
  let state = '';
  /** Whether the latest change was used, and whether anything has happened in the folders since. */
  let [used, touched] = [true, false];
  let timer: NodeJS.Timeout | undefined;
  let [isSoon, busy, stopped] = [false, false, false];

  const concerns = (folder: string, name: string | null): boolean =>
    // A mounted ConfigMap or Secret is replaced by renaming the link `..data`.
    name === null || folder === agentFolder || name.startsWith('..') || files.has(join(folder, name));

  const watchFolder = (folder: string): void => {
    if (watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (!concerns(folder, name)) return;
        touched = true;
        look(settled);
      });
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(folder);
      });
      watchers.set(folder, watcher);
    } catch {
      // There is no such folder, or the system watches no more of them: every look finds what has changed.
    }
  };

  const stateNow = (): string => {
    const named = Array.from(namedFiles(config()), ([, path]) => path);
    files = new Set([file, agentFolder, ...listOf(agentFolder), ...named]);
    for (const folder of new Set([agentFolder, ...Array.from(files, (path) => dirname(path))])) watchFolder(folder);
    return Array.from(files, (path) => `${path} ${path === agentFolder ? '' : fileState(path)}`).join('\n');
  };

  /** Looks after a while. A look that is due sooner stays. */
  const look = (after: number): void => {
    if (busy || isSoon || stopped) return;
    clearTimeout(timer);
    isSoon = after === settled;
    timer = setTimeout(() => {
      isSoon = false;
      void compare();
    }, after);
    timer.unref();
  };

  const compare = async (): Promise<void> => {
    const now = stateNow();
    if (now === state && (used || !touched)) return look(lookEvery);
    busy = true;
    await new Promise((resolve) => setTimeout(resolve, settled));
    const isComplete = stateNow() === now;
    if (isComplete && !stopped) {
      state = now;
      touched = false;
      used = await onChanged();
    }
    busy = false;
    look(isComplete && !touched ? lookEvery : settled);
  };

  state = stateNow();
  look(lookEvery);
  return () => {
    stopped = true;
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}

/** The paths in a folder. */
function listOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
