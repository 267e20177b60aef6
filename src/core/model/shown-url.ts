/** How to write what a URL cannot hold as it is, for messages about a URL that cannot be read. */
export const percentEncoding =
  'percent-encode special characters in user and password: @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25';

/**
 * A URL as it may be shown: without password, token, query and fragment, also where it cannot be parsed. Of a text that is
 * no URL with `//`, all is shown. Several URLs may be separated by commas.
 *
 * The one function for every URL of the configuration that is printed, logged or answered.
 *
 * @param url a parsed URL is taken as it stands; of a text, an `@` behind the host means that a password may be in its way
 */
export function shownUrl(url: URL | string): string {
  if (typeof url === 'string') return urlsIn(url).map(shownText).join(',');
  const { protocol, host, pathname, search } = url;
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`;
}

/** How a further URL of a list begins. Other words before `://` may be part of a password. */
const furtherUrl = /^\s*(?:nats|tls|wss?|https?|postgres(?:ql)?):\/\//i;

/** The URLs of a list. A comma may also stand within one, between hosts. */
function urlsIn(list: string): string[] {
  const urls: string[] = [];
  for (const piece of list.split(',')) {
    const last = urls.length - 1;
    if (last < 0) urls.push(piece);
    else if (furtherUrl.test(piece)) urls.push(piece.trimStart());
    else urls[last] += `,${piece}`;
  }
  return urls;
}

function shownText(text: string): string {
  const [, scheme, authority = '', path = '', query = ''] =
    /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)([^?#]*)(.*)$/is.exec(text.trim()) ?? [];
  if (scheme === undefined) return text;
  const isWeb = /^https?$/i.test(scheme);
  const hidesUser = (path + query).includes('@') && !(isWeb && !/[@:]/.test(authority));
  if (hidesUser) return `${scheme}://…`;
  const end = authority.lastIndexOf('@');
  const [user = ''] = authority.slice(0, Math.max(end, 0)).split(':', 1);
  const hosts = authority
    .slice(end + 1)
    .split(',')
    .map(shownHost)
    .join(',');
  // A user of a database is a name; elsewhere a user may be a token.
  const login = user !== '' && /^postgres(?:ql)?$/i.test(scheme) ? `${user}@` : '';
  return `${scheme}://${login}${hosts}${path}${query === '' ? '' : '?…'}`;
}

/** A host with its port. What follows the colon is hidden where it is no port: then it is the password of a URL without host. */
const shownHost = (host: string): string =>
  /^(?:\[[^\]]*\]|[^:]*)(?::\d{0,5})?$/.test(host) ? host : `${host.split(':', 1)[0]}:…`;

/** Whether a text is a URL with a password, or with a token as its user. */
export const hidesUser = (text: string): boolean => text.includes('@') && shownUrl(text) !== text;

/** How messages write what is expected. */
const isExample = (url: string): boolean => url.includes('://USER:PASSWORD@');

/** A text in which each URL with a user is as `shownUrl` has it. */
export function withShownUrls(text: string): string {
  if (!text.includes('@') || !text.includes('://')) return text;
  const shown = (word: string): string => {
    const start = startOfUrl(word);
    const url = word.slice(start);
    return hidesUser(url) && !isExample(url) ? word.slice(0, start) + shownUrl(url) : word;
  };
  return text.split(/(\s+)/).map(shown).join('');
}

/** Where the first URL of a word begins; its end where there is none. */
function startOfUrl(word: string): number {
  for (let colon = word.indexOf('://'); colon >= 0; colon = word.indexOf('://', colon + 1)) {
    let start = colon;
    for (let at = colon - 1; at >= 0 && /[a-z\d+.-]/i.test(word.charAt(at)); at -= 1) {
      if (/[a-z]/i.test(word.charAt(at)) && !/\w/.test(word.charAt(at - 1))) start = at;
    }
    if (start < colon) return start;
  }
  return word.length;
}
