/** Calls as commands of a shell, with credentials from the environment. */

export type Headers = readonly (readonly [name: string, value: string])[];

/** Placeholder in the value of a header, or in a URL, for a secret from the shell's environment. */
export const secret = '[secret]';

/** Quotes a text as one word of a shell. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

const lines = (words: readonly string[]): string => words.join(' \\\n  ');

function header([name, value]: Headers[number]): string {
  if (!value.includes(secret)) return `-H ${quoted(`${name}: ${value}`)}`;
  const isBearer = name.toLowerCase() === 'authorization';
  return `-H ${quoted(`${name}:${isBearer ? ' Bearer ' : ' '}`)}"$A2A_${isBearer ? 'BEARER' : 'API_KEY'}"`;
}

/** Encodes bytes in base64, in pieces that fit the stack. */
export function base64Of(bytes: Uint8Array): string {
  const pieces: string[] = [];
  // A multiple of three, so that only the last piece is padded.
  const step = 0x6000;
  for (let at = 0; at < bytes.length; at += step) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + step))));
  }
  return pieces.join('');
}

interface CurlRequest {
  readonly verb: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body?: string;
  /** The body in base64, if it is not text. */
  readonly bytes?: string;
  /** Options of curl, such as `-N`. */
  readonly flags?: string;
}

/** Quotes a URL as one word of a shell, with the API key in place of a secret. */
const quotedUrl = (url: string): string =>
  url
    .split(secret)
    .map((part) => (part === '' ? '' : quoted(part)))
    .join('"$A2A_API_KEY"');

/** Returns a request as a command. Every part of it is only a word of the command. */
export function curl({ verb, url, headers, body = '', bytes = '', flags = '' }: CurlRequest): string {
  const usual = verb === 'POST' && (body || bytes) ? '' : `-X ${quoted(verb)}`;
  // Without the option, curl reads brackets in a URL as a range.
  const isLiteral = /[[\]{}]/.test(url.replaceAll(secret, '')) && '-g';
  const words = [['curl', flags, isLiteral, usual, quotedUrl(url)].filter(Boolean).join(' '), ...headers.map(header)];
  // Control characters would act in the terminal that the command is copied to.
  const base64 = bytes || (/[^\P{Cc}\n\t]/u.test(body) ? base64Of(new TextEncoder().encode(body)) : '');
  if (base64 === '') return lines([...words, ...(body ? [`--data-raw ${quoted(body)}`] : [])]);
  return `printf %s ${base64} | base64 -d |\n  ${lines([...words, '--output -', '--data-binary @-'])}`;
}
