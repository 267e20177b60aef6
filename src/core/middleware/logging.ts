import { type Call, type Invoke, isStream, type Reply } from '../model/call.ts';
import { A2AError, type ErrorKind } from '../model/errors.ts';
import { tapReply } from '../model/streams.ts';
import type { Logger } from '../ports/logger.ts';
import { callFields, shortenedId, taskIdIn, taskIn } from '../telemetry/call-fields.ts';
import type { Meters } from '../telemetry/meters.ts';
import { logRateLimited } from '../telemetry/rate-limited-log.ts';

/** Errors of every call while the store or an upstream agent is unreachable. */
const outages: ReadonlySet<ErrorKind> = new Set(['unavailable', 'upstreamUnreachable', 'upstreamTimeout']);

/** Errors that were already logged: an error passes several boundaries, any of which may be the first. */
const logged = new WeakSet<A2AError>();

/** Logs an internal error once, with the request id that the caller gets; errors of an outage every ten seconds. */
export function logFailure(logger: Logger, error: A2AError, fields: object): void {
  const { http } = error.row;
  // An unsupported operation (501) is no failure, nor is `unavailable` without a cause: the gateway is stopping.
  const isInternal = http >= 500 && http !== 501 && (error.kind !== 'unavailable' || error.cause !== undefined);
  if (!isInternal || logged.has(error)) return;
  logged.add(error);
  const line = { ...fields, err: error.cause ?? error };
  if (outages.has(error.kind)) {
    // All agents share the store.
    const agent = error.kind !== 'unavailable' && 'agent' in fields ? fields.agent : '';
    logRateLimited(logger, `${error.kind} ${agent}`, line, 'a call failed');
  } else logger.error(line, 'a call failed');
}

/** Middleware: logs internal failures of calls with the fields of the call. */
export function logFailures(logger: Logger): (next: Invoke) => Invoke {
  return (next) => (call) =>
    next(call).catch((thrown: unknown) => {
      const error = A2AError.from(thrown);
      logFailure(logger, error, callFields(call));
      throw error;
    });
}

/** Number of paths of losses in one line. */
const maxLosses = 32;

export interface RequestLog {
  readonly logger: Logger;
  /** Whether each request is logged, read each time. */
  readonly settings: { readonly requests: boolean };
  /** Reports requests that were refused before they became calls. */
  readonly meters: Pick<Meters, 'onRefused'>;
}

/**
 * Middleware: logs each call when its answer or stream has been written, and each request that was refused before it
 * became a call.
 */
export function logRequests({ logger, settings, meters }: RequestLog): (next: Invoke) => Invoke {
  meters.onRefused.push((binding, failure, { requestId, principal }) => {
    if (!settings.requests) return;
    const error = typeof failure === 'string' ? failure : failure.kind;
    logger.info({ request: requestId, principal: principal?.id, binding, error }, 'request refused');
  });
  return (next) => (call) => (settings.requests ? logRequest(logger, next, call) : next(call));
}

async function logRequest(logger: Logger, next: Invoke, call: Call): Promise<Reply> {
  const startedAt = performance.now();
  let events = 0;
  let task: string | undefined;
  const log = (reply: Reply | undefined, thrown: unknown): void => {
    const { losses } = call.context.notes;
    const fields = {
      ...callFields(call),
      ...(task !== undefined && { task: shortenedId(task) }),
      ms: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
      error: thrown === undefined ? undefined : A2AError.from(thrown).kind,
      events: reply && isStream(reply) ? events : undefined,
      losses: losses.size === 0 ? undefined : [...losses].slice(0, maxLosses),
    };
    logger.info(fields, 'request');
  };
  try {
    const reply = await next(call);
    if (!isStream(reply) && !reply.taskFacts) task = taskIn(reply.value)?.id;
    return tapReply(reply, {
      onEvent: (event) => {
        if (events === 0) task = taskIdIn(event);
        events += 1;
      },
      onEnd: (thrown) => log(reply, thrown),
    });
  } catch (thrown) {
    log(undefined, thrown);
    throw thrown;
  }
}
