/** Calls as commands of a shell, with credentials from the environment. */

/** A way to make a call, as text to copy. */
export interface Snippet {
  readonly id: string;
  readonly title: string;
  /** What to install first. */
  readonly install?: string;
  /** Absent where there is no such way. */
  readonly code?: string;
  /** What else is to know. */
  readonly note?: string;
}

export type Headers = readonly (readonly [name: string, value: string])[];

/** In the value of a header: what a shell takes from the environment. */
export const secret = '[secret]';

/** A text as one word of a shell. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

export const lines = (words: readonly string[]): string => words.join(' \\\n  ');

function header([name, value]: Headers[number]): string {
  if (!value.includes(secret)) return `-H ${quoted(`${name}: ${value}`)}`;
  const isBearer = name.toLowerCase() === 'authorization';
  return `-H ${quoted(`${name}:${isBearer ? ' Bearer ' : ' '}`)}"$A2A_${isBearer ? 'BEARER' : 'API_KEY'}"`;
}

/** Base64 of bytes, in pieces that the stack can hold. */
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
  /** The body, where it is not text. */
  readonly bytes?: string;
  /** Such as `-N`. */
  readonly flags?: string;
}

/** A request as a command. Nothing of what is in it is more than a word of the command. */
export function curl({ verb, url, headers, body = '', bytes = '', flags = '' }: CurlRequest): string {
  const usual = verb === 'POST' && (body || bytes) ? '' : `-X ${quoted(verb)}`;
  const words = [['curl', flags, usual, quoted(url)].filter(Boolean).join(' '), ...headers.map(header)];
  // Control characters would act in the terminal that the command is copied to.
  const base64 = bytes || (/[^\P{Cc}\n\t]/u.test(body) ? base64Of(new TextEncoder().encode(body)) : '');
  if (base64 === '') return lines([...words, ...(body ? [`--data-raw ${quoted(body)}`] : [])]);
  return `printf %s ${base64} | base64 -d |\n  ${lines([...words, '--output -', '--data-binary @-'])}`;
}

/**
 * A call over gRPC. The gateway supports reflection, so that no protos are needed.
 *
 * @param gateway URL of the gateway
 * @param rpc such as `lf.a2a.v1.A2AService/SendMessage`
 */
export function grpcurl(gateway: string, rpc: string, headers: Headers, message: string): string {
  const { protocol, hostname, port } = new URL(gateway);
  const [plain, usual] = protocol === 'https:' ? ['', 443] : [' -plaintext', 80];
  const place = [quoted(`${hostname}:${port || usual}`), rpc];
  return lines([`grpcurl${plain}`, ...headers.map(header), `-d ${quoted(message)}`, ...place]);
}
