import type { StreamResponse } from '../../core/model/a2a.ts';
import type { CallSemantics } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { withoutOwnKeys } from '../../core/model/own-metadata.ts';
import type { OperationName } from '../../gen/services.ts';
import type { Codec, CodecContext, DecodedRequest, StreamShape } from './codec.ts';
import type { CardShape, Dialect } from './dialect.ts';
import type { RecordCodec } from './record.ts';
import type { CallPlan, JsonRpcBinding, Method } from './wire.ts';

export const method = <K extends OperationName>(
  name: string,
  operation: K,
  rest: Omit<Method<K>, 'name' | 'operation'>,
): Method => ({ name, operation, ...rest }) as unknown as Method;

/** Returns the codec of a value that stands alone, whose path is empty. */
export const atRoot = <V1, Wire>(codec: RecordCodec<V1, Wire>): Codec<unknown, V1> => ({
  decode: (wire, cx) => codec.decode(wire as Wire, cx),
  encode: (v1, cx) => codec.encode(v1, cx, ''),
});

/** Returns the codec of a value that stands alone and is read as a shape first. */
export const readAs = <Shape extends string, V1, Wire>(
  read: (shape: Shape, wire: unknown) => unknown,
  shape: Shape,
  codec: RecordCodec<V1, Wire>,
): Codec<unknown, V1> => ({
  decode: (wire, cx) => codec.decode(read(shape, wire) as Wire, cx),
  encode: (v1, cx) => codec.encode(v1, cx, ''),
});

/** Returns the codec of a unary answer that is one value. */
export const resultOf = <V1>({ decode, encode }: Codec<unknown, V1>): Codec<unknown, { readonly value: V1 }> => ({
  decode: (wire, cx) => ({ value: decode(wire, cx) }),
  encode: ({ value }, cx) => encode(value, cx),
});

interface RequestOptions {
  readonly semantics?: CallSemantics;
  /** Set if the request has metadata, which have no place in v1. */
  readonly preservesMetadata?: true;
}

/** Returns the codec of a request that is one object. */
export const requestOf = <V1>(
  { decode, encode }: Codec<unknown, V1>,
  { semantics, preservesMetadata }: RequestOptions = {},
): Codec<unknown, Omit<DecodedRequest, 'request'> & { readonly request: V1 }> => ({
  decode: (wire, cx) => ({
    request: decode(wire, cx),
    ...(semantics && { semantics }),
    ...(preservesMetadata && preservedMetadata(wire)),
  }),
  encode: ({ request, preserved }, cx) => {
    const wire = encode(request, cx) as object;
    return preservesMetadata && preserved ? { ...wire, ...preserved } : wire;
  },
});

function preservedMetadata(wire: unknown): Pick<DecodedRequest, 'preserved'> {
  const { metadata } = wire as { readonly metadata?: unknown };
  const own = isObject(metadata) ? withoutOwnKeys(metadata) : undefined;
  return own ? { preserved: { metadata: own } } : {};
}

/**
 * The methods of a JSON-RPC binding by name, and how each operation is called.
 *
 * @param composed operations that take two calls; any other is called by its first method
 */
export function methodTables(
  methods: readonly Method[],
  composed: readonly (readonly [OperationName, CallPlan])[] = [],
): Pick<JsonRpcBinding, 'methods' | 'calls'> {
  const calls = new Map<OperationName, CallPlan>(composed);
  for (const method of methods) {
    if (!calls.has(method.operation)) calls.set(method.operation, { method });
  }
  return { methods: new Map(methods.map((method) => [method.name, method])), calls };
}

/**
 * Returns a stream whose events do not depend on each other, each a frame without a name.
 *
 * @param untilOver whether the stream goes on until the task is over, not only until it rests
 */
export function eventStream(event: RecordCodec<StreamResponse, unknown>, untilOver = false): StreamShape {
  const contextOf = (cx: CodecContext): CodecContext => (untilOver ? { ...cx, untilOver: true } : cx);
  return {
    encoder(cx) {
      const own = contextOf(cx);
      return { encode: (logged) => [{ data: JSON.stringify(event.encode(logged.event, own, '')) }] };
    },
    decoder(cx) {
      const own = contextOf(cx);
      return { decode: ({ data }) => [event.decode(data, own)] };
    },
    event: {
      decode: (wire, cx) => event.decode(wire, contextOf(cx)),
      encode: (logged, cx) => event.encode(logged.event, contextOf(cx), ''),
    },
  };
}

/** A JSON-RPC request in v1. */
export interface NamedRequest extends DecodedRequest {
  readonly operation: OperationName;
  /** The request id, in its original JSON type; absent when there was none. */
  readonly id?: unknown;
}

/** Returns the types of a dialect over JSON-RPC that stand alone. */
export const typesOf = (
  jsonrpc: JsonRpcBinding,
  card: CardShape,
  others: Readonly<Record<'message' | 'task' | 'event', Codec<unknown, unknown>>>,
): Dialect['types'] => ({
  ...others,
  card: card as Codec<unknown, unknown>,
  request: jsonRpcRequestCodec(jsonrpc),
  error: jsonrpc.error as Codec<unknown, unknown>,
});

/**
 * Converts whole JSON-RPC requests, so that a request of one dialect becomes one of another. An operation that takes two
 * calls in a dialect (AgentVault's streams) becomes the first of them, with the loss `method`.
 */
export function jsonRpcRequestCodec(binding: Pick<JsonRpcBinding, 'methods' | 'calls'>): Codec<unknown, unknown> {
  const methods = new Map([...binding.methods.values()].reverse().map((method) => [method.operation, method]));
  return {
    decode(wire, cx): NamedRequest {
      if (!isObject(wire) || typeof wire.method !== 'string') throw new A2AError('invalidRequest');
      const method = binding.methods.get(wire.method);
      if (!method) throw new A2AError('methodNotFound', `Method not found: ${wire.method}`);
      const decoded = method.request.decode(wire.params, cx);
      return { ...decoded, operation: method.operation, ...('id' in wire && { id: wire.id }) };
    },
    encode(v1, cx) {
      const { operation, id, ...request } = v1 as NamedRequest;
      const same = methods.get(operation);
      const method = same ?? binding.calls.get(operation)?.method;
      if (!method) throw new A2AError('unsupportedOperation', `This dialect has no ${operation}`);
      if (!same) cx.losses.add('method');
      const params = method.request.encode(request, cx);
      return { jsonrpc: '2.0', ...(id !== undefined && { id }), method: method.name, params };
    },
  };
}
