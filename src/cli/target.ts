import { type InterfacePreferences, parseTarget } from '../client/choose.ts';
import { openPool, tlsFault } from '../client/connection.ts';
import { credentialHeaders, mayShare } from '../client/credentials.ts';
import {
  A2AError,
  allDialects,
  type Client,
  type ConnectOptions,
  connect,
  type OnWire,
  type TlsOptions,
} from '../client/index.ts';
import { defined } from '../core/model/json.ts';
import { parseDuration, parseSize } from '../core/model/scalars.ts';
import { UsageError } from './exit-code.ts';
import { readInput } from './input.ts';
import type { Output } from './output.ts';
import { shellWord } from './render.ts';

/** Options of every command that opens a connection. */
export interface ConnectionFlags {
  readonly apiKey?: string;
  readonly bearer?: string;
  /** Headers, each as `NAME:VALUE`. */
  readonly header?: readonly string[];
  /** A duration, such as 30s. */
  readonly timeout?: string;
  /** A size, such as 512MiB. */
  readonly maxAnswer?: string;
  /** File with the certificates to trust, in PEM. */
  readonly cacert?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly insecure?: boolean;
  readonly verbose?: boolean;
}

export interface TargetOptions extends ConnectionFlags, InterfacePreferences {
  readonly direct?: boolean;
  readonly json?: boolean;
}

/**
 * Returns the connection options for a target, from the options and the credentials in the environment.
 *
 * @param output receives the traffic with `--verbose`
 */
export async function connectOptions(
  options: TargetOptions,
  output: Output,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ConnectOptions> {
  if (options.as !== undefined && !allDialects().some(({ name }) => name === options.as)) {
    const known = allDialects().map(({ name }) => name);
    throw new UsageError(`--as: expected one of ${known.join(', ')}`);
  }
  const apiKey = options.apiKey ?? env.A2A_API_KEY;
  const bearer = options.bearer ?? env.A2A_BEARER;
  const timeout = options.timeout === undefined ? undefined : readTimeout(options.timeout);
  const tls = await tlsOptions(options);
  const { via, as, tenant, direct, header, maxAnswer } = options;
  return defined({
    via,
    as,
    tenant,
    direct,
    tls,
    timeout,
    cardTimeout: timeout,
    apiKey: apiKey || undefined,
    bearer: bearer || undefined,
    headers: header && headersOf(header),
    maxAnswer: maxAnswer === undefined ? undefined : readSize(maxAnswer),
    onWire: options.verbose === true ? wireTo(output) : undefined,
  });
}

/** Prefixes of the lines of `--verbose`, as in curl. */
const signs = { sent: '>', received: '<', note: '*' } as const;

const wireTo =
  (output: Output): OnWire =>
  ({ direction, text }) =>
    output.note(`${signs[direction]} ${text}`.trimEnd());

function readTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms < 1) throw new UsageError('--timeout: expected a duration such as 30s or 500ms');
  return ms;
}

function readSize(text: string): number {
  const bytes = parseSize(text);
  if (!bytes) throw new UsageError('--max-answer: expected a size such as 512MiB');
  return bytes;
}

/** A header's name, and a value that HTTP allows. */
const headerPattern = /^([!#$%&'*+.^_`|~\w-]+):([\t\x20-\x7e\x80-\xff]*)$/;

function headersOf(given: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const text of given) {
    const [, name, value] = headerPattern.exec(text) ?? [];
    // The text may contain a credential, so it is not repeated.
    if (name === undefined || value === undefined) throw new UsageError('--header: expected NAME:VALUE');
    const key = name.toLowerCase();
    const former = headers.get(key);
    headers.set(key, former === undefined ? value.trim() : `${former}, ${value.trim()}`);
  }
  return Object.fromEntries(headers);
}

async function tlsOptions({ cacert, cert, key, insecure }: ConnectionFlags): Promise<TlsOptions | undefined> {
  if (key !== undefined && cert === undefined) throw new UsageError('--key: needs --cert, the certificate of the key');
  if (cacert === undefined && cert === undefined && insecure !== true) return undefined;
  const ca = cacert === undefined ? undefined : await readInput(cacert, '--cacert: ');
  if (ca !== undefined && (!ca.includes('CERTIFICATE-----') || tlsFault({ ca }))) {
    throw new UsageError(`--cacert: ${cacert} holds no certificates in PEM`);
  }
  const own = cert === undefined ? undefined : await readInput(cert, '--cert: ');
  // As with curl, the key may be in the file of the certificate.
  const ownKey = key === undefined ? own : await readInput(key, '--key: ');
  const fault = own && ownKey && tlsFault({ cert: own, key: ownKey });
  if (fault !== undefined) {
    const files = key === undefined ? `${cert} alone` : `${cert} and ${key}`;
    throw new UsageError(`--cert: ${files} cannot be used: expected a certificate and its key in PEM (${fault})`);
  }
  return defined({ ca, cert: own, key: ownKey, insecure });
}

/** Passes the content of a URL on the host of the target to `use`. Resolves to undefined for a URL on another host. */
export type ReadUrl = <T>(
  url: string,
  use: (content: AsyncIterable<Uint8Array>) => Promise<T>,
) => Promise<T | undefined>;

/** Milliseconds within which a file at a URL must be read. */
const fileTimeout = 300_000;

const readUrl =
  (target: string, connection: ConnectOptions, { card }: Client): ReadUrl =>
  async (text, use) => {
    const at = parseTarget(target);
    const url = URL.parse(text);
    if (!url?.protocol.startsWith('http') || !mayShare(at, url)) return undefined;
    const { http, close } = openPool(at, connection);
    try {
      const headers = await credentialHeaders(connection, card)();
      const { signal } = new AbortController();
      const answer = await http.request({ method: 'GET', url, headers, signal, timeout: fileTimeout });
      if (answer.status === 200) return await use(answer.chunks());
      answer.discard();
      throw new A2AError('invalidAgentResponse', `no file at ${url.href} (HTTP ${answer.status})`);
    } finally {
      close();
    }
  };

/**
 * Connects, runs `use` with the client, and closes it. No URL guard checks the card and its redirects: the user could fetch
 * the same URLs without the command.
 */
export async function withClient<T>(
  target: string,
  options: TargetOptions,
  output: Output,
  use: (client: Client, read: ReadUrl) => Promise<T>,
): Promise<T> {
  const connection = await connectOptions(options, output);
  const client = await connect(target, connection);
  try {
    for (const line of client.notes) output.note(`note: ${line}`);
    return await use(client, readUrl(target, connection, client));
  } finally {
    output.clearProgress();
    await client.close();
  }
}

/**
 * Returns the flags for another command with this target, as they are typed. Headers and credentials are left to the
 * user.
 */
export function targetFlags({ via, as, tenant, cacert, cert, key, ...switches }: TargetOptions): string {
  const given = Object.entries({ via, as, tenant, cacert, cert, key }).flatMap(([name, value]) =>
    value === undefined ? [] : [` --${name} ${shellWord(value)}`],
  );
  const set = (['direct', 'insecure'] as const).filter((name) => switches[name] === true);
  return [...given, ...set.map((name) => ` --${name}`)].join('');
}
