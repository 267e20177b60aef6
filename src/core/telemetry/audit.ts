import type { Audit, SecurityEventName } from '../ports/audit.ts';
import type { Logger } from '../ports/logger.ts';

/** Writes each event as one structured log line, with its name under `security`. */
export const createAudit =
  (logger: Logger): Audit =>
  ({ event, ...facts }) =>
    logger[granted.has(event) ? 'info' : 'warn']({ security: event, ...facts }, 'security event');

/** Events that are logged as information: access was granted as intended. */
const granted: ReadonlySet<SecurityEventName> = new Set([
  ...(['token.issued', 'session.opened', 'session.ended', 'authorization.allowed', 'admin.read'] as const),
  'ask.approved',
  'question.answered',
  'policy.allowed',
  'policy.asked',
  'policy.shadow',
  'guard.asked',
  'guard.shadow',
]);
