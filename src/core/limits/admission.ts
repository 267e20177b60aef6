import type { BindingKind } from '../model/call.ts';
import type { ClientCertificate, Principal } from '../model/principal.ts';

/** The facts about a caller before any body is read. */
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
  /** The connection's client certificate. */
  readonly certificate?: ClientCertificate | undefined;
  /** Of the URL, without the query. */
  readonly path?: string;
  /** Absent for what is no call. */
  readonly binding?: BindingKind | undefined;
  /** The agent that path or host name. Absent: none, or the request names it in another way. */
  readonly agent?: string | undefined;
}

/** Throws `permissionDenied` for a missing scope, before parameters are read: such callers learn nothing of them. */
export type CheckOperation = (principal: Principal, operation: string, request: string) => void;

/** Authenticates a caller. Rejects with A2AError `unauthenticated` or `permissionDenied`. */
export type Authenticate = (caller: CallerFacts) => Principal | Promise<Principal>;
