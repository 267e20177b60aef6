import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentFolderOf, namedFiles } from '../config/load.ts';
import type { Config } from '../config/types.ts';
import { steadyNow } from '../core/model/timing.ts';
import type { Logger } from '../core/ports/logger.ts';
import { fileState } from '../net/file-state.ts';
import { lostSettings, readWritten } from './lost-settings.ts';

/**
 * Milliseconds without a further change after which files count as complete. The writer of a file may pause in between.
 */
const settled = 2_000;
/**
 * Milliseconds without a further change for files that lack settings which they had before, and are therefore more
 * likely to be incomplete.
 */
const settledWithout = 10_000;
/** Milliseconds until a check after a notification from the system, which often sends several for one change. */
const soon = 300;
/** Milliseconds between two checks without a notification from the system. Network file systems send none. */
const lookEvery = 5_000;

/** A change that has not been applied yet. */
interface PendingChange {
  readonly state: string;
  /** Time of the last change of the files, on the clock of `steadyNow`. */
  since: number;
  /** Whether the missing settings have been reported. */
  isReported: boolean;
}

export interface ConfigWatch {
  /** Returns the active configuration, whose files are watched. */
  readonly config: () => Config;
  /**
   * Called when files have changed, never concurrently. Resolves to whether the configuration was applied. If it was
   * not, any notification about these folders leads to another call, for example when a missing file is added.
   */
  readonly onChanged: () => Promise<boolean>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Watches the files of a configuration: its own file, `agents.d/*.yaml` next to it, and the files that they name. A
 * symbolic link with a new target counts as a change, as in a mounted ConfigMap.
 */
export class ConfigWatcher {
  readonly #file: string;
  readonly #config: () => Config;
  readonly #onChanged: () => Promise<boolean>;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #agentFolder: string;
  readonly #watchers = new Map<string, FSWatcher>();
  #files: ReadonlySet<string> = new Set();
  #state: string;
  /** Settings of the configuration that was applied last. */
  #written: ReturnType<typeof readWritten>;
  /** Whether the latest change was applied. */
  #used = true;
  /** Whether any notification about the folders has arrived since. */
  #touched = false;
  #pending: PendingChange | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Time of the next check, on the clock of `steadyNow`. */
  #due = Number.POSITIVE_INFINITY;
  #busy = false;
  #stopped = false;

  constructor(file: string, { config, onChanged, logger }: ConfigWatch) {
    this.#file = file;
    this.#config = config;
    this.#onChanged = onChanged;
    this.#logger = logger;
    this.#agentFolder = agentFolderOf(file);
    this.#written = readWritten(file);
    this.#state = this.#stateNow();
    this.#look(lookEvery);
  }

  #concerns(folder: string, name: string | null): boolean {
    // A mounted ConfigMap or Secret is replaced by renaming the link `..data`.
    return (
      name === null || folder === this.#agentFolder || name.startsWith('..') || this.#files.has(join(folder, name))
    );
  }

  #watchFolder(folder: string): void {
    if (this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (!this.#concerns(folder, name)) return;
        this.#touched = true;
        if (this.#pending) this.#pending.since = steadyNow();
        this.#look(soon);
      });
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(folder);
      });
      this.#watchers.set(folder, watcher);
    } catch {
      // The folder does not exist, or the system cannot watch more folders. The periodic checks find changes anyway.
    }
  }

  #stateNow(): string {
    const named = Array.from(namedFiles(this.#config()), ([, path]) => path);
    this.#files = new Set([this.#file, this.#agentFolder, ...listOf(this.#agentFolder), ...named]);
    for (const folder of new Set([this.#agentFolder, ...Array.from(this.#files, (path) => dirname(path))]))
      this.#watchFolder(folder);
    return Array.from(this.#files, (path) => `${path} ${path === this.#agentFolder ? '' : fileState(path)}`).join('\n');
  }

  /** Schedules a check, unless an earlier one is scheduled. */
  #look(after: number): void {
    const at = steadyNow() + after;
    if (this.#busy || this.#stopped || this.#due <= at) return;
    clearTimeout(this.#timer);
    this.#due = at;
    this.#timer = setTimeout(() => {
      this.#due = Number.POSITIVE_INFINITY;
      void this.#compare();
    }, after);
    this.#timer.unref();
  }

  /** Returns the milliseconds until a change counts as complete. */
  #remaining(change: PendingChange): number {
    const quiet = steadyNow() - change.since;
    if (quiet < settled) return settled - quiet;
    const lost = lostSettings(this.#written, readWritten(this.#file));
    if (lost.length === 0) return 0;
    if (!change.isReported) {
      change.isReported = true;
      const line =
        'the changed configuration lacks settings that the active one has; waiting in case it is still being written';
      this.#logger.warn({ file: this.#file, lost: lost.slice(0, mostShown), seconds: settledWithout / 1_000 }, line);
    }
    return Math.max(0, settledWithout - quiet);
  }

  async #compare(): Promise<void> {
    const now = this.#stateNow();
    if (now === this.#state && (this.#used || !this.#touched)) {
      this.#pending = undefined;
      return this.#look(lookEvery);
    }
    if (this.#pending?.state !== now)
      this.#pending = { state: now, since: steadyNow(), isReported: this.#pending?.isReported === true };
    const wait = this.#remaining(this.#pending);
    if (wait > 0) return this.#look(Math.min(wait, lookEvery));
    this.#busy = true;
    this.#state = now;
    this.#touched = false;
    this.#pending = undefined;
    const next = readWritten(this.#file);
    this.#used = await this.#onChanged();
    if (this.#used) this.#written = next;
    this.#busy = false;
    this.#look(this.#touched ? soon : lookEvery);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
  }
}

/** Maximum number of settings that a log line names. */
const mostShown = 20;

/** Returns the paths in a folder. */
function listOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
