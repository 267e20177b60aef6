import { lstatSync, readFileSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { mark } from './files.ts';
import { makeFolder } from './make-folder.ts';
import { digestOf, isOfCommand, type LastRun, readRecord, recordName } from './record.ts';
import { InputError } from './spec.ts';

/** Files that a run has written and removed in a folder. */
export interface Written {
  /** The previous run. */
  readonly last: LastRun | undefined;
  /** Files that were missing or different. */
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

/** The output folder of the command. */
export class TypesFolder {
  readonly path: string;
  /** The last run; undefined if there was none or its record is unreadable. */
  readonly last: LastRun | undefined;
  /** Whether there is an unreadable record, such as one with merge conflict markers. */
  readonly hasBrokenRecord: boolean;

  readonly #shown: (path: string) => string;

  /**
   * @param shown returns a path as messages show it
   * @throws InputError if the path is that of a file
   */
  constructor(path: string, shown: (path: string) => string) {
    this.path = path;
    this.#shown = shown;
    if (kindOf(path) === 'file') throw new InputError(`${shown(path)} is a file, but a folder is expected`);
    const text = this.#read(recordName);
    this.last = text === undefined ? undefined : readRecord(text);
    this.hasBrokenRecord = text !== undefined && this.last === undefined && isOfCommand(text);
  }

  /**
   * Returns the files that are missing or differ.
   *
   * @param but members of the record to ignore
   */
  differing(files: ReadonlyMap<string, string>, but?: Partial<LastRun>): string[] {
    return [...files].flatMap(([name, text]) => {
      const there = this.#read(name);
      if (there === undefined) return [name];
      if (name !== recordName || !but) return digestOf(there) === digestOf(text) ? [] : [name];
      const own = readRecord(there);
      const other = readRecord(text);
      return isDeepStrictEqual({ ...own, ...but }, { ...other, ...but }) ? [] : [name];
    });
  }

  /** Returns the files of a run that are missing or have been changed since. */
  changedSince({ files }: LastRun): string[] {
    return Object.entries(files).flatMap(([name, digest]) => {
      const there = this.#read(name);
      return there !== undefined && digestOf(there) === digest ? [] : [name];
    });
  }

  /** Returns the files of the last run that this run does not produce, and that are unchanged. */
  #obsolete(last: LastRun | undefined, files: ReadonlyMap<string, string>): string[] {
    return Object.entries(last?.files ?? {}).flatMap(([name, digest]) => {
      // File names in a record are untrusted, since it may come from anywhere.
      const isBelow = !name.split('/').includes('..') && !isAbsolute(name);
      const there = files.has(name) || !isBelow ? undefined : this.#read(name);
      return there !== undefined && digestOf(there) === digest ? [name] : [];
    });
  }

  /**
   * Returns files that would be replaced although the command has not written them.
   *
   * @param names names of the files to write
   */
  inTheWay(names: Iterable<string>): string[] {
    return [...names].filter((name) => {
      const place = entryAt(join(this.path, name));
      if (place === undefined) return false;
      const text = place.isFile() ? readFileSync(join(this.path, name), 'utf8') : undefined;
      return name === recordName
        ? text === undefined || !(isOfCommand(text) || readRecord(text) !== undefined)
        : text?.startsWith(mark) !== true;
    });
  }

  /**
   * Writes all files or none, and removes obsolete files of the previous run. Waits for another run that is writing,
   * which then counts as the previous run.
   *
   * @param check throws if the files must not be written
   */
  async write(files: ReadonlyMap<string, string>, check: () => void): Promise<Written> {
    try {
      makeFolder(this.path);
      const release = await this.#lock();
      try {
        check();
        const text = this.#read(recordName);
        const last = text === undefined ? undefined : readRecord(text);
        const written = this.differing(files);
        const removed = this.#obsolete(last, files);
        this.#replace(new Map([...files].filter(([name]) => written.includes(name))));
        for (const name of removed) rmSync(join(this.path, name));
        return { last, written, removed };
      } finally {
        release();
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const reason = code === undefined ? undefined : writeErrors[code];
      throw reason === undefined
        ? error
        : new InputError(`cannot write to ${this.#shown(this.path)}: ${reason}`, { cause: error });
    }
  }

  #replace(files: ReadonlyMap<string, string>): void {
    const temporary = (name: string): string => join(this.path, dirname(name), `.${basename(name)}.${process.pid}.tmp`);
    try {
      for (const [name, text] of files) {
        makeFolder(dirname(temporary(name)));
        writeFileSync(temporary(name), text);
      }
      for (const name of files.keys()) renameSync(temporary(name), join(this.path, name));
    } finally {
      for (const name of files.keys()) rmSync(temporary(name), { force: true });
    }
  }

  /** Locks the folder. Only one run writes at a time, so that files of two runs are not mixed. */
  async #lock(): Promise<() => void> {
    const file = join(this.path, lockName);
    for (let attempt = 0; attempt < 400; attempt++) {
      try {
        writeFileSync(file, String(process.pid), { flag: 'wx' });
        return () => rmSync(file, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      if (isAbandoned(file)) rmSync(file, { force: true });
      else await delay(25);
    }
    throw new InputError(
      `another run writes to ${this.#shown(this.path)}; if there is none, remove ${this.#shown(file)}`,
    );
  }

  #read(name: string): string | undefined {
    const file = join(this.path, name);
    return kindOf(file) === 'file' ? readFileSync(file, 'utf8') : undefined;
  }
}

/** Returns the entry at a path, including a broken link. Undefined if there is none, or if a parent is a file. */
function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Returns the kind of file at a path. Links are followed. */
function kindOf(path: string): 'folder' | 'file' | undefined {
  const place = statSync(path, { throwIfNoEntry: false });
  return place === undefined ? undefined : place.isDirectory() ? 'folder' : 'file';
}

const lockName = '.a2a-types.lock';

const writeErrors: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a part of the path is a file',
  ENOENT: 'the folder cannot be created',
};

/** Milliseconds for which a lock file without a process id counts as being written. */
const young = 1_000;

/** Whether the process that holds a lock has ended. */
function isAbandoned(file: string): boolean {
  const place = statSync(file, { throwIfNoEntry: false });
  if (place === undefined) return false;
  const text = readFileSync(file, 'utf8');
  const pid = Number(text);
  // A file that belongs to the user.
  if (!/^\d*$/.test(text)) return false;
  if (!(pid > 0)) return Date.now() - place.mtimeMs > young;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
