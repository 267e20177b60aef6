import type { StreamResponse } from '../model/a2a.ts';
import type { Call, CallContext } from '../model/call.ts';
import { spanIdOf, traceIdOf } from './trace-context.ts';

/** The fields of a call in each of its log lines. Undefined values are not written. */
export interface CallFields {
  /** The id in the caller's `X-Request-Id`. */
  readonly request: string;
  readonly principal: string;
  readonly agent: string;
  readonly tenant: string | undefined;
  readonly binding: string;
  readonly dialect: string;
  readonly operation: string;
  /** Id of the task in the request. */
  readonly task: string | undefined;
  /** Ids of the trace and of the span, where the call is in a trace. */
  readonly trace: string | undefined;
  readonly span: string | undefined;
}

/** At most 128 characters of an id, since callers may choose longer ones; undefined where it is empty. */
export const shortenedId = (id: string | undefined): string | undefined => id?.slice(0, 128) || undefined;

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
    task: shortenedId(task),
    ...traceFields(context),
  };
}

/** A trace context as fields of a log line. */
export const traceFields = ({ traceparent }: Pick<CallContext, 'traceparent'>): Pick<CallFields, 'trace' | 'span'> =>
  traceparent === undefined
    ? { trace: undefined, span: undefined }
    : { trace: traceIdOf(traceparent), span: spanIdOf(traceparent) };

/** The logged and traced fields of a task in an answer. */
export interface AnsweredTask {
  readonly id: string;
  readonly contextId?: string;
  readonly status: { readonly state: string };
}

/** The task in an answer, if any. */
export function taskIn(value: unknown): AnsweredTask | undefined {
  const { task = value } = (value ?? {}) as { readonly task?: unknown };
  const { id, status } = (task ?? {}) as { readonly id?: unknown; readonly status?: unknown };
  return typeof id === 'string' && typeof status === 'object' ? (task as AnsweredTask) : undefined;
}

/** Id of an event's task, if any. */
export const taskIdIn = ({ task, statusUpdate, artifactUpdate }: StreamResponse): string | undefined =>
  task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
