import type { Call, CallContext } from '../model/call.ts';
import { spanIdOf, traceIdOf } from './trace-context.ts';

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

/** At most 128 characters of an id: callers may choose longer ones. */
export const shortenedId = (id: string | undefined): string | undefined => id?.slice(0, 128);

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
    task: shortenedId(task) || undefined,
    ...traceFields(context),
  };
}

/** Where something is in a trace, as lines of the log say it. */
export const traceFields = ({ traceparent }: Pick<CallContext, 'traceparent'>): Pick<CallFields, 'trace' | 'span'> =>
  traceparent === undefined
    ? { trace: undefined, span: undefined }
    : { trace: traceIdOf(traceparent), span: spanIdOf(traceparent) };
