import type { AgentFetchInit } from '../../core/model/agent.ts';
import { longestTimer } from '../../core/model/timing.ts';

/** A request with its whole body, which can be sent again. */
export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** Milliseconds until an answer begins, with all attempts and redirects, and between two chunks of its body. */
const defaultTimeout = 30_000;

/** Headers that belong to a connection, or that the HTTP client sets. */
const connectionHeaders = [
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'te', 'trailer'],
  ...['content-length', 'expect', 'host'],
];

/** Reads the arguments of `fetch`. @param run the signal of the agent's run */
export async function readRequest(
  input: string | URL | Request,
  init: AgentFetchInit = {},
  run: AbortSignal,
): Promise<ReadRequest> {
  const { timeout = defaultTimeout, ...standard } = init;
  if (!(timeout > 0)) throw new TypeError(`timeout is a number of milliseconds above zero, not ${timeout}`);
  // Streams are read whole, so that they can be sent again.
  const given = new Request(input, { duplex: 'half', ...standard } as RequestInit);
  const body = given.body === null ? undefined : new Uint8Array(await given.arrayBuffer());
  const headers: Record<string, string> = { accept: '*/*', 'user-agent': 'a2a-gateway' };
  given.headers.forEach((value, name) => {
    headers[name] = value;
  });
  for (const name of connectionHeaders) delete headers[name];
  return {
    timeout: Math.min(timeout, longestTimer),
    redirect: given.redirect,
    request: { method: given.method, url: new URL(given.url), headers, body },
    signal: AbortSignal.any([run, given.signal]),
  };
}

/** The arguments of `fetch`. */
interface ReadRequest {
  readonly timeout: number;
  readonly redirect: Request['redirect'];
  readonly request: SentRequest;
  /** Of the run and of the caller. */
  readonly signal: AbortSignal;
}
