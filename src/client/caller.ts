import type { StreamResponse } from '../core/model/a2a.ts';
import {
  type Call,
  type CallContext,
  defaultSemantics,
  type Invoke,
  isStream,
  type LoggedEvent,
  ownDialect,
  type Reply,
} from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import { newId } from '../core/model/ids.ts';
import { longestTimer } from '../core/model/timing.ts';
import type { OperationName, RequestOf, ResponseOf } from '../gen/services.ts';

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call. A task that it has started continues. */
  readonly signal?: AbortSignal;
  /** Milliseconds to wait for the response, or for the start of a stream. Default: the client's `timeout`. */
  readonly timeout?: number;
  /**
   * Time by which the whole call, its stream included, must be over, in milliseconds since the epoch. gRPC and Connect
   * send it to the agent. Default: none, so that a stream has no limit.
   */
  readonly deadline?: number;
  /** URIs of the extensions to activate. */
  readonly extensions?: readonly string[];
  /** Idempotency key, which makes retries safe if the server supports such keys, as this gateway does. */
  readonly idempotencyKey?: string;
  /** Position after which a subscription starts. Default: it starts with the current Task. */
  readonly after?: number;
}

const never = new AbortController().signal;

/** Returns a signal that aborts with the caller's signal, and at the call's deadline. */
function signalOf({ signal = never, deadline }: CallOptions): AbortSignal {
  if (deadline === undefined) return signal;
  return AbortSignal.any([signal, AbortSignal.timeout(Math.min(Math.max(0, deadline - Date.now()), longestTimer))]);
}

/** Creates the context of a client's call. `tenant` is '' for none. */
export const callContext = (
  agent: string,
  tenant: string,
  options: CallOptions,
  requestId: string = newId(),
): CallContext => ({
  requestId,
  agent,
  tenant,
  principal: { id: '', anonymous: true },
  dialect: ownDialect,
  semantics: defaultSemantics,
  extensions: options.extensions ?? [],
  signal: signalOf(options),
  ...(options.timeout !== undefined && { answerBy: Date.now() + options.timeout }),
  ...(options.deadline !== undefined && { deadline: options.deadline }),
  ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
  ...(options.after !== undefined && { replay: { after: options.after } }),
  hops: 0,
  notes: { extensions: new Set(), losses: new Set() },
});

export type Caller = ReturnType<typeof createCaller>;

/**
 * Creates a caller of an agent's operations, which adds the interface's tenant to each request (A2A 1.0.1 section
 * 8.3.2).
 */
export function createCaller(invoke: Invoke, agent: string, tenant: string) {
  const call = (operation: OperationName, body: unknown, options: CallOptions = {}): Promise<Reply> => {
    const request = tenant === '' ? body : { tenant, ...(body as object) };
    return invoke({ operation, request, context: callContext(agent, tenant, options) } as Call);
  };
  const caller = {
    /** Calls an operation that does not stream, and resolves to its response. Rejects with an A2AError. */
    async value<K extends OperationName>(
      operation: K,
      request: RequestOf<K>,
      options?: CallOptions,
    ): Promise<ResponseOf<K>> {
      return singleValue(await call(operation, request, options), 'The agent');
    },
    /** Calls an operation that streams, and yields its events. Throws an A2AError. */
    async *events(operation: OperationName, request: unknown, options?: CallOptions): AsyncGenerator<LoggedEvent> {
      const reply = await call(operation, request, options);
      if (!isStream(reply)) throw new A2AError('invalidAgentResponse', 'The agent answered without a stream');
      yield* reply.events;
    },
    /** Calls an operation that streams, and yields its events without their positions. Throws an A2AError. */
    async *stream(operation: OperationName, request: unknown, options?: CallOptions): AsyncGenerator<StreamResponse> {
      for await (const { event } of caller.events(operation, request, options)) yield event;
    },
  };
  return caller;
}

/** Creates one method per operation, with the operation's name in camel case. */
export const operationMethods = <Methods>(
  caller: Caller,
  operations: readonly { readonly name: OperationName; readonly streaming: boolean }[],
): Methods =>
  Object.fromEntries(
    operations.map(({ name, streaming }) => [
      name.charAt(0).toLowerCase() + name.slice(1),
      streaming ? caller.stream.bind(null, name) : caller.value.bind(null, name),
    ]),
  ) as Methods;

/** Returns the value of a reply. Rejects with an A2AError that names `agent` if the reply is a stream. */
export async function singleValue<K extends OperationName>(reply: Reply, agent: string): Promise<ResponseOf<K>> {
  if (!isStream(reply)) return reply.value as ResponseOf<K>;
  await reply.events[Symbol.asyncIterator]().return?.();
  throw new A2AError('invalidAgentResponse', `${agent} answered with a stream instead of one value`);
}
