import type { CountLimits } from '../../core/limits/counts.ts';
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
import { copyJson } from '../../wire/copy-json.ts';
import { checkRequest } from '../../wire/json-body.ts';

/** The caller of a call within the program: a `Principal` in which only `id` is required, and lists may be arrays. */
export interface LocalPrincipal extends Partial<Omit<Principal, 'id' | 'agents' | 'scopes' | 'tenants'>> {
  /** Stable and unique. */
  readonly id: string;
  /** Names of the permitted agents. Default: all. */
  readonly agents?: Iterable<string>;
  /** Granted scopes, such as `tasks`. Default: all except those that must be granted explicitly. */
  readonly scopes?: Iterable<string>;
  /** Tenants that it may name. Default: any. */
  readonly tenants?: Iterable<string>;
}

/** Options of a call within the program. */
export interface LocalCallOptions {
  /** Configured name of the agent. Default: the first segment of the tenant; without a tenant, the default agent. */
  readonly agent?: string;
  /** The caller, to whom tasks belong. Default: the anonymous caller of this machine. */
  readonly principal?: LocalPrincipal;
  /** Tenant of the call. Default: the request's, else the caller's. */
  readonly tenant?: string;
  /** URIs of the extensions that the caller understands. */
  readonly extensions?: readonly string[];
  /** Ends the call, but never its task. */
  readonly signal?: AbortSignal;
}

/** One message; or the events of a stream, for `for await`. Awaiting a stream first waits until the call was accepted. */
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
  /** Operations of all services, in their newest version. */
  readonly operations: readonly Operation[];
  readonly agents: AgentDirectory;
  /** Largest numbers of parts, keys and values in a request. */
  readonly counts: CountLimits;
  readonly invoke: Invoke;
  /** Whether callers without credentials are refused. */
  readonly needsPrincipal: boolean;
}

const anonymous: Principal = { id: 'anonymous', anonymous: true, local: true };

/** @param ready throws A2AError `unavailable` while calls cannot be served */
export function createLocalCall(ready: () => LocalCallDeps): LocalCall {
  const start = async (name: string, request: unknown, options: LocalCallOptions): Promise<unknown> => {
    const { signal = new AbortController().signal } = options;
    try {
      if (signal.aborted) throw abortOf(signal);
      const { call, invoke } = await prepared(ready(), name, request, { ...options, signal });
      const { notes } = call.context;
      return answerOf(await unlessAborted(invoke(call), notes, signal), notes, signal);
    } catch (thrown) {
      throw signal.aborted ? abortOf(signal) : A2AError.from(thrown);
    }
  };
  return ((name: string, request: unknown, options?: LocalCallOptions | null) => {
    const answer = start(name, request, options ?? {});
    return Object.assign(answer, { [Symbol.asyncIterator]: () => iteratorOf(answer, name) });
  }) as unknown as LocalCall;
}

/** An iterator over the events of an answer that has not arrived yet. */
function iteratorOf(answer: Promise<unknown>, name: string): AsyncIterator<unknown> {
  const events = async (): Promise<LocalEvents> => {
    const given = await answer;
    if (given instanceof LocalEvents) return given;
    throw new TypeError(`${name} has one answer and no events: use await in place of for await`);
  };
  return {
    next: async () => (await events()).next(),
    return: async () => (await events()).return(),
  };
}

/** The error of a call whose signal has aborted: `deadlineExceeded` for AbortSignal.timeout, else `canceled`. */
function abortOf({ reason }: AbortSignal): A2AError {
  const isTimeout = reason instanceof Error && reason.name === 'TimeoutError';
  return new A2AError(isTimeout ? 'deadlineExceeded' : 'canceled', undefined, { cause: reason });
}

async function prepared(
  { dialects, operations, agents, counts, invoke, needsPrincipal }: LocalCallDeps,
  name: string,
  given: unknown,
  { agent, principal, tenant, extensions = [], signal }: LocalCallOptions & { readonly signal: AbortSignal },
) {
  const operation = operations.find((one) => one.name === name);
  // The last one has the newest version, in which nothing is lost.
  const rpc = rpcsOf(dialects).findLast((one) => one.operation.grpcPath === operation?.grpcPath);
  if (!rpc) throw new A2AError('methodNotFound', `No such operation: ${name}`);
  if (!principal && needsPrincipal) {
    throw new A2AError('unauthenticated', 'The call names no principal, and the configuration has anonymous: false');
  }
  const isStreaming = rpc.operation.clientStreaming === true;
  const caller = principal ? principalOf(principal) : anonymous;
  const received = isStreaming
    ? await receivedFrom(requestsOf(given, counts), signal)
    : { message: requestOf(given, counts) };
  const { message, ...more } = received;
  const call = createCall(rpc, agents, tenant !== undefined && isObject(message) ? { ...message, tenant } : message, {
    binding: 'local',
    head: {
      header: (header) => (header === 'a2a-extensions' && extensions.length > 0 ? extensions.join(', ') : undefined),
      host: undefined,
      ...(agent !== undefined && { agent }),
    },
    principal: caller,
    requestId: newId(),
    signal: () => signal,
    deadline: undefined,
    ...more,
  });
  return { call, invoke };
}

