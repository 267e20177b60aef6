import type { StreamResponse } from '../model/a2a.ts';
import { type Call, type CallContext, type Invoke, isStream, type Reply } from '../model/call.ts';
import { A2AError, type ErrorKind } from '../model/errors.ts';
import type { Logger } from '../ports/task-store.ts';
import type { Meters } from '../telemetry/meters.ts';
import { logSparsely } from '../telemetry/rate-limited-log.ts';
import { spanIdOf, traceIdOf } from '../telemetry/trace-context.ts';
import { watchReply } from './tap-reply.ts';

/** What every line of the log says of the call that it belongs to. Keys whose value is undefined are not written. */
export interface CallFields {
  /** The id that the caller got as `X-Request-Id`. */
  readonly request: string;
  readonly principal: string;
  readonly agent: string;
  readonly tenant: string | undefined;
  readonly binding: string;
  readonly dialect: string;
  readonly operation: string;
  /** The task that is asked about, or goes on. */
  readonly task: string | undefined;
  /** Ids of the trace and of the span in it, while the call is in a trace. */
  readonly trace: string | undefined;
  readonly span: string | undefined;
}

/** Ids that callers chose may be long. */
const mostCharacters = 128;

export function callFields({ operation, request, context }: Call): CallFields {
  const asked = request as { readonly id?: string; readonly taskId?: string; readonly message?: { taskId?: string } };
  const task = asked.message ? asked.message.taskId : (asked.taskId ?? asked.id);
  return {
    request: context.requestId,
    principal: context.principal.id,
    agent: context.agent,
    tenant: context.tenant || undefined,
    binding: context.binding ?? 'local',
    dialect: context.dialect,
    operation,
    task: task?.slice(0, mostCharacters) || undefined,
    ...traceFields(context),
  };
}

/** Where something is in a trace, as lines of the log say it. */
export const traceFields = ({ traceparent }: Pick<CallContext, 'traceparent'>): Pick<CallFields, 'trace' | 'span'> =>
  traceparent === undefined
    ? { trace: undefined, span: undefined }
    : { trace: traceIdOf(traceparent), span: spanIdOf(traceparent) };

/** What every call may meet while the store, or an agent elsewhere, is away. */
const outages: ReadonlySet<ErrorKind> = new Set(['unavailable', 'upstreamUnreachable', 'upstreamTimeout']);

/** Errors that are in the log already: an error passes several boundaries, and each of them may be the first. */
const logged = new WeakSet<A2AError>();

/**
 * Logs what went wrong inside, once, with the request id, so that the caller's `X-Request-Id` leads to it: the caller is
 * told the kind only. Errors that are the caller's are not logged, and of those that come with every call while
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
    logSparsely(logger, `${error.kind} ${error.kind === 'unavailable' ? '' : agentIn(fields)}`, line, 'a call failed');
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
      ...(task !== undefined && { task: task.slice(0, mostCharacters) }),
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
    return watchReply(reply, {
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
