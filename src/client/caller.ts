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
  /** Cancels the call. The task, if there is one, goes on. */
  readonly signal?: AbortSignal;
  /** Milliseconds that the answer, or the beginning of a stream, may take. Default: the client's. */
  readonly timeout?: number;
  /**
   * Time when the whole call must be over, a stream included: milliseconds since the epoch. Agents learn of it over
   * gRPC and Connect. Default: a stream has no limit.
   */
  readonly deadline?: number;
  /** URIs of the extensions to activate. */
  readonly extensions?: readonly string[];
  /** Makes retries safe if the agent's side supports idempotency keys, as this gateway does. */
  readonly idempotencyKey?: string;
  /** For a subscription: begin after this position instead of with the current Task. */
  readonly after?: number;
}

const never = new AbortController().signal;

/** The signal of a call, which aborts at its deadline too. */
function signalOf({ signal = never, deadline }: CallOptions): AbortSignal {
  if (deadline === undefined) return signal;
  return AbortSignal.any([signal, AbortSignal.timeout(Math.min(Math.max(0, deadline - Date.now()), longestTimer))]);
}

/** The context of a call by a client. `tenant` is '' for none. */
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

/** Calls the operations of an agent, with the interface's tenant in each request (A2A 1.0.1 section 8.3.2). */
export function createCaller(invoke: Invoke, agent: string, tenant: string) {
  const call = (operation: OperationName, body: unknown, options: CallOptions = {}): Promise<Reply> => {
    const request = tenant === '' ? body : { tenant, ...(body as object) };
    return invoke({ operation, request, context: callContext(agent, tenant, options) } as Call);
  };
  const caller = {
    /** The value of an operation that does not stream. Rejects with an A2AError. */
    async value<K extends OperationName>(
      operation: K,
      request: RequestOf<K>,
      options?: CallOptions,
    ): Promise<ResponseOf<K>> {
      return singleValue(await call(operation, request, options), 'The agent');
    },
    /** The events of an operation that streams. Throws an A2AError. */
    async *events(operation: OperationName, request: unknown, options?: CallOptions): AsyncGenerator<LoggedEvent> {
      const reply = await call(operation, request, options);
      if (!isStream(reply)) throw new A2AError('invalidAgentResponse', 'The agent answered without a stream');
      yield* reply.events;
    },
    /** The events of an operation that streams, without their positions. */
    async *stream(operation: OperationName, request: unknown, options?: CallOptions): AsyncGenerator<StreamResponse> {
      for await (const { event } of caller.events(operation, request, options)) yield event;
    },
  };
  return caller;
}

/** A method for each of these operations, named like it. */
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

/** The value of a reply. Throws an error about `agent` if the reply is a stream. */
export async function singleValue<K extends OperationName>(reply: Reply, agent: string): Promise<ResponseOf<K>> {
  if (!isStream(reply)) return reply.value as ResponseOf<K>;
  await reply.events[Symbol.asyncIterator]().return?.();
  throw new A2AError('invalidAgentResponse', `${agent} answered with a stream instead of one value`);
}
