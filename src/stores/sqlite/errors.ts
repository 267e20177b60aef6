/** Not a code of SQLite: the file was removed or replaced while it was open. */
const lostFile = 0xfe;

/** The error of a database whose file is no longer the one that was opened, so that writes would be lost. */
export const fileLost = (path: string): Error =>
  Object.assign(new Error(`${path} was removed or replaced while it was open; stop the gateway and restore the file`), {
    errcode: lostFile,
  });

/**
 * Primary result codes that mean that the database is unavailable: BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN,
 * NOTADB, each with the reason for callers.
 */
const unavailableCodes: ReadonlyMap<number, string> = new Map([
  [5, 'another process is writing to it'],
  [6, 'another process is writing to it'],
  [8, 'it is read-only'],
  [10, 'its disk reports I/O errors'],
  [11, 'its file is corrupt'],
  [13, 'its disk is full'],
  [14, 'its file cannot be opened'],
  [26, 'its file is not a SQLite database'],
  [lostFile, 'its file was removed or replaced while it was open'],
]);

const primaryCode = (error: unknown): number =>
  typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) & 0xff : 0;

export const isBusy = (error: unknown): boolean => primaryCode(error) === 5;

/** Whether the file cannot be opened. */
export const isCannotOpen = (error: unknown): boolean => primaryCode(error) === 14;

/** Whether the content of the file is damaged. */
export const isCorrupt = (error: unknown): boolean => [11, 26].includes(primaryCode(error));

/** Whether the file is no longer the one that was opened. */
export const isFileLost = (error: unknown): boolean => primaryCode(error) === lostFile;

/** Whether the error means that the database is unavailable, and not that it rejects the statement. */
export const isUnavailable = (error: unknown): boolean => unavailableCodes.has(primaryCode(error));

/** The reason in a few words for callers. */
export const reasonOf = (error: unknown): string => unavailableCodes.get(primaryCode(error)) ?? 'it is closed';
