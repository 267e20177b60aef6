import type { KeyPlace } from '../net/public-keys.ts';

/** Readers of hosts, URLs and key sets in a configuration. Each returns undefined for an invalid text. */

/** Whether a listener on this host can be reached only from this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return name === 'localhost' || name === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

/** Reads a host: in lower case, international names in their ASCII form, with a port if one is given. */
export function readHost(text: string): string | undefined {
  const [, name, port] = /^(\[[^\]]+\]|[^:/?#@\\\s]+?)\.?(?::(\d{1,5}))?$/.exec(text) ?? [];
  const hostname = name === undefined ? undefined : URL.parse(`http://${name}/`)?.hostname;
  if (hostname === undefined || !/^(?:\[[\d.:a-f]+\]|[\w.-]+)$/.test(hostname)) return undefined;
  if (port === undefined) return hostname;
  return Number(port) > 0 && Number(port) < 65_536 ? `${hostname}:${Number(port)}` : undefined;
}

/** A URL, separated from the user name and password in it. */
export interface UrlWithUser {
  /** The URL without user, password and fragment. */
  readonly url: string;
  readonly user: { readonly username: string; readonly password: string } | undefined;
}

export const expectedUpstreamUrl =
  'the http or https URL of an agent or of its card, such as https://agents.example.com/weather';

/**
 * Separates an http or https URL from its user name and password, so that printing the URL does not reveal the
 * password.
 */
export function readUrlWithUser(text: string): UrlWithUser | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.hash = '';
  if (username === '' && password === '') return { url: url.href, user: undefined };
  try {
    const user = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
    const fits = !user.username.includes(':') && !/\p{Cc}/u.test(user.username + user.password);
    return fits ? { url: url.href, user } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text is an http or https URL without user and fragment. */
export function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && !url.hash;
}

export const expectedKeyPlace = 'the https URL of a JWK set, or the path of a file that contains one';

/**
 * Returns the location of public keys: the URL of a key set, or the path of a file. Plain http is accepted for loopback
 * hosts only, because anyone who can replace the keys can sign.
 */
export function readKeyPlace(text: string): KeyPlace | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return { file: text };
  const url = URL.parse(text);
  if (url === null || !isWebUrl(text)) return undefined;
  return url.protocol === 'https:' || isLoopbackHost(url.hostname) ? { url: url.href } : undefined;
}
