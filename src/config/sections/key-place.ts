import { isLoopbackHost } from '../types.ts';

/**
 * Where public keys are, as people write it: the URL of a key set, or the path of a file. Undefined for a URL that keys
 * are not taken from: over plain http they come from this machine only, since whoever could change them could sign.
 */
export function readKeyPlace(text: string): { readonly url: string } | { readonly path: string } | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return { path: text };
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
  return isSafe ? { url: url.href } : undefined;
}

/** What is said when something else stands there. */
export const expectedKeyPlace = 'the https URL of a JWK set, or the path of a file that holds one';
