/** An upstream's URL, and the name and password that stood in it. */
export interface UpstreamUrl {
  /** Without user, password and fragment. */
  readonly url: string;
  readonly user: { readonly username: string; readonly password: string } | undefined;
}

/** What is said when something else stands there. */
export const expectedUpstreamUrl =
  'the http or https URL of an agent or of its card, such as https://agents.example.com/weather';

/**
 * Takes an upstream's URL apart, so that nothing that prints the URL prints a password. Undefined when it is none, or
 * when the name and password in it are not properly encoded.
 */
export function readUpstreamUrl(text: string): UpstreamUrl | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.hash = '';
  if (username === '' && password === '') return { url: url.href, user: undefined };
  try {
    const user = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
    return user.username.includes(':') ? undefined : { url: url.href, user };
  } catch {
    return undefined;
  }
}
