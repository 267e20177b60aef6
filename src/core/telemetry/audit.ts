import type { Audit, SecurityEventName } from '../ports/audit.ts';
import type { Logger } from '../ports/logger.ts';

/** Granting is news; everything else is a warning. */
const granted: ReadonlySet<SecurityEventName> = new Set(['token.issued']);

/** One structured line of the log per event, under `security`. */
export function createAudit(logger: Logger): Audit {
  return ({ event, ...facts }) => {
    const fields = { security: event, ...facts };
    if (granted.has(event)) logger.info(fields, 'security event');
    else logger.warn(fields, 'security event');
  };
}
