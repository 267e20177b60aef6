import type { Principal } from './call.ts';

/** What is known of a caller before any body is read. */
export interface CallerFacts {
  /** A request header or gRPC metadata value; names in lower case. */
  header(name: string): string | undefined;
  /** Host header or `:authority`. */
  readonly host: string | undefined;
  readonly remoteAddress: string;
  /** Whether a body was announced. Always true for gRPC. */
  readonly hasBody: boolean;
  readonly encrypted: boolean;
}

/** Decides who a caller is. Rejects with A2AError `unauthenticated` or `permissionDenied`. */
export type Authenticate = (caller: CallerFacts) => Principal | Promise<Principal>;
