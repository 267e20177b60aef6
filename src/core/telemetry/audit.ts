import type { Audit } from '../ports/audit.ts';
import type { Logger } from '../ports/logger.ts';

/** Writes each event as one structured log line, with its name under `security`. */
export const createAudit =
  (logger: Logger): Audit =>
  ({ event, ...facts }) =>
    logger[event === 'token.issued' ? 'info' : 'warn']({ security: event, ...facts }, 'security event');
