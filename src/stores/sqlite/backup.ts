import { closeSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { StoreBackup } from '../../core/ports/store.ts';
import { newFileId } from './file.ts';

/** Bytes of one part of a copy. */
const partSize = 256 * 1024;

const prefixOf = (path: string): string => `${basename(path)}-backup-`;

/** Removes unfinished copies of a process that was killed. */
export function removeUnfinishedBackups(path: string): void {
  const folder = dirname(resolve(path));
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefixOf(path))) rmSync(join(folder, name), { force: true });
  }
}

/**
 * Copies the state of a SQLite database at one moment, on a thread of its own, so that the event loop and writing continue. The
 * copy is a file beside the database that only its owner can read, and that is removed at the end of the parts.
 */
export function backUp(path: string): StoreBackup {
  const to = join(dirname(resolve(path)), `${prefixOf(path)}${process.pid}-${Date.now()}`);
  const made = write(path, to);
  // A rejection must not end the process, even if the parts are never read.
  made.catch(() => undefined);
  return { expectedSize: statSync(path).size, parts: partsOf(to, made) };
}

interface WrittenCopy {
  readonly size: number;
  readonly sha256: string;
}

async function write(from: string, to: string): Promise<WrittenCopy> {
  closeSync(openSync(to, 'ax', 0o600));
  const worker = new Worker(new URL('backup-worker.js', import.meta.url), {
    workerData: { from, to, newId: newFileId() },
    execArgv: [],
  });
  try {
    return await new Promise<WrittenCopy>((done, fail) => {
      worker.once('message', done).once('error', fail);
      worker.once('exit', () => fail(new Error('the thread that copies the database has ended')));
    });
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
}

async function* partsOf(path: string, made: Promise<WrittenCopy>): StoreBackup['parts'] {
  let file: FileHandle | undefined;
  try {
    const written = await made;
    file = await open(path, 'r');
    // Open files stay readable without a name, and nothing is left if the process is killed.
    if (process.platform !== 'win32') rmSync(path, { force: true });
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(partSize), 0, partSize);
      if (bytesRead === 0) break;
      yield { data: buffer.subarray(0, bytesRead) };
    }
    yield written;
  } finally {
    await file?.close();
    void made.then(
      () => rmSync(path, { force: true }),
      () => undefined,
    );
  }
}