/** A request of the program in the form of one from outside: a copy with JSON values only. */
function requestOf(given: unknown, counts: CountLimits): unknown {
  if (given === undefined) return undefined;
  const request = copyJson(given);
  checkRequest(request, counts);
  return request;
}

async function* requestsOf(given: unknown, counts: CountLimits): AsyncIterable<unknown> {
  const isIterable = typeof given === 'object' && given !== null && Symbol.asyncIterator in given;
  if (!isIterable) throw A2AError.invalidParams('The client streams: the requests must be an AsyncIterable');
  for await (const request of given as AsyncIterable<unknown>) yield requestOf(request, counts);
}

function principalOf(given: LocalPrincipal): Principal {
  if (typeof given !== 'object') throw A2AError.invalidField('principal', 'must be an object with an id');
  const { id, agents, scopes, tenants, ...rest } = given;
  if (typeof id !== 'string' || id === '') throw A2AError.invalidField('principal.id', 'must be a non-empty string');
  return {
    anonymous: false,
    ...rest,
    id,
    ...(agents !== undefined && { agents: setOf('agents', agents) }),
    ...(scopes !== undefined && { scopes: setOf('scopes', scopes) }),
    ...(tenants !== undefined && { tenants: setOf('tenants', tenants) }),
  };
}

function setOf(name: string, given: unknown): ReadonlySet<string> {
  const isList = Array.isArray(given) || given instanceof Set;
  if (!isList || ![...given].every((item) => typeof item === 'string'))
    throw A2AError.invalidField(`principal.${name}`, 'must be a Set or an array of strings');
  return new Set<string>(given);
}

/** Resolves with a reply unless the caller leaves first. A reply that arrives later is dropped. */
async function unlessAborted(replying: Promise<Reply>, notes: ReplyNotes, signal: AbortSignal): Promise<Reply> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const leave = (): void => {
    reject(abortOf(signal));
    replying.then((reply) => answerOf(reply, notes, signal)).catch(() => {});
  };
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  return Promise.race([replying, aborted]).finally(() => signal.removeEventListener('abort', leave));
}

/** The value or the events of a reply, as copies that the program may change. */
function answerOf(reply: Reply, notes: ReplyNotes, signal: AbortSignal): unknown {
  if (isStream(reply)) return new LocalEvents(reply.events[Symbol.asyncIterator](), notes, signal);
  notes.onAnswered?.(signal.aborted ? abortOf(signal) : undefined);
  return structuredClone(reply.value);
}

/** The events of an accepted stream, which ends when its signal aborts, whether or not it is iterated. */
class LocalEvents implements AsyncIterableIterator<unknown> {
  readonly #events: AsyncIterator<LoggedEvent>;
  readonly #notes: ReplyNotes;
  readonly #signal: AbortSignal;
  readonly #read: AsyncGenerator<unknown, undefined>;
  readonly #leave = (): void => this.#end(abortOf(this.#signal));
  #isOver = false;

  constructor(events: AsyncIterator<LoggedEvent>, notes: ReplyNotes, signal: AbortSignal) {
    this.#events = events;
    this.#notes = notes;
    this.#signal = signal;
    this.#read = this.#copies();
    signal.addEventListener('abort', this.#leave, { once: true });
    if (signal.aborted) this.#leave();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown, undefined>> {
    return this.#read.next();
  }

  /** A generator runs no `finally` block before its first `next()`, so the stream is released here. */
  return(): Promise<IteratorResult<unknown, undefined>> {
    this.#end();
    return this.#read.return(undefined);
  }

  async *#copies(): AsyncGenerator<unknown, undefined> {
    const signal = this.#signal;
    try {
      while (!signal.aborted) {
        const step = await this.#events.next();
        if (signal.aborted) break;
        if (step.done) return undefined;
        yield structuredClone(step.value.event);
      }
      throw abortOf(signal);
    } catch (thrown) {
      const failure = signal.aborted ? abortOf(signal) : A2AError.from(thrown);
      this.#end(failure);
      throw failure;
    } finally {
      this.#end();
    }
  }

  #end(failure?: A2AError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#signal.removeEventListener('abort', this.#leave);
    endIteration(this.#events);
    this.#notes.onAnswered?.(failure);
  }
}
