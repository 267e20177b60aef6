import {
  type Call,
  type CallContext,
  defaultSemantics,
  type Invoke,
  isStream,
  type LoggedEvent,
  type Reply,
} from '../../src/core/model/call.ts';
import { A2AError } from '../../src/core/model/errors.ts';
import { joinReplies, subjectOf } from '../../src/dialects/kernel/calls.ts';
import type { CodecContext, Frame, StreamShape } from '../../src/dialects/kernel/codec.ts';
import type { Dialect } from '../../src/dialects/kernel/dialect.ts';
import type { JsonRpcBinding, Method } from '../../src/dialects/kernel/wire.ts';
import { readRpcResponse, rpcError, rpcResult } from '../../src/wire/jsonrpc.ts';

/**
 * A client and a server of one dialect's JSON-RPC binding without a network in between: every request, answer, event and
 * error is encoded, becomes JSON text, and is decoded again, as it would be on a wire. For tests.
 *
 * @param invoke what the server serves, such as the core service
 * @returns the client; it rejects with the A2AError that the wire tells of
 * @throws TypeError when the dialect has no JSON-RPC binding
 */
export function createLoopback(dialect: Dialect, invoke: Invoke): Invoke {
  const binding = dialect.jsonrpc;
  if (!binding) throw new TypeError(`${dialect.name} has no JSON-RPC binding`);
  return async (call) => {
    const plan = binding.calls.get(call.operation);
    if (!plan) throw new A2AError('unsupportedOperation', `${call.operation} does not exist in ${dialect.name}`);
    const carry = (method: Method, request: object) => carryOne({ dialect, binding, invoke, method, request, call });
    const first = await carry(plan.method, call.request);
    if (!plan.next) return first;
    const id = subjectOf(isStream(first) ? {} : first.value) ?? subjectOf(call.request);
    return joinReplies(plan, first, await carry(plan.next, { id }));
  };
}

interface Carried {
  readonly dialect: Dialect;
  readonly binding: JsonRpcBinding;
  readonly invoke: Invoke;
  readonly method: Method;
  readonly request: object;
  readonly call: Call;
}

const throughText = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** One call of a method. */
async function carryOne({ dialect, binding, invoke, method, request, call }: Carried): Promise<Reply> {
  const { context } = call;
  const taskId = subjectOf(request);
  const cx: CodecContext = { losses: context.notes.losses, ...(taskId !== undefined && { taskId }) };
  const params = throughText(method.request.encode({ request: request as never }, cx) ?? {});
  const { stream } = method;
  const serve = async (): Promise<Reply> => {
    const { request: decoded, semantics = defaultSemantics } = method.request.decode(params, cx);
    const { signal, replay = semantics.replay } = context;
    const served: CallContext = {
      ...context,
      signal,
      dialect: dialect.name,
      semantics: semantics,
      ...(replay && { replay }),
    };
    return invoke({ operation: method.operation, request: decoded, context: served });
  };
  if (stream) return readStream(binding, stream, serve, cx);
  const { result } = method;
  if (!result) throw new TypeError(`${method.name} neither answers nor streams`);
  const text = await serve().then(
    (reply) => {
      if (isStream(reply)) throw new TypeError(`${method.name} was answered with a stream`);
      return rpcResult(1, JSON.stringify(result.encode(reply, cx)));
    },
    (thrown: unknown) => {
      const error = A2AError.from(thrown);
      const instead = result.fromError?.(error);
      return instead === undefined
        ? rpcError(1, binding.error.encode(error, cx))
        : rpcResult(1, JSON.stringify(instead));
    },
  );
  return result.decode(unwrap(binding, JSON.parse(text), cx), cx);
}

/** The result of a response; throws the error that it tells of. */
function unwrap(binding: JsonRpcBinding, response: unknown, cx: CodecContext): unknown {
  const read = readRpcResponse(response);
  if (read.error !== undefined) throw binding.error.decode(read.error, cx);
  return (read as { result: unknown }).result;
}

/** Waits for the stream to begin, as clients do, so that a refusal rejects. */
async function readStream(
  binding: JsonRpcBinding,
  stream: StreamShape,
  serve: () => Promise<Reply>,
  cx: CodecContext,
): Promise<Reply> {
  const decoder = stream.decoder(cx);
  const decode = ({ event, data }: Frame): LoggedEvent['event'][] => {
    // What has no data, such as the last frame of some dialects, says nothing.
    if (data === '') return [];
    const parsed: unknown = JSON.parse(data);
    const payload = binding.stream.enveloped ? unwrap(binding, parsed, cx) : parsed;
    return [...decoder.decode({ ...(event !== undefined && { event }), data: payload })];
  };
  const fail = (thrown: unknown): never => {
    binding.stream.error(A2AError.from(thrown), 1).forEach(decode);
    throw new TypeError('The frame of an error was read as an event');
  };
  const reply = await serve().catch(fail);
  if (!isStream(reply)) throw new TypeError('A streaming method was answered with a value');
  const source = reply.events[Symbol.asyncIterator]();
  async function* events(): AsyncGenerator<LoggedEvent> {
    const encoder = stream.encoder(cx);
    const wrap = (frame: Frame): Frame =>
      binding.stream.enveloped && frame.data !== '' ? { ...frame, data: rpcResult(1, frame.data) } : frame;
    let last = { seq: 0, at: 0, generation: 0 };
    const logged = (event: LoggedEvent['event']): LoggedEvent => ({ ...last, event, json: JSON.stringify(event) });
    const read = (frames: readonly Frame[]) => frames.flatMap((frame) => decode(wrap(frame))).map(logged);
    try {
      for await (const served of { [Symbol.asyncIterator]: () => source }) {
        last = { seq: served.seq, at: served.at, generation: served.generation };
        yield* read(encoder.encode(served));
      }
    } catch (thrown) {
      fail(thrown);
    }
    yield* read(encoder.end?.() ?? []);
    yield* (decoder.end?.() ?? []).map(logged);
  }
  const generator = events();
  const read: AsyncIterableIterator<LoggedEvent> = {
    [Symbol.asyncIterator]: () => read,
    next: () => generator.next(),
    // The source first: the generator may never have begun, or wait for it.
    return: async () => {
      await source.return?.();
      return generator.return(undefined);
    },
  };
  return { events: read, ...(reply.facts && { facts: reply.facts }) };
}
