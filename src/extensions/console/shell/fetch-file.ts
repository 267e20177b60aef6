import { awake } from '../gateway/awake.ts';
import { asGatewayError, GatewayError, refusedBy } from '../gateway/error.ts';
import { outdated, reportFault } from './connection.ts';

/** Files that have arrived. The browser has them from then on, since a file's name changes with its content. */
const arrived = new Set<string>();

const firstPause = 500;
const longestPause = 5_000;

/** Fetches a file, again and again while a proxy answers in the gateway's place or nothing answers. */
export async function fetchFile(url: string): Promise<void> {
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
        outdated.value = true;
        throw new Error('its file is missing', { cause: error });
      }
      reportFault(error);
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
