export type SecurityEventName =
  | 'authentication.failed'
  | 'authentication.blocked'
  | 'session.opened'
  | 'session.ended'
  | 'authorization.allowed'
  | 'authorization.denied'
  | 'policy.refused'
  | 'policy.allowed'
  | 'policy.shadow'
  | 'token.issued'
  | 'token.refused'
  | 'limit.exceeded'
  | 'url.refused'
  | 'card.signature.refused'
  | 'push.dead'
  | 'question.answered'
  | 'question.reminded'
  | 'question.failed'
  | 'admin.action'
  | 'admin.read';

/** One entry of the audit log. Only names and kinds: never a credential, a body, or a URL's query. */
export interface SecurityEvent {
  readonly event: SecurityEventName;
  /** Why, in one sentence without secrets. */
  readonly reason?: string;
  /** Id of the caller, where it is known. */
  readonly principal?: string;
  /** Network address of the caller. */
  readonly address?: string;
  readonly agent?: string;
  readonly operation?: string;
  /** Name of the policy that has decided. */
  readonly policy?: string;
  /** What an operation of the admin service is about: the name of an agent, or the key or id of a task. */
  readonly subject?: string;
  /** Id of the principal that owns the task which an operation of the admin service is about. */
  readonly owner?: string;
  /** The request's id, as the caller got it in `X-Request-Id`. */
  readonly request?: string;
  /** Scheme, host and port of a refused URL or of a receiver. */
  readonly target?: string;
}

/** Records a security event. Never throws. */
export type Audit = (event: SecurityEvent) => void;
