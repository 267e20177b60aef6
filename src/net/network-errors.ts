import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { type UrlGuard, UrlRefused } from './guard.ts';

/** Consequences of network failures for retries: whether a request may be repeated, and whether that makes sense. */

/** A mark on errors: a function that adds it and returns the error, and one that looks for it. */
function createMark(): [mark: (error: A2AError) => A2AError, isMarked: (error: unknown) => boolean] {
  const marked = new WeakSet<object>();
  return [
    (error) => {
      marked.add(error);
      return error;
    },
    (error) => error instanceof A2AError && marked.has(error),
  ];
}

/**
 * Marks errors of requests that the other side cannot have begun to process, so that even requests that must not happen
 * twice may be repeated: the connection was refused, or never made for lack of a name, a route, TLS or time, or the server
 * refused the HTTP/2 stream. Judged by the progress of the connection, not by codes; when in doubt, not marked.
 */
export const [markUnsent, neverArrived] = createMark();

/** Marks errors of requests that this side refused to try, so that they are not repeated at once. */
export const [markUntried, neverTried] = createMark();

/** Marks errors of getting the credentials for a call. They say nothing about the server that was to be called. */
export const [markCredentials, lacksCredentials] = createMark();

/** Marks errors of answers that are not HTTP, or not the version that was used, as gRPC servers send. */
const [markNotHttp, isNotHttp] = createMark();

export { isNotHttp };

const [markTooLarge, isTooLarge] = createMark();

export { isTooLarge };

/** The error for an answer, a message or an event beyond the reader's own bound. */
export const tooLarge = (limit: number, cause?: unknown): A2AError =>
  markTooLarge(new A2AError('invalidAgentResponse', `The answer is larger than ${limit} bytes`, { cause }));

/** Returns the decoder's result. The only refusal is for results larger than `limit` bytes. */
export function readWithin<T>(limit: number, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw tooLarge(limit, thrown);
  }
}

/** The error of a call whose signal was aborted: `deadlineExceeded` where it was by AbortSignal.timeout. */
export const abortError = ({ reason }: AbortSignal): A2AError =>
  new A2AError(reason?.name === 'TimeoutError' ? 'deadlineExceeded' : 'canceled', undefined, { cause: reason });

const networkKinds: ReadonlySet<ErrorKind> = new Set(['upstreamUnreachable', 'upstreamTimeout']);

/** Whether no answer arrived, or a proxy answered 502 or 504 instead. False for every answer of the agent itself. */
export const isNetworkFailure = (error: unknown): boolean => error instanceof A2AError && networkKinds.has(error.kind);

const transientKinds: ReadonlySet<ErrorKind> = new Set([...networkKinds, 'unavailable', 'tooManyRequests']);

/**
 * Whether the same request may succeed a little later, for requests that may arrive twice: network failures, and the
 * statuses 429, 502, 503 and 504. False when this side refused to try.
 */
export const transient = (error: unknown): boolean =>
  error instanceof A2AError && transientKinds.has(error.kind) && !neverTried(error);

/** Descriptions of system and library error codes. */
const descriptions: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    'connection refused': 'ECONNREFUSED',
    'the connection was closed':
      'ECONNRESET EPIPE UND_ERR_SOCKET UND_ERR_CLOSED UND_ERR_DESTROYED UND_ERR_RES_CONTENT_LENGTH_MISMATCH ERR_HTTP2_SESSION_ERROR ERR_HTTP2_INVALID_SESSION ERR_HTTP2_GOAWAY_SESSION ERR_HTTP2_OUT_OF_STREAMS',
    'the other side does not speak HTTP/2': 'ERR_HTTP2_ERROR',
    'no such host': 'ENOTFOUND',
    'the host name cannot be looked up at the moment': 'EAI_AGAIN',
    'the connection timed out': 'ETIMEDOUT',
    'no route to the host': 'EHOSTUNREACH EADDRNOTAVAIL',
    'no route to the network': 'ENETUNREACH',
    'the other side does not speak TLS here': 'EPROTO ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_PACKET_LENGTH_TOO_LONG',
    'its certificate is self-signed': 'DEPTH_ZERO_SELF_SIGNED_CERT',
    'its certificate was issued by an unknown authority':
      'SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'its certificate has expired': 'CERT_HAS_EXPIRED',
    'its certificate is for another host': 'ERR_TLS_CERT_ALTNAME_INVALID',
  }).flatMap(([description, codes]) => codes.split(' ').map((code) => [code, description])),
);

const codeOf = (error: unknown): string => {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return typeof code === 'string' ? code : cause === undefined ? '' : codeOf(cause);
};

/**
 * The code with which an HTTP/2 stream was reset, such as `REFUSED_STREAM` (RFC 9113 section 7). Node has it in the text alone.
 * Undefined for other errors.
 */
export const resetCodeOf = (error: unknown): string | undefined => {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  return code === 'ERR_HTTP2_STREAM_ERROR' ? /\bNGHTTP2_(\w+)/.exec(message)?.[1] : undefined;
};

export const describeNetworkError = (error: unknown): string => {
  const code = codeOf(error);
  const reset = resetCodeOf(error);
  if (reset !== undefined) return `the stream was reset (${reset})`;
  return descriptions[code] ?? (code === '' ? 'the connection failed' : `the connection failed (${code})`);
};

/** Message of the HTTP parser for a response that stopped in the middle. */
const endMissing = 'Invalid EOF state';

/**
 * Converts an error on the way to `place`, such as an origin: `upstreamUnreachable`, or `invalidAgentResponse` when the
 * answer is not HTTP. The original is the cause. A target that the guard refused is not tried again.
 */
export function networkError(place: string, error: unknown): A2AError {
  if (error instanceof A2AError) return error;
  if (error instanceof UrlRefused) {
    return markUntried(new A2AError('upstreamUnreachable', error.message, { cause: error }));
  }
  const unreachable = (cause: unknown): A2AError =>
    new A2AError('upstreamUnreachable', `cannot reach ${place}: ${describeNetworkError(cause)}`, { cause });
  if (!(error instanceof Error)) return unreachable(error);
  const { name, message } = error;
  if (name !== 'HTTPParserError' && codeOf(error) !== 'UND_ERR_HEADERS_OVERFLOW') return unreachable(error);
  // A copy without the bytes that the parser read, which may be anything.
  const cause = new Error(`${name}: ${message}`);
  if (message.includes(endMissing)) return unreachable(Object.assign(cause, { code: 'ECONNRESET' }));
  const start = message.indexOf('(');
  const end = message.lastIndexOf(')');
  return notHttp(place, cause, start >= 0 && end > start ? message.slice(start + 1, end) : undefined);
}

/** The error of an answer that cannot be read as HTTP. @param why in the words of the HTTP parser */
export function notHttp(place: string, cause: unknown, why?: string): A2AError {
  const reason = why === undefined ? '' : `: ${why}`;
  const message = `${place} answered with something that is not HTTP${reason}`;
  return markNotHttp(new A2AError('invalidAgentResponse', message, { cause }));
}

/**
 * Judges a URL before anything is sent. A guarded look-up alone does not suffice, because sockets do not look up hosts that
 * are addresses.
 *
 * @throws A2AError `upstreamUnreachable` with UrlRefused as its cause
 */
export function requireAllowed(guard: UrlGuard | undefined, url: URL): void {
  try {
    guard?.check(url);
  } catch (thrown) {
    throw markUnsent(networkError(url.origin, thrown));
  }
}
