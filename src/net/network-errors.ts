import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { type UrlGuard, UrlRefused } from './guard.ts';

/** What failures of the network mean for what comes next: whether a request may be repeated, whether it pays. */

/** Errors of requests of which no byte can have reached the other side. */
const unsent = new WeakSet<A2AError>();

/** Errors with which this side refused to try. */
const untried = new WeakSet<A2AError>();

/** Errors of answers that are no HTTP. */
const foreign = new WeakSet<A2AError>();

/** Remembers that whoever answered does not speak HTTP; returns the error. */
export function markNotHttp(error: A2AError): A2AError {
  foreign.add(error);
  return error;
}

/** Whether whoever answered does not speak HTTP, or not the version of it that was spoken, as gRPC servers do. */
export const isNotHttp = (error: unknown): boolean => error instanceof A2AError && foreign.has(error);

/** Remembers that what failed with this error never left; returns it. */
export function markUnsent(error: A2AError): A2AError {
  unsent.add(error);
  return error;
}

/** Remembers that this side refused to try, so that nobody tries again at once; returns the error. */
export function markUntried(error: A2AError): A2AError {
  untried.add(error);
  return error;
}

/** Whether this side refused to try. */
export const neverTried = (error: unknown): boolean => error instanceof A2AError && untried.has(error);

/**
 * Whether a request cannot have reached the agent, so that even what must not happen twice may be sent again: the
 * connection was refused, or was never made for want of a name, a route, TLS or time. Judged by how far the connection
 * had come, not by guessing from codes; when in doubt, false.
 */
export const neverArrived = (error: unknown): boolean => error instanceof A2AError && unsent.has(error);

const networkKinds: ReadonlySet<ErrorKind> = new Set(['upstreamUnreachable', 'upstreamTimeout']);

/**
 * Whether the way to the agent is at fault: nobody answered, or a proxy answered 502 or 504 in the agent's place. False
 * for whatever the agent itself said.
 */
export const isNetworkFailure = (error: unknown): boolean => error instanceof A2AError && networkKinds.has(error.kind);

const transientKinds: ReadonlySet<ErrorKind> = new Set([...networkKinds, 'unavailable', 'tooManyRequests']);

/**
 * Whether the same request may well succeed a little later, for requests that may arrive twice: failures of the network,
 * and the statuses 429, 502, 503 and 504. False when this side refused to try.
 */
export const transient = (error: unknown): boolean =>
  error instanceof A2AError && transientKinds.has(error.kind) && !neverTried(error);

/** System and library error codes in words that say what to do about them. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CLOSED: 'the connection was closed',
  UND_ERR_DESTROYED: 'the connection was closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the connection was closed',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name cannot be looked up at the moment',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  EADDRNOTAVAIL: 'no route to the host',
  EPROTO: 'the other side does not speak TLS here',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the other side does not speak TLS here',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the other side does not speak TLS here',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate was issued by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate was issued by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate was issued by an unknown authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

const codeOf = (error: unknown): string => {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return typeof code === 'string' ? code : cause === undefined ? '' : codeOf(cause);
};

/** What a network error means, in a few words. */
export const describeNetworkError = (error: unknown): string => {
  const code = codeOf(error);
  return words[code] ?? (code === '' ? 'the connection failed' : `the connection failed (${code})`);
};

/**
 * What went wrong on the way to `place`, such as an origin, as an A2AError: `upstreamUnreachable`, or
 * `invalidAgentResponse` when what came back is no HTTP. The original is kept as the cause. What the guard refused is not
 * tried again.
 */
export function networkError(place: string, error: unknown): A2AError {
  if (error instanceof A2AError) return error;
  if (error instanceof UrlRefused) {
    return markUntried(new A2AError('upstreamUnreachable', error.message, { cause: error }));
  }
  if (!isComplaint(error)) {
    return new A2AError('upstreamUnreachable', `cannot reach ${place}: ${describeNetworkError(error)}`, {
      cause: error,
    });
  }
  const cause = parsing(error);
  return cause.message.includes(endMissing)
    ? new A2AError('upstreamUnreachable', `cannot reach ${place}: ${words.ECONNRESET}`, { cause })
    : markNotHttp(new A2AError('invalidAgentResponse', `${place} answered with something that is not HTTP`, { cause }));
}

/** Whether the HTTP parser complains about what came. */
const isComplaint = (error: unknown): error is Error =>
  error instanceof Error && (error.name === 'HTTPParserError' || codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW');

/** What it says of an answer that stopped in the middle. */
const endMissing = 'Invalid EOF state';

/** What the HTTP parser complains about, without the bytes that it met: they are the other side's, and may be anything. */
const parsing = ({ name, message }: Error): Error => new Error(`${name}: ${message}`);

/**
 * Judges a URL before anything is sent there. A socket asks no resolver for a host that is an address, so that judging
 * what names resolve to is not enough.
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
