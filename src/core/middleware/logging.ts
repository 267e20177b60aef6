import type { StreamResponse } from '../model/a2a.ts';
import { type Call, type Invoke, isStream, type Reply } from '../model/call.ts';
import { A2AError, type ErrorKind } from '../model/errors.ts';
import type { Logger } from '../ports/logger.ts';
import { callFields, shortenedId } from '../telemetry/call-fields.ts';
import type { Meters } from '../telemetry/meters.ts';
import { logRateLimited } from '../telemetry/rate-limited-log.ts';
import { tapReply } from './tap-stream.ts';

/** What every call may meet while the store, or an agent elsewhere, is away. */
const outages: ReadonlySet<ErrorKind> = new Set(['unavailable', 'upstreamUnreachable', 'upstreamTimeout']);

/** Errors that are in the log already: an error passes several boundaries, and each of them may be the first. */
const logged = new WeakSet<A2AError>();

/**
 * Logs what went wrong inside, once, with the request id, so that the caller's `X-Request-Id` leads to it: the caller
 * is told the kind only. Errors that are the caller's are not logged, and of those that come with every call while
 * something is away, one in ten seconds is.
 */
export function logFailure(logger: Logger, error: A2AError, fields: object): void {
  // A gateway that is stopping says so without anything having gone wrong: only what has a cause inside is news.
  const { http } = error.row;
  // What an agent is not able to do is nobody's failure.
  const ours = http >= 500 && http !== 501 && (error.kind !== 'unavailable' || error.cause !== undefined);
  if (!ours || logged.has(error)) return;
  logged.add(error);
  const line = { ...fields, err: error.cause ?? error };
  if (!outages.has(error.kind)) logger.error(line, 'a call failed');
  // The store is the same for all agents.
  else
    logRateLimited(
      logger,
      `${error.kind} ${error.kind === 'unavailable' ? '' : agentIn(fields)}`,
      line,
      'a call failed',
    );
}

const agentIn = (fields: object): unknown => ('agent' in fields ? fields.agent : '');

/** Middleware: logs the failures of calls with all that is known of them. */
export function logFailures(logger: Logger): (next: Invoke) => Invoke {
  return (next) => (call) =>
    next(call).catch((thrown: unknown) => {
      const error = A2AError.from(thrown);
      logFailure(logger, error, callFields(call));
      throw error;
    });
}

/** Paths of losses that one line tells of. */
const mostLosses = 32;

export interface RequestLog {
  readonly logger: Logger;
  /** Whether each request is worth a line: read each time. */
  readonly settings: { readonly requests: boolean };
  /** Tells of requests that were refused before they became calls. */
  readonly meters: Pick<Meters, 'onRefused'>;
}

/**
 * Middleware: where it is wanted, a line for each call when its answer has been written, streams included, and one for
 * each request that was refused before it became a call.
 */
export function logRequests({ logger, settings, meters }: RequestLog): (next: Invoke) => Invoke {
  meters.onRefused = (binding, error, { requestId, principal }) => {
    if (!settings.requests) return;
    logger.info({ request: requestId, principal: principal?.id, binding, error }, 'request refused');
  };
  return (next) => (call) => (settings.requests ? logRequest(logger, next, call) : next(call));
}

async function logRequest(logger: Logger, next: Invoke, call: Call): Promise<Reply> {
  const began = performance.now();
  let events = 0;
  let task: string | undefined;
  const tell = (reply: Reply | undefined, thrown: unknown): void => {
    const { losses } = call.context.notes;
    const fields = {
      ...callFields(call),
      ...(task !== undefined && { task: shortenedId(task) }),
      ms: Math.round((performance.now() - began) * 1_000) / 1_000,
      error: thrown === undefined ? undefined : A2AError.from(thrown).kind,
      events: reply && isStream(reply) ? events : undefined,
      losses: losses.size === 0 ? undefined : [...losses].slice(0, mostLosses),
    };
    logger.info(fields, 'request');
  };
  try {
    const reply = await next(call);
    if (!isStream(reply)) task = taskIn(reply.value)?.id;
    return tapReply(reply, {
      onEvent: (event) => {
        if (events === 0) task = taskIdIn(event);
        events += 1;
      },
      onEnd: (thrown) => tell(reply, thrown),
    });
  } catch (thrown) {
    tell(undefined, thrown);
    throw thrown;
  }
}

/** What is told of a task that an answer is, or holds. */
export interface AnsweredTask {
  readonly id: string;
  readonly contextId?: string;
  readonly status: { readonly state: string };
}

/** The task that an answer is, or holds, if any. */
export function taskIn(value: unknown): AnsweredTask | undefined {
  const { task = value } = (value ?? {}) as { readonly task?: unknown };
  const { id, status } = (task ?? {}) as { readonly id?: unknown; readonly status?: unknown };
  return typeof id === 'string' && typeof status === 'object' ? (task as AnsweredTask) : undefined;
}

/** Id of the task that an event is about, if any. */
export const taskIdIn = ({ task, statusUpdate, artifactUpdate }: StreamResponse): string | undefined =>
  task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
