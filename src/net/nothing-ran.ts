import { A2AError, type GrpcStatusName } from '../core/model/errors.ts';
import { neverArrived, neverTried } from './network-errors.ts';

/**
 * Failures that prove that nothing ran at the agent. Only after these may a call that executes something be repeated.
 */

/** Facts about an error response, as received by the transport. */
export interface AnswerFacts {
  /** Code of a JSON-RPC error, if the error is the whole response. */
  readonly jsonrpc?: number;
  /** HTTP status. Absent if the response has a gRPC status. */
  readonly http?: number;
  /** gRPC status of a response without messages whose headers are its trailers (Trailers-Only). */
  readonly trailersOnly?: GrpcStatusName | undefined;
  /** Whether the body, or the details of the status, contain an A2A error, which only an agent writes. */
  readonly isA2A: boolean;
  /** Whether the response names the credentials that it requires (`WWW-Authenticate`). */
  readonly challenges?: boolean;
}

const factsByError = new WeakMap<A2AError, AnswerFacts>();

/** Attaches the facts about a response to the error created from it. Returns the error. */
export function withFacts(error: A2AError, facts: AnswerFacts): A2AError {
  factsByError.set(error, facts);
  return error;
}

/**
 * Returns the facts about the response from which an error was created. Undefined if there was no response, or none
 * that proves anything.
 */
export const factsOf = (error: A2AError): AnswerFacts | undefined => factsByError.get(error);

/** The proof that nothing ran: the call was not sent, or the peer has no such operation. */
export type NothingRan = 'unsent' | 'absent';

/** One kind of failure that proves that nothing ran. */
interface Proof {
  readonly failure: string;
  /** The section of a specification on which the proof is based. */
  readonly source: string;
  readonly proves: NothingRan;
  holds(error: A2AError, facts: AnswerFacts | undefined): boolean;
}

/** Statuses of servers that have no resource at a path, or none for the method. */
const absentStatuses: ReadonlySet<number> = new Set([404, 405]);

/**
 * All proofs. Any other failure proves nothing: agents pass on refusals of their models and tools (-32004, 429, 503)
 * after other tools have run, and a connection may have broken after the work was done.
 */
export const proofs: readonly Proof[] = [
  {
    failure: 'the dialect or the binding has no such operation',
    source: 'the tables of the dialects: the call is not sent',
    proves: 'absent',
    holds: (error) => neverTried(error) && error.kind === 'unsupportedOperation',
  },
  {
    failure:
      'refused connection, unknown host, failed TLS handshake, no connection in time, open circuit breaker; HTTP/2 REFUSED_STREAM, and streams above the last one of GOAWAY',
    source:
      'RFC 9110 section 9.2.2: not one byte was sent; RFC 9113 sections 6.8 and 8.7: the server processes nothing',
    proves: 'unsent',
    holds: (error) => neverArrived(error) || neverTried(error),
  },
  {
    failure: 'JSON-RPC error -32601',
    source: 'JSON-RPC 2.0 section 5.1: the method does not exist; A2A 1.0.1 section 9.5',
    proves: 'absent',
    holds: (_, facts) => facts?.jsonrpc === -32601,
  },
  {
    failure: 'HTTP 404 or 405 without an A2A error',
    source: 'RFC 9110 sections 15.5.5 and 15.5.6; an agent writes an A2A error: 1.0.1 section 11.6',
    proves: 'absent',
    holds: (_, facts) => facts?.http !== undefined && absentStatuses.has(facts.http) && !facts.isA2A,
  },
  {
    failure: 'gRPC UNIMPLEMENTED as Trailers-Only without an A2A error',
    source: 'gRPC PROTOCOL-HTTP2.md, "Responses", and statuscodes.md; A2A 1.0.1 section 10.6',
    proves: 'absent',
    holds: (_, facts) => facts?.trailersOnly === 'UNIMPLEMENTED' && !facts.isA2A,
  },
];

/** Returns the proof in the failure of a call. Undefined if the agent may have executed the call. */
export function proofOf(thrown: unknown): NothingRan | undefined {
  const error = A2AError.from(thrown);
  const facts = factsByError.get(error);
  return proofs.find((proof) => proof.holds(error, facts))?.proves;
}

/** Whether the failure of a call proves that nothing ran at the agent. */
export const provesNothingRan = (thrown: unknown): boolean => proofOf(thrown) !== undefined;

/**
 * Whether a server refused the credentials of a call before an agent saw it: HTTP 401 with a challenge "has not been
 * applied" (RFC 9110 section 15.5.2); over gRPC, UNAUTHENTICATED as Trailers-Only without an A2A error. Other errors
 * about credentials may come from the agent's own tools.
 */
export function refusesCredentials(error: A2AError): boolean {
  const facts = factsByError.get(error);
  if (facts?.http === 401) return facts.challenges === true;
  return facts?.trailersOnly === 'UNAUTHENTICATED' && !facts.isA2A;
}

/** Copies an error without its proof, because a later step failed after an earlier one had run. */
export function afterWork(thrown: unknown): A2AError {
  const error = A2AError.from(thrown);
  if (!provesNothingRan(error)) return error;
  const { kind, message, violations, metadata, retryAfter, challenge, rpcStatus, extraDetails: details } = error;
  const options = { violations, metadata, details, retryAfter, challenge, rpcStatus, cause: error };
  return new A2AError(kind, message, options);
}
