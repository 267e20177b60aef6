/** Advice about percent-encoding, for messages about a URL that cannot be parsed. */
export const percentEncoding =
  'percent-encode special characters in user and password: @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25';

/**
 * Returns a URL in a form that may be shown: without password, token, query and fragment, even if it cannot be parsed.
 * A text that is not a URL with `//` is returned whole. Several URLs may be separated by commas.
 *
 * The one function for every URL of the configuration that is printed, logged or sent.
 *
 * @param url a parsed URL is used as it is; in a text, an `@` after the host may mark the end of a password that was
 * not encoded
 */
export function shownUrl(url: URL | string): string {
  if (typeof url === 'string') return urlsIn(url).map(shownText).join(',');
  const { protocol, host, pathname, search } = url;
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`;
}

/** Start of a further URL of a list. Other words before `://` may be part of a password. */
const furtherUrl = /^\s*(?:nats|tls|wss?|https?|postgres(?:ql)?):\/\//i;

/** Splits a list into its URLs. A comma may also stand within one, between hosts. */
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

/**
 * Returns a host with its port. Text after the colon that is not a port is hidden: it is the password of a URL without
 * host.
 */
const shownHost = (host: string): string =>
  /^(?:\[[^\]]*\]|[^:]*)(?::\d{0,5})?$/.test(host) ? host : `${host.split(':', 1)[0]}:…`;

/** Whether a text is a URL with a password, or with a token as its user. */
export const hidesUser = (text: string): boolean => text.includes('@') && shownUrl(text) !== text;

/** Whether a URL is an example from a message about the expected form. */
const isExample = (url: string): boolean => url.includes('://USER:PASSWORD@');

/** Returns a text in which each URL with a user is replaced by its `shownUrl`. */
export function withShownUrls(text: string): string {
  if (!text.includes('@') || !text.includes('://')) return text;
  const shown = (word: string): string => {
    const start = startOfUrl(word);
    const url = word.slice(start);
    return hidesUser(url) && !isExample(url) ? word.slice(0, start) + shownUrl(url) : word;
  };
  return text.split(/(\s+)/).map(shown).join('');
}

/** Returns the position where the first URL of a word begins; the word's end if there is none. */
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
