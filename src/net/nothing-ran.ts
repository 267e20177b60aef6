import { A2AError, type GrpcStatusName } from '../core/model/errors.ts';
import { neverArrived, neverTried } from './network-errors.ts';

/**
 * Answers that prove that nothing ran at the agent: only after these may a call that executes something be repeated.
 */

/** Facts about an answer that is an error, as the transport received it. */
export interface AnswerFacts {
  /** Code of a JSON-RPC error that is the whole answer. */
  readonly jsonrpc?: number;
  /** HTTP status. Absent where the answer has a status of gRPC. */
  readonly http?: number;
  /** gRPC status of an answer without messages whose headers are its trailers (Trailers-Only). */
  readonly trailersOnly?: GrpcStatusName | undefined;
  /** Whether its body, or the details of its status, hold an error of A2A, which an agent wrote. */
  readonly isA2A: boolean;
  /** Whether it names the credentials that it asks for (`WWW-Authenticate`). */
  readonly challenges?: boolean;
}

const factsByError = new WeakMap<A2AError, AnswerFacts>();

/** Keeps the facts about the answer that an error was made of. Returns the error. */
export function withFacts(error: A2AError, facts: AnswerFacts): A2AError {
  factsByError.set(error, facts);
  return error;
}

/** The facts about the answer that an error was made of. Undefined: there was no answer, or none that proves anything. */
export const factsOf = (error: A2AError): AnswerFacts | undefined => factsByError.get(error);

/** Proof in a failure: the call was not sent, or the peer has no such operation. */
export type NothingRan = 'unsent' | 'absent';

/** One kind of failure that proves that nothing ran. */
interface Proof {
  readonly failure: string;
  /** Section of the specification. */
  readonly source: string;
  readonly proves: NothingRan;
  holds(error: A2AError, facts: AnswerFacts | undefined): boolean;
}

/** Statuses of servers that have nothing at a path, or not for this method. */
const absentStatuses: ReadonlySet<number> = new Set([404, 405]);

/**
 * The whole list. What is not on it proves nothing: agents pass on the refusals of their models and tools (-32004, 429, 503)
 * after other tools have run, and a connection that broke may have broken after the work was done.
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

/** Returns the proof in the failure of a call. Undefined: the agent may have carried the call out. */
export function proofOf(thrown: unknown): NothingRan | undefined {
  const error = A2AError.from(thrown);
  const facts = factsByError.get(error);
  return proofs.find((proof) => proof.holds(error, facts))?.proves;
}

/** Whether the failure of a call proves that nothing ran at the agent. */
export const provesNothingRan = (thrown: unknown): boolean => proofOf(thrown) !== undefined;

/**
 * Whether a server refused the credentials of a call before an agent saw it: HTTP 401 with a challenge "has not been applied"
 * (RFC 9110 section 15.5.2); over gRPC, UNAUTHENTICATED as Trailers-Only without an A2A error. Other errors about
 * credentials may be those of an agent's own tools.
 */
export function refusesCredentials(error: A2AError): boolean {
  const facts = factsByError.get(error);
  if (facts?.http === 401) return facts.challenges === true;
  return facts?.trailersOnly === 'UNAUTHENTICATED' && !facts.isA2A;
}

/** The error without what it proves: a later step failed, and an earlier one has run. */
export function afterWork(thrown: unknown): A2AError {
  const error = A2AError.from(thrown);
  if (!provesNothingRan(error)) return error;
  const { kind, message, violations, metadata, retryAfter, challenge, rpcStatus, extraDetails: details } = error;
  const options = { violations, metadata, details, retryAfter, challenge, rpcStatus, cause: error };
  return new A2AError(kind, message, options);
}
