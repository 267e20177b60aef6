import { A2AError, type ErrorKind } from '../core/model/errors.ts';

/** What failures of the network mean for what comes next: whether a request may be repeated, whether it pays. */

/** Errors of requests of which no byte can have reached the other side. */
const unsent = new WeakSet<A2AError>();

/** Errors with which this side refused to try. */
const untried = new WeakSet<A2AError>();

/** Errors of answers that are no HTTP. */
const foreign = new WeakSet<A2AError>();

/** Remembers that whoever answered does not speak HTTP; returns the error. */
export function markForeign(error: A2AError): A2AError {
  foreign.add(error);
  return error;
}

/** Whether whoever answered does not speak HTTP, or not the version of it that was spoken, as gRPC servers do. */
export const speaksNoHttp = (error: unknown): boolean => error instanceof A2AError && foreign.has(error);

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
