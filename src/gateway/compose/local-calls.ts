import type { Invoke, LoggedEvent, Reply, ReplyNotes } from '../../core/model/call.ts';
import { isStream } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import { isObject } from '../../core/model/json.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import type { Operation } from '../../gen/operations.ts';
import type { OperationName, OperationTypes, RequestOf, ResponseOf } from '../../gen/services.ts';
import { receivedFrom } from '../../transports/rpc/mount.ts';
import { createCall, rpcsOf } from '../../transports/rpc/rpc.ts';
import { endIteration } from '../../transports/rpc/stream.ts';

/** What a call within the program says beside its request. */
export interface LocalCallOptions {
  /** Configured name of the agent. Default: the one that `tenant` of the request begins with, else the default agent. */
  readonly agent?: string;
  /** The caller, to whom tasks belong. Default: the anonymous caller of this machine. */
  readonly principal?: Pick<Principal, 'id'> & Partial<Principal>;
  /** Default: that of the request, else that of the caller. */
  readonly tenant?: string;
  /** URIs of the extensions that the caller understands. */
  readonly extensions?: readonly string[];
  /** Ends the call, and never its task. */
  readonly signal?: AbortSignal;
}

/** One message, or the events of a stream: for `for await`, or awaited first, until the call was accepted. */
export type LocalAnswer<K extends OperationName> = OperationTypes[K]['streaming'] extends true
  ? Promise<AsyncIterable<ResponseOf<K>>> & AsyncIterable<ResponseOf<K>>
  : Promise<ResponseOf<K>>;

/** Calls an operation of any service. A client that streams passes its messages. */
export type LocalCall = <K extends OperationName>(
  operation: K,
  request: RequestOf<K> | AsyncIterable<RequestOf<K>>,
  options?: LocalCallOptions,
) => LocalAnswer<K>;

export interface LocalCallDeps {
  readonly dialects: readonly WireProtocol[];
  /** Of all services, in their newest version. */
  readonly operations: readonly Operation[];
  readonly agents: AgentDirectory;
  readonly invoke: Invoke;
  /** Whether callers without credentials are refused. */
  readonly needsPrincipal: boolean;
}

const anonymous: Principal = { id: 'anonymous', anonymous: true, local: true };

/** @param ready throws A2AError `unavailable` while calls cannot be served */
export function createLocalCall(ready: () => LocalCallDeps): LocalCall {
  const start = async (name: string, request: unknown, options: LocalCallOptions): Promise<unknown> => {
    try {
      const { signal = new AbortController().signal } = options;
      if (signal.aborted) throw A2AError.from(signal.reason);
      const { call, invoke } = await prepared(ready(), name, request, { ...options, signal });
      return answerOf(await unlessAborted(invoke(call), signal), call.context.notes, signal);
    } catch (thrown) {
      throw A2AError.from(thrown);
    }
  };
  return ((name: string, request: unknown, options: LocalCallOptions = {}) => {
    const answer = start(name, request, options);
    const events = async function* () {
      yield* (await answer) as AsyncIterable<unknown>;
    };
    return Object.assign(answer, { [Symbol.asyncIterator]: events });
  }) as unknown as LocalCall;
}

async function prepared(
  { dialects, operations, agents, invoke, needsPrincipal }: LocalCallDeps,
  name: string,
  given: unknown,
  { agent, principal, tenant, extensions = [], signal }: LocalCallOptions & { readonly signal: AbortSignal },
) {
  const operation = operations.find((one) => one.name === name);
  // The last one is the newest version, which loses nothing.
  const rpc = rpcsOf(dialects).findLast((one) => one.operation.grpcPath === operation?.grpcPath);
  if (!rpc) throw new A2AError('methodNotFound', `No such operation: ${name}`);
  if (!principal && needsPrincipal) {
    throw new A2AError('unauthenticated', 'The call names no principal, and the configuration has anonymous: false');
  }
  const isStreaming = rpc.operation.clientStreaming === true;
  const received = isStreaming ? await receivedFrom(given as AsyncIterable<unknown>, signal) : { message: given };
  const { message, ...more } = received;
  const call = createCall(rpc, agents, tenant !== undefined && isObject(message) ? { ...message, tenant } : message, {
    binding: 'local',
    head: {
      header: (header) => (header === 'a2a-extensions' && extensions.length > 0 ? extensions.join(', ') : undefined),
      host: undefined,
      ...(agent !== undefined && { agent }),
    },
    principal: principal ? { anonymous: false, ...principal } : anonymous,
    requestId: newId(),
    signal: () => signal,
    reservation: undefined,
    deadline: undefined,
    ...more,
  });
  return { call, invoke };
}

/** A reply that comes after the caller has left is dropped. */
async function unlessAborted(replying: Promise<Reply>, signal: AbortSignal): Promise<Reply> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const leave = (): void => {
    reject(signal.reason);
    replying.then((reply) => isStream(reply) && endIteration(reply.events[Symbol.asyncIterator]())).catch(() => {});
  };
  signal.addEventListener('abort', leave, { once: true });
  return Promise.race([replying, aborted]).finally(() => signal.removeEventListener('abort', leave));
}

/** The value, or the events: copies, which the program may change. */
function answerOf(reply: Reply, notes: ReplyNotes, signal: AbortSignal): unknown {
  if (isStream(reply)) return eventsOf(reply.events[Symbol.asyncIterator](), notes, signal);
  notes.onAnswered?.();
  return structuredClone(reply.value);
}

async function* eventsOf(events: AsyncIterator<LoggedEvent>, notes: ReplyNotes, signal: AbortSignal) {
  const leave = (): void => endIteration(events);
  signal.addEventListener('abort', leave, { once: true });
  let failure: A2AError | undefined;
  try {
    for (let step = await events.next(); !step.done; step = await events.next())
      yield structuredClone(step.value.event);
    if (signal.aborted) throw signal.reason;
  } catch (thrown) {
    failure = A2AError.from(thrown);
    throw failure;
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
    notes.onAnswered?.(failure);
  }
}
