/** Fetches a file of a part before the part is imported. Undefined in workers, which have no page with notices. */
let fetchFirst: ((url: string) => Promise<void>) | undefined;

/** Sets how the files of parts are fetched. This module imports nothing, since workers have it too. */
export function fetchPartsWith(fetchFile: (url: string) => Promise<void>): void {
  fetchFirst = fetchFile;
}

/**
 * Loads a part of the console, as soon as the gateway serves all of its files. The build calls it in place of Vite's own function: a
 * browser never asks again for a module that it could not load, so that a part is imported only once its files are here.
 *
 * @param load imports the part
 * @param files scripts and styles of the part, relative to `importer`
 */
export async function loadPart<T>(load: () => Promise<T>, files: readonly string[] = [], importer = ''): Promise<T> {
  const urls = files.map((file) => new URL(file, importer || import.meta.url).href);
  await Promise.all(urls.map((url) => fetchFirst?.(url)));
  return load();
}
