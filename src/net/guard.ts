import type { LookupFunction } from 'node:net';

/**
 * Judges where requests may go whose target somebody else chose: webhooks, interfaces of an upstream's card, key sets
 * that a signature names.
 */
export interface UrlGuard {
  /**
   * Judges a URL by its text: scheme, user information, port, and the address when the host is one, in any spelling.
   *
   * @throws UrlRefused
   */
  check(url: string | URL): URL;
  /**
   * Resolves a name as `dns.lookup` does, and refuses with UrlRefused where an address is not allowed. Given to the
   * connection itself, so that what was judged is what is connected to.
   */
  readonly lookup: LookupFunction;
}

/** A target that the guard does not let through. The message names scheme, host or address, nothing else of the URL. */
export class UrlRefused extends Error {
  override readonly name = 'UrlRefused';
}
