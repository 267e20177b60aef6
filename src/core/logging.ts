import type { Invoke } from './call.ts';
import { A2AError } from './errors.ts';
import type { Logger } from './ports.ts';

/** Errors that are in the log already: an error passes several boundaries, and each of them may be the first. */
const logged = new WeakSet<A2AError>();

/**
 * Logs what went wrong inside, once, with the request id, so that the caller's `X-Request-Id` leads to it: the caller is
 * told the kind only. Errors that are the caller's are not logged.
 */
export function logFailure(logger: Logger, error: A2AError, fields: object): void {
  // A gateway that is stopping says so without anything having gone wrong: only what has a cause inside is news.
  const { http } = error.row;
  // What an agent is not able to do is nobody's failure.
  const ours = http >= 500 && http !== 501 && (error.kind !== 'unavailable' || error.cause !== undefined);
  if (!ours || logged.has(error)) return;
  logged.add(error);
  logger.error({ ...fields, err: error.cause ?? error }, 'a call failed');
}

/** Middleware: logs the failures of calls with their agent and operation. */
export function logFailures(logger: Logger): (next: Invoke) => Invoke {
  return (next) => (call) =>
    next(call).catch((thrown: unknown) => {
      const error = A2AError.from(thrown);
      const { requestId, agent, dialect } = call.context;
      logFailure(logger, error, { request: requestId, agent, dialect, operation: call.operation });
      throw error;
    });
}
