import type { ClientCertificate, Principal } from '../model/principal.ts';

/** What is known of a caller before any body is read. */
export interface CallerFacts {
  /** A request header or gRPC metadata value; names in lower case. */
  header(name: string): string | undefined;
  /** The names of all request headers or metadata, in lower case. */
  headerNames(): readonly string[];
  /** Host header or `:authority`; undefined where the request names two that differ. */
  readonly host: string | undefined;
  readonly remoteAddress: string;
  /** Of the connection: `1.0`, `1.1` or `2.0`. */
  readonly httpVersion: string;
  /** Whether a body was announced. Always true for gRPC. */
  readonly hasBody: boolean;
  readonly encrypted: boolean;
  /** The certificate that the connection was made with. */
  readonly certificate?: ClientCertificate | undefined;
}

/**
 * Throws A2AError `permissionDenied` for an operation that a principal lacks the scope for. Bindings ask before they
 * read a request's parameters: callers who may not do something learn nothing of how it is done.
 */
export type CheckOperation = (principal: Principal, operation: string, request: string) => void;

/** Decides who a caller is. Rejects with A2AError `unauthenticated` or `permissionDenied`. */
export type Authenticate = (caller: CallerFacts) => Principal | Promise<Principal>;
