import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentFolderOf, namedFiles } from '../config/load.ts';
import type { Config } from '../config/types.ts';
import { steadyNow } from '../core/model/timing.ts';
import type { Logger } from '../core/ports/logger.ts';
import { fileState } from '../net/file-state.ts';
import { lostSettings, readWritten } from './lost-settings.ts';

/** Milliseconds without another change after which files count as complete. Who writes a file may pause in between. */
const settled = 2_000;
/** Milliseconds of quiet for files that lack settings which they had: these are more likely to be half written. */
const settledWithout = 10_000;
/** Milliseconds until a look after a notice from the system: several come with one change. */
const soon = 300;
/** Milliseconds between two looks without a notice from the system: network file systems send none. */
const lookEvery = 5_000;

/** A change that is not used yet. */
interface PendingChange {
  readonly state: string;
  /** When the files last changed: by `steadyNow`. */
  since: number;
  /** Whether it was reported that the files lack settings. */
  isReported: boolean;
}

export interface ConfigWatch {
  /** Returns the active configuration, whose files are watched. */
  readonly config: () => Config;
  /**
   * Called when files have changed, once at a time. Resolves with whether the configuration was used; where it was not, any
   * notice of these folders leads to another call, as when a file that was missing is added.
   */
  readonly onChanged: () => Promise<boolean>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Watches the files of a configuration: its own, `agents.d/*.yaml` beside it, and those that they name. A symbolic link that
 * leads elsewhere is a change, as in a mounted ConfigMap.
 *
 * @returns stops watching
 */
export function watchConfig(file: string, { config, onChanged, logger }: ConfigWatch): () => void {
  const agentFolder = agentFolderOf(file);
  const watchers = new Map<string, FSWatcher>();
  let files: ReadonlySet<string> = new Set();
  let state = '';
  /** The settings of the configuration that was used last. */
  let written = readWritten(file);
  /** Whether the latest change was used, and whether anything has happened in the folders since. */
  let [used, touched] = [true, false];
  let pending: PendingChange | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** When the next look is due: by `steadyNow`. */
  let due = Number.POSITIVE_INFINITY;
  let [busy, stopped] = [false, false];

  const concerns = (folder: string, name: string | null): boolean =>
    // A mounted ConfigMap or Secret is replaced by renaming the link `..data`.
    name === null || folder === agentFolder || name.startsWith('..') || files.has(join(folder, name));

  const watchFolder = (folder: string): void => {
    if (watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (!concerns(folder, name)) return;
        touched = true;
        if (pending) pending.since = steadyNow();
        look(soon);
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
    const at = steadyNow() + after;
    if (busy || stopped || due <= at) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(() => {
      due = Number.POSITIVE_INFINITY;
      void compare();
    }, after);
    timer.unref();
  };

  /** Milliseconds until a change counts as complete. */
  const remaining = (change: PendingChange): number => {
    const quiet = steadyNow() - change.since;
    if (quiet < settled) return settled - quiet;
    const lost = lostSettings(written, readWritten(file));
    if (lost.length === 0) return 0;
    if (!change.isReported) {
      change.isReported = true;
      const line =
        'the changed configuration lacks settings that the active one has; waiting whether it is being written';
      logger.warn({ file, lost: lost.slice(0, mostShown), seconds: settledWithout / 1_000 }, line);
    }
    return Math.max(0, settledWithout - quiet);
  };

  const compare = async (): Promise<void> => {
    const now = stateNow();
    if (now === state && (used || !touched)) {
      pending = undefined;
      return look(lookEvery);
    }
    if (pending?.state !== now) pending = { state: now, since: steadyNow(), isReported: pending?.isReported === true };
    const wait = remaining(pending);
    if (wait > 0) return look(Math.min(wait, lookEvery));
    busy = true;
    state = now;
    touched = false;
    pending = undefined;
    const next = readWritten(file);
    used = await onChanged();
    if (used) written = next;
    busy = false;
    look(touched ? soon : lookEvery);
  };

  state = stateNow();
  look(lookEvery);
  return () => {
    stopped = true;
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}

/** Settings that a line of the log names. */
const mostShown = 20;

/** The paths in a folder. */
function listOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
