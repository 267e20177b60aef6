import { awake } from '../gateway/awake.ts';
import { asGatewayError, GatewayError, refusedBy } from '../gateway/error.ts';

/** Receives faults of loading. The page sets it; workers, which load parts too, have none. */
export const loadFaults: {
  /** Called when the gateway has other files than this version of the console. */
  outdated?: () => void;
  /** Called with each error after which a file is asked for again. */
  report?: (error: GatewayError) => void;
} = {};

/** Files that have arrived. The browser has them from then on, since a file's name changes with its content. */
const arrived = new Set<string>();

const firstPause = 500;
const longestPause = 5_000;

/**
 * Loads a part of the console, as soon as the gateway serves all of its files. The build calls it in place of Vite's own function: a
 * browser never asks again for a module that it could not load, so that a module is imported only once its files are here.
 *
 * @param load imports the part
 * @param files scripts and styles of the part, relative to `importer`
 */
export async function loadPart<T>(load: () => Promise<T>, files: readonly string[] = [], importer = ''): Promise<T> {
  await Promise.all(files.map((file) => fetchFile(new URL(file, importer || import.meta.url).href)));
  return load();
}

/** Fetches a file, again and again while a proxy answers in the gateway's place or nothing answers. */
async function fetchFile(url: string): Promise<void> {
  for (let wait = firstPause; !arrived.has(url); wait = Math.min(wait * 2, longestPause)) {
    try {
      const response = await fetch(url);
      if (!response.ok) throw await refusedBy(response);
      await response.arrayBuffer();
      if (url.endsWith('.css')) await addStyles(url);
      arrived.add(url);
    } catch (thrown) {
      const error = asGatewayError(thrown);
      if (!(error instanceof GatewayError && error.temporary)) {
        // A gateway of another version has other files.
        loadFaults.outdated?.();
        throw new Error('its file is missing', { cause: error });
      }
      loadFaults.report?.(error);
      await awake(wait);
    }
  }
}

/** Adds a file of styles to the page. */
async function addStyles(url: string): Promise<void> {
  const link = document.createElement('link');
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  Object.assign(link, { rel: 'stylesheet', href: url, onload: resolve, onerror: reject });
  document.head.append(link);
  await promise.catch((error: unknown) => {
    link.remove();
    throw new TypeError('the browser did not take the styles', { cause: error });
  });
}
