export type SecurityEventName =
  | 'authentication.failed'
  | 'authentication.blocked'
  | 'session.opened'
  | 'session.ended'
  | 'authorization.allowed'
  | 'authorization.denied'
  | 'policy.refused'
  | 'policy.allowed'
  | 'policy.asked'
  | 'policy.shadow'
  | 'guard.asked'
  | 'guard.blocked'
  | 'guard.replaced'
  | 'guard.failed'
  | 'guard.shadow'
  | 'token.issued'
  | 'token.refused'
  | 'limit.exceeded'
  | 'url.refused'
  | 'card.signature.refused'
  | 'push.dead'
  | 'ask.approved'
  | 'ask.denied'
  | 'ask.expired'
  | 'approval.refused'
  | 'question.answered'
  | 'question.reminded'
  | 'question.failed'
  | 'admin.action'
  | 'admin.read';

/** One entry of the audit log. Only names and kinds: never a credential, a body, or a URL's query. */
export interface SecurityEvent {
  readonly event: SecurityEventName;
  /** Reason in one sentence, without secrets. */
  readonly reason?: string;
  /** Id of the caller, if known. */
  readonly principal?: string;
  /** Network address of the caller. */
  readonly address?: string;
  readonly agent?: string;
  readonly operation?: string;
  /** Name of the policy that decided. */
  readonly policy?: string;
  /** Name of the guard that judged, and whether it judged a message or an answer. */
  readonly guard?: string;
  readonly phase?: 'request' | 'answer';
  /** Subject of an admin operation, or of a guard's verdict: the name of an agent, or the key or id of a task. */
  readonly subject?: string;
  /** Id of the principal that owns the task of an admin operation. */
  readonly owner?: string;
  /** Id of the request, as sent to the caller in `X-Request-Id`. */
  readonly request?: string;
  /** Scheme, host and port of a refused URL or of a receiver. */
  readonly target?: string;
}

/** Records a security event. Never throws. */
export type Audit = (event: SecurityEvent) => void;
