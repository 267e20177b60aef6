import type { WireFrame } from '../../../../gen/admin-v1/types.ts';
import { curl } from '../../wire/commands.ts';

/** Characters of JSON that is indented. */
const maxIndented = 64 << 10;

/**
 * Returns JSON with line breaks and indents between its tokens, which stay unchanged; any other text is not changed.
 */
export function indented(text: string): string {
  if (text.length > maxIndented || !/^\s*[{[]/.test(text)) return text;
  let depth = 0;
  const broken = (): string => `\n${'  '.repeat(Math.max(0, Math.min(depth, 20)))}`;
  // A string without its end counts as one: otherwise each of its quotes would be tried, up to the end.
  return text.replace(/"(?:\\.|[^"\\])*"?|\{\s*\}|\[\s*\]|[{[\]},:]|\s+/g, (token) => {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (token === '}' || token === ']') return broken() + token;
    if (token === '{' || token === '[' || token === ',') return token + broken();
    return token === ':' ? ': ' : token.trim() === '' ? '' : token;
  });
}

const linesOf = (headers: WireFrame['headers'] = []): string[] => headers.map(({ name, value }) => `${name}: ${value}`);

/** Returns a message of HTTP as a text. */
export const textOf = ({ head, headers, text = '', trailers, cut }: WireFrame): string =>
  [
    ...[head, ...linesOf(headers), '', indented(text)],
    ...(Number(cut) > 0 ? ['', `[${cut} further bytes were not kept]`] : []),
    ...(trailers?.length ? ['', ...linesOf(trailers)] : []),
  ].join('\n');

/** Headers that curl writes by itself, and cookies. */
const ofCurl = /^(?::.*|host|content-length|connection|transfer-encoding|accept-encoding|te|cookie)$/i;

/**
 * Returns a recorded request as a command of a shell, with credentials from the environment. Every received text is
 * only a word of the command. Undefined if the recorded request is incomplete.
 *
 * @param urlOf returns the URL of a path
 */
export function curlOf(frame: WireFrame | undefined, urlOf: (path: string) => string): string | undefined {
  const [verb = '', path = '', version] = frame?.head?.split(' ') ?? [];
  if (!frame || !path.startsWith('/') || Number(frame.cut) > 0) return undefined;
  const { text: body = '', base64: bytes = '' } = frame;
  const url = urlOf(path);
  const headers = (frame.headers ?? [])
    .filter(({ name }) => !ofCurl.test(name))
    .map(({ name, value = '' }) => [name, value] as const);
  const flags = version === 'HTTP/2' && url.startsWith('http:') ? '--http2-prior-knowledge' : '';
  return curl({ verb, url, headers, body, bytes, flags });
}
