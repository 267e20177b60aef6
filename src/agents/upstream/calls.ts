import { type CallOptions, callContext, singleValue } from '../../client/caller.ts';
import type { AgentContext, RunContext } from '../../core/model/agent.ts';
import type { Call, CallContext, Reply } from '../../core/model/call.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import { traceOf } from '../../core/telemetry/trace-context.ts';
import type { OperationName, RequestOf, ResponseOf } from '../../gen/services.ts';
import { callerOf, type UpstreamConnection } from './connection/connection.ts';

/** The gateway's own call that leads to a call of an agent. */
type CallOrigin = Pick<
  AgentContext,
  'requestId' | 'extensions' | 'traceparent' | 'tracestate' | 'hops' | 'credentials'
> &
  Partial<Pick<AgentContext, 'activate' | 'drop' | 'principal' | 'state'>> &
  Pick<RunContext, 'outgoing'>;

/** The limits of a call, and what is sent with it. */
export type CallBounds = Required<Pick<CallOptions, 'signal' | 'timeout'>> &
  Pick<CallOptions, 'after' | 'idempotencyKey'> &
  Pick<CallContext, 'path'> & {
    /** Id that the gateway has chosen for a new task. Sent to agents whose clients choose the ids of tasks. */
    readonly newTaskId?: string | undefined;
  };

/**
 * Calls an agent with the origin's trace and extensions and one hop more, but without the caller's identity, unless
 * the agent gets a token for it. Rejects as the transports do, except that a missed deadline is the agent's fault: `upstreamTimeout`.
 */
export async function callUpstream<K extends OperationName>(
  connection: UpstreamConnection,
  origin: CallOrigin,
  operation: K,
  request: RequestOf<K>,
  bounds: CallBounds,
): Promise<Reply> {
  const { requestId, extensions, hops } = origin;
  const observer = origin.outgoing?.observer;
  const credentials = connection.namesCallers ? () => callerOf(origin) : origin.credentials;
  const added = { hops: hops + 1, ...(credentials && { credentials }), ...(observer && { observer }) };
  const context = Object.assign(
    callContext('', '', { ...bounds, extensions }, requestId),
    origin.traceparent !== undefined && traceOf(origin),
    bounds.path !== undefined && { path: bounds.path },
    added,
  );
  try {
    return await connection.invoke({ operation, request, context } as Call, bounds.newTaskId);
  } catch (thrown) {
    const error = A2AError.from(thrown);
    if (error.kind !== 'deadlineExceeded') throw error;
    const message = `The upstream agent did not answer within ${bounds.timeout} ms`;
    throw new A2AError('upstreamTimeout', message, { cause: error });
  } finally {
    for (const extension of context.notes.extensions) origin.activate?.(extension);
    for (const path of context.notes.losses) origin.drop?.(path, connection.health.dialect);
  }
}

/** Calls an operation that answers with one value. */
export const upstreamValue = async <K extends OperationName>(
  ...call: Parameters<typeof callUpstream<K>>
): Promise<ResponseOf<K>> => singleValue(await callUpstream(...call), 'The upstream agent');

/** Errors of operations that an agent need not have. */
const unsupportedKinds: ReadonlySet<ErrorKind> = new Set(['unsupportedOperation', 'methodNotFound', 'routeNotFound']);

/** Whether an error means that the agent does not have the operation. It is not a proof that nothing has run. */
export const isUnsupported = (thrown: unknown): boolean => unsupportedKinds.has(A2AError.from(thrown).kind);
