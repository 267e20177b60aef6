import type { Audit, SecurityEventName } from '../ports/audit.ts';
import type { Logger } from '../ports/logger.ts';

/** Events at level info; all others are warnings. */
const informational: ReadonlySet<SecurityEventName> = new Set(['token.issued']);

/** Writes each event as one structured log line, with its name under `security`. */
export function createAudit(logger: Logger): Audit {
  return ({ event, ...facts }) => {
    const fields = { security: event, ...facts };
    if (informational.has(event)) logger.info(fields, 'security event');
    else logger.warn(fields, 'security event');
  };
}
