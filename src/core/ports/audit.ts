/** What happened that whoever guards the gateway wants to know of. */
export type SecurityEventName =
  | 'authentication.failed'
  | 'authentication.blocked'
  | 'authorization.denied'
  | 'token.issued'
  | 'token.refused'
  | 'limit.exceeded'
  | 'url.refused'
  | 'card.signature.refused'
  | 'push.dead';

/** Everything that is worth a line. Only names and kinds: never a credential, a body, or a URL's query. */
export interface SecurityEvent {
  readonly event: SecurityEventName;
  /** Why, in one sentence without anything secret in it. */
  readonly reason?: string;
  /** Who, where that is known. */
  readonly principal?: string;
  /** Network address of the caller. */
  readonly address?: string;
  readonly agent?: string;
  readonly operation?: string;
  /** The request's id, as the caller got it in `X-Request-Id`. */
  readonly request?: string;
  /** Scheme, host and port of a URL that was refused, or of a receiver. */
  readonly target?: string;
}

/** Takes down a security event. Never throws. */
export type Audit = (event: SecurityEvent) => void;
