import type { Invoke } from './call.ts';
import { A2AError } from './errors.ts';
import type { Logger } from './ports.ts';

/**
 * Middleware: what went wrong inside is logged with the request id, so that the caller's `X-Request-Id` leads to it.
 * The caller is told the kind only.
 */
export function logFailures(logger: Logger): (next: Invoke) => Invoke {
  return (next) => (call) =>
    next(call).catch((thrown: unknown) => {
      const error = A2AError.from(thrown);
      if (error.row.http >= 500) {
        const { requestId, agent, dialect } = call.context;
        const fields = { request: requestId, agent, dialect, operation: call.operation, err: error.cause ?? error };
        logger.error(fields, 'a call failed');
      }
      throw error;
    });
}
