import type { StreamResponse, Task } from '../model/a2a.ts';
import type { Call } from '../model/call.ts';
import { shortened } from '../model/text.ts';
import { spanIdOf, type TraceContext, traceIdOf } from './trace-context.ts';

/** Returns at most 128 characters of an id, since callers may choose longer ones; undefined if it is empty. */
export const shortenedId = (id: string | undefined): string | undefined => id?.slice(0, 128) || undefined;

/** Returns at most 200 characters of a caller's id, for a log line: identity providers may choose longer ones. */
export const shortenedCaller = (principal: string): string => shortened(principal, 200);

/** Returns the id or key of the task that a request names. */
export function askedTask(request: unknown): string | undefined {
  const { id, key, taskId, message } = request as Partial<Record<'id' | 'key' | 'taskId', string>> & {
    readonly message?: { readonly taskId?: string };
  };
  return message ? message.taskId : (taskId ?? id ?? key);
}

/** Returns the fields of a call in each of its log lines. Undefined values are not written. */
export function callFields({ operation, request, context }: Call) {
  return {
    request: context.requestId,
    principal: context.principal.id,
    agent: context.agent,
    tenant: context.tenant || undefined,
    binding: context.binding ?? 'local',
    dialect: context.dialect,
    operation,
    task: shortenedId(askedTask(request)),
    ...traceFields(context),
  };
}

/** Returns a trace context as fields of a log line: the ids of the trace and of the span. */
export const traceFields = ({ traceparent }: TraceContext) => ({
  trace: traceparent && traceIdOf(traceparent),
  span: traceparent && spanIdOf(traceparent),
});

/** The task in an answer, with the fields that are logged and traced. */
export type AnsweredTask = Pick<Task, 'id' | 'contextId' | 'status'>;

export function taskIn(value: unknown): AnsweredTask | undefined {
  const { task = value } = (value ?? {}) as { readonly task?: unknown };
  const { id, status } = (task ?? {}) as { readonly id?: unknown; readonly status?: unknown };
  return typeof id === 'string' && typeof status === 'object' ? (task as AnsweredTask) : undefined;
}

/** Returns the id of an event's task, if any. */
export const taskIdIn = ({ task, statusUpdate, artifactUpdate }: StreamResponse): string | undefined =>
  task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
