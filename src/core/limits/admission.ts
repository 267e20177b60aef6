import type { BindingKind } from '../model/call.ts';
import type { ClientCertificate, Principal } from '../model/principal.ts';

/** Facts about a caller, known before any body is read. */
export interface CallerFacts {
  /** Returns a request header or gRPC metadata value; names are in lower case. */
  header(name: string): string | undefined;
  /** Returns the names of all request headers or metadata, in lower case. */
  headerNames(): readonly string[];
  /** Host header or `:authority`; undefined if the request names two different hosts. */
  readonly host: string | undefined;
  readonly remoteAddress: string;
  /** HTTP version of the connection: `1.0`, `1.1` or `2.0`. */
  readonly httpVersion: string;
  /** Whether a body was announced. Always true for gRPC. */
  readonly hasBody: boolean;
  readonly encrypted: boolean;
  /** The connection's client certificate. */
  readonly certificate?: ClientCertificate | undefined;
  /** Path of the URL, without the query. */
  readonly path?: string;
  /** Binding of the call. Absent: the request is not a call. */
  readonly binding?: BindingKind | undefined;
  /** Name of the agent in the path or host. Absent: the request names no agent, or names it in another way. */
  readonly agent?: string | undefined;
}

/**
 * Throws `permissionDenied` for a missing scope, before parameters are read, so that unauthorized callers learn nothing
 * of them.
 */
export type CheckOperation = (principal: Principal, operation: string, request: string) => void;

/** Authenticates a caller. Rejects with A2AError `unauthenticated` or `permissionDenied`. */
export type Authenticate = (caller: CallerFacts) => Principal | Promise<Principal>;
